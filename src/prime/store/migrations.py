"""Numbered steps that bring a database to the present form; they run at start, once each, in order.

A package that owns operational tables brings its own steps; `app` hands all of them to the database. Derived tables need
none: they are made anew whenever their projection's version changes.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, inspect, select

from prime.store import tables


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
    statements = _GUARDS_SQLITE if connection.dialect.name == "sqlite" else _GUARDS_POSTGRESQL
    for statement in statements:
        connection.exec_driver_sql(statement)


# What an erasure may change: text and body become empty, everything else stays as it is.
_HEADER = ("seq", "id", "channel_id", "actor_id", "ts", "kind", "audience", "course", "payload_hash", "sources")
_NULLABLE_HEADER = ("source_tag", "idempotency_key")


def _blanking(same: str) -> str:
    unchanged = [f"NEW.{c} = OLD.{c}" for c in _HEADER] + [f"NEW.{c} {same} OLD.{c}" for c in _NULLABLE_HEADER]
    allowed = "EXISTS (SELECT 1 FROM erasure WHERE message_id = OLD.id)"
    return " AND ".join([*unchanged, "NEW.text = ''", "NEW.body = '{}'", allowed])


_REFUSAL = "the log is append-only"

# `INSERT OR REPLACE` deletes the old row without firing delete triggers, so the insert itself is watched, too.
_GUARDS_SQLITE = (
    f"""CREATE TRIGGER message_no_replace BEFORE INSERT ON message
        WHEN NEW.seq <= (SELECT max(seq) FROM message) OR EXISTS (SELECT 1 FROM message WHERE id = NEW.id)
          OR (NEW.idempotency_key IS NOT NULL AND EXISTS (SELECT 1 FROM message WHERE channel_id = NEW.channel_id
              AND actor_id = NEW.actor_id AND idempotency_key = NEW.idempotency_key))
        BEGIN SELECT raise(ABORT, '{_REFUSAL}'); END""",
    f"""CREATE TRIGGER message_no_update BEFORE UPDATE ON message WHEN NOT ({_blanking("IS")})
        BEGIN SELECT raise(ABORT, '{_REFUSAL}'); END""",
    f"CREATE TRIGGER message_no_delete BEFORE DELETE ON message BEGIN SELECT raise(ABORT, '{_REFUSAL}'); END",
    f"""CREATE TRIGGER erasure_no_replace BEFORE INSERT ON erasure
        WHEN EXISTS (SELECT 1 FROM erasure WHERE message_id = NEW.message_id)
        BEGIN SELECT raise(ABORT, '{_REFUSAL}'); END""",
    f"CREATE TRIGGER erasure_no_update BEFORE UPDATE ON erasure BEGIN SELECT raise(ABORT, '{_REFUSAL}'); END",
    f"CREATE TRIGGER erasure_no_delete BEFORE DELETE ON erasure BEGIN SELECT raise(ABORT, '{_REFUSAL}'); END",
)

_GUARDS_POSTGRESQL = (
    f"""CREATE FUNCTION prime_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$""",
    # A trigger's WHEN cannot look into another table, so the exception for erasures is in a function.
    f"""CREATE FUNCTION prime_only_blanked() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF {_blanking("IS NOT DISTINCT FROM")} THEN RETURN NEW; END IF;
          RAISE EXCEPTION '{_REFUSAL}';
        END $$""",
    "CREATE TRIGGER message_no_update BEFORE UPDATE ON message FOR EACH ROW EXECUTE FUNCTION prime_only_blanked()",
    "CREATE TRIGGER message_no_delete BEFORE DELETE ON message FOR EACH ROW EXECUTE FUNCTION prime_append_only()",
    "CREATE TRIGGER message_no_truncate BEFORE TRUNCATE ON message EXECUTE FUNCTION prime_append_only()",
    "CREATE TRIGGER erasure_no_update BEFORE UPDATE ON erasure FOR EACH ROW EXECUTE FUNCTION prime_append_only()",
    "CREATE TRIGGER erasure_no_delete BEFORE DELETE ON erasure FOR EACH ROW EXECUTE FUNCTION prime_append_only()",
    "CREATE TRIGGER erasure_no_truncate BEFORE TRUNCATE ON erasure EXECUTE FUNCTION prime_append_only()",
)


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
    for statement in _GUARDS_POSTGRESQL:
        if trigger := re.match(r"CREATE TRIGGER (\w+) BEFORE \w+ ON (\w+)", statement):
            connection.exec_driver_sql(f"ALTER TABLE {trigger[2]} ENABLE ALWAYS TRIGGER {trigger[1]}")
    # Places are given without gaps, so that there is none below the last that is free.
    connection.exec_driver_sql(f'ALTER TABLE message ADD CONSTRAINT "{_REFUSAL}" CHECK (seq > 0)')


STORE_MIGRATIONS: Sequence[Migration] = (
    Migration("store/1", _first_tables),
    Migration("store/2", _lines),
    Migration("store/3", _guards_that_always_hold),
)
