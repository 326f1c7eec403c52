"""Figures over time."""

from typing import Annotated

from fastapi import APIRouter, Query

from prime.core.clock import iso
from prime.hub.metrics.metrics import Point
from prime.web.models import Shown
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/metrics", tags=["metrics"])

MOST_TOOLS = 12
Milliseconds = Annotated[int | None, Query(ge=0, le=8_640_000_000_000)]


class PointShown(Shown):
    """What happened in one step. `waitedMs` is how long the questions answered in it had waited, together."""

    ts: str
    auto_resolved: int
    asked: int
    answered: int
    surfaced: int
    silent: int
    rule_hits: int
    messages: int
    waited_ms: int
    time_to_answer_ms: float | None
    calls: int
    dollars: float
    tool_calls: int
    tool_failures: int

    @classmethod
    def of(cls, point: Point) -> "PointShown":
        count = point.counts.get
        answered = count("answered", 0)
        return cls(
            ts=iso(point.ts),
            auto_resolved=count("autoResolved", 0),
            asked=count("asked", 0),
            answered=answered,
            surfaced=count("surfaced", 0),
            silent=count("silent", 0),
            rule_hits=count("ruleHits", 0),
            messages=count("messages", 0),
            waited_ms=count("waitedMs", 0),
            time_to_answer_ms=count("waitedMs", 0) / answered if answered else None,
            calls=count("calls", 0),
            dollars=count("microDollars", 0) / 1_000_000,
            tool_calls=count("toolCalls", 0),
            tool_failures=count("toolFailures", 0),
        )


class ToolUseShown(Shown):
    name: str
    calls: int


class MetricsShown(Shown):
    step_ms: int
    items: list[PointShown]
    totals: PointShown
    # Questions in the last hour.
    questions_per_hour: int
    # The tools that were used in this time, the most used first.
    tools: list[ToolUseShown]


@router.get("")
async def get_metrics(
    parts: PartsNeeded,
    since: Milliseconds = None,
    until: Milliseconds = None,
    step_ms: Annotated[int, Query(alias="stepMs", ge=60_000, le=86_400_000)] = 60_000,
) -> MetricsShown:
    """A point for every step from `since` (an hour ago) to `until` (now), in milliseconds since 1970."""
    series = await parts.hub.metrics.series(since=since, until=until, step_ms=step_ms)
    hour = await parts.hub.metrics.series()
    return MetricsShown(
        step_ms=series.step_ms,
        items=[PointShown.of(point) for point in series.points],
        totals=PointShown.of(Point(parts.clock.now_ms(), series.totals)),
        questions_per_hour=sum(point.counts.get("asked", 0) for point in hour.points),
        tools=[ToolUseShown(name=name, calls=calls) for name, calls in series.tools(MOST_TOOLS)],
    )
