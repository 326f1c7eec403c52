"""Work that ends when the owner says stop, when its time is over, or when another process has taken the channel."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from prime.core.clock import Clock
from prime.dialogs.turns.queries import TURNS, read_turn
from prime.store.leases import Lease, StaleLease
from prime.store.store import Store

T = TypeVar("T")
Why: TypeAlias = Literal["stop", "time"]

LEASE_MS = 15_000
RENEW_S = 4.0
# What does not end by itself when it is told to is left behind.
PATIENCE_S = 0.7


class Interrupted(Exception):
    """The work was ended from outside."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why: Why = why


@dataclass(frozen=True, slots=True)
class Watch:
    """Watches over one turn."""

    store: Store
    clock: Clock
    turn_id: str
    lease: Lease
    seconds: float
    # Whoever handed us the lease keeps it alive.
    renews: bool

    async def over(self, work: Coroutine[object, object, T]) -> T:
        """What the work gives; `Interrupted` or `StaleLease` when it was ended before."""
        working = asyncio.ensure_future(work)
        alarms = [asyncio.ensure_future(alarm) for alarm in (self._stopped(), self._late(), self._taken())]
        try:
            await asyncio.wait({working, *alarms}, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            working.cancel()
            await asyncio.wait({working}, timeout=PATIENCE_S)
            if working.done() and not working.cancelled() and working.exception() is None:
                return working.result()  # it came to its end in the same moment
            raise next(alarm for alarm in alarms if alarm.done()).result()
        finally:
            for task in (working, *alarms):
                task.cancel()
            await asyncio.wait({working, *alarms}, timeout=PATIENCE_S)

    async def _stopped(self) -> Exception:
        while True:
            head = self.store.heads.head
            row = await self.store.projector.read(lambda c: read_turn(c, self.turn_id), TURNS)
            if row is None or not row.open or row.phase == "stopping":
                return Interrupted("stop")
            await self.store.heads.wait_beyond(head)

    async def _late(self) -> Exception:
        await self.clock.sleep(max(self.seconds, 0))
        return Interrupted("time")

    async def _taken(self) -> Exception:
        while True:
            await self.clock.sleep(RENEW_S)
            if self.renews and not await self.store.leases.renew(self.lease, LEASE_MS):
                return StaleLease(f"{self.lease.resource} is held by another process now.")
