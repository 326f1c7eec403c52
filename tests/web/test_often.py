"""What agents ask for by the thousand goes past FastAPI, and is answered as every other route answers."""

import json
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from prime.core.errors import RateLimited
from prime.web.app import OFTEN, ROUTES
from prime.web.often import OftenFirst
from prime.web.parts import Parts


async def beat(_parts: Parts, _request: Request) -> Response:
    return JSONResponse({"ok": True})


async def too_often(_parts: Parts, _request: Request) -> Response:
    raise RateLimited("Too many requests.", retryAfter=7)


async def broken(_parts: Parts, _request: Request) -> Response:
    raise RuntimeError("a secret of the inside")


async def ask(method: str, path: str) -> tuple[int, dict[bytes, bytes], Any]:
    sent: list[Any] = []

    async def otherwise(_scope: Any, _receive: Any, send: Any) -> None:
        await JSONResponse({"otherwise": True})({"type": "http"}, receive, send)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    app = OftenFirst(otherwise, cast("Parts", None), {"/beat": beat, "/too-often": too_often, "/broken": broken})
    scope = {"type": "http", "method": method, "path": path, "headers": [(b"host", b"x")], "query_string": b""}
    await app(scope, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"]), json.loads(sent[1]["body"])


async def test_doors_answer_and_everything_else_passes() -> None:
    assert (await ask("POST", "/beat"))[2] == {"ok": True}
    assert (await ask("GET", "/beat"))[2] == {"otherwise": True}
    assert (await ask("POST", "/elsewhere"))[2] == {"otherwise": True}


async def test_errors_have_the_one_form() -> None:
    status, headers, body = await ask("POST", "/too-often")
    assert (status, headers[b"retry-after"], body["error"]["code"]) == (429, b"7", "rate_limited")
    status, _, body = await ask("POST", "/broken")
    assert status == 500
    assert "secret" not in json.dumps(body)
    assert body["error"]["hint"].startswith("The server's log has it as err_")


def test_doors_are_routes_as_well() -> None:
    """The API's document has them from there."""
    routes = {route.path for module in ROUTES for route in module.router.routes if isinstance(route, Route)}
    assert routes >= set(OFTEN)
