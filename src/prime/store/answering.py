"""Whether the database answers and keeps, asked so that one which says nothing holds up nobody who wants to know."""

import asyncio
import time

from sqlalchemy.exc import SQLAlchemyError

from prime.core.errors import Unavailable
from prime.store.database import Database
from prime.store.leases import Leases
from prime.store.rows import read_head

# A network that swallows everything refuses nothing: it only never answers.
PATIENCE_SECONDS = 5.0
ENDING_SECONDS = 1.0
# Anybody may ask, and each look is a commit.
LOOK_SECONDS = 2.0
# A lease that everybody may have, for no time at all: to take it is the least that can be written.
_NOTHING = "keeping"


class Answering:
    """One question at a time is on its way, however many want to know."""

    def __init__(self, database: Database, leases: Leases) -> None:
        self._database = database
        self._leases = leases
        self._asking: asyncio.Task[int] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._looked = -LOOK_SECONDS
        self._refused: Unavailable | None = None

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

    async def refused(self) -> Unavailable | None:
        """Why nothing can be kept now, if so: what is there is shown all the same. As it was within the last seconds."""
        if time.monotonic() - self._looked >= LOOK_SECONDS and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look(), name="prime-keeping")
        if self._looking:
            await asyncio.wait({self._looking}, timeout=PATIENCE_SECONDS)
        return self._refused

    async def stop(self) -> None:
        left: set[asyncio.Task[None] | asyncio.Task[int]] = {task for task in (self._asking, self._looking) if task}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=ENDING_SECONDS)

    async def _look(self) -> None:
        try:
            await self._leases.acquire(_NOTHING, 0)
        except Unavailable as error:
            self._refused = error
        else:
            self._refused = None
        self._looked = time.monotonic()

    def _asked(self) -> "asyncio.Task[int]":
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._database.read(read_head), name="prime-answering")
            self._asking.add_done_callback(lambda task: task.cancelled() or task.exception())  # perhaps nobody waits
        return self._asking
