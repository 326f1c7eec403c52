"""Projections: tables folded from the log, kept up in the background, thrown away and rebuilt at will.

A projection is a pure function of messages: no clock, no settings, no mind, no chance. Rows and cursor change in one
transaction, so a crash between two batches loses nothing and repeats nothing.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Generator, Hashable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

from sqlalchemy import Connection, Table, delete, insert, inspect, select, text, update

from prime.core.errors import NotFound, Unavailable
from prime.core.tasks import end
from prime.store import tables
from prime.store.database import PREPARE_LOCK, Database, Job
from prime.store.heads import Heads
from prime.store.latest import Latest
from prime.store.log import Log
from prime.store.message import Kind, Message
from prime.store.reached import Look, read_if_reached
from prime.store.row_digest import digest_of
from prime.store.rows import read_after, read_head

log = logging.getLogger(__name__)

T = TypeVar("T")

# A batch as large as this costs less than half as much as batches of a thousand do: fewer pages are written, and what is
# kept of stretches of the log is made once. Who reads waits for no more than it.
BATCH = 16_384
_PIECE = 1000  # messages read at once
_HEAVY = 4_000_000  # characters after which a batch is not filled further: it is held in memory
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


class Projection(Protocol):
    """A fold of the log into tables of its own."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int:
        """Raised whenever the fold or its tables change; the projection is then rebuilt at the next start."""
        ...

    @property
    def tables(self) -> Sequence[Table]: ...

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        """Fold the next messages, in order. Called with any cut of the log into batches, and must not depend on it."""
        ...


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
        self, database: Database, log: Log, heads: Heads, projections: Sequence[Projection], *, batch: int = BATCH
    ) -> None:
        self._database = database
        self._log = log
        self._heads = heads
        self._projections = {p.name: p for p in projections}
        self._batch = batch
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
            self._reached[projection.name] = await self._database.derive(lambda c, p=projection: _prepare(c, p))
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
                for name in names if waits else ():
                    await self._catch_up(name, head)
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
                await self._database.derive(lambda c, p=projection: _reset(c, p))
            while (done := min(self._reached[p.name] for p in chosen)) < head:
                self.progress = Progress(what, done, head)
                self._reached.update(await self._database.derive(lambda c: _advance_together(c, chosen, self._batch)))
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
                await self._catch_up_together(head)
                done = head
            except Exception:  # a database that is away for a moment must not end the projector
                log.exception("a projection could not be brought up to date; trying again")
                await asyncio.sleep(RETRY_SECONDS)

    async def _catch_up_together(self, head: int) -> None:
        """Bring all to `head` in one transaction: one for each was measured at ten times the cost of the append itself."""
        async with self._held(self._projections):
            while behind := [p for name, p in self._projections.items() if self._reached[name] < head]:
                self._reached.update(
                    await self._database.derive(lambda c, p=behind: _advance_together(c, p, self._batch))
                )

    async def _catch_up(self, name: str, head: int) -> None:
        if self._reached[name] >= head:
            return
        projection = self._projections[name]
        async with self._locks[name]:
            while self._reached[name] < head:
                self._reached[name] = await self._database.derive(lambda c: _advance(c, projection, self._batch))


def _advance(connection: Connection, projection: Projection, batch: int) -> int:
    """Fold the next batch; the place reached. Replicas take turns by the lock on the cursor's row."""
    seq, settled = connection.execute(
        select(tables.cursor.c.seq, tables.cursor.c.settled)
        .where(tables.cursor.c.projection == projection.name)
        .with_for_update()
    ).one()
    messages = _following(connection, seq, batch)
    if not messages:
        return seq
    if seq and any(m.kind == "erased" and m.seq > settled for m in messages):
        # What was erased is blank in the log now, and must be as if it had never been said: fold anew.
        return _refold(connection, projection, messages[-1].seq, batch)
    projection.apply(connection, messages)
    _move_cursor(connection, projection, messages[-1].seq)
    return messages[-1].seq


def _advance_together(connection: Connection, projections: Sequence[Projection], batch: int) -> dict[str, int]:
    """Fold the next batch into all of these; the place that each has reached."""
    query = select(tables.cursor).where(tables.cursor.c.projection.in_([p.name for p in projections]))
    # In one order, so that two replicas never wait for each other.
    rows = connection.execute(query.order_by(tables.cursor.c.projection).with_for_update())
    places = {row.projection: (row.seq, row.settled) for row in rows}
    messages = _following(connection, min(seq for seq, _ in places.values()), batch)
    if not messages:
        return {name: seq for name, (seq, _) in places.items()}
    last = messages[-1].seq
    for projection in projections:
        seq, settled = places[projection.name]
        new = [message for message in messages if message.seq > seq]
        if seq and any(m.kind == "erased" and m.seq > settled for m in new):
            _refold(connection, projection, last, batch)
        elif new:
            projection.apply(connection, new)
    behind = [name for name, (seq, _) in places.items() if seq < last]
    connection.execute(update(tables.cursor).where(tables.cursor.c.projection.in_(behind)).values(seq=last))
    return {name: max(seq, last) for name, (seq, _) in places.items()}


def _following(connection: Connection, seq: int, batch: int) -> list[Message]:
    """The next messages, as far as a multiple of `batch`, or fewer that are as long.

    So that batches of a long log end at the same places whenever it is folded, as stretches do that a fold puts together.
    """
    found: list[Message] = []
    weight, most = 0, batch - seq % batch
    while len(found) < most and weight < _HEAVY:
        piece = read_after(connection, found[-1].seq if found else seq, min(_PIECE, most - len(found)))
        found += piece
        weight += sum(map(_weight, piece))
        if len(piece) < _PIECE:
            break
    return found


def _weight(message: Message) -> int:
    return len(message.text) + sum(len(value) for value in message.body.values() if isinstance(value, str))


def _refold(connection: Connection, projection: Projection, until: int, batch: int) -> int:
    _reset(connection, projection)
    seq = 0
    while seq < until:
        messages = [m for m in _following(connection, seq, batch) if m.seq <= until]
        projection.apply(connection, messages)
        seq = messages[-1].seq
    _move_cursor(connection, projection, until)
    return until


def _prepare(connection: Connection, projection: Projection) -> int:
    if connection.dialect.name == "postgresql":
        # Replicas that start together take turns.
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": PREPARE_LOCK})
    if not inspect(connection).has_table(tables.cursor.name, schema=tables.DERIVED_SCHEMA):
        tables.cursor.create(connection)
    row = connection.execute(
        select(tables.cursor).where(tables.cursor.c.projection == projection.name).with_for_update()
    ).one_or_none()
    # A place beyond the head belongs to another log: this one was restored from a backup.
    if row is not None and row.version == projection.version and row.seq <= read_head(connection):
        return row.seq
    for table in reversed(projection.tables):
        table.drop(connection, checkfirst=True)
    for table in projection.tables:
        table.create(connection)
    connection.execute(delete(tables.cursor).where(tables.cursor.c.projection == projection.name))
    connection.execute(
        insert(tables.cursor).values(
            projection=projection.name, version=projection.version, seq=0, settled=read_head(connection)
        )
    )
    return 0


def _reset(connection: Connection, projection: Projection) -> None:
    connection.execute(select(tables.cursor).where(tables.cursor.c.projection == projection.name).with_for_update())
    for table in reversed(projection.tables):
        connection.execute(delete(table))
    connection.execute(
        update(tables.cursor)
        .where(tables.cursor.c.projection == projection.name)
        .values(seq=0, settled=read_head(connection))
    )


def _move_cursor(connection: Connection, projection: Projection, seq: int) -> None:
    connection.execute(update(tables.cursor).where(tables.cursor.c.projection == projection.name).values(seq=seq))
