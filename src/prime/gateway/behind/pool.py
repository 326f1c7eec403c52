"""All servers behind the gateway: a source of tools, their runtime, and how they are primed."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import cast

from prime.core.clock import Clock
from prime.core.errors import JsonValue, NotFound, PrimeError, Unavailable
from prime.gateway.behind.absence import absence, opening, owner_of, unusable
from prime.gateway.behind.acceptance import Acceptance
from prime.gateway.behind.config import ServerConfig, names_in
from prime.gateway.behind.definitions import Definition, ServerTool, server_tools
from prime.gateway.behind.files import ConfigFiles, Stamp
from prime.gateway.behind.owner import OwnerDesk
from prime.gateway.behind.relay import Relay
from prime.gateway.behind.results import raw_result
from prime.gateway.behind.rpc import Message
from prime.gateway.behind.server import Opener, Server
from prime.gateway.behind.wishes import Wishes
from prime.gateway.link import LINK
from prime.tools.priming.request import PrimeRequest
from prime.tools.runtime import RawResult, RunContext
from prime.tools.tool import Tool

LOOK_EVERY_S = 1.0
_ADMIT = "mcp-admit"
# Names that are the gateway's own.
_TAKEN = frozenset({"prime", "find_tools", "call_tool"})
log = logging.getLogger(__name__)

Heard = Callable[[str, str, Message], None]


class Servers:
    """Opens what the files name, follows their changes, and calls tools."""

    def __init__(
        self, files: ConfigFiles, opener: Opener, acceptance: Acceptance, desk: OwnerDesk, wishes: Wishes, clock: Clock
    ) -> None:
        self.files = files
        self.held: dict[str, dict[str, str]] = {}
        self._wrong: tuple[PrimeError, ...] = ()
        self._opener = opener
        self._acceptance = acceptance
        self._desk = desk
        self._wishes = wishes
        self._clock = clock
        self._servers: dict[str, Server] = {}
        self._keeping: dict[str, asyncio.Task[None]] = {}
        self._admitted: dict[str, list[Definition]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._by_name: dict[str, ServerTool] = {}
        self._primes: set[str] = set()
        self._stamp: Stamp | None = None
        self._started = asyncio.Event()
        self._changed = 0
        self._reloading = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._listeners: list[Heard] = []

    # --- a source of tools ---

    @property
    def changed(self) -> int:
        return self._changed

    def tools(self) -> Sequence[Tool]:
        return [entry.tool for entry in self._by_name.values()]

    def missing(self, name: str) -> PrimeError | None:
        if not self._started.is_set():
            return opening(name) if "__" in name else None
        server = owner_of(name, self._servers)
        if server is None:
            return None
        own = server.config.name
        return absence(name, server, listed=own in self._admitted, held=self.held.get(own, {}))

    def expects(self, name: str) -> bool:
        """Whether a tool is not there that may come with a server that is being opened for the first time."""
        if name in self._by_name or "__" not in name:
            return False
        server = owner_of(name, self._servers)
        own = server.config.name if server is not None else None
        return not self._started.is_set() or (own in self._keeping and own not in self._admitted)

    async def arrived(self, name: str) -> None:
        """Wait until such a server is there, or has failed once."""
        await self._started.wait()
        if (server := owner_of(name, self._servers)) is not None:
            await self.tried(server.config.name)

    def definition(self, tool: Tool) -> Definition | None:
        """What its server says about a tool, for whoever shows it."""
        entry = self._by_name.get(tool.name)
        return entry.definition if entry is not None and entry.tool is tool else None

    # --- a runtime ---

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: RunContext) -> RawResult:
        entry = self._by_name.get(tool.name)
        server = self._servers.get(entry.server) if entry is not None else None
        if entry is None or server is None:
            raise Unavailable(f"{tool.name} is not there any more.", code="tool_gone", hint="List the tools again.")
        link = LINK.get()
        if link is None or not link.wants_progress:
            return raw_result(await server.call(entry.name, arguments), entry.server)
        async with Relay(link) as relay:
            return raw_result(await server.call(entry.name, arguments, relay.take), entry.server)

    def identity(self, tool: Tool) -> str:
        """Which server would run it, as it is configured now: approvals are bound to it."""
        entry = self._by_name.get(tool.name)
        server = self._servers.get(entry.server) if entry is not None else None
        return "mcp?" if server is None else f"mcp:{server.config.name}:{server.config.digest}"

    # --- priming ---

    def program(self, tool: Tool) -> str | None:
        entry = self._by_name.get(tool.name) if tool.runtime == "mcp" else None
        return f"mcp:{entry.server}" if entry is not None and entry.server in self._primes else None

    async def prime(self, tool: Tool, request: PrimeRequest) -> JsonValue:
        server = self.server(self._by_name[tool.name].server)
        result = await server.call("prime", cast("Mapping[str, JsonValue]", request.to_json()))
        if (structured := result.get("structuredContent")) is not None:
            return structured
        for block in raw_result(result, server.config.name).content:
            with contextlib.suppress(ValueError, RecursionError):
                return json.loads(str(block.get("text")))
        return None

    # --- the servers ---

    def server(self, name: str) -> Server:
        found = self._servers.get(name)
        if found is None:
            hint = "`prime mcp list` shows what is there."
            raise NotFound(f"There is no MCP server named {name[:80]}.", code="unknown_server", hint=hint)
        return found

    @property
    def problems(self) -> list[PrimeError]:
        """What the owner should know: entries that cannot be read, and tools that cannot be offered."""
        return [*self._wrong, *(wrong for server in self._servers.values() for wrong in unusable(server))]

    def servers(self) -> list[Server]:
        return list(self._servers.values())

    def names_of(self, server: str) -> list[str]:
        """The names that a server's tools have here."""
        return [entry.tool.name for entry in self._by_name.values() if entry.server == server]

    async def tried(self, name: str) -> None:
        """Wait until a server that is being opened is there, or has failed."""
        server = self.server(name)
        if name in self._keeping:
            await server.settled()
            await self._all_admitted()

    def listen(self, heard: Heard) -> None:
        """Be told what servers say: name, method, parameters.

        `tools` stands for a change of the tools that are offered, `ready` for a server that has been opened, `state` for
        one that is in another state than before.
        """
        self._listeners.append(heard)

    async def start(self) -> None:
        await self.reload()
        self._started.set()
        self._spawn(self._follow())

    async def settled(self) -> None:
        """Wait until each server is ready, or has failed once, and its tools are listed."""
        await self._started.wait()
        fresh = [server for name in self._keeping if not (server := self._servers[name]).tried]
        if fresh:
            await asyncio.gather(*(server.settled() for server in fresh))
        await self._all_admitted()

    async def _all_admitted(self) -> None:
        while admitting := [task for task in self._tasks if task.get_name() == _ADMIT]:
            await asyncio.wait(admitting)

    async def stop(self) -> None:
        tasks = [*self._tasks, *self._keeping.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._keeping.clear()
        self._servers.clear()

    async def reload(self) -> None:
        """Make what runs what the files say; servers that did not change are left alone."""
        async with self._reloading:
            self._stamp = self.files.stamp()
            read = await asyncio.to_thread(self.files.read)
            self._wrong = read.problems
            for name, server in list(self._servers.items()):
                wanted = read.configs.get(name)
                if not read.tells_of(server.config):
                    continue
                if wanted is None or wanted.digest != server.config.digest:
                    await self._close(name)
                    if wanted is None:
                        await self._acceptance.forget(server.config)
            for name, config in read.configs.items():
                if name not in self._servers:
                    await self._open(config)
            self._rebuild()

    def secret_changed(self, name: str) -> None:
        """Servers that were given the secret are opened again with what it is now."""
        for server in self._servers.values():
            if name in names_in(server.config.texts):
                server.renew()

    async def add(self, name: str, entry: Mapping[str, JsonValue], *, replace: bool) -> Server:
        """Write a server into the owner's file. It is held before anything can start it."""
        async with self._writing:
            config = await asyncio.to_thread(self.files.fit, name, entry, "user", replace=replace)
            if (known := self._servers.get(name)) is not None and known.config.digest == config.digest:
                return known
            await self._acceptance.hold(config)
            await asyncio.to_thread(self.files.add, name, entry, "user", replace=replace)
            await self.reload()
        return self.server(name)

    async def remove(self, name: str) -> None:
        """Take a server out of the file that names it, and end it."""
        async with self._writing:
            await asyncio.to_thread(self.files.remove, name)
            await self.reload()

    async def accept(self, name: str) -> None:
        """The owner has looked: the server may start, and its tools are as they describe themselves now."""
        server = self.server(name)
        if server.state == "held":
            await self._acceptance.trust(server.config)
            self._keep(server)
            return
        await self._acceptance.accept(name, server.definitions)
        await self._admit(server)

    async def _open(self, config: ServerConfig) -> None:
        server = Server(config, self._opener, self, self._clock)
        self._servers[config.name] = server
        if config.disabled:
            return
        question = await self._acceptance.may_start(config)
        if question is None:
            self._keep(server)
        else:
            server.become("held")
            self._spawn(self._wait_to_start(server, question))

    def _keep(self, server: Server) -> None:
        if server.config.name in self._keeping:
            return  # the owner's answer and their click can come together; one server is one process
        server.become("starting")
        self._keeping[server.config.name] = asyncio.create_task(server.keep(), name=f"mcp-{server.config.name}")

    async def _wait_to_start(self, server: Server, question: str) -> None:
        await self._desk.answered(question)
        waits = self._servers.get(server.config.name) is server and server.state == "held"
        if waits and await self._acceptance.may_start(server.config) is None:
            self._keep(server)

    async def _close(self, name: str) -> None:
        del self._servers[name]
        self._admitted.pop(name, None)
        self.held.pop(name, None)
        task = self._keeping.pop(name, None)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            await self._clock.sleep(LOOK_EVERY_S)
            try:
                if self.files.stamp() != self._stamp:
                    await self.reload()
            except Exception:  # the database may be away for a moment
                self._stamp = None
                log.exception("The list of MCP servers could not be read again; trying once more.")

    # --- what servers tell ---

    def tools_changed(self, server: Server) -> None:
        self._spawn(self._admit(server), _ADMIT)

    def said(self, server: Server, method: str, params: Message) -> None:
        for heard in self._listeners:
            heard(server.config.name, method, params)

    async def asked(self, server: Server, method: str, params: Message) -> Message:
        return await self._wishes.grant(server.config, method, params)

    async def _admit(self, server: Server) -> None:
        name = server.config.name
        admitted = await self._acceptance.admit(name, server.definitions)
        if self._servers.get(name) is not server:
            return
        before = self.held.get(name, {})
        self._admitted[name], self.held[name] = admitted.accepted, admitted.held
        for tool, question in admitted.held.items():
            if before.get(tool) != question:
                self._spawn(self._wait_to_admit(server, question))
        self._rebuild()

    async def _wait_to_admit(self, server: Server, question: str) -> None:
        await self._desk.answered(question)
        if self._servers.get(server.config.name) is server:
            await self._admit(server)

    def _rebuild(self) -> None:
        by_server = {
            name: (self._servers[name].config, definitions)
            for name, definitions in self._admitted.items()
            if name in self._servers
        }
        entries = server_tools(by_server, _TAKEN)
        if [(e.tool.name, e.definition) for e in entries] == [
            (e.tool.name, e.definition) for e in self._by_name.values()
        ]:
            return  # a server that came back with the same tools changes nothing, and approvals stay good
        self._by_name = {entry.tool.name: entry for entry in entries}
        self._primes = {entry.server for entry in entries if entry.name == "prime"}
        self._changed += 1
        for heard in self._listeners:
            heard("", "tools", {})

    def _spawn(self, work: Coroutine[None, None, None], name: str = "mcp-servers") -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("Looking after MCP servers failed", exc_info=error)
