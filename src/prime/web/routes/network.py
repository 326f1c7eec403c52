"""Prime Message and A2A over HTTP: translated here, decided in `prime.network`."""

import hashlib
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from pydantic import JsonValue
from starlette.responses import JSONResponse, Response

from prime.core.canonical import JSON, canonical_json, parse_json
from prime.core.errors import InvalidInput, Unauthorized
from prime.network.a2a.card import a2a_card
from prime.network.network import bearer
from prime.network.tasks import Caller, TaskMissing
from prime.network.wire import card_json, read_message, reply_json, task_json
from prime.web.identity import identity_of
from prime.web.models import ErrorAnswer
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(tags=["network"])

# JSON in the shapes of the two protocols; docs/prime-message.md and docs/a2a.md describe them.
Answer = dict[str, JsonValue]

CARD_AGE = "public, max-age=300"


@router.get("/.well-known/prime-agent.json", response_model=Answer)
async def prime_card(
    parts: PartsNeeded, request: Request, challenge: Annotated[str | None, Query(max_length=128)] = None
) -> Response:
    """The identity card of Prime Message; `challenge` is echoed, which proves who serves it."""
    return _cached(card_json(parts.network.card, challenge), request, fresh=challenge is not None)


@router.get("/.well-known/agent-card.json", response_model=Answer)
async def agent_card(parts: PartsNeeded, request: Request) -> Response:
    """The A2A card, for clients of 0.3 and 1.0."""
    return _cached(a2a_card(parts.network.card, pure_1_0=parts.settings.a2a_pure), request)


@router.post(
    "/prime/message", response_model=Answer, responses={429: {"model": ErrorAnswer, "description": "Too often."}}
)
async def prime_message(parts: PartsNeeded, request: Request) -> JSONResponse:
    """Say something: `{type: "reply", text}`, or `{type: "task", taskId, taskSecret, …}` when it takes longer."""
    caller = await network_caller(parts, request)
    parts.network.limits.check("message", caller)
    incoming = read_message(parse_json(await request.body()))
    received = await parts.network.desk.receive(incoming, caller)
    return JSONResponse(reply_json(received, secret=parts.network.task_secret(received.task.id)))


@router.get("/prime/task/{task_id}", response_model=Answer)
async def prime_task(
    task_id: str,
    parts: PartsNeeded,
    request: Request,
    secret: Annotated[str | None, Query(max_length=200)] = None,
) -> JSONResponse:
    """How a task is doing; its secret came with it (`Authorization: Bearer …`)."""
    anyone = Caller(address=_address(request), is_owner=identity_of(request).role == "owner")
    parts.network.limits.check("poll", anyone)
    shown = secret or bearer(request.headers.get("authorization")) or ""
    if not parts.network.opens_task(task_id, shown):
        raise TaskMissing(task_id)
    owner = Caller(address=anyone.address, is_owner=True)
    return JSONResponse(task_json(await parts.network.desk.get(task_id, owner)), headers={"cache-control": "no-store"})


@router.post("/a2a", response_model=Answer)
async def a2a(
    parts: PartsNeeded, request: Request, a2a_version: Annotated[str | None, Header()] = None
) -> JSONResponse:
    """JSON-RPC of A2A 0.3 and 1.0. Errors are JSON-RPC errors with status 200."""
    caller = await network_caller(parts, request)
    parts.network.limits.check("message", caller)
    answer = await parts.network.a2a.handle(
        await request.body(),
        caller,
        content_type=request.headers.get("content-type", ""),
        version=a2a_version or request.query_params.get("A2A-Version", ""),
    )
    return JSONResponse(answer)


@router.post("/api/agent-callback", response_model=Answer)
async def agent_callback(
    parts: PartsNeeded,
    request: Request,
    token: Annotated[str | None, Query(max_length=200)] = None,
) -> JSONResponse:
    """Where others push results. The token opens one task of one channel, once."""
    parts.network.limits.check("callback", Caller(address=_address(request)))
    shown = bearer(request.headers.get("authorization")) or request.headers.get("x-prime-callback-token") or token
    raw = await request.body()
    body = parse_json(raw)
    if not isinstance(body, dict):
        raise InvalidInput("A result is a JSON object.")
    if not shown:
        raise Unauthorized("This callback is unknown or has been used.", code="callback_refused")
    delivered = await parts.network.correspondence.callback(shown, body, raw=raw, headers=request.headers)
    return JSONResponse({"ok": True, "duplicate": delivered.duplicate})


async def network_caller(parts: Parts, request: Request) -> Caller:
    """Who is calling, by the connection and the credentials; bodies are not asked."""
    return await parts.network.caller(
        _address(request),
        request.headers.get("authorization"),
        is_owner=identity_of(request).role == "owner",
    )


def _address(request: Request) -> str:
    return request.client.host if request.client else "local"


def _cached(card: dict[str, JSON], request: Request, *, fresh: bool = False) -> Response:
    body = canonical_json(card).encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    headers = {"cache-control": "no-store" if fresh else CARD_AGE, "etag": etag}
    if not fresh and request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")
