"""The fold of the log into counts by minute, and reads over it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import cast

from sqlalchemy import Connection, Table, delete, func, select, update

from prime.hub.metrics.tables import metric, metric_question
from prime.hub.speaking import is_news
from prime.rooms.queries import PRIMING
from prime.store.message import Message
from prime.store.upsert import add_row

METRICS = "metrics"
MINUTE_MS = 60_000
# Before a tool's name: how often it was called.
TOOL = "tool:"

_USAGE = ("calls", "inputTokens", "outputTokens", "microDollars")


class MetricsProjection:
    """Counts by minute."""

    name = METRICS
    version = 2
    tables: Sequence[Table] = (metric, metric_question)

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        counts: Counter[tuple[int, str]] = Counter()
        for message in messages:
            minute = message.ts // MINUTE_MS * MINUTE_MS
            for name, value in _counted(connection, message):
                counts[minute, name] += value
        for (minute, name), value in counts.items():
            if value and not add_row(connection, metric, {"minute": minute, "name": name, "value": value}):
                columns = metric.c
                more = update(metric).where(columns.minute == minute, columns.name == name)
                connection.execute(more.values(value=columns.value + value))


def _counted(connection: Connection, message: Message) -> Iterator[tuple[str, int]]:
    body = message.body
    if message.kind == "text" and is_news(message):
        yield "messages", 1
    elif message.kind == "decision":
        yield from _of_decision(message)
    elif message.kind == "question" and body.get("kind") == "decision":
        asked = {"id": str(body.get("questionId")), "message_id": message.id, "asked_at": message.ts}
        if add_row(connection, metric_question, asked):
            yield "asked", 1
    elif message.kind == "answer" and body.get("status", "answered") == "answered":
        yield from _of_answer(connection, message)
    elif message.kind == "tool_result" and message.source_tag != PRIMING:
        yield from _of_tool(message)
    usage = body.get("usage")
    if isinstance(usage, dict):
        spent = cast("dict[str, object]", usage)
        yield from ((name, value) for name in _USAGE if isinstance(value := spent.get(name), int))


def _of_tool(message: Message) -> Iterator[tuple[str, int]]:
    yield "toolCalls", 1
    if message.body.get("isError") is True:
        yield "toolFailures", 1
    if isinstance(name := message.body.get("name"), str):
        yield f"{TOOL}{name}", 1


def _of_decision(message: Message) -> Iterator[tuple[str, int]]:
    body = message.body
    outcome = body.get("outcome")
    if outcome in {"surfaced", "held", "joined"}:
        yield str(outcome), 1
    elif outcome == "silent":
        yield "silent", len(message.sources)
    elif outcome == "auto_resolved":
        yield "autoResolved", 1
        if "ruleId" in body:
            yield "ruleHits", 1


def _of_answer(connection: Connection, message: Message) -> Iterator[tuple[str, int]]:
    columns = metric_question.c
    # An answer whose words were erased still names the message that asked.
    mine = (
        columns.id == str(message.body.get("questionId")) if message.body else columns.message_id.in_(message.sources)
    )
    row = connection.execute(select(columns.id, columns.asked_at).where(mine)).first()
    if row is not None:
        connection.execute(delete(metric_question).where(columns.id == row.id))
        yield "answered", 1
        yield "waitedMs", max(message.ts - row.asked_at, 0)


def read_metrics(connection: Connection, since: int, until: int, step: int) -> dict[int, dict[str, int]]:
    """Counts by step, beginning at `since`; steps without any are left out."""
    columns = metric.c
    rows = connection.execute(
        select(columns.minute, columns.name, columns.value).where(columns.minute >= since, columns.minute < until)
    )
    series: dict[int, dict[str, int]] = {}
    for minute, name, value in rows:
        point = series.setdefault((minute - since) // step * step + since, {})
        point[name] = point.get(name, 0) + value
    return series


def read_totals(connection: Connection) -> dict[str, int]:
    rows = connection.execute(select(metric.c.name, func.sum(metric.c.value)).group_by(metric.c.name))
    return {name: int(value) for name, value in rows}
