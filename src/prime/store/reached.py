"""Whether projections have come as far as a read needs, seen in the transaction that reads them."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Select, bindparam, select

from prime.store import tables
from prime.store.database import Job
from prime.store.message import Kind

T = TypeVar("T")

# Messages among which it is worth looking for some that matter.
_NEAR = 1000


@dataclass(frozen=True, slots=True)
class Look:
    """What a read asks of its projections: to have reached `head`, or the head of the moment."""

    names: Sequence[str]
    head: int | None
    kinds: frozenset[Kind] | None


@dataclass(frozen=True, slots=True)
class Behind:
    """Projections that have not come so far, and where they are."""

    head: int
    places: dict[str, int]


# Asked with every read, and so in the driver's own words: building a statement costs more than its answer. On SQLite by
# the driver itself, which is five times as fast; elsewhere SQLAlchemy knows by its errors that a connection is gone.
_CURSOR = f"SELECT projection, seq, {{head}} FROM {tables.cursor.fullname} WHERE seq < {{head}}"  # noqa: S608
_BEHIND = {"qmark": _CURSOR.format(head="?1"), "numeric_dollar": _CURSOR.format(head="CAST($1 AS bigint)")}
_BEHIND_NOW = _CURSOR.format(head="(SELECT coalesce(max(seq), 0) FROM message)")


def read_if_reached(connection: Connection, look: Look, job: Job[T]) -> tuple[Behind | None, T | None]:
    behind = _behind(connection, look)
    return (behind, None) if behind else (None, job(connection))


def _behind(connection: Connection, look: Look) -> Behind | None:
    # All that are behind, not those of `names` only: one statement for every read, which is then compiled once.
    rows = _cursors(connection, look.head)
    places = {name: seq for name, seq, _ in rows if name in look.names}
    if not places:
        return None
    behind = Behind(rows[0][2], places)
    return behind if look.kinds is None or _concerns(connection, behind, look.kinds) else None


def _cursors(connection: Connection, head: int | None) -> Sequence[Sequence[Any]]:
    """Which are behind `head` or the log's own head, where they are, and what that head is."""
    if head is None:
        return connection.exec_driver_sql(_BEHIND_NOW).all()
    style = connection.dialect.paramstyle
    if style != "qmark":
        return connection.exec_driver_sql(_BEHIND[style], (head,)).all()
    driver = cast("sqlite3.Connection", connection.connection.driver_connection)
    return driver.execute(_BEHIND[style], (head,)).fetchall()


def _concerns(connection: Connection, behind: Behind, kinds: frozenset[Kind]) -> bool:
    """Whether anything of these kinds stands where the projections have not been yet."""
    first = min(behind.places.values())
    if behind.head - first > _NEAR:
        return True  # looking would take longer than it saves
    given = {"after": first, "until": behind.head}
    return connection.execute(_any_of(kinds), given).first() is not None


@lru_cache(maxsize=64)
def _any_of(kinds: frozenset[Kind]) -> Select[tuple[int]]:
    seq, kind = tables.message.c.seq, tables.message.c.kind
    between = (seq > bindparam("after")) & (seq <= bindparam("until"))
    # What was erased changes what stood before it.
    return select(seq).where(between, kind.in_(sorted({*kinds, "erased"}))).limit(1)
