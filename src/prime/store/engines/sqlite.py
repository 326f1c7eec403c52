"""SQLite: one writer thread with group commit, a few reader threads, and a thread for derived tables.

Synchronous SQLAlchemy in threads was measured at four times the speed of an asyncio driver. The log's file is written
with `synchronous=FULL`: an acknowledged append has been through fsync, unless it said that soon is enough (`syncing`).
Derived tables live in a second file, which may lose its last moments in a power cut, because the log brings them back.
"""

import asyncio
import contextlib
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import NullPool

from prime.core.clock import Clock
from prime.core.errors import Unavailable
from prime.store.bulk import pieces
from prime.store.damage import damage_of, set_aside
from prime.store.database import (
    MAX_BATCH,
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
from prime.store.disk import HINT as DISK_HINT
from prime.store.engines.checkpoints import Checkpointer
from prime.store.engines.readers import Readers
from prime.store.engines.syncing import MOMENT_S, Syncer
from prime.store.migrations import Migration, migrate
from prime.store.tables import message

log = logging.getLogger(__name__)

T = TypeVar("T")

READERS = 4
_HEAD = "SELECT coalesce(max(seq), 0) FROM message"
# Pages that each connection keeps of a file: the rest is in the system's own cache, which others may have when they need
# it. Connections that write keep theirs from commit to commit, whether or not they are looked at again, so these are what a
# Prime that is left on for weeks comes to; those that read let go of them whenever something was written. Four times as
# much for writing spared the recall index one look in thirty at the system's cache, and took 80,000 tool calls to fill.
_CACHE_KIB = 2 * 1024
_DERIVED_CACHE_KIB = 4 * 1024
_READ_CACHE_KIB = 8 * 1024
_READ_DERIVED_CACHE_KIB = 32 * 1024  # a search of a million messages needs as much


class SqliteDatabase:
    """A data folder's two files. Made by `open`, which also runs migrations."""

    engine_name: EngineName = "sqlite"

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[Write | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_loop, name="prime-writer", daemon=True)
        self._checkpointer = Checkpointer(self._connect_to_move)
        self._syncer = Syncer(path.with_name(f"{path.name}-wal"))
        self._readers = Readers(READERS, "prime-reader")
        self._deriver = ThreadPoolExecutor(1, thread_name_prefix="prime-deriver")
        self._local = threading.local()
        self._connections: list[Connection] = []
        self._closed = False

    @classmethod
    async def open(cls, path: Path, clock: Clock, migrations: Sequence[Migration]) -> "SqliteDatabase":
        """Open or create the database at `path` and bring it to the present form."""
        database = cls(path, clock)
        try:
            await asyncio.to_thread(database._prepare, migrations)
        except (sqlite3.Error, DBAPIError) as error:
            raise Unavailable(
                f"The database {path} cannot be used: {error}",
                hint="If it is damaged, restore a backup into another folder: prime backup restore FILE --data DIR.",
            ) from error
        database._checkpointer.start()
        database._syncer.start()
        database._writer.start()
        return database

    async def read(self, job: Job[T]) -> T:
        if self._closed:
            raise closed()
        try:
            return await self._readers.run(lambda: self._run_in_thread(job, self._reader_engine))
        except _DISK_ERRORS as error:
            raise _said_by_disk(error) from error

    async def glance(self, job: Job[T]) -> T:
        return await self.read(job)

    async def derive(self, job: Job[T]) -> T:
        if self._closed:
            raise closed()
        try:
            return await self._loop.run_in_executor(self._deriver, self._run_in_thread, job, self._deriver_engine)
        except _DISK_ERRORS as error:
            raise _said_by_disk(error) from error

    async def write(self, job: Job[T], durability: Durability = "full") -> T:
        if self._closed:
            raise closed()
        write = Write(job, durability, self._loop.create_future())
        self._queue.put(write)
        # A caller that gives up does not undo what is on its way to the disk.
        try:
            return cast("T", await write.done)
        except _DISK_ERRORS as error:
            raise _said_by_disk(error) from error

    async def scrub(self) -> None:
        """Move both write-ahead logs into their files and empty them: they hold pages as they were."""
        await self._loop.run_in_executor(self._deriver, self._checkpoint)

    async def close(self) -> None:
        """Finish what was queued, then let go of the files."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._syncer.stop)
        await asyncio.to_thread(self._checkpointer.stop)
        await asyncio.to_thread(self._readers.close)
        await asyncio.to_thread(self._deriver.shutdown)
        for connection in self._connections:
            connection.close()

    # --- threads ---

    def _prepare(self, migrations: Sequence[Migration]) -> None:
        self._look_for_damage()
        for path in (self._path, self._path.with_name("derived.db")):
            path.touch(mode=0o600, exist_ok=True)  # SQLite gives its side files the same mode
        self._writer_engine = _engine(self._connect_log_only, "BEGIN IMMEDIATE")
        self._deriver_engine = _engine(self._connect_with_derived, "BEGIN")
        self._reader_engine = _engine(self._connect_read_only, "BEGIN")
        with self._writer_engine.connect() as connection, connection.begin():
            migrate(connection, migrations, self._clock.now_ms())

    def _look_for_damage(self) -> None:
        derived = self._path.with_name("derived.db")
        if found := damage_of(derived):
            log.warning(
                "%s is damaged (%s); it is rebuilt from the log, and kept as %s", derived, found, set_aside(derived)
            )
        if found := damage_of(self._path):
            raise sqlite3.DatabaseError(found)  # the log itself: nothing here can bring that back

    def _write_loop(self) -> None:
        connection = self._writer_engine.connect()
        rows, promise = _Rows(connection), _Promise(connection, self._syncer)
        more = True
        while more:
            batch: list[Write] = []
            more = self._collect(batch, promise)
            if batch:
                jobs = [w.job for w in batch]
                promise.make(shared_durability(batch))
                outcomes = rows.add(jobs) or run_batch(connection, jobs)
                self._loop.call_soon_threadsafe(_settle, batch, outcomes)
                promise.made()
                self._checkpointer.committed()
        promise.keep()
        connection.close()

    def _collect(self, batch: list[Write], promise: "_Promise") -> bool:
        """Wait for the first write and take what else is there; False when the end was among it."""
        write = self._next(promise)
        while write is not None:
            batch.append(write)
            if len(batch) == MAX_BATCH:
                return True
            try:
                write = self._queue.get_nowait()
            except queue.Empty:
                return True
        return False

    def _next(self, promise: "_Promise") -> Write | None:
        """Wait for a write, and have what was promised kept when the time for it comes first."""
        if (left_s := promise.left_s) > 0:
            with contextlib.suppress(queue.Empty):
                return self._queue.get(timeout=left_s)
        promise.keep()
        return self._queue.get()

    def _run_in_thread(self, job: Job[T], engine: Engine) -> T:
        connection = cast("Connection | None", getattr(self._local, "connection", None))
        if connection is None:
            connection = self._local.connection = engine.connect()
            self._connections.append(connection)
        with connection.begin():
            return job(connection)

    def _checkpoint(self) -> None:
        connection = self._connect_with_derived()  # not the thread's own, which begins a transaction by itself
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()

    # --- connections ---

    def _connect_log_only(self) -> sqlite3.Connection:
        # Without the derived file: BEGIN IMMEDIATE would lock every attached file, and so wait for the projector.
        connection = self._connect()
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")  # what was erased must not linger in free pages
        connection.execute("PRAGMA wal_autocheckpoint = 0")  # see `checkpoints`
        # An insert of many rows into a table with a guard puts them aside first; that needs no file.
        connection.execute("PRAGMA temp_store = MEMORY")
        return connection

    def _connect_to_move(self) -> sqlite3.Connection:
        connection = self._connect()
        connection.execute("PRAGMA busy_timeout = 0")
        return connection

    def _connect_with_derived(self) -> sqlite3.Connection:
        connection = self._connect()
        connection.execute("ATTACH DATABASE ? AS derived", (str(self._path.with_name("derived.db")),))
        connection.execute("PRAGMA derived.journal_mode = WAL")
        connection.execute("PRAGMA derived.synchronous = NORMAL")
        connection.execute("PRAGMA derived.secure_delete = ON")
        connection.execute(f"PRAGMA derived.cache_size = -{_DERIVED_CACHE_KIB}")
        return connection

    def _connect_read_only(self) -> sqlite3.Connection:
        connection = self._connect_with_derived()
        connection.execute(f"PRAGMA main.cache_size = -{_READ_CACHE_KIB}")
        connection.execute(f"PRAGMA derived.cache_size = -{_READ_DERIVED_CACHE_KIB}")
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=30)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute("PRAGMA foreign_keys = ON")
        # The database's clock is the injected one; on PostgreSQL it is the server's.
        connection.create_function("now_ms", 0, self._clock.now_ms)
        return connection


_DISK_ERRORS = (OperationalError, sqlite3.OperationalError)


def _said_by_disk(error: OperationalError | sqlite3.OperationalError) -> Unavailable:
    """A disk that is full, read-only or failing is nobody's mistake here, and may be well again: say so."""
    said = error.orig if isinstance(error, OperationalError) else error
    return Unavailable(
        f"The database cannot be used: {said}.",
        hint=DISK_HINT,
    )


class _Promise:
    """What the writer's next commit outlives, and who sees to what it did not wait for."""

    def __init__(self, connection: Connection, syncer: Syncer) -> None:
        self._driver = cast("sqlite3.Connection", connection.connection.driver_connection)
        self._syncer = syncer
        self._now: Durability = "full"
        self._owed_since: float | None = None

    @property
    def left_s(self) -> float:
        """How long the disk may still wait for what was committed without it."""
        return 0.0 if self._owed_since is None else self._owed_since + MOMENT_S - time.monotonic()

    def make(self, durability: Durability) -> None:
        wanted: Durability = durability if self._syncer.works else "full"
        if wanted != self._now:
            self._driver.execute(f"PRAGMA synchronous = {'NORMAL' if wanted == 'soon' else 'FULL'}")
            self._now = wanted

    def made(self) -> None:
        if self._now == "soon" and self._owed_since is None:
            self._owed_since = time.monotonic()

    def keep(self) -> None:
        if self._owed_since is not None:
            self._owed_since = None
            self._syncer.owe()


class _Rows:
    """Runs jobs that only add rows, by the driver itself: SQLAlchemy's transaction costs as much as SQLite's own work.

    The head is kept between such runs. Whatever else was written in between makes it stale, so it is forgotten then; and
    a row in a place that is taken is refused by the log's guard.
    """

    def __init__(self, connection: Connection) -> None:
        self._driver = cast("sqlite3.Connection", connection.connection.driver_connection)
        self._dialect = connection.dialect
        self._head: int | None = None

    def add(self, jobs: Sequence[Job[object]]) -> list[Outcome] | None:
        """None, with nothing done, when one of the jobs does more or anything fails; they are then run in full."""
        head, self._head = self._head, None
        for job in jobs:
            if not getattr(job, "rows_only", False):
                return None
        outcomes: list[Outcome] = []
        rows: list[tuple[object, ...]] = []
        try:
            if head is None:
                [head] = self._driver.execute(_HEAD).fetchone()
            for job in cast("Sequence[RowsJob]", jobs):
                result, added = job.placed(head + len(rows))
                outcomes.append(Outcome(result))
                rows += added
            self._write(rows)
        except Exception:  # noqa: BLE001  (whatever it is, the full run meets it again and tells whom it concerns)
            if self._driver.in_transaction:
                self._driver.rollback()
            return None
        self._head = head + len(rows)
        return outcomes

    def _write(self, rows: list[tuple[object, ...]]) -> None:
        inserts = list(pieces(self._dialect, message, rows))
        if len(inserts) == 1:
            self._driver.execute(*inserts[0])  # a transaction by itself
            return
        self._driver.execute("BEGIN IMMEDIATE")
        for statement, values in inserts:
            self._driver.execute(statement, values)
        self._driver.execute("COMMIT")


def _engine(creator: Callable[[], sqlite3.Connection], begin: str) -> Engine:
    # A connection is kept by the thread that made it, so a pool would only be in the way.
    # An error goes to the server's log; what was said does not.
    engine = create_engine("sqlite://", creator=creator, poolclass=NullPool, hide_parameters=True)

    def start(connection: Connection) -> None:
        # By the driver itself: every read and write begins so, and SQLAlchemy's way costs more than SQLite's own work.
        cast("sqlite3.Connection", connection.connection.driver_connection).execute(begin)

    event.listen(engine, "begin", start)
    return engine


def _settle(batch: list[Write], outcomes: list[Outcome]) -> None:
    for write, outcome in zip(batch, outcomes, strict=True):
        write.settle(outcome)
