"""Everything that a client can ask the gateway for, as plain JSON; knows nothing of transports and the SDK."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from prime.core.errors import JsonValue, NotFound
from prime.core.settings import McpSurface
from prime.gateway.behind.pool import Servers
from prime.gateway.front.calls import Calls
from prime.gateway.front.listing import Listing, Shown
from prime.gateway.front.results import Result
from prime.gateway.front.sessions import Session, Sessions
from prime.gateway.link import LINK, ClientLink
from prime.tools.catalog import UnknownTool
from prime.tools.workshop import Workshop

Given = Mapping[str, JsonValue]
OPENING_S = 5.0
Method = Callable[[Session, Given], Awaitable[Result]]


class Desk:
    """`methods` are the methods beside `tools/*`, by name, each a function of session and parameters."""

    def __init__(
        self,
        workshop: Workshop,
        servers: Servers,
        sessions: Sessions,
        surface: McpSurface,
        methods: Mapping[str, Method],
    ) -> None:
        self.sessions = sessions
        # Raises for what a client may not watch.
        self.watch: Callable[[Session, Sequence[str]], Awaitable[None]] = _anything
        self._workshop = workshop
        self._servers = servers
        self._surface: McpSurface = surface
        self._methods = methods
        self._listing = Listing(workshop, servers)
        self._calls = Calls(workshop, self._listing, surface)

    @property
    def own_methods(self) -> list[str]:
        """Methods that MCP does not have."""
        return [name for name in self._methods if name in _OWN]

    def has(self, method: str) -> bool:
        return method in self._methods

    async def complete(self) -> None:
        """Wait a moment for servers that are just being opened: many clients list once and never again."""
        with suppress(TimeoutError):
            async with asyncio.timeout(OPENING_S):
                await self._servers.settled()

    def tools(self, session: Session) -> Sequence[Shown]:
        delegation = session.client.delegation if session.client else None
        if self._surface == "search":
            return self._listing.search(delegation, list(session.used))
        return self._listing.all(delegation)

    def input_schema(self, name: str) -> Mapping[str, JsonValue] | None:
        try:
            return self._workshop.catalog.get(name).schema
        except UnknownTool:
            return None

    def stands_alone(self, name: str) -> bool:
        """Whether a call of this tool needs nothing from its client while it runs: only Prime's own ever ask back."""
        try:
            return self._workshop.catalog.get(name).runtime != "builtin"
        except UnknownTool:
            return False

    async def call(
        self, session: Session, link: ClientLink, name: str, arguments: Given, *, cancelled_once: bool = False
    ) -> tuple[Result, bool]:
        """The result, and whether this client's list of tools is another one now. `cancelled_once`: see `Calls.call`."""
        inner = str(arguments.get("name")) if name == "call_tool" else name
        await self._there(inner)
        result = await self._calls.call(session, link, name, arguments, cancelled_once=cancelled_once)
        learned = not result.get("isError") and self._calls.learn(session, inner)
        return result, learned

    async def _there(self, name: str) -> None:
        """Wait a moment for the server of a tool that is just being opened; what there is to say then, the call says."""
        if name == "find_tools":
            await self.complete()
        elif self._servers.expects(name):
            with suppress(TimeoutError):
                async with asyncio.timeout(OPENING_S):
                    await self._servers.arrived(name)

    async def answer(self, session: Session, link: ClientLink, method: str, params: Given) -> Result:
        """Any other method."""
        found = self._methods.get(method)
        if found is None:
            raise NotFound(f"There is no method {method[:80]}.")
        LINK.set(link)
        return await found(session, params)

    async def run(self, session: Session, name: str, arguments: Given) -> JsonValue:
        """Call one of Prime's own tools for a method that is more than a tool; its JSON, or what went wrong."""
        return await self._calls.run(session, name, arguments)


async def _anything(_session: Session, _uris: Sequence[str]) -> None:
    pass


_OWN = frozenset({"prompt/list", "prompt/call", "resources/write", "resources/delete"})
