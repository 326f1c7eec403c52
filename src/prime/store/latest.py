"""Where the last message of each kind stands, and answers that are kept until one of certain kinds comes.

Most of what is said changes nothing about who is in a channel or whether the swarm runs, and yet that is asked with
every word. A kept answer costs no way to the database (SQLite: this process appends everything itself), or one short
way that all who ask in the same moment share (PostgreSQL: others append as well).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Hashable
from dataclasses import dataclass
from typing import TypeVar, cast

from sqlalchemy import Connection

from prime.store import tables
from prime.store.database import Database
from prime.store.heads import Heads
from prime.store.message import Kind

T = TypeVar("T")

# Answers that are kept; beyond that all are forgotten, and the next ones kept.
_MOST = 10_000
# A rebuild in another replica mends rows without a message, so nothing is kept for longer than this.
_SECONDS = 2.0
# In the driver's own words: it is asked with almost every request.
_NEWER = f"SELECT kind, max(seq) FROM {tables.message.name} WHERE seq > $1 GROUP BY kind"  # noqa: S608


@dataclass(frozen=True, slots=True)
class _Kept:
    answer: object
    place: int
    at: float


class Latest:
    def __init__(self, database: Database, heads: Heads) -> None:
        self._database = database
        self._heads = heads
        self._alone = database.engine_name == "sqlite"
        self._places: dict[Kind, int] = {}
        self._seen = 0  # how far the log was looked at; what stands before the first look is in every answer
        self._looking: asyncio.Task[None] | None = None
        self._next: asyncio.Future[None] | None = None
        self._kept: dict[Hashable, _Kept] = {}

    async def answer(self, key: Hashable, kinds: Collection[Kind], read: Callable[[], Awaitable[T]]) -> T:
        """What `read` answers, or what it answered before when nothing of these kinds was appended since.

        It must depend on such messages only, and on what `key` names.
        """
        if not self._alone:
            await self._look()
        last, place = self._last(kinds), self._heads.head if self._alone else self._seen
        kept = self._kept.get(key)
        if kept is not None and last <= kept.place and time.monotonic() - kept.at < _SECONDS:
            return cast("T", kept.answer)
        at = time.monotonic()
        answer = await read()
        if len(self._kept) >= _MOST:
            self._kept.clear()
        self._kept[key] = _Kept(answer, place, at)
        return answer

    def forget(self) -> None:
        """The tables were made anew."""
        self._kept.clear()

    def _last(self, kinds: Collection[Kind]) -> int:
        # What was erased changes what stood before it.
        if self._alone:
            return self._heads.last((*kinds, "erased"))
        return max(self._places.get(kind, 0) for kind in (*kinds, "erased"))

    async def _look(self) -> None:
        """See everything that was committed before this was asked for: who comes amid a look waits for the next one."""
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
            if self._looking is None:
                self._looking = asyncio.create_task(self._keep_looking(), name="prime-latest")
        await asyncio.shield(self._next)

    async def _keep_looking(self) -> None:
        """For as long as somebody waits for a look."""
        self._seen = self._seen or self._heads.head
        while (told := self._next) is not None:
            self._next = None
            try:
                newer = await self._database.glance(self._newer)
            except Exception as error:  # noqa: BLE001  (it goes to those who wait)
                told.set_exception(error)
                told.exception()  # all of them may have left
            else:
                self._places.update(newer)
                self._seen = max(self._seen, *newer.values(), 0)
                told.set_result(None)
        self._looking = None

    def _newer(self, connection: Connection) -> dict[Kind, int]:
        return {kind: seq for kind, seq in connection.exec_driver_sql(_NEWER, (self._seen,)).all()}  # noqa: C416
