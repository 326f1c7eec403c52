"""Messages as rows of the log's table: read in order, and given their places at its end."""

import json
from collections.abc import Sequence
from typing import Literal, cast

from sqlalchemy import Connection, Row, bindparam, func, select, text

from prime.core.canonical import canonical_json
from prime.store import tables
from prime.store.database import HEAD_CHANNEL, pending
from prime.store.message import Kind, Message, NewMessage, payload_hash

_columns = tables.message.c

# Built once: making a statement costs more than running it.
_HEAD = select(func.coalesce(func.max(_columns.seq), 0))
_AFTER = select(tables.message).where(_columns.seq > bindparam("after")).order_by(_columns.seq).limit(bindparam("most"))


def read_head(connection: Connection) -> int:
    return connection.execute(_HEAD).scalar_one()


def read_messages(connection: Connection, ids: Sequence[str]) -> list[Message]:
    """The messages with these ids, in order; ids that nobody has are left out."""
    rows = connection.execute(select(tables.message).where(_columns.id.in_(ids)).order_by(_columns.seq))
    return [message_of(row) for row in rows]


def read_after(connection: Connection, seq: int, limit: int) -> list[Message]:
    return [message_of(row) for row in connection.execute(_AFTER, {"after": seq, "most": limit})]


def insert_messages(connection: Connection, new: Sequence[NewMessage], now_ms: int) -> list[Message]:
    """Give the messages their places. The log's lock is held, so the head moves by nobody else until the commit."""
    waiting = pending(connection)
    waiting.flush = _write_rows  # first: a key that is looked up must find the rows before it
    seq = read_head(connection) if waiting.head is None else waiting.head
    appended: list[Message] = []
    for message in new:
        earlier = _earlier(connection, message)
        if earlier is None:
            seq += 1
            earlier, row = placed_message(message, seq, now_ms)
            waiting.rows.append(row)
        appended.append(earlier)
    waiting.head = seq
    return appended


def _write_rows(connection: Connection, rows: list[tuple[object, ...]]) -> None:
    statement = tables.message_insert(connection.dialect)
    connection.exec_driver_sql(statement, rows if len(rows) > 1 else rows[0])
    if connection.dialect.name == "postgresql":
        connection.execute(_NOTIFY, {"channel": HEAD_CHANNEL, "seq": str(rows[-1][0])})


_NOTIFY = text("SELECT pg_notify(:channel, :seq)")


def _earlier(connection: Connection, message: NewMessage) -> Message | None:
    if message.idempotency_key is None:
        return None
    pending(connection).flushed(connection)
    given = {"channel": message.channel_id, "actor": message.actor_id, "key": message.idempotency_key}
    row = connection.execute(_WITH_KEY, given).one_or_none()
    return message_of(row) if row else None


_WITH_KEY = select(tables.message).where(
    _columns.channel_id == bindparam("channel"),
    _columns.actor_id == bindparam("actor"),
    _columns.idempotency_key == bindparam("key"),
)


def placed_message(message: NewMessage, seq: int, now_ms: int) -> tuple[Message, tuple[object, ...]]:
    """The message in its place, and the row that holds it."""
    body = message.written
    placed = Message(
        seq=seq,
        id=message.id,
        channel_id=message.channel_id,
        actor_id=message.actor_id,
        ts=now_ms,
        kind=message.kind,
        audience=message.audience,
        text=message.text,
        body=message.body,
        course=message.course,
        source_tag=message.source_tag,
        sources=tuple(message.sources),
        payload_hash=payload_hash(message.text, body),
    )
    row = (
        seq,
        placed.id,
        placed.channel_id,
        placed.actor_id,
        now_ms,
        placed.kind,
        placed.audience,
        placed.text,
        body,
        placed.course,
        placed.source_tag,
        canonical_json(list(placed.sources)) if placed.sources else "[]",
        placed.payload_hash,
        message.idempotency_key,
    )
    return placed, row


def message_of(row: Row[tuple[object, ...]]) -> Message:
    # Columns stand in the table's order; going by position spares a name look-up per field and row.
    seq, id_, channel, actor, ts, kind, audience, text_, body, course, tag, sources, digest, _key = cast(
        "tuple[int, str, str, str, int, Kind, Literal['room', 'hub'], str, str, int, str | None, str, str, str]", row
    )
    return Message(
        seq=seq,
        id=id_,
        channel_id=channel,
        actor_id=actor,
        ts=ts,
        kind=kind,
        audience=audience,
        text=text_,
        body={} if body == "{}" else json.loads(body),
        course=course,
        source_tag=tag,
        sources=() if sources == "[]" else tuple(json.loads(sources)),
        payload_hash=digest,
    )
