"""One server behind the gateway: opened once, kept, looked after, opened again when it is gone."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Literal, Protocol, cast

from prime import __version__
from prime.core.clock import Clock
from prime.core.errors import InvalidInput, JsonValue, PrimeError, TimedOut, Unavailable
from prime.gateway.behind.config import ServerConfig
from prime.gateway.behind.definitions import MOST_TOOLS, Definition, readable
from prime.gateway.behind.rpc import Message, NotSent, Peer, Progress, RpcError, Wire, described

State = Literal["starting", "ready", "waiting", "held", "disabled", "stopped"]
PROTOCOL = "2025-11-25"
_KNOWN_PROTOCOLS = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", PROTOCOL})

# Programs such as npx and uvx fetch a server when it is opened for the first time.
OPEN_S = 60.0
LIST_S = 30.0
COMPLETE_S = 5.0
PING_EVERY_S = 30.0
PING_S = 10.0
# How long a call waits for a server that is being opened.
PATIENCE_S = 15.0
# A server that was well is opened again at once; only one that is lost again soon, or does not open, is waited for.
BACKOFF_S: Sequence[float] = (0.0, 0.25, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
# A connection that lasted this long was a good one: the next failure begins anew.
_GOOD_S = 20.0
_MOST_PAGES = 100
_SETTLE_S = 0.1
_log = logging.getLogger(__name__)

Opener = Callable[[ServerConfig], Awaitable[Wire]]


class Neighbours(Protocol):
    """Who hears of a server's changes, and answers what it asks for."""

    def tools_changed(self, server: "Server") -> None: ...

    def said(self, server: "Server", method: str, params: Message) -> None: ...

    async def asked(self, server: "Server", method: str, params: Message) -> Message: ...


class Server:
    """A server's life. `keep` runs until it is cancelled; everything else may be called at any time."""

    def __init__(self, config: ServerConfig, opener: Opener, neighbours: Neighbours, clock: Clock) -> None:
        self.config = config
        self.state: State = "disabled" if config.disabled else "starting"
        self.problem: PrimeError | None = None
        self.definitions: list[Definition] = []
        # Tools that it has and that cannot be offered, with the reason.
        self.left_out: Mapping[str, str] = {}
        self.capabilities: Mapping[str, JsonValue] = {}
        self.info = ""
        self.instructions = ""
        # How often it was opened: once, unless it was lost.
        self.opened = 0
        self._opener = opener
        self._neighbours = neighbours
        self._clock = clock
        self._peer: Peer | None = None
        self._ready = asyncio.Event()
        self._tried = asyncio.Event()
        self._broken = asyncio.Event()
        self._renewed = asyncio.Event()
        self._relist: asyncio.Task[None] | None = None
        self._stale = False

    # --- for callers ---

    async def call(self, name: str, arguments: Mapping[str, JsonValue], progress: Progress | None = None) -> Message:
        """The raw result of a tool."""
        params: Message = {"name": name, "arguments": dict(arguments)}
        return await self.request("tools/call", params, within_s=self.config.call_s, progress=progress)

    async def request(
        self, method: str, params: Message | None = None, *, within_s: float = LIST_S, progress: Progress | None = None
    ) -> Message:
        peer = self._peer or await self._wait()
        try:
            return await peer.request(method, params, within_s=within_s, progress=progress)
        except NotSent:
            self._give_up(peer)
        # It ended at this very moment, and has not seen the request: the one that is opened now gets it.
        peer = self._peer or await self._wait()
        return await peer.request(method, params, within_s=within_s, progress=progress)

    @property
    def busy(self) -> bool:
        """Whether a request waits for its answer."""
        return self._peer is not None and self._peer.busy

    @property
    def pid(self) -> int | None:
        """The process, of a server that is one and runs."""
        return self._peer.pid if self._peer is not None else None

    @property
    def tried(self) -> bool:
        return self._tried.is_set()

    async def settled(self) -> None:
        """Wait until it is ready or the first try to open it has failed."""
        await self._tried.wait()

    async def _wait(self) -> Peer:
        with suppress(TimeoutError):
            if self.state in {"starting", "waiting"}:
                async with asyncio.timeout(PATIENCE_S):
                    await self._ready.wait()
        if self._peer is None:
            why = str(self.problem) if self.problem else f"It is {self.state}."
            raise Unavailable(
                f"The MCP server {self.config.name} is not there now. {why}",
                code="server_unavailable",
                hint=f"`prime mcp test {self.config.name}` tries to open it and says what is wrong.",
                server=self.config.name,
            )
        return self._peer

    def _give_up(self, peer: Peer) -> None:
        """A connection that takes nothing any more is of no use, whether or not its end has been seen."""
        if self._peer is peer:
            self._peer = None
            self._ready.clear()
            self._broken.set()
            self.become("waiting")

    def renew(self) -> None:
        """What it was opened with is not so any more: open it anew, when it has answered what it was asked."""
        self._renewed.set()

    def become(self, state: State) -> None:
        """Be in this state, and let whoever shows it know."""
        self.state = state
        self._neighbours.said(self, "state", {})

    # --- its life ---

    async def keep(self) -> None:
        """Open it, and open it again with growing pauses whenever it is lost."""
        failures = 0
        while True:
            began = asyncio.get_running_loop().time()
            self.problem = await self._live()
            self.become("waiting")
            self._tried.set()
            good = asyncio.get_running_loop().time() - began > _GOOD_S or self._renewed.is_set()
            failures = 1 if good else failures + 1
            _log.info("The MCP server %s is gone: %s", self.config.name, self.problem.message)
            if pause := BACKOFF_S[min(failures, len(BACKOFF_S)) - 1]:
                await self._first(self._clock.sleep(pause), self._renewed.wait())
            self.become("starting")

    async def _live(self) -> PrimeError:
        """One connection from its opening to its end; why it ended."""
        peer: Peer | None = None
        lost = True
        self._broken.clear()
        self._renewed.clear()
        try:
            async with asyncio.timeout(OPEN_S):
                wire = await self._opener(self.config)
            peer = Peer(wire, _Ears(self, self._neighbours))
            reading = asyncio.ensure_future(peer.run())
            try:
                await self._greet(peer)
                self.definitions = await self._list(peer)
                self._peer, self.problem = peer, None
                self.opened += 1
                self.become("ready")
                self._ready.set()
                self._tried.set()
                self._neighbours.tools_changed(self)
                self._neighbours.said(self, "ready", {})
                return await self._watch(peer, reading)
            finally:
                reading.cancel()
                await asyncio.wait([reading])
        except PrimeError as error:
            return error
        except asyncio.CancelledError:
            lost = False
            raise
        except TimeoutError:
            return TimedOut(f"{self.config.name} could not be opened in {OPEN_S:g} s.", code="open_timeout")
        finally:
            self._peer, self.state = None, "waiting" if lost else "stopped"
            self._ready.clear()
            if peer is not None:
                await asyncio.shield(peer.close(at_once=lost))

    async def _greet(self, peer: Peer) -> None:
        config = self.config
        able: Message = {}
        if config.sampling == "ask":
            able["sampling"] = {}
        if config.elicitation == "ask":
            able["elicitation"] = {}
        hello: Message = {
            "protocolVersion": PROTOCOL,
            "capabilities": able,
            "clientInfo": {"name": "prime", "title": "Prime", "version": __version__},
        }
        try:
            said = await peer.request("initialize", hello, within_s=OPEN_S)
        except TimedOut as error:
            hint = "Run its command by hand once: one that is fetched first takes longer then."
            raise TimedOut(error.message, code="open_timeout", hint=hint) from None
        if str(said.get("protocolVersion")) not in _KNOWN_PROTOCOLS:
            version = str(said.get("protocolVersion"))[:40]
            raise InvalidInput(f"{config.name} speaks MCP {version}, which Prime does not.", code="protocol_version")
        capabilities, info, words = said.get("capabilities"), said.get("serverInfo"), said.get("instructions")
        self.capabilities = cast("Message", capabilities) if isinstance(capabilities, dict) else {}
        self.info = described(cast("Message", info)) if isinstance(info, dict) else ""
        self.instructions = words[:4000] if isinstance(words, str) else ""
        await peer.notify("notifications/initialized")

    async def _list(self, peer: Peer) -> list[Definition]:
        if "tools" not in self.capabilities:
            return []
        listed = await pages(peer, "tools/list", "tools", MOST_TOOLS)
        found = await asyncio.to_thread(readable, listed)  # reading thousands of schemas takes a while
        self.left_out = found.left_out
        return found.tools

    async def _watch(self, peer: Peer, reading: "asyncio.Future[None]") -> PrimeError:
        """Until the connection ends or a server that has nothing to do does not answer a ping."""
        while True:
            await self._first(reading, self._clock.sleep(PING_EVERY_S), self._broken.wait(), self._renewed.wait())
            if self._renewed.is_set():
                return await self._dismissed(peer, reading)
            if self._broken.is_set():
                await asyncio.wait({reading}, timeout=_SETTLE_S)  # its end says more, if it comes
            if reading.done():
                ended = reading.exception()
                return ended if isinstance(ended, PrimeError) else Unavailable("The connection ended.")
            if self._broken.is_set():
                return Unavailable(f"{self.config.name} takes no requests any more.", code="server_gone")
            quiet = asyncio.get_running_loop().time() - peer.heard_at > PING_EVERY_S / 2
            if not quiet or peer.busy:
                continue
            try:
                await peer.request("ping", within_s=PING_S)
            except TimedOut:
                return Unavailable(f"{self.config.name} did not answer a ping.", code="server_hangs")
            except RpcError:
                pass  # it does not know the method, and it lives

    async def _dismissed(self, peer: Peer, reading: "asyncio.Future[None]") -> PrimeError:
        """No new requests for this connection; those that are under way have their time."""
        self._peer = None
        self._ready.clear()
        self.become("waiting")
        until = asyncio.get_running_loop().time() + self.config.call_s
        while peer.busy and not reading.done() and asyncio.get_running_loop().time() < until:
            await asyncio.wait({reading}, timeout=_SETTLE_S)
        return Unavailable(f"{self.config.name} is opened again: a secret of it has changed.", code="server_renewed")

    async def _first(self, *waits: "Awaitable[object]") -> None:
        """Until one of them is over; the others are not waited for any more, what reads goes on."""
        tasks = [asyncio.ensure_future(wait) for wait in waits]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task, wait in zip(tasks, waits, strict=True):
                if task is not wait:
                    task.cancel()

    def relist(self) -> None:
        """Its tools have changed: look again, once for all changes of the moment."""
        self._stale = True
        if self._peer is not None and (self._relist is None or self._relist.done()):
            self._relist = asyncio.create_task(self._list_again(self._peer))

    async def _list_again(self, peer: Peer) -> None:
        while self._stale and self._peer is peer:
            await asyncio.sleep(_SETTLE_S)
            self._stale = False
            try:
                self.definitions = await self._list(peer)
            except PrimeError as error:
                _log.info("The MCP server %s does not list its tools: %s", self.config.name, error.message)
                self.problem = error  # its tools are those of before
                self.become(self.state)
                return
            self.problem = None
            self._neighbours.tools_changed(self)


class _Ears:
    """What a connection hears, told to the server's neighbours."""

    def __init__(self, server: Server, neighbours: Neighbours) -> None:
        self._server = server
        self._neighbours = neighbours

    def notified(self, method: str, params: Message) -> None:
        if method == "notifications/tools/list_changed":
            self._server.relist()
        else:
            self._neighbours.said(self._server, method, params)

    async def asked(self, method: str, params: Message) -> Message:
        if method == "ping":
            return {}
        return await self._neighbours.asked(self._server, method, params)


class Requests(Protocol):
    """Whoever carries a request to a server: its connection, or the server that keeps one."""

    async def request(self, method: str, params: Message | None = None, *, within_s: float) -> Message: ...


async def pages(peer: Requests, method: str, key: str, most: int, *, within_s: float = LIST_S) -> list[JsonValue]:
    """Everything that a paged listing has, within bounds: a server that gives cursors for ever does not hold us."""
    found: list[JsonValue] = []
    cursor: JsonValue = None
    seen: set[str] = set()
    for _ in range(_MOST_PAGES):
        said = await peer.request(method, {} if cursor is None else {"cursor": cursor}, within_s=within_s)
        items = said.get(key)
        found += cast("list[JsonValue]", items) if isinstance(items, list) else []
        cursor = said.get("nextCursor")
        if not isinstance(cursor, str) or cursor in seen or len(found) >= most:
            break
        seen.add(cursor)
    return found


async def completed(server: Server, ref: Message, argument: Mapping[str, JsonValue]) -> list[str]:
    """A server's own completion of an argument; nothing where it has none."""
    if "completions" not in server.capabilities:
        return []
    said = await server.request("completion/complete", {"ref": ref, "argument": dict(argument)}, within_s=COMPLETE_S)
    completion = said.get("completion")
    values = cast("Message", completion).get("values") if isinstance(completion, dict) else None
    return [one for one in cast("list[JsonValue]", values) if isinstance(one, str)] if isinstance(values, list) else []
