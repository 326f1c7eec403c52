"""Whether the database answers, asked so that one which says nothing holds up nobody who wants to know."""

import asyncio

from sqlalchemy.exc import SQLAlchemyError

from prime.core.errors import Unavailable
from prime.store.database import Database
from prime.store.rows import read_head

# A network that swallows everything refuses nothing: it only never answers.
PATIENCE_SECONDS = 5.0
ENDING_SECONDS = 1.0


class Answering:
    """One question at a time is on its way, however many want to know."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._asking: asyncio.Task[int] | None = None

    async def check(self) -> None:
        """Raise `Unavailable` unless it answers soon."""
        asking = self._asked()
        done, _ = await asyncio.wait({asking}, timeout=PATIENCE_SECONDS)
        try:
            if not done:
                raise TimeoutError
            asking.result()
        except (SQLAlchemyError, OSError) as error:
            raise Unavailable("The database does not answer.", hint="Prime keeps trying; look at its log.") from error

    async def stop(self) -> None:
        if self._asking and not self._asking.done():
            self._asking.cancel()
            await asyncio.wait({self._asking}, timeout=ENDING_SECONDS)

    def _asked(self) -> "asyncio.Task[int]":
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._database.read(read_head), name="prime-answering")
            self._asking.add_done_callback(lambda task: task.cancelled() or task.exception())  # perhaps nobody waits
        return self._asking
