"""PostgreSQL's LISTEN, kept up over lost connections."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

from prime.core.clock import Clock
from prime.store.engines.links import Link

log = logging.getLogger(__name__)

Connect = Callable[[], Awaitable[Link]]

RECONNECT_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0)


async def follow_notifications(
    connect: Connect,
    channels: Mapping[str, Callable[[str], None]],
    connected: Callable[[], Awaitable[None]],
    clock: Clock,
) -> None:
    """Call each channel's function with every payload of it and `connected` after every (re)connection, until cancelled."""
    failures = 0
    while True:
        try:
            await _listen_once(connect, channels, connected)
            failures = 0
        except Exception as error:  # noqa: BLE001  (a database that restarts fails in many ways; all mean: try again)
            log.warning("cannot hear the database's notifications, trying again: %s", error)
            failures += 1
        await clock.sleep(RECONNECT_SECONDS[min(failures, len(RECONNECT_SECONDS) - 1)])


async def _listen_once(
    connect: Connect, channels: Mapping[str, Callable[[str], None]], connected: Callable[[], Awaitable[None]]
) -> None:
    """Returns when the connection is lost."""
    connection = await connect()
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
