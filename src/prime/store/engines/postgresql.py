"""PostgreSQL through asyncpg, for any number of identical replicas on one database.

Writes of one process share a commit, as on SQLite. What gives out sequence numbers holds one transaction-scoped lock
until its commit, so `seq` is commit order across replicas.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from functools import partial
from typing import TypeVar, cast

from sqlalchemy import Connection, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoneFree
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import QueuePool

from prime.core.clock import Clock
from prime.core.errors import Unavailable
from prime.core.tasks import end
from prime.store.damage import CHECK_SECONDS
from prime.store.database import (
    HEAD_CHANNEL,
    LOG_LOCK,
    MAX_BATCH,
    MIGRATION_LOCK,
    WHISPER_CHANNEL,
    Durability,
    EngineName,
    Job,
    Outcome,
    RowsJob,
    Write,
    closed,
    run_batch,
    shared_durability,
)
from prime.store.engines.appending import APPENDING, adds_rows_only, append_rows
from prime.store.engines.damaged_pages import RESTORE, damage_in, is_damage, sqlstate
from prime.store.engines.links import Links
from prime.store.engines.notifications import follow_notifications
from prime.store.migrations import Migration, migrate

log = logging.getLogger(__name__)

T = TypeVar("T")

# How long a commit that did not wait for the disk waits for others to be flushed with.
MOMENT_S = 0.02
# A replica that stands still in the middle of a transaction, with the log's lock in its hand, loses both.
FROZEN_SECONDS = 15
# How long who is reading at the end may take to finish.
CLOSING_SECONDS = 5.0


@contextlib.asynccontextmanager
async def snapshots(url: str) -> AsyncGenerator[AsyncConnection]:
    """A connection that reads one state of the database, for who needs nothing else of it."""
    links = Links()
    engine = _async_engine(url, links).execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    try:
        async with engine.connect() as connection, connection.begin():
            yield connection
    finally:
        await links.stop()
        await engine.dispose()


class PostgresqlDatabase:
    """One replica's connections. Made by `open`, which also runs migrations."""

    engine_name: EngineName = "postgresql"

    def __init__(self, url: str, clock: Clock) -> None:
        self._url = url
        self._clock = clock
        self._links = Links()
        self._engine = _async_engine(url, self._links, idle_in_transaction_session_timeout=f"{FROZEN_SECONDS}s")
        # A read looks at one state of the database, however many statements it takes.
        self._snapshots = self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        # A single statement needs none of the two ways to the server that a transaction takes.
        self._glances = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._queue: asyncio.Queue[Write | None] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None
        self._listener: asyncio.Task[None] | None = None
        self._flushes: set[asyncio.Task[None]] = set()
        self._is_flush_due = False
        self._closed = False

    @classmethod
    async def open(cls, url: str, clock: Clock, migrations: Sequence[Migration]) -> "PostgresqlDatabase":
        """Connect and bring the database to the present form; replicas that start together take turns."""
        database = cls(url, clock)
        try:
            damaged = await database._look_for_damage()
            async with database._engine.begin() as connection:
                await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
                if damaged:
                    await connection.execute(text("DROP SCHEMA derived CASCADE"))
                await connection.execute(text("CREATE SCHEMA IF NOT EXISTS derived"))
                await connection.run_sync(migrate, migrations, clock.now_ms())
                await connection.exec_driver_sql(APPENDING)
        except Exception as error:
            await database._links.stop()
            await database._engine.dispose()
            if not isinstance(error, DBAPIError) and not _is_away(error):
                raise
            shown = make_url(url).render_as_string(hide_password=True)
            raise Unavailable(
                f"The database at {shown} cannot be used: {in_short(error)}.",
                hint="Check PRIME_DATABASE_URL and that the server is running.",
            ) from error
        database._writer = asyncio.create_task(database._write_loop(), name="prime-writer")
        return database

    async def read(self, job: Job[T]) -> T:
        with self._while_open():
            async with self._snapshots.connect() as connection, connection.begin():
                return await connection.run_sync(job)

    async def glance(self, job: Job[T]) -> T:
        with self._while_open():
            async with self._glances.connect() as connection:
                return await connection.run_sync(job)

    async def derive(self, job: Job[T]) -> T:
        with self._while_open():
            async with self._engine.begin() as connection:
                return await connection.run_sync(job)

    async def write(self, job: Job[T], durability: Durability = "full") -> T:
        if self._closed:
            raise closed()
        write = Write(job, durability, asyncio.get_running_loop().create_future())
        self._queue.put_nowait(write)
        return cast("T", await write.done)

    def listen(
        self, announce: Callable[[int], None], catch_up: Callable[[], Awaitable[None]], whisper: Callable[[str], None]
    ) -> None:
        """Hear of other replicas: `announce(seq)` for each commit, `whisper(payload)` for passing words, `catch_up()` after every
        (re)connection."""
        url = make_url(self._url).set(drivername="postgresql").render_as_string(hide_password=False)

        def committed(payload: str) -> None:
            announce(int(payload))

        channels = {HEAD_CHANNEL: committed, WHISPER_CHANNEL: whisper}
        connect = partial(self._links.connect, url)
        listening = follow_notifications(connect, channels, catch_up, self._clock)
        self._listener = asyncio.create_task(listening, name="prime-listener")

    async def scrub(self) -> None:
        """The server's own vacuum and checkpoints do it."""

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        await end(self._listener)
        self._queue.put_nowait(None)
        if self._writer:
            await self._writer
        await asyncio.gather(*self._flushes)
        await self._all_returned()
        await self._links.stop()
        await self._engine.dispose()

    async def _all_returned(self) -> None:
        """A connection that comes back when its pool has ended would be closed by nobody."""
        returned = asyncio.Event()
        event.listen(self._engine.sync_engine, "checkin", lambda *_: returned.set())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_SECONDS):
                while cast("QueuePool", self._engine.pool).checkedout():
                    returned.clear()
                    await returned.wait()

    @contextlib.contextmanager
    def _while_open(self) -> Generator[None]:
        if self._closed:
            raise closed()
        with _told_as_unavailable():
            yield

    async def _look_for_damage(self) -> bool:
        """Whether a derived table cannot be read; a log that cannot is refused."""
        async with self._engine.connect() as connection:
            found = await connection.run_sync(damage_in, seconds=CHECK_SECONDS)
        if found is None:
            return False
        if not found.is_derived:
            raise Unavailable(f"The database is damaged: {found.said}.", hint=RESTORE)
        log.warning("a derived table is damaged (%s); all of them are rebuilt from the log", found.said)
        return True

    async def _write_loop(self) -> None:
        more = True
        while more:
            batch: list[Write] = []
            more = await self._collect(batch)
            if batch:
                outcomes = await self._run(batch)
                for write, outcome in zip(batch, outcomes, strict=True):
                    write.settle(_told(outcome))

    async def _run(self, batch: list[Write]) -> list[Outcome]:
        soon = shared_durability(batch) == "soon"
        jobs = [write.job for write in batch]
        try:
            with _told_as_unavailable():
                if adds_rows_only(jobs) and (done := await self._append(jobs, soon=soon)) is not None:
                    return done
                async with self._engine.connect() as connection:
                    return await connection.run_sync(run_batch, jobs, _lock_log_and_hurry if soon else _lock_log)
        except Exception as error:  # noqa: BLE001  (whatever it is, its callers are told and the next batch is tried)
            return [Outcome(error=error)] * len(batch)
        finally:
            if soon and not self._is_flush_due:
                self._is_flush_due = True
                flush = asyncio.create_task(self._flush(), name="prime-flush")
                self._flushes.add(flush)
                flush.add_done_callback(self._flushes.discard)

    async def _append(self, jobs: Sequence[Job[object]], *, soon: bool) -> list[Outcome] | None:
        """None, with nothing done, when something is refused: the jobs are then run in full, which says what and to whom."""
        rows = cast("Sequence[RowsJob]", jobs)
        try:
            async with self._glances.connect() as connection:
                return await connection.run_sync(append_rows, rows, soon=soon)
        except DBAPIError as error:
            if error.connection_invalidated:
                raise  # it may have been committed all the same, so it must not be run again
            return None

    async def _flush(self) -> None:
        """See to it that what was committed without waiting is on the disk: a commit that waits has all before it there."""
        await asyncio.sleep(MOMENT_S)
        self._is_flush_due = False  # first: what is committed from here on needs another
        try:
            async with self._engine.begin() as connection:
                await connection.execute(_SOMETHING)
        except Exception as error:  # noqa: BLE001  (the server flushes by itself, a little later)
            log.warning("the last results of tools were not flushed at once: %s", error)

    async def _collect(self, batch: list[Write]) -> bool:
        write = await self._queue.get()
        while write is not None:
            batch.append(write)
            if len(batch) == MAX_BATCH or self._queue.empty():
                return True
            write = self._queue.get_nowait()
        return False


def _lock_log(connection: Connection) -> None:
    """Every commit of every replica, one after the other. Batches lock many rows in no order of theirs, leases above all:
    two at once would wait for each other."""
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOG_LOCK})")


def _lock_log_and_hurry(connection: Connection) -> None:
    _lock_log(connection)
    connection.exec_driver_sql("SET LOCAL synchronous_commit = off")


# The least that a transaction can write: one that wrote nothing would not be waited for.
_SOMETHING = text("SELECT pg_logical_emit_message(true, 'prime', '')")


def _told(outcome: Outcome) -> Outcome:
    """The same, with a sentence for people where it is the database's trouble."""
    trouble = _trouble(outcome.error) if isinstance(outcome.error, Exception) else None
    return Outcome(error=trouble) if trouble else outcome


@contextlib.contextmanager
def _told_as_unavailable() -> Generator[None]:
    """A database that cannot be reached or used is an expected trouble, with a sentence for people."""
    try:
        yield
    except Exception as error:
        if trouble := _trouble(error):
            raise trouble from error
        raise


# By the first letters of what the server calls them: no room, memory or connections left; shutting down or starting up; its
# disk fails; a copy, or a disk, that can only be read; a password or a database that is another by now.
_UNUSABLE = ("53", "57P", "58", "25006", "42501", "28", "3D000")
# A connection that ended, or never came about.
_GONE = "08"


def _trouble(error: Exception) -> Unavailable | None:
    """What people are told of it, when it is the database's and may be over soon."""
    if _is_away(error):
        told = Unavailable(
            "The database does not answer.", hint="Try again; if it stays so, look at the PostgreSQL server."
        )
    elif isinstance(error, NoneFree):
        told = Unavailable("Too much waits for the database.", hint="Try again in a moment.")
    elif isinstance(error, DBAPIError) and is_damage(error):
        told = Unavailable(
            f"The database is damaged: {getattr(error.orig, 'message', '') or error.orig}.",
            hint="Start Prime again: it says what PostgreSQL cannot read, and makes derived tables anew.",
        )
    elif isinstance(error, DBAPIError) and sqlstate(error).startswith(_UNUSABLE):
        told = Unavailable(
            f"The database cannot be used: {getattr(error.orig, 'message', '') or error.orig}.",
            hint="See that the PostgreSQL server has room and connections and can be written; what was acknowledged is safe.",
        )
    else:
        return None
    told.__cause__ = error
    return told


def in_short(error: Exception) -> str:
    """What the server said, without SQLAlchemy's words around it."""
    return str(error.orig if isinstance(error, DBAPIError) else error) or "it does not answer"


def _is_away(error: Exception) -> bool:
    import asyncpg

    if isinstance(error, DBAPIError):
        # One that ends while it is being made was never anybody's to be invalidated.
        return error.connection_invalidated or sqlstate(error).startswith(_GONE)
    # Not all that asyncpg says while it connects is wrapped by SQLAlchemy.
    return isinstance(error, OSError | asyncpg.PostgresError | asyncpg.InterfaceError)


def _async_engine(url: str, links: Links, **server_settings: str) -> AsyncEngine:
    """To be followed by `links.stop`."""
    engine = create_async_engine(
        make_url(url).set(drivername="postgresql+asyncpg"),
        pool_size=8,
        max_overflow=8,
        hide_parameters=True,  # an error goes to the server's log; what was said does not
        connect_args={"server_settings": server_settings, "async_creator_fn": links.connect},
    )
    links.watch(engine.sync_engine)
    return engine
