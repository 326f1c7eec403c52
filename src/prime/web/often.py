"""What agents ask for by the thousand, in front of all other routes.

FastAPI's way to a route (its stack of contexts, the solving of dependencies, the look through the routes) was measured at
twice the cost of a heartbeat itself. The same functions are routes as well, which is how they are documented.
"""

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from prime.web.errors import answer_to
from prime.web.parts import Parts

Door = Callable[[Parts, Request], Awaitable[Response]]


class OftenFirst:
    """ASGI middleware: `doors` are POST requests, by path."""

    def __init__(self, app: ASGIApp, parts: Parts, doors: Mapping[str, Door]) -> None:
        self._app = app
        self._parts = parts
        self._doors = doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        door = self._doors.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if door is None:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            answer = await door(self._parts, request)
        except Exception as error:  # noqa: BLE001  (as at every route: the sender gets an answer, the log gets the rest)
            answer = await answer_to(request, error)
        await answer(scope, receive, send)
