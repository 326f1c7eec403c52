"""The connections to a PostgreSQL server, and noticing that nothing comes back on them.

A network that swallows everything and a server that stands still refuse nothing: who waits there waits for hours. So once
an answer takes long, the server is asked whether it is there, on a connection of its own. If it is, the answer may take what
it takes. If not, all connections are given up, whoever waits is told, and so is everybody who comes, until it answers.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol, cast

from sqlalchemy import Engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry

from prime.core.tasks import end

log = logging.getLogger(__name__)

# An answer may take longer, but nobody waits longer without a look whether the server is there.
PATIENCE_SECONDS = 5.0
# Twice: the first try of a process that stood still itself is over before it can hear an answer.
_TRIES = 2
_TRY_SECONDS = 2.5
_LOOK_SECONDS = 0.5
_CONNECT_SECONDS = 10.0
# A connection that was used so lately is there.
_IDLE_SECONDS = 1.0


class Link(Protocol):
    """What is used of asyncpg's connection, which comes without types."""

    def add_termination_listener(self, callback: "Callable[[Link], None]") -> None: ...
    async def add_listener(self, channel: str, callback: Callable[[object, int, str, object], None]) -> None: ...
    async def execute(self, query: str) -> str: ...
    def is_closed(self) -> bool: ...
    def terminate(self) -> None: ...


class Links:
    """Those of one replica; `watch` for as long as they are used."""

    def __init__(self) -> None:
        self._open: set[Link] = set()
        self._used_since: dict[ConnectionPoolEntry, float] = {}
        self._reach: Callable[[], Awaitable[Link]] | None = None  # as the last one was reached
        self._answered = 0.0
        self._is_silent = False
        self._watching: asyncio.Task[None] | None = None

    async def connect(self, *words: object, **settings: object) -> Link:
        """As asyncpg connects; refused at once while the server says nothing."""
        import asyncpg

        if self._is_silent:
            raise ConnectionError("The server says nothing.")
        reach = cast("Callable[..., Awaitable[Link]]", asyncpg.connect)
        self._reach = partial(reach, *words, **settings, timeout=_CONNECT_SECONDS)
        link = await self._reach()
        self._open.add(link)
        link.add_termination_listener(self._open.discard)
        return link

    def watch(self, engine: Engine) -> None:
        """Of this engine, whose connections come from here."""
        event.listen(engine, "connect", self._made)
        event.listen(engine, "checkout", self._lent)
        event.listen(engine, "checkin", self._returned)
        self._watching = asyncio.create_task(self._watch(), name="prime-links")

    async def stop(self) -> None:
        await end(self._watching)

    def _made(self, _: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        # It answered just now. And one that was made because another had ended is not tried: the pool makes so many and then
        # raises something that says nothing of the database.
        record.info[_USED] = time.monotonic()

    # After a restart of the database the first caller should not be the one to find out: a connection that has been idle is
    # tried first. Not each of them each time: that is three ways to the server and back before a read that takes four.

    def _lent(self, connection: DBAPIConnection, record: ConnectionPoolEntry, _: object) -> None:
        now = self._used_since[record] = time.monotonic()
        if now - record.info.get(_USED, 0.0) < _IDLE_SECONDS:
            return
        try:
            cast("_Pinged", connection).ping()
        except Exception as error:
            # And so were all connections before this one.
            raise InvalidatePoolError("The database was away.") from error

    def _returned(self, _: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        record.info[_USED] = time.monotonic()
        self._used_since.pop(record, None)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            waits_since = max(min(self._used_since.values(), default=time.monotonic()), self._answered)
            if not self._is_silent and time.monotonic() - waits_since < PATIENCE_SECONDS:
                continue
            was, self._is_silent = self._is_silent, not await self._answers()
            if self._is_silent and not was:
                log.warning("the database says nothing; whoever asks is told so until it answers")
            elif was and not self._is_silent:
                log.warning("the database answers again")
            if self._is_silent:
                self._give_up()

    async def _answers(self) -> bool:
        for _ in range(_TRIES):
            if await self._tried():
                self._answered = time.monotonic()
                return True
        return False

    async def _tried(self) -> bool:
        import asyncpg

        link: Link | None = None
        try:
            async with asyncio.timeout(_TRY_SECONDS):
                if self._reach:
                    link = await self._reach()
                    await link.execute("SELECT 1")
        except OSError:  # TimeoutError is one
            return False
        except asyncpg.PostgresError:
            return True  # it refuses, and so it is there
        finally:
            if link:
                link.terminate()
        return True

    def _give_up(self) -> None:
        for link in list(self._open):
            with contextlib.suppress(Exception):  # it may be ending by itself
                link.terminate()
        self._open.clear()
        self._used_since.clear()


_USED = "prime_used"


class _Pinged(Protocol):
    """What is asked of SQLAlchemy's connection over asyncpg."""

    def ping(self) -> None: ...
