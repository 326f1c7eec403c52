"""Reads over drafts, classes and what waits for a draft."""

import json
from collections.abc import Sequence
from typing import cast

from sqlalchemy import Connection, Row, func, or_, select

from prime.core.classes import Profile
from prime.hub.gate import tables
from prime.hub.gate.records import Draft, DraftStatus, ReplyClass

GATE = "gate"

_draft = tables.draft
_class = tables.reply_class
_inbound = tables.inbound


def read_draft(connection: Connection, draft_id: str) -> Draft | None:
    row = connection.execute(select(_draft).where(_draft.c.id == draft_id)).one_or_none()
    return _as_draft(row) if row else None


def read_drafts(
    connection: Connection, *, status: DraftStatus | None, before: int | None, limit: int
) -> list[tuple[int, Draft]]:
    """Newest first, each with its place."""
    query = select(_draft)
    if status is not None:
        query = query.where(_draft.c.status == status)
    if before is not None:
        query = query.where(_draft.c.seq < before)
    rows = connection.execute(query.order_by(_draft.c.seq.desc()).limit(limit))
    return [(row.seq, _as_draft(row)) for row in rows]


def read_sent(connection: Connection, *, before: int | None, limit: int) -> list[tuple[int, Draft]]:
    """Everything that left, the latest first, each with its place."""
    query = select(_draft).where(_draft.c.sent_seq.is_not(None))
    if before is not None:
        query = query.where(_draft.c.sent_seq < before)
    rows = connection.execute(query.order_by(_draft.c.sent_seq.desc()).limit(limit))
    return [(row.sent_seq, _as_draft(row)) for row in rows]


def read_open_for(connection: Connection, channel_id: str) -> list[Draft]:
    """Drafts of a channel that still wait."""
    query = select(_draft).where(_draft.c.channel_id == channel_id, _draft.c.status == "pending")
    return [_as_draft(row) for row in connection.execute(query.order_by(_draft.c.seq))]


def read_reply(connection: Connection, message_id: str) -> Draft | None:
    """The latest draft that answers a message."""
    query = select(_draft).where(_draft.c.reply_to == message_id).order_by(_draft.c.seq.desc()).limit(1)
    row = connection.execute(query).one_or_none()
    return _as_draft(row) if row else None


def is_ours(connection: Connection, channel_id: str, external_id: str, text: str) -> bool:
    """Whether what was seen leaving a conversation is something that went through the gate."""
    going = _draft.c.status.in_(["sending", "uncertain"]) & (_draft.c.text == text)
    known = _draft.c.result.contains(f'"externalId":{json.dumps(external_id)}', autoescape=True)
    query = select(_draft.c.id).where(_draft.c.channel_id == channel_id, or_(going, known)).limit(1)
    return connection.execute(query).first() is not None


def count_drafts(connection: Connection) -> dict[str, int]:
    query = select(_draft.c.status, func.count()).group_by(_draft.c.status)
    return dict(connection.execute(query).all())


def read_classes(connection: Connection, *, before: int | None, limit: int) -> list[tuple[int, ReplyClass]]:
    query = select(_class)
    if before is not None:
        query = query.where(_class.c.seq < before)
    rows = connection.execute(query.order_by(_class.c.seq.desc()).limit(limit))
    return [(row.seq, _as_class(row)) for row in rows]


def read_class(connection: Connection, class_id: str) -> ReplyClass | None:
    row = connection.execute(select(_class).where(_class.c.id == class_id)).one_or_none()
    return _as_class(row) if row else None


def read_rivals(
    connection: Connection, *, connector: str, scope: str, words: Sequence[str]
) -> list[tuple[ReplyClass, Profile]]:
    """Active classes that share at least two of these words."""
    word = tables.class_word
    sharing = (
        select(word.c.class_id).where(word.c.word.in_(words)).group_by(word.c.class_id).having(func.count() >= 2)
    ).subquery()
    query = (
        select(_class)
        .join(sharing, sharing.c.class_id == _class.c.id)
        .where(_class.c.connector == connector, _class.c.scope == scope, _class.c.active)
        .order_by(_class.c.seq)
    )
    return [(_as_class(row), _as_profile(row.profile)) for row in connection.execute(query)]


def read_waiting_inbound(connection: Connection, *, after: int, limit: int) -> list[tuple[str, str]]:
    """Messages that nobody has drafted an answer to, with their connectors, oldest first."""
    query = select(_inbound.c.message_id, _inbound.c.connector).where(_inbound.c.waiting, _inbound.c.seq > after)
    return [(i, connector) for i, connector in connection.execute(query.order_by(_inbound.c.seq).limit(limit))]


def read_inbound_id(connection: Connection, channel_id: str, external_id: str) -> str | None:
    """The message that a service knows by this id."""
    query = select(_inbound.c.message_id).where(
        _inbound.c.channel_id == channel_id, _inbound.c.external_id == external_id
    )
    return connection.execute(query.limit(1)).scalar_one_or_none()


def _as_draft(row: Row[tuple[object, ...]]) -> Draft:
    return Draft(
        id=row.id,
        seq=row.seq,
        connector=row.connector,
        kind=row.kind,
        channel_id=row.channel_id,
        text=row.text,
        status=row.status,
        reason=row.reason,
        class_id=row.class_id,
        reply_to=row.reply_to,
        trigger=row.trigger,
        names=tuple(json.loads(row.names)),
        target=json.loads(row.target),
        scope=row.scope,
        title=row.title,
        needs_owner=row.needs_owner,
        edited=row.edited,
        returns=row.returns,
        decided_by=row.decided_by,
        holder=row.holder,
        result=json.loads(row.result),
        created_at=row.created_at,
        decided_at=row.decided_at,
        sent_at=row.sent_at,
    )


def _as_class(row: Row[tuple[object, ...]]) -> ReplyClass:
    return ReplyClass(
        id=row.id,
        seq=row.seq,
        connector=row.connector,
        scope=row.scope,
        text=row.text,
        trigger=row.trigger,
        from_draft_id=row.from_draft_id,
        taught_at=row.taught_at,
        hits=row.hits,
        active=row.active,
    )


def _as_profile(text: str) -> Profile:
    words = cast("dict[str, list[str]]", json.loads(text))
    return Profile(*(frozenset(words.get(part, ())) for part in ("specific", "loose", "doubtful")))
