"""The door for the person at the machine: the data folder's socket, which only they can open (mode 0600)."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.types import ASGIApp

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class LocalDoor:
    """ASGI middleware around the whole app; who comes through it is the owner."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        await self._app({**scope, "prime.local": True}, receive, send)
