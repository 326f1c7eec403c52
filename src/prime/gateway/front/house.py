"""Everything in front, put together."""

import asyncio
from typing import TYPE_CHECKING

from prime.gateway.behind.rpc import Message
from prime.gateway.front.changes import Changes
from prime.gateway.front.desk import Desk, Method
from prime.gateway.front.doors import Doors
from prime.gateway.front.server import Front
from prime.gateway.front.sessions import Sessions

if TYPE_CHECKING:
    from prime.gateway.gateway import Gateway

# Changes of one moment are told once.
_SETTLE_S = 0.05


class FrontHouse:
    def __init__(self, gateway: "Gateway") -> None:
        supplies = gateway.supplies
        self.sessions = Sessions()
        self.changes = Changes(self.sessions)
        methods: dict[str, Method] = {}
        desk = Desk(supplies.workshop, gateway.servers, self.sessions, supplies.settings.mcp_surface, methods)
        self.front = Front(desk, self.changes)
        self.doors = Doors(self.front, self.sessions, gateway.tokens, {supplies.base_url})
        self._telling: asyncio.Task[None] | None = None
        gateway.servers.listen(self._heard)

    async def open(self) -> None:
        await self.doors.wait()

    async def close(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
        await self.doors.close()

    def end_streams(self) -> None:
        self.front.close()

    def _heard(self, server: str, method: str, params: Message) -> None:
        if method == "tools" and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        await asyncio.sleep(_SETTLE_S)
        await self.changes.tools_changed()
