"""Token buckets: so many at once, so many per second, for each key."""

from collections import OrderedDict
from dataclasses import dataclass
from itertools import islice

from prime.core.clock import Clock
from prime.core.errors import InvalidInput, RateLimited

_HAIR = 1e-9  # floats: the promised wait must be enough when it has passed


@dataclass(slots=True)
class _Level:
    tokens: float
    at: float


class RateBucket:
    """A bucket of `burst` tokens for every key, filled with `per_second` tokens a second.

    At most `max_keys` keys are remembered. A bucket that has filled up again is the same as none, so forgetting it
    changes nothing; when more keys than that are below full, the one that was used longest ago is forgotten.
    """

    def __init__(self, *, clock: Clock, per_second: float, burst: float, max_keys: int = 10_000) -> None:
        if not (0 < per_second < float("inf") and 1 <= burst < float("inf") and max_keys >= 1):
            raise InvalidInput("A rate needs a positive speed, a burst of at least 1 and room for a key.")
        self._clock = clock
        self._per_second = per_second
        self._burst = float(burst)
        self._max_keys = max_keys
        self._levels: OrderedDict[str, _Level] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def try_take(self, key: str, n: float = 1) -> float:
        """Takes `n` tokens and answers 0, or takes none and answers the seconds after which to ask again."""
        self._check(n)
        level = self._level(key)
        wait = self._wait_for(level, n)
        if wait == 0:
            level.tokens -= n
        return wait

    async def take(self, key: str, n: float = 1, *, max_wait: float | None = None) -> None:
        """Takes `n` tokens, waiting its turn; `RateLimited` at once when that would be longer than `max_wait` seconds.

        Waiting callers are served in order: the tokens are booked ahead, and a cancelled wait gives them back.
        """
        self._check(n)
        level = self._level(key)
        wait = self._wait_for(level, n)
        if max_wait is not None and wait > max_wait:
            raise RateLimited("Too often.", hint=f"Try again in {wait:.1f} s.", retryAfter=wait)
        level.tokens -= n
        if wait:
            await self._sleep(key, n, wait)

    async def _sleep(self, key: str, n: float, seconds: float) -> None:
        done = False
        try:
            await self._clock.sleep(seconds)
            done = True
        finally:
            if not done:
                level = self._level(key)
                level.tokens = min(self._burst, level.tokens + n)

    def _check(self, n: float) -> None:
        if not 0 <= n <= self._burst:
            raise InvalidInput(f"{n} tokens can never be taken from a bucket of {self._burst:g}.")

    def _wait_for(self, level: _Level, n: float) -> float:
        return 0.0 if level.tokens + _HAIR >= n else (n - level.tokens) / self._per_second

    def _level(self, key: str) -> _Level:
        now = self._clock.monotonic()
        level = self._levels.get(key)
        if level is None:
            self._make_room(now)
            level = self._levels[key] = _Level(self._burst, now)
        else:
            level.tokens = self._filled(level, now)
            level.at = max(level.at, now)
            self._levels.move_to_end(key)
        return level

    def _filled(self, level: _Level, now: float) -> float:
        return min(self._burst, level.tokens + max(0.0, now - level.at) * self._per_second)

    def _make_room(self, now: float) -> None:
        if len(self._levels) >= self._max_keys:
            self._levels.popitem(last=False)
        # Two old ones are looked at for each newcomer, so the table shrinks when it is quiet and no call is slow.
        for oldest in list(islice(self._levels, 2)):
            if self._filled(self._levels[oldest], now) >= self._burst:
                del self._levels[oldest]
