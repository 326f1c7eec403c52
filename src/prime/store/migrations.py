"""Numbered steps that bring a database to the present form; they run at start, once each, in order.

A package that owns operational tables brings its own steps; `app` hands all of them to the database. Derived tables need
none: they are made anew whenever their projection's version changes.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, inspect, select

from prime.store import tables
from prime.store.guards import GUARDS_POSTGRESQL, GUARDS_SQLITE, REFUSAL


@dataclass(frozen=True, slots=True)
class Migration:
    """One step. The id, for example `store/1`, is never reused."""

    id: str
    run: Callable[[Connection], None]


def migrate(connection: Connection, steps: Sequence[Migration], now_ms: int) -> list[str]:
    """Run what has not run yet; the ids of what was run."""
    if not inspect(connection).has_table(tables.migration.name):
        tables.migration.create(connection)
    done = set(connection.execute(select(tables.migration.c.id)).scalars())
    missing = [step for step in steps if step.id not in done]
    for step in missing:
        step.run(connection)
        connection.execute(insert(tables.migration).values(id=step.id, applied_at=now_ms))
    return [step.id for step in missing]


def _first_tables(connection: Connection) -> None:
    tables.metadata.create_all(
        connection,
        tables=[
            tables.message,
            tables.erasure,
            tables.lease,
            tables.outbox,
            tables.live_setting,
            tables.secret,
            tables.attachment,
            tables.attachment_blob,
        ],
        checkfirst=False,
    )
    statements = GUARDS_SQLITE if connection.dialect.name == "sqlite" else GUARDS_POSTGRESQL
    for statement in statements:
        connection.exec_driver_sql(statement)


def _lines(connection: Connection) -> None:
    """At first everything in the outbox left side by side."""
    if any(column["name"] == "line" for column in inspect(connection).get_columns(tables.outbox.name)):
        return
    connection.exec_driver_sql("ALTER TABLE outbox ADD COLUMN line VARCHAR")
    connection.exec_driver_sql("ALTER TABLE outbox ADD COLUMN place BIGINT")
    connection.exec_driver_sql("CREATE INDEX outbox_line ON outbox (line, place)")


def _guards_that_always_hold(connection: Connection) -> None:
    """PostgreSQL leaves out triggers in sessions that say they replicate, and took rows in places before the first."""
    if connection.dialect.name == "sqlite":
        return
    for statement in GUARDS_POSTGRESQL:
        if trigger := re.match(r"CREATE TRIGGER (\w+) BEFORE \w+ ON (\w+)", statement):
            connection.exec_driver_sql(f"ALTER TABLE {trigger[2]} ENABLE ALWAYS TRIGGER {trigger[1]}")
    # Places are given without gaps, so that there is none below the last that is free.
    connection.exec_driver_sql(f'ALTER TABLE message ADD CONSTRAINT "{REFUSAL}" CHECK (seq > 0)')


STORE_MIGRATIONS: Sequence[Migration] = (
    Migration("store/1", _first_tables),
    Migration("store/2", _lines),
    Migration("store/3", _guards_that_always_hold),
)
