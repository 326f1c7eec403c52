"""Time as a part that is plugged in, so that tests set it and never sleep."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol

# No date is written of this moment or a later one; programs write it for “no end”.
END_OF_TIME = 253_402_300_800_000


class Clock(Protocol):
    """Wall time for records, monotonic time for durations."""

    def now_ms(self) -> int:
        """Milliseconds since 1970, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class FakeClock:
    """A clock that stands still until it is told to go on; `sleep` wakes when `advance` has passed its time."""

    def __init__(self, now_ms: int = 1_767_225_600_000) -> None:
        self._now_ms = now_ms
        self._sleepers: list[tuple[int, asyncio.Event]] = []

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic(self) -> float:
        return self._now_ms / 1000

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.Event()
        self._sleepers.append((self._now_ms + round(seconds * 1000), woken))
        await woken.wait()

    def advance(self, seconds: float) -> None:
        """Move on, and wake everyone whose time has come."""
        self._now_ms += round(seconds * 1000)
        due = [s for s in self._sleepers if s[0] <= self._now_ms]
        self._sleepers = [s for s in self._sleepers if s[0] > self._now_ms]
        for _, woken in due:
            woken.set()


# Clocks of two machines differ by less than this.
SKEW_MS = 10 * 60_000


def is_due(at_ms: int, now_ms: int, longest_ms: int) -> bool:
    """Whether a moment has come that was set at most `longest_ms` ahead.

    One that lies further ahead was set by a clock that was wrong; waiting for it could take years.
    """
    return not now_ms < at_ms <= now_ms + longest_ms + SKEW_MS


def iso(ms: int) -> str:
    """`2026-01-31T09:12:00.000Z`, as Prime's wires show time."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
