"""Strangers' work step by step, between everything else that the loop has to do.

A step ends where the work waits for something. Strangers have a little of each round of the loop; while somebody known is
being answered, a tenth of the time.
"""

import asyncio
import heapq
import time
from collections.abc import Coroutine, Generator
from itertools import count
from types import coroutine
from typing import Any, TypeVar

T = TypeVar("T")

# What strangers may take of one round before what else is due has its turn.
ROUND_SECONDS = 0.002
# Of those who wait, so many are called to each round.
CALLED = 8
# While somebody known is being answered, strangers rest for so many times the length of each step.
REST = 9
# After a step that was longer than a round allows they always do, so that most of the time nobody meets such a step.
LONG_REST = 2


class Rounds:
    def __init__(self) -> None:
        self._known: set[object] = set()
        self._spent = 0.0
        # When the last step of a stranger's ended, and how long it took.
        self._last = (0.0, 0.0)
        # By number: who was called and found no time left keeps their place.
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._numbers = count()
        self._next: asyncio.Handle | None = None

    def begin_known(self, mark: object) -> None:
        self._known.add(mark)

    def end_known(self, mark: object) -> None:
        self._known.discard(mark)
        if self._next is not None and not self._known:  # strangers rest less from now on
            self._next.cancel()
            self._next = None
        if self._waiting:
            self._call_next()

    @coroutine
    def run(self, work: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
        """Run this, each step in its turn."""
        given: Any = None
        trouble: BaseException | None = None
        while True:
            try:
                yield from self._turn()
            except BaseException as error:  # noqa: BLE001  (a cancellation: it is the work's to answer)
                trouble = error
            began = time.perf_counter()
            try:
                awaited = work.send(given) if trouble is None else work.throw(trouble)
            except StopIteration as done:
                return done.value
            finally:
                self._note(began)
            given, trouble = None, None
            try:
                given = yield awaited
            except BaseException as error:  # noqa: BLE001  (likewise)
                trouble = error

    def _turn(self) -> Generator[Any, Any, None]:
        if not self._waiting and self._has_time():
            return
        number = next(self._numbers)
        while True:
            place = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (number, place))
            self._call_next()
            yield from place
            if self._has_time():
                return

    def _has_time(self) -> bool:
        return self._spent < ROUND_SECONDS and not self._rest()

    def _rest(self) -> float:
        """How long strangers still rest."""
        ended, took = self._last
        times = REST if self._known else LONG_REST if took > ROUND_SECONDS else 0
        return max(0.0, ended + times * took - time.perf_counter()) if times else 0.0

    def _note(self, began: float) -> None:
        now = time.perf_counter()
        self._spent += now - began
        self._last = (now, now - began)
        self._call_next()

    def _call_next(self) -> None:
        if self._next is None:
            loop, rest = asyncio.get_running_loop(), self._rest()
            self._next = loop.call_later(rest, self._begin) if rest else loop.call_soon(self._begin)

    def _begin(self) -> None:
        self._next = None
        self._spent = 0.0
        for _ in range(min(CALLED, len(self._waiting))):
            _, place = heapq.heappop(self._waiting)
            if not place.done():  # it may have been cancelled
                place.set_result(None)
        if self._waiting:
            self._call_next()
