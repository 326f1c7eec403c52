"""Insert a row or change the one that is there, in one statement: two replicas that do it at once do not collide.

Statements are kept by what they touch, with the values beside them: making one costs more than running it.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from sqlalchemy import Connection, Executable, Table
from sqlalchemy.dialects import postgresql, sqlite

# Tables times the sets of columns that somebody writes: fewer than a hundred.
_KEPT = 512


def put_row(connection: Connection, table: Table, values: Mapping[str, object]) -> None:
    """The row with this primary key has these values afterwards."""
    put_rows(connection, table, [values])


def put_rows(
    connection: Connection,
    table: Table,
    rows: Sequence[Mapping[str, object]],
    *,
    changing: Sequence[str] | None = None,
) -> None:
    """The same for many rows that have the same columns and different keys. Rows that are there keep all but `changing`."""
    if not rows:
        return
    chosen = None if changing is None else tuple(changing)
    statement = _putting(connection.dialect.name, table, tuple(rows[0]), chosen)
    connection.execute(statement, [dict(row) for row in rows] if len(rows) > 1 else dict(rows[0]))


def add_row(connection: Connection, table: Table, values: Mapping[str, object]) -> bool:
    """Insert the row unless one with its key is there; whether it was inserted."""
    return connection.execute(_adding(connection.dialect.name, table), dict(values)).rowcount == 1


def add_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert the rows that have the same columns, those left out whose key is there."""
    if rows:
        connection.execute(_adding(connection.dialect.name, table), [dict(row) for row in rows])


@lru_cache(maxsize=_KEPT)
def _putting(dialect: str, table: Table, columns: tuple[str, ...], changing: tuple[str, ...] | None) -> Executable:
    keys = [column.name for column in table.primary_key]
    statement = _insert(dialect, table)
    changed = [name for name in columns if name not in keys] if changing is None else changing
    changes = {name: statement.excluded[name] for name in changed}
    return statement.on_conflict_do_update(index_elements=keys, set_=changes)


@lru_cache(maxsize=_KEPT)
def _adding(dialect: str, table: Table) -> Executable:
    return _insert(dialect, table).on_conflict_do_nothing()


def _insert(dialect: str, table: Table) -> "postgresql.Insert | sqlite.Insert":
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
