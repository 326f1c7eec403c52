"""Insert a row or change the one that is there, in one statement: two replicas that do it at once do not collide."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def put_row(connection: Connection, table: Table, values: Mapping[str, object]) -> None:
    """The row with this primary key has these values afterwards."""
    keys = [column.name for column in table.primary_key]
    changes = {name: value for name, value in values.items() if name not in keys}
    statement = _insert(connection, table).values(dict(values))
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=changes))


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
    keys = [column.name for column in table.primary_key]
    statement = _insert(connection, table)
    changed = [name for name in rows[0] if name not in keys] if changing is None else changing
    changes = {name: statement.excluded[name] for name in changed}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=changes), [dict(row) for row in rows])


def add_row(connection: Connection, table: Table, values: Mapping[str, object]) -> bool:
    """Insert the row unless one with its key is there; whether it was inserted."""
    statement = _insert(connection, table).values(dict(values)).on_conflict_do_nothing()
    return connection.execute(statement).rowcount == 1


def add_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert the rows that have the same columns, those left out whose key is there."""
    if rows:
        connection.execute(_insert(connection, table).on_conflict_do_nothing(), [dict(row) for row in rows])


def _insert(connection: Connection, table: Table) -> "postgresql.Insert | sqlite.Insert":
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)
