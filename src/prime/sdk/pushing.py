"""Results that an agent pushes: tried again with growing pauses while the agent runs."""

import asyncio
import logging

from prime.core.clock import Clock
from prime.core.errors import PrimeError
from prime.core.http import GuardedClient, Refused
from prime.network.pushes import NotTaken, push
from prime.network.tasks import Task

log = logging.getLogger(__name__)

PAUSES = (1.0, 2.0, 4.0, 8.0, 30.0, 60.0, 300.0)


class Pusher:
    def __init__(self, client: GuardedClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._running: set[asyncio.Task[None]] = set()

    def push(self, task: Task, url: str, key: str | None, delivery_id: str) -> None:
        work = asyncio.create_task(self._deliver(task, url, key, delivery_id), name="prime-push")
        self._running.add(work)
        work.add_done_callback(self._running.discard)

    async def stop(self) -> None:
        for work in list(self._running):
            work.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _deliver(self, task: Task, url: str, key: str | None, delivery_id: str) -> None:
        for pause in (*PAUSES, None):
            try:
                await push(self._client, self._clock, task, url=url, key=key, delivery_id=delivery_id)
            except (NotTaken, Refused) as error:
                if isinstance(error, NotTaken) or not error.passing:
                    log.warning("a result was not taken: %s", error)
                    return
            except PrimeError as error:
                log.info("a result could not be pushed yet: %s", error)
            else:
                return
            if pause is not None:
                await self._clock.sleep(pause)
        log.warning("a result was given up after %d tries", len(PAUSES) + 1)
