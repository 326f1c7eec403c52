"""What all rows of a projection amount to, to see whether two states of it are the same."""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice

from sqlalchemy import Connection, Table, select

from prime.store import tables

_AT_ONCE = 1000


def digest_of(connection: Connection, name: str, own: Iterable[Table], head: int) -> str | None:
    """None when the projection is not at `head`, where two digests can be compared."""
    place = select(tables.cursor.c.seq).where(tables.cursor.c.projection == name)
    if connection.execute(place).scalar_one() != head:
        return None
    digest = hashlib.sha256()
    for table in own:
        order = list(table.primary_key.columns) or list(table.columns)
        rows = iter(connection.execute(select(table).order_by(*order).execution_options(yield_per=_AT_ONCE)))
        while some := _plain(islice(rows, _AT_ONCE)):
            digest.update(repr(some).encode())
        digest.update(table.name.encode())
    return digest.hexdigest()


def _plain(rows: Iterable[Sequence[object]]) -> list[tuple[object, ...]]:
    return [tuple(row) for row in rows]
