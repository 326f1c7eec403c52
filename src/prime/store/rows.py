"""Messages as rows of the log's table: read in order, and given their places at its end."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, Literal, cast

from sqlalchemy import Connection, Row, Select, bindparam, func, or_, select, text

from prime.core.canonical import canonical_json
from prime.store import tables
from prime.store.bulk import insert_rows
from prime.store.database import HEAD_CHANNEL
from prime.store.message import Kind, Message, NewMessage, payload_hash
from prime.store.pending import Pending, key_of, pending

_columns = tables.message.c

# Built once: making a statement costs more than running it.
_HEAD = select(func.coalesce(func.max(_columns.seq), 0))
_AFTER = select(tables.message).where(_columns.seq > bindparam("after")).order_by(_columns.seq).limit(bindparam("most"))


def read_head(connection: Connection) -> int:
    return connection.execute(_HEAD).scalar_one()


def read_messages(connection: Connection, ids: Sequence[str]) -> list[Message]:
    """The messages with these ids, in order; ids that nobody has are left out."""
    found = [
        message_of(row)
        for some in portions(ids)
        for row in connection.execute(select(tables.message).where(_columns.id.in_(some)))
    ]
    return sorted(found, key=attrgetter("seq"))


def portions(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """So many at a time as either database takes in one statement."""
    return (ids[at : at + _IDS] for at in range(0, len(ids), _IDS))


_IDS = 1000


def read_after(connection: Connection, seq: int, limit: int) -> list[Message]:
    found = connection.execute(_AFTER, {"after": seq, "most": limit})
    # As the driver gives them: whoever follows the log reads all of it.
    rows = cast("list[tuple[object, ...]]", found.cursor.fetchall() if found.cursor else [])
    found.close()
    return [message_of(row) for row in rows]


def insert_messages(connection: Connection, new: Sequence[NewMessage], now_ms: int) -> list[Message]:
    """Give the messages their places. The log's lock is held, so the head moves by nobody else until the commit."""
    waiting = pending(connection)
    waiting.flush = _write_rows
    _look_up(connection, waiting, new)
    seq = read_head(connection) if waiting.head is None else waiting.head
    appended: list[Message] = []
    for message in new:
        key = key_of(message)
        placed = waiting.known[key] if key else None
        if placed is None:
            seq += 1
            placed, row = placed_message(message, seq, now_ms)
            waiting.rows.append(row)
            if key:
                waiting.known[key] = placed
        appended.append(placed)
    waiting.head = seq
    return appended


def _write_rows(connection: Connection, rows: list[tuple[object, ...]]) -> None:
    insert_rows(connection, tables.message, rows)
    if connection.dialect.name == "postgresql":
        connection.execute(_NOTIFY, {"channel": HEAD_CHANNEL, "seq": str(rows[-1][0])})


_NOTIFY = text("SELECT pg_notify(:channel, :seq)")


def _look_up(connection: Connection, waiting: Pending, new: Sequence[NewMessage]) -> None:
    """Find what was appended before under the keys of these messages, and of those that follow in the transaction."""
    if all((key := key_of(message)) is None or key in waiting.known for message in new):
        return
    keys = [key for message in (*new, *waiting.coming) if (key := key_of(message)) and key not in waiting.known]
    waiting.known.update(dict.fromkeys(keys))
    for at in range(0, len(keys), _KEYS):
        some = keys[at : at + _KEYS]
        # The last one again and again up to a power of two, so that few statements serve all counts.
        some += some[-1:] * ((1 << (len(some) - 1).bit_length()) - len(some))
        given = {f"{name}{n}": part for n, key in enumerate(some) for name, part in zip(_KEY, key, strict=True)}
        for row in connection.execute(_with_keys(len(some)), given):
            waiting.known[row.channel_id, row.actor_id, row.idempotency_key] = message_of(row)


_KEYS = 128
_KEY = ("channel", "actor", "key")


@cache
def _with_keys(count: int) -> Select[*tuple[Any, ...]]:
    # One by one: SQLite looks through all messages for a list of triples.
    each = (
        (_columns.channel_id == bindparam(f"channel{n}"))
        & (_columns.actor_id == bindparam(f"actor{n}"))
        & (_columns.idempotency_key == bindparam(f"key{n}"))
        for n in range(count)
    )
    return select(tables.message).where(or_(*each))


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
        _written_ids(placed.sources),
        placed.payload_hash,
        message.idempotency_key,
    )
    return placed, row


def _written_ids(ids: tuple[str, ...]) -> str:
    """The JSON of ids, most of which are plain words."""
    if all(name.isascii() and name.isidentifier() for name in ids):
        return '["' + '","'.join(ids) + '"]' if ids else "[]"
    return canonical_json(list(ids))


def message_of(row: Row[tuple[object, ...]] | tuple[object, ...]) -> Message:
    # Columns stand in the table's order; going by position spares a name look-up per field and row.
    seq, id_, channel, actor, ts, kind, audience, text_, body, course, tag, sources, digest, _key = cast(
        "tuple[int, str, str, str, int, Kind, Literal['room', 'hub'], str, str, int, str | None, str, str, str]", row
    )
    # In the order of its fields: naming each of them costs more than making it.
    return Message(
        seq,
        id_,
        channel,
        actor,
        ts,
        kind,
        audience,
        text_,
        {} if body == "{}" else json.loads(body),
        course,
        tag,
        () if sources == "[]" else tuple(json.loads(sources)),
        digest,
    )
