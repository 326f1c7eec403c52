"""Processes that wait for a call (D-RUN-11): started ahead, each for one call, for exactly one way of running a tool."""

import asyncio
import logging
from collections import deque
from collections.abc import Coroutine, Hashable, Mapping
from dataclasses import dataclass
from typing import Final

from prime.core.errors import PrimeError
from prime.core.process import Command, Containment, Process, start
from prime.tools.runtimes.registry import Folder

_log = logging.getLogger(__name__)

MOST_IDLE: Final = 32
IDLE_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class Way:
    """One way of running one version of a tool: whoever would run it the same way may take the process."""

    name: str
    digest: str
    argv: tuple[str, ...]
    cwd: str | None
    rest: Hashable

    @classmethod
    def of(cls, folder: Folder, command: Command) -> "Way":
        env = tuple(sorted(command.environment().items()))
        rest = (env, command.sandbox, command.limits)
        return cls(folder.manifest.name, folder.digest, command.argv, command.cwd, rest)


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A started process that was not spoken to. `first` is what it will say; a fit one says nothing unasked."""

    process: Process
    first: "asyncio.Task[bytes]"
    expiry: asyncio.TimerHandle


class Standby:
    """All waiting processes of one event loop, few in number, none for long."""

    def __init__(
        self, *, most_idle: int = MOST_IDLE, idle_s: float = IDLE_S, within: Containment | None = None
    ) -> None:
        self._most_idle = most_idle
        self._idle_s = idle_s
        self._within = within
        self._waiting: dict[Way, deque[Waiting]] = {}
        self._unfit: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def idle(self) -> int:
        """How many processes wait."""
        return sum(map(len, self._waiting.values()))

    def waiting(self, way: Way) -> int:
        """How many wait for this way of running."""
        return len(self._waiting.get(way, ()))

    def take(self, way: Way) -> Waiting | None:
        """A process that waits for this way of running, no longer this object's; None when there is none."""
        for other in [known for known in self._waiting if known.name == way.name and known.digest != way.digest]:
            self._drop(other)  # the tool has changed
        queue = self._waiting.get(way, deque())
        while queue:
            waiting = queue.popleft()
            waiting.expiry.cancel()
            if waiting.process.running and not waiting.first.done():
                waiting.process.rest(resting=False)
                return waiting
            self.unfit(way, "it answered or ended before it was asked")
            self._end(waiting)
        return None

    def unfit(self, way: Way, why: str) -> None:
        """This version of the tool does not keep to the contract on standby: from now on it is started for each call."""
        _log.warning("%s is not kept on standby: %s.", way.name, why)
        self._unfit[way.name] = way.digest
        self._drop(way)

    def fill(self, way: Way, command: Command, count: int) -> None:
        """Have `count` processes waiting, soon; the oldest of other ways make room."""
        if self.waiting(way) < count and not self._closed and self._unfit.get(way.name) != way.digest:
            self._spawn_task(self._fill(way, command, count))

    async def retire(self, versions: Mapping[str, str]) -> list[Way]:
        """End what waits for tools that are gone or have another digest than `versions` says; for which ways it waited."""
        retired: dict[Way, None] = {}
        while True:
            await asyncio.gather(*self._tasks)  # what was just being started is there now
            old = [way for way in self._waiting if versions.get(way.name) != way.digest]
            if not old:
                return list(retired)
            for way in old:
                self._drop(way)
            retired.update(dict.fromkeys(old))

    def forget(self, name: str) -> None:
        """End what waits for a tool that cannot be started ahead any more."""
        for way in [known for known in self._waiting if known.name == name]:
            self._drop(way)

    async def close(self) -> None:
        """End all; nothing is started afterwards."""
        self._closed = True
        for way in list(self._waiting):
            self._drop(way)
        await self._settled()

    async def _fill(self, way: Way, command: Command, count: int) -> None:
        while not self._closed and self._unfit.get(way.name) != way.digest:
            if self.waiting(way) >= count or not self._made_room(way):
                return
            try:
                process = await start(command, within=self._within)
            except PrimeError as error:
                self.unfit(way, f"it could not be started ({error.message})")
                return
            process.rest(resting=True)
            loop = asyncio.get_running_loop()
            expiry = loop.call_later(self._idle_s, self._drop, way)
            self._waiting.setdefault(way, deque()).append(Waiting(process, asyncio.create_task(process.read()), expiry))
            await asyncio.sleep(0)  # one start takes a moment; a call may be waiting for the loop

    def _made_room(self, way: Way) -> bool:
        while self.idle >= self._most_idle:
            oldest = next((known for known, queue in self._waiting.items() if queue and known != way), None)
            if oldest is None:
                return False
            self._drop(oldest)
        return True

    def _drop(self, way: Way) -> None:
        for waiting in self._waiting.pop(way, ()):
            waiting.expiry.cancel()
            self._end(waiting)

    def _end(self, waiting: Waiting) -> None:
        waiting.process.kill()
        self._spawn_task(_ended(waiting))

    def _spawn_task(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _settled(self) -> None:
        while self._tasks:
            await asyncio.gather(*self._tasks)


async def _ended(waiting: Waiting) -> None:
    async with waiting.process:
        pass
    await waiting.first
