"""Time series: what was settled, asked and answered, how long it waited, which rules fired, and what it cost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prime.core.clock import Clock
from prime.core.errors import InvalidInput
from prime.hub.metrics import queries
from prime.hub.metrics.queries import METRICS, MINUTE_MS
from prime.store.store import Store

HOUR_MS = 60 * MINUTE_MS
MOST_POINTS = 1_500


@dataclass(frozen=True, slots=True)
class Point:
    """Counts of one step."""

    ts: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Series:
    step_ms: int
    points: Sequence[Point]
    totals: Mapping[str, int]

    def tools(self, most: int) -> list[tuple[str, int]]:
        """The tools that were used in this time and how often, the most used first."""
        used: Counter[str] = Counter()
        for point in self.points:
            for name, value in point.counts.items():
                if name.startswith(queries.TOOL):
                    used[name.removeprefix(queries.TOOL)] += value
        return sorted(used.items(), key=lambda each: (-each[1], each[0]))[:most]


class Metrics:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def series(self, *, since: int | None = None, until: int | None = None, step_ms: int = MINUTE_MS) -> Series:
        """Every step from `since` (an hour ago) to `until` (now), also those in which nothing happened."""
        if step_ms < MINUTE_MS or step_ms % MINUTE_MS:
            raise InvalidInput("stepMs is a number of whole minutes.", hint="For example 60000.", field="stepMs")
        end = until if until is not None else self._clock.now_ms() + 1
        begin = since if since is not None else max(end - HOUR_MS, 0)
        if end <= begin:
            raise InvalidInput("since must be before until.", field="since")
        begin = begin // MINUTE_MS * MINUTE_MS
        if (end - begin) // step_ms > MOST_POINTS:
            raise InvalidInput(f"These would be more than {MOST_POINTS} points.", hint="Ask for a larger stepMs.")
        found, totals = await self._store.projector.read(
            lambda c: (queries.read_metrics(c, begin, end, step_ms), queries.read_totals(c)), METRICS
        )
        points = [Point(ts, found.get(ts, {})) for ts in range(begin, end, step_ms)]
        return Series(step_ms, points, totals)
