"""Known people first: whoever is not known gets what is left of the server's time.

All requests share one loop and a few readers of the database. So only so many strangers are let in at once, few while
somebody known is around, and what they ask for is run in `Rounds`. Noise costs strangers their turn, whatever it asks for
and however much of it there is, and the owner a step or two.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from starlette.types import Message, Receive

from prime.web.rounds import Rounds

T = TypeVar("T")

# Strangers who are let in at once, and while somebody known asked for something in the last seconds.
MANY, FEW = 64, 4
AROUND_SECONDS = 10.0
# Somebody known goes first for so long, and a stranger counts as let in for so long: what takes longer waits for somebody.
SECONDS = 0.25


class Precedence:
    def __init__(self) -> None:
        self._rounds = Rounds()
        self._inside: set[object] = set()
        self._door: deque[tuple[object, asyncio.Future[None]]] = deque()
        self._seen_at = -AROUND_SECONDS

    async def first(self, work: Coroutine[Any, Any, T]) -> T:
        """Run what somebody known asked for."""
        mark = object()
        self._seen_at = time.perf_counter()
        self._rounds.begin_known(mark)
        over = asyncio.get_running_loop().call_later(SECONDS, self._rounds.end_known, mark)
        try:
            return await work
        finally:
            over.cancel()
            self._rounds.end_known(mark)

    async def behind(self, serve: Callable[[Receive], Coroutine[Any, Any, T]], receive: Receive) -> T:
        """Run what a stranger asked for, once they are let in."""
        mark = object()

        async def outside() -> Message:
            # Who waits for what the sender still has to send takes nobody's place.
            was_inside = mark in self._inside
            self._leave(mark)
            message = await receive()
            if was_inside:
                self._inside.add(mark)
            return message

        try:
            await self._enter(mark)
            over = asyncio.get_running_loop().call_later(SECONDS, self._leave, mark)
            try:
                return await self._rounds.run(serve(outside))
            finally:
                over.cancel()
        finally:
            self._leave(mark)

    async def _enter(self, mark: object) -> None:
        if self._has_room() and not self._door:
            self._inside.add(mark)
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._door.append((mark, place))
        self._let_in()
        await place

    def _leave(self, mark: object) -> None:
        self._inside.discard(mark)
        self._let_in()

    def _let_in(self) -> None:
        while self._door and self._has_room():
            mark, place = self._door.popleft()
            if not place.done():  # it may have been cancelled
                self._inside.add(mark)
                place.set_result(None)

    def _has_room(self) -> bool:
        is_around = time.perf_counter() - self._seen_at < AROUND_SECONDS
        return len(self._inside) < (FEW if is_around else MANY)
