"""What the rest of the house asks of a database, and the one way in which writes are batched.

A job is a plain function over an SQLAlchemy connection. It runs in a thread on SQLite and beneath asyncpg on PostgreSQL,
so the same code serves both. A write job may be run a second time when a neighbour in its batch failed: it must do
nothing but talk to the database.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from sqlalchemy import Connection

T = TypeVar("T")
Job = Callable[[Connection], T]

EngineName = Literal["sqlite", "postgresql"]

# Enough that 32 writers always share a commit, few enough that nobody waits long for a neighbour.
MAX_BATCH = 256


class Database(Protocol):
    """SQLite or PostgreSQL."""

    @property
    def engine_name(self) -> EngineName: ...

    async def read(self, job: Job[T]) -> T:
        """Run the job on one consistent state."""
        ...

    async def write(self, job: Job[T], *, appends: bool = False) -> T:
        """Run the job in a transaction, with others of the moment in the same commit; returns when it is durable.

        `appends` says that the job gives out sequence numbers: it then holds the log's lock until the commit.
        """
        ...

    async def derive(self, job: Job[T]) -> T:
        """Run the job in a transaction that writes derived tables only."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one job of a batch."""

    result: object = None
    error: BaseException | None = None


# What a job learned that holds until its transaction ends (the log's head, say); see `connection.info`.
FACTS = "prime_facts"


def run_batch(connection: Connection, jobs: Sequence[Job[object]], begin: Job[None] | None = None) -> list[Outcome]:
    """Run all jobs in one transaction. One that fails does not take the others with it.

    Most batches succeed, so the first try goes without savepoints, which cost as much as a small insert.
    """
    try:
        with _transaction(connection, begin):
            return [Outcome(job(connection)) for job in jobs]
    except Exception as error:  # noqa: BLE001  (it goes to whoever asked, or the jobs are run apart)
        if len(jobs) == 1:
            return [Outcome(error=error)]
    try:
        with _transaction(connection, begin):
            return [_run_apart(connection, job) for job in jobs]
    except Exception as error:  # noqa: BLE001  (the commit itself failed: every caller is told)
        return [Outcome(error=error)] * len(jobs)


@contextmanager
def _transaction(connection: Connection, begin: Job[None] | None) -> Iterator[None]:
    with connection.begin():
        connection.info[FACTS] = {}
        if begin:
            begin(connection)
        yield


def _run_apart(connection: Connection, job: Job[object]) -> Outcome:
    try:
        with connection.begin_nested():
            return Outcome(job(connection))
    except Exception as error:  # noqa: BLE001  (it goes to whoever asked for this job)
        connection.info[FACTS] = {}
        return Outcome(error=error)
