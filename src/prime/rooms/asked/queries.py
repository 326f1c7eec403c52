"""Questions that the fold of the rooms keeps: joined, and read."""

import json
from dataclasses import dataclass

from sqlalchemy import Connection, Row, func, select, update

from prime.core.canonical import canonical_json
from prime.rooms import tables
from prime.rooms.records import Question
from prime.store.message import Message
from prime.store.tables import message as message_table


class Joined:
    """What was asked elsewhere, too, gives a question more sources: each question of a batch is changed once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sources: dict[str, list[str]] = {}

    def add(self, message: Message) -> None:
        if isinstance(question_id := message.body.get("questionId"), str):
            self._sources.setdefault(question_id, []).extend(message.sources)

    def write(self) -> None:
        columns = tables.question.c
        for question_id, sources in self._sources.items():
            query = select(columns.sources).where(columns.id == question_id)
            before = self._connection.execute(query).scalar_one_or_none()
            if before is not None:
                together = canonical_json(list(dict.fromkeys([*json.loads(before), *sources])))
                changed = update(tables.question).where(columns.id == question_id)
                self._connection.execute(changed.values(sources=together))
        self._sources.clear()


def read_questions(
    connection: Connection, *, before: int | None, limit: int, status: str | None = None
) -> list[tuple[int, Question]]:
    """Questions, newest first, each with its place."""
    query = select(tables.question)
    if status is not None:
        query = query.where(tables.question.c.status == status)
    if before is not None:
        query = query.where(tables.question.c.seq < before)
    rows = connection.execute(query.order_by(tables.question.c.seq.desc()).limit(limit))
    return [(row.seq, _question(row)) for row in rows]


def read_question(connection: Connection, question_id: str) -> Question | None:
    row = connection.execute(select(tables.question).where(tables.question.c.id == question_id)).one_or_none()
    return _question(row) if row else None


def read_waiting_questions(connection: Connection, now_ms: int) -> list[Question]:
    """What waits for the owner now, oldest first: pending, and snoozed ones whose time has come."""
    columns = tables.question.c
    waiting = (columns.status == "pending") | ((columns.status == "snoozed") & (columns.snoozed_until <= now_ms))
    rows = connection.execute(select(tables.question).where(waiting).order_by(columns.seq))
    return [_question(row) for row in rows]


def read_unsettled_questions(connection: Connection) -> list[Question]:
    """What is neither answered nor over, put off or not, oldest first."""
    columns = tables.question.c
    unsettled = select(tables.question).where(columns.status.in_(["pending", "snoozed"]))
    return [_question(row) for row in connection.execute(unsettled.order_by(columns.seq))]


def read_put_off(connection: Connection, now_ms: int) -> list[Question]:
    """What was put off until now, or until earlier, and is not back yet."""
    columns = tables.question.c
    due = select(tables.question).where(columns.status == "snoozed", columns.snoozed_until <= now_ms)
    return [_question(row) for row in connection.execute(due.order_by(columns.seq))]


def read_settled_questions(connection: Connection, limit: int) -> list[Question]:
    """What the owner has answered last, newest first."""
    columns = tables.question.c
    settled = select(tables.question).where(columns.status == "answered", columns.kind == "decision")
    return [_question(row) for row in connection.execute(settled.order_by(columns.seq.desc()).limit(limit))]


class NotLogged(Exception):
    """Another message had the key of this one."""


@dataclass(frozen=True, slots=True)
class OnlyWith:
    """The job that lets messages be logged only with this one: what stands beside an answer that came second is not said."""

    message_id: str

    def __call__(self, connection: Connection) -> None:
        query = select(message_table.c.seq).where(message_table.c.id == self.message_id)
        if connection.execute(query).first() is None:
            raise NotLogged


def count_questions(connection: Connection) -> tuple[int, int]:
    columns = tables.question.c
    decisions = select(columns.status, func.count()).where(columns.kind == "decision")
    rows = connection.execute(decisions.group_by(columns.status))
    counts = dict(rows.all())
    return sum(counts.values()), counts.get("answered", 0)


def _question(row: Row[tuple[object, ...]]) -> Question:
    return Question(
        id=row.id,
        kind=row.kind,
        channel_id=row.channel_id,
        text=row.text,
        context=row.context,
        necessity=row.necessity,
        reason=row.reason,
        suggestions=tuple(json.loads(row.suggestions)),
        call=json.loads(row.call) if row.call else None,
        sources=tuple(json.loads(row.sources)),
        asked_at=row.asked_at,
        status=row.status,
        answer=json.loads(row.answer),
        snoozed_until=row.snoozed_until,
        message_id=row.message_id,
    )
