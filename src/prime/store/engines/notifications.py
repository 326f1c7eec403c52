"""PostgreSQL's LISTEN, kept up over lost connections."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, cast

from prime.core.clock import Clock

log = logging.getLogger(__name__)

RECONNECT_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0)


class _Connection(Protocol):
    """What is used of asyncpg's connection, which comes without types."""

    def add_termination_listener(self, callback: Callable[[object], None]) -> None: ...
    async def add_listener(self, channel: str, callback: Callable[[object, int, str, object], None]) -> None: ...
    def is_closed(self) -> bool: ...
    def terminate(self) -> None: ...


async def follow_notifications(
    url: str, channels: Mapping[str, Callable[[str], None]], connected: Callable[[], Awaitable[None]], clock: Clock
) -> None:
    """Call each channel's function with every payload of it and `connected` after every (re)connection, until cancelled."""
    failures = 0
    while True:
        try:
            await _listen_once(url, channels, connected)
            failures = 0
        except Exception as error:  # noqa: BLE001  (a database that restarts fails in many ways; all mean: try again)
            log.warning("cannot hear the database's notifications, trying again: %s", error)
            failures += 1
        await clock.sleep(RECONNECT_SECONDS[min(failures, len(RECONNECT_SECONDS) - 1)])


async def _listen_once(
    url: str, channels: Mapping[str, Callable[[str], None]], connected: Callable[[], Awaitable[None]]
) -> None:
    """Returns when the connection is lost."""
    import asyncpg

    connect = cast("Callable[[str], Awaitable[_Connection]]", asyncpg.connect)
    connection = await connect(url)
    lost = asyncio.Event()
    try:
        connection.add_termination_listener(lambda _: lost.set())
        for channel, heard in channels.items():
            await connection.add_listener(channel, lambda _c, _pid, _channel, payload, told=heard: told(str(payload)))
        await connected()
        await lost.wait()
    finally:
        if not connection.is_closed():
            connection.terminate()
