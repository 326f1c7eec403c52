"""What the rest of the house asks of a database, and the one way in which writes are batched.

A job is a plain function over an SQLAlchemy connection. It runs in a thread on SQLite and beneath asyncpg on PostgreSQL,
so the same code serves both. A write job may be run a second time when a neighbour in its batch failed: it must do
nothing but talk to the database.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from sqlalchemy import Connection

from prime.core.errors import Unavailable
from prime.store.message import NewMessage
from prime.store.pending import begin_pending, pending

T = TypeVar("T")
Job = Callable[[Connection], T]

EngineName = Literal["sqlite", "postgresql"]

# What an answered write outlives. `full`: a power cut. `soon`: the process, however it ends, and a power cut a few
# milliseconds later; never out of order, so that whatever is there has everything before it.
Durability = Literal["full", "soon"]

# Enough that 32 writers always share a commit, few enough that nobody waits long for a neighbour.
MAX_BATCH = 256


# The channel on which a commit announces the log's head to other replicas (PostgreSQL's NOTIFY).
HEAD_CHANNEL = "prime_head"
# The one for passing words that nobody keeps.
WHISPER_CHANNEL = "prime_whisper"

# PostgreSQL's transaction-scoped locks: any numbers that nobody else of the database uses; this spells "prime".
LOG_LOCK = 0x7072696D65
MIGRATION_LOCK = LOG_LOCK + 1
PREPARE_LOCK = LOG_LOCK + 2


class Database(Protocol):
    """SQLite or PostgreSQL."""

    @property
    def engine_name(self) -> EngineName: ...

    async def read(self, job: Job[T]) -> T:
        """Run the job on one consistent state."""
        ...

    async def glance(self, job: Job[T]) -> T:
        """The same for a job of a single statement, which sees one state without a transaction around it."""
        ...

    async def write(self, job: Job[T], durability: Durability = "full") -> T:
        """Run the job in a transaction, with others of the moment in the same commit; returns when it is durable.

        A commit promises the most that anybody in it asked for. One transaction of this kind runs at a time, over all
        replicas: sequence numbers are given out in the order of commits.
        """
        ...

    async def derive(self, job: Job[T]) -> T:
        """Run the job in a transaction that writes derived tables only."""
        ...

    async def scrub(self) -> None:
        """Let go of what deleted and overwritten rows leave behind in files of our own."""
        ...

    async def close(self) -> None: ...


def closed() -> Unavailable:
    """What is said to who comes when it has been closed."""
    return Unavailable("The database is closed.", hint="Prime is shutting down; try again once it is back.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one job of a batch."""

    result: object = None
    error: BaseException | None = None


@dataclass(slots=True)
class Write:
    """A job that waits for its commit, and who waits for it."""

    job: Job[object]
    durability: Durability
    done: "asyncio.Future[object]"

    def settle(self, outcome: Outcome) -> None:
        """Tell who waits, if they still do."""
        if self.done.cancelled():
            return
        if outcome.error is None:
            self.done.set_result(outcome.result)
        else:
            self.done.set_exception(outcome.error)


def shared_durability(batch: Sequence[Write]) -> Durability:
    """What a commit of all these has to promise."""
    return "soon" if all(write.durability == "soon" for write in batch) else "full"


@dataclass(frozen=True, slots=True)
class DefersRows(ABC):
    """A job that appends these messages by `insert_messages`, whose rows may wait for those of other jobs."""

    messages: Sequence[NewMessage]

    @abstractmethod
    def __call__(self, connection: Connection) -> object: ...


class RowsJob(Protocol):
    """A job that adds rows to the log and does nothing else, so that an engine may write it without SQLAlchemy."""

    @property
    def rows_only(self) -> bool: ...

    def placed(self, head: int) -> tuple[object, list[tuple[object, ...]]]:
        """What the job answers with and the rows behind it, when `head` is the last place taken."""
        ...


def run_batch(connection: Connection, jobs: Sequence[Job[object]], begin: Job[None] | None = None) -> list[Outcome]:
    """Run all jobs in one transaction. One that fails does not take the others with it.

    Most batches succeed, so the first try goes without savepoints, which cost as much as a small insert.
    """
    try:
        with _transaction(connection, jobs, begin):
            return [Outcome(_run(connection, job)) for job in jobs]
    except Exception as error:  # noqa: BLE001  (it goes to whoever asked, or the jobs are run apart)
        if len(jobs) == 1:
            return [Outcome(error=error)]
    try:
        with _transaction(connection, jobs, begin):
            return [_run_apart(connection, job) for job in jobs]
    except Exception as error:  # noqa: BLE001  (the commit itself failed: every caller is told)
        return [Outcome(error=error)] * len(jobs)


@contextmanager
def _transaction(connection: Connection, jobs: Sequence[Job[object]], begin: Job[None] | None) -> Generator[None]:
    coming = [message for job in jobs if isinstance(job, DefersRows) for message in job.messages]
    with connection.begin():
        begin_pending(connection, coming)
        if begin:
            begin(connection)
        yield
        pending(connection).flushed(connection)


def _run(connection: Connection, job: Job[object]) -> object:
    if not isinstance(job, DefersRows):
        pending(connection).flushed(connection)
    return job(connection)


def _run_apart(connection: Connection, job: Job[object]) -> Outcome:
    try:
        with connection.begin_nested():
            result = job(connection)
            pending(connection).flushed(connection)
            return Outcome(result)
    except Exception as error:  # noqa: BLE001  (it goes to whoever asked for this job)
        begin_pending(connection)
        return Outcome(error=error)
