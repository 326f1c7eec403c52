"""One after the other to a model that runs nearby, the owner's words first: it can do one thing at a time."""

import asyncio
import heapq
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count

# What goes before what.
OWNER_FIRST, JUDGING, SPEAKING, LATER = range(4)


class Turnstile:
    """Lets `at_once` through; who waits goes by importance, then by when they came."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._order = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def turn(self, importance: int) -> AsyncGenerator[None]:
        if self._free:
            self._free -= 1
        else:
            await self._wait(importance)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, importance: int) -> None:
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (importance, next(self._order), called))
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():
                self._pass_on()  # it was called in the same moment
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            _, _, called = heapq.heappop(self._waiting)
            if not called.done():
                called.set_result(None)
                return
        self._free += 1
