"""One step of folding the log into tables, in the transaction that moves their cursors."""

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy import Connection, Table, delete, insert, inspect, select, text, update

from prime.store import tables
from prime.store.database import PREPARE_LOCK
from prime.store.message import Message
from prime.store.rows import read_after, read_head

_PIECE = 1000  # messages read at once
_HEAVY = 4_000_000  # characters after which a batch is not filled further: it is held in memory


class Projection(Protocol):
    """A fold of the log into tables of its own."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int:
        """Raised whenever the fold or its tables change; the projection is then rebuilt at the next start."""
        ...

    @property
    def tables(self) -> Sequence[Table]: ...

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        """Fold the next messages, in order. Called with any cut of the log into batches, and must not depend on it."""
        ...


def advance(connection: Connection, projections: Sequence[Projection], batch: int) -> dict[str, int]:
    """Fold the next batch into all of these; the place that each has reached."""
    query = select(tables.cursor).where(tables.cursor.c.projection.in_([p.name for p in projections]))
    # In one order, so that two replicas never wait for each other.
    rows = connection.execute(query.order_by(tables.cursor.c.projection).with_for_update())
    places = {row.projection: (row.seq, row.settled) for row in rows}
    messages = _following(connection, min(seq for seq, _ in places.values()), batch)
    if not messages:
        return {name: seq for name, (seq, _) in places.items()}
    last = messages[-1].seq
    for projection in projections:
        seq, settled = places[projection.name]
        new = [message for message in messages if message.seq > seq]
        if seq and any(m.kind == "erased" and m.seq > settled for m in new):
            _refold(connection, projection, last, batch)
        elif new:
            projection.apply(connection, new)
    behind = [name for name, (seq, _) in places.items() if seq < last]
    connection.execute(update(tables.cursor).where(tables.cursor.c.projection.in_(behind)).values(seq=last))
    return {name: max(seq, last) for name, (seq, _) in places.items()}


def _following(connection: Connection, seq: int, batch: int) -> list[Message]:
    """The next messages, as far as a multiple of `batch`, or fewer that are as long.

    So that batches of a long log end at the same places whenever it is folded, as stretches do that a fold puts together.
    """
    found: list[Message] = []
    weight, most = 0, batch - seq % batch
    while len(found) < most and weight < _HEAVY:
        piece = read_after(connection, found[-1].seq if found else seq, min(_PIECE, most - len(found)))
        found += piece
        weight += sum(map(_weight, piece))
        if len(piece) < _PIECE:
            break
    return found


def _weight(message: Message) -> int:
    return len(message.text) + sum(len(value) for value in message.body.values() if isinstance(value, str))


def _refold(connection: Connection, projection: Projection, until: int, batch: int) -> int:
    reset(connection, projection)
    seq = 0
    while seq < until:
        messages = [m for m in _following(connection, seq, batch) if m.seq <= until]
        projection.apply(connection, messages)
        seq = messages[-1].seq
    _move_cursor(connection, projection, until)
    return until


def prepare(connection: Connection, projection: Projection) -> int:
    if connection.dialect.name == "postgresql":
        # Replicas that start together take turns.
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": PREPARE_LOCK})
    if not inspect(connection).has_table(tables.cursor.name, schema=tables.DERIVED_SCHEMA):
        tables.cursor.create(connection)
    row = connection.execute(
        select(tables.cursor).where(tables.cursor.c.projection == projection.name).with_for_update()
    ).one_or_none()
    # A place beyond the head belongs to another log: this one was restored from a backup.
    if row is not None and row.version == projection.version and row.seq <= read_head(connection):
        return row.seq
    for table in reversed(projection.tables):
        table.drop(connection, checkfirst=True)
    for table in projection.tables:
        table.create(connection)
    connection.execute(delete(tables.cursor).where(tables.cursor.c.projection == projection.name))
    connection.execute(
        insert(tables.cursor).values(
            projection=projection.name, version=projection.version, seq=0, settled=read_head(connection)
        )
    )
    return 0


def reset(connection: Connection, projection: Projection) -> None:
    connection.execute(select(tables.cursor).where(tables.cursor.c.projection == projection.name).with_for_update())
    for table in reversed(projection.tables):
        connection.execute(delete(table))
    connection.execute(
        update(tables.cursor)
        .where(tables.cursor.c.projection == projection.name)
        .values(seq=0, settled=read_head(connection))
    )


def _move_cursor(connection: Connection, projection: Projection, seq: int) -> None:
    connection.execute(update(tables.cursor).where(tables.cursor.c.projection == projection.name).values(seq=seq))
