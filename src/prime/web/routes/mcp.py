"""The doors for MCP clients. They let in the owner by the session gate, and everyone else by a token of their own."""

from fastapi import APIRouter
from starlette.types import ASGIApp, Receive, Scope, Send

from prime.gateway.front import door
from prime.web.identity import NOBODY, Identity
from prime.web.parts import Parts

router = APIRouter()


class _Door:
    """An ASGI endpoint, so that streams are the gateway's own business."""

    def __init__(self, name: door.DoorName) -> None:
        self._name: door.DoorName = name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts, identity = scope["app"].state.parts, scope.get("prime.identity", NOBODY)
        assert isinstance(parts, Parts)
        assert isinstance(identity, Identity)
        await door.serve(parts.gateway, self._name, scope, receive, send, owner=identity.role == "owner")


class McpFirst:
    """In front of the routes: who calls tools calls often, and does not look through all routes each time."""

    def __init__(self, app: ASGIApp, parts: Parts) -> None:
        self._app = app
        self._gateway = parts.gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/mcp":
            identity = scope.get("prime.identity", NOBODY)
            assert isinstance(identity, Identity)
            await door.serve(self._gateway, "http", scope, receive, send, owner=identity.role == "owner")
        else:
            await self._app(scope, receive, send)


router.add_route("/mcp", _Door("http"), include_in_schema=False)  # pyright: ignore[reportArgumentType]
router.add_route("/mcp/sse", _Door("sse"), include_in_schema=False)  # pyright: ignore[reportArgumentType]
router.add_websocket_route("/mcp/ws", _Door("websocket"))  # pyright: ignore[reportArgumentType]
