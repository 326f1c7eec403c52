"""Projections: tables folded from the log, kept up in the background, thrown away and rebuilt at will.

A projection is a pure function of messages: no clock, no settings, no mind, no chance. Rows and cursor change in one
transaction, so a crash between two batches loses nothing and repeats nothing.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Collection, Generator, Hashable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

from prime.core.errors import NotFound, Unavailable
from prime.core.tasks import end
from prime.store.database import Database, Job
from prime.store.folding import Projection, advance, prepare, reset
from prime.store.heads import Heads
from prime.store.latest import Latest
from prime.store.log import Log
from prime.store.message import Kind
from prime.store.reached import Look, read_if_reached
from prime.store.row_digest import digest_of

log = logging.getLogger(__name__)

T = TypeVar("T")

# A batch as large as this costs less than half as much as batches of a thousand do: fewer pages are written, and what is
# kept of stretches of the log is made once. Who reads meanwhile waits for no more than it; while somebody does, batches are
# short.
BATCH = 16_384
SHORT_BATCH = 1024
# So long after somebody waited the next one is expected.
_ATTENDED_SECONDS = 2.0
# Behind by less than this, all are folded in one transaction, which costs less than one for each.
_BURST = 500
RETRY_SECONDS = 1.0
EVERYTHING = "all"  # what is rebuilt when all are
# Folding a burst in few pieces costs a fraction of folding it in many, and who reads meanwhile does not wait for this.
LONGEST_FOLD = 25


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a rebuild has come, in messages."""

    projection: str
    done: int
    of: int


@dataclass(slots=True)
class Tolerance:
    """For who rather sees what was than nothing, and whether that came to pass."""

    is_behind: bool = False


_TOLERANT: ContextVar[Tolerance | None] = ContextVar("prime_tolerant", default=None)


@contextmanager
def tolerating_stale() -> Generator[Tolerance]:
    """Within this, reads answer from projections as they are when these cannot be brought up to date: a full disk.

    Only for showing something to somebody. Whatever acts by what it reads must not: it would act twice.
    """
    tolerance = Tolerance()
    mark = _TOLERANT.set(tolerance)
    try:
        yield tolerance
    finally:
        _TOLERANT.reset(mark)


def behind_will_do() -> bool:
    """Whether who asks rather sees what was than nothing; it is told then that it does."""
    tolerance = _TOLERANT.get()
    if tolerance:
        tolerance.is_behind = True
    return tolerance is not None


class Companion(Protocol):
    """What somebody keeps in memory beside the tables, and must be told of."""

    def forget(self) -> None:
        """A message was erased, or tables were made anew."""
        ...

    async def stop(self) -> None: ...


C = TypeVar("C", bound=Companion)


class Projector:
    """Keeps the projections at the log's head, in the background and, when a read comes first, before the read."""

    def __init__(
        self,
        database: Database,
        log: Log,
        heads: Heads,
        projections: Sequence[Projection],
        *,
        last: Collection[str] = (),
        batch: int = BATCH,
    ) -> None:
        """`last` are those that take by far the most time: after a burst the others come first."""
        self._database = database
        self._log = log
        self._heads = heads
        self._projections = {p.name: p for p in projections}
        self._last = frozenset(last)
        self._batch = batch
        self._waited = -_ATTENDED_SECONDS
        self._reached = dict.fromkeys(self._projections, 0)
        self._locks = {name: asyncio.Lock() for name in self._projections}
        self._latest = Latest(database, heads)
        self._companions: dict[str, Companion] = {}
        self._task: asyncio.Task[None] | None = None
        self.progress: Progress | None = None  # of the rebuild that is under way

    @property
    def names(self) -> list[str]:
        return list(self._projections)

    @property
    def head(self) -> int:
        """How far the log is known to have come."""
        return self._heads.head

    @property
    def sees_every_append(self) -> bool:
        """Whether nobody but this process appends."""
        return self._database.engine_name == "sqlite"

    def companion(self, name: str, make: Callable[[], C]) -> C:
        """The one of this name, made when it is first asked for."""
        found = self._companions.get(name)
        if found is None:
            found = self._companions[name] = make()
        return cast("C", found)

    def forget(self) -> None:
        """Let go of whatever is kept in memory of what the tables said."""
        self._latest.forget()
        for companion in self._companions.values():
            companion.forget()

    async def start(self) -> None:
        """Make what tables are missing or outdated, then follow the log."""
        for projection in self._projections.values():
            self._reached[projection.name] = await self._database.derive(lambda c, p=projection: prepare(c, p))
        self._task = asyncio.create_task(self._follow(), name="prime-projector")

    async def stop(self) -> None:
        await end(self._task)
        for companion in self._companions.values():
            await companion.stop()

    async def read(self, job: Job[T], *names: str, kinds: frozenset[Kind] | None = None) -> T:
        """Run a read over these projections, which hold at least what was in the log when it was asked for.

        With `kinds`, the answer depends on such messages only, and the read waits for no others.
        """
        head = self._heads.head  # on PostgreSQL others may have written more, which the look below finds
        fixed = self._database.engine_name == "sqlite"
        waits = kinds is None
        while True:
            try:
                if waits:
                    await self._reach(names, head)
            except Unavailable:
                if not behind_will_do():
                    raise
                return await self._database.read(job)
            # A rebuild may have begun, here or in another replica: look at the cursor and the rows in one transaction.
            look = Look(names, head if fixed else None, kinds)
            behind, result = await self._database.read(lambda c, look=look: read_if_reached(c, look, job))
            if behind is None:
                return cast("T", result)
            head, fixed, waits = behind.head, True, True
            self._reached.update(behind.places)

    async def read_kept(self, key: Hashable, job: Job[T], *names: str, kinds: frozenset[Kind]) -> T:
        """The same for what is asked again and again: the answer is kept under `key` until a message of these kinds comes.

        Whoever gets it changes nothing in it.
        """
        return await self._latest.answer(key, kinds, lambda: self.read(job, *names, kinds=kinds))

    async def rebuild(self, *names: str) -> list[str]:
        """Empty these projections (or all) and fold the log into them again; reads wait meanwhile.

        Returns the names of those whose rows were not what the log says, and are now.
        """
        for name in names:
            if name not in self._projections:
                known = ", ".join(self._projections) or "none"
                raise NotFound(f"There is no projection named {name}.", hint=f"There are: {known}.", name=name)
        try:
            return await self._rebuild([self._projections[name] for name in names or self._projections])
        finally:
            self.progress = None
            self.forget()

    async def _rebuild(self, chosen: Sequence[Projection]) -> list[str]:
        """All of these together: the log is read once, however many there are."""
        head = await self._log.head()
        what = EVERYTHING if len(chosen) == len(self._projections) else ", ".join(p.name for p in chosen)
        async with self._held(p.name for p in chosen):
            before = await self._digests(chosen, head)
            for projection in chosen:
                self._reached[projection.name] = 0  # first: from here on a read waits, also when the reset is cut short
                await self._database.derive(lambda c, p=projection: reset(c, p))
            while (done := min(self._reached[p.name] for p in chosen)) < head:
                self.progress = Progress(what, done, head)
                self._reached.update(await self._database.derive(lambda c: advance(c, chosen, self._batch)))
            after = await self._digests(chosen, head)
        return [
            p.name for p in chosen if None not in (before[p.name], after[p.name]) and before[p.name] != after[p.name]
        ]

    async def _digests(self, chosen: Sequence[Projection], head: int) -> dict[str, str | None]:
        return {
            p.name: await self._database.derive(lambda c, p=p: digest_of(c, p.name, p.tables, head)) for p in chosen
        }

    @asynccontextmanager
    async def _held(self, names: Iterable[str]) -> AsyncGenerator[None]:
        """Nobody else folds these; always taken in one order, so that two never wait for each other."""
        async with AsyncExitStack() as stack:
            for name in sorted(names):
                await stack.enter_async_context(self._locks[name])
            yield

    async def _follow(self) -> None:
        done = 0
        while True:
            head = await self._heads.past_burst(done, longest=LONGEST_FOLD)
            try:
                await self._catch_up(head)
                done = head
            except Exception:  # a database that is away for a moment must not end the projector
                log.exception("a projection could not be brought up to date; trying again")
                await asyncio.sleep(RETRY_SECONDS)

    async def _catch_up(self, head: int) -> None:
        """Bring all to `head`, and to where the log has come meanwhile; who reads has a turn after each batch."""
        while chosen := self._next(head):
            async with self._held(chosen):
                await self._fold(chosen, head)
            await asyncio.sleep(0)
            head = max(head, self._heads.head)

    def _next(self, head: int) -> list[str]:
        """Those to fold in the next transaction. One for each was measured at ten times the cost of an append itself; but
        after a burst the few that take long would hold up the others, which most people read."""
        behind = self._behind(self._projections, head)
        if all(head - self._reached[name] < _BURST for name in behind):
            return behind
        first = [name for name in behind if name not in self._last] or behind
        # Not one that somebody folds already: all the others would be held meanwhile.
        return [name for name in first if not self._locks[name].locked()] or first[:1]

    async def _reach(self, names: Sequence[str], head: int) -> None:
        """The same for who waits for these."""
        behind = self._behind(names, head)
        quick = [name for name in behind if name not in self._last]
        if quick:
            self._waited = time.monotonic()
        groups = [quick] if len(quick) == len(behind) else [quick, [name for name in behind if name in self._last]]
        for group in groups:
            async with self._held(group):
                while await self._fold(group, head):
                    pass

    async def _fold(self, names: Iterable[str], head: int) -> bool:
        """One batch into those of them that are behind, which are held; whether there was anything to do."""
        behind = self._behind(names, head)
        if not behind:
            return False
        is_attended = time.monotonic() - self._waited < _ATTENDED_SECONDS
        batch = SHORT_BATCH if is_attended and not self._last.isdisjoint(behind) else self._batch
        chosen = [self._projections[name] for name in behind]
        self._reached.update(await self._database.derive(lambda c: advance(c, chosen, batch)))
        return True

    def _behind(self, names: Iterable[str], head: int) -> list[str]:
        return [name for name in names if self._reached[name] < head]
