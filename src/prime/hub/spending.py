"""Whether there is anything left to spend: the caps of the spend guard, and an amount of money per day."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

from prime.core.clock import Clock
from prime.hub.pace import PaceSource
from prime.mind.spend import SpendGuard
from prime.store.live_settings import LiveSettings

_DAY = "spend_day"


class Spending:
    """Counts survive a restart: the guard's are in the database, and so is where the day began."""

    def __init__(
        self, guard: SpendGuard, live: LiveSettings, clock: Clock, pace: PaceSource, *, free: Callable[[], bool]
    ) -> None:
        """`free` says whether the mind of the moment costs nothing: then nothing ever stops."""
        self._free = free
        self._guard = guard
        self._live = live
        self._clock = clock
        self._pace = pace

    async def stop_reason(self) -> str | None:
        """Why nothing more may be spent, as the owner is told it."""
        if self._free():
            return None
        spent, cap = await self._guard.spent(), self._guard.caps.calls
        if spent.calls >= cap:
            return f"The cap of {cap} requests to a model is reached. Raise PRIME_MAX_LLM_CALLS or reset the count."
        today = await self.spent_today(spent.micro_dollars)
        most = (await self._pace()).max_dollars_per_day
        if most and today >= most:
            return f"Today's ${most:g} are spent. It goes on tomorrow, or raise PRIME_MAX_DOLLARS_PER_DAY."
        return None

    async def begin_anew(self) -> None:
        """The owner's new count, of everything."""
        await self._guard.reset()

    async def spent_today(self, micro_dollars: int) -> float:
        """Dollars since midnight, UTC."""
        day = datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC).date().isoformat()
        known = await self._live.get(_DAY)
        began = cast("dict[str, object]", known) if isinstance(known, dict) else {}
        before = began.get("microDollars")
        if began.get("day") != day or not isinstance(before, int) or before > micro_dollars:
            # The first look of a day, or the owner has begun a new count.
            before = micro_dollars if began.get("day") != day else 0
            await self._live.put(_DAY, {"day": day, "microDollars": before})
        return (micro_dollars - before) / 1_000_000
