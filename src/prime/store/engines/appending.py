"""Appending to PostgreSQL's log in one way to the server and back.

The log's lock is held from before the head is read until the commit, and every replica waits for it. Statement by
statement that takes six ways; a function on the server has it for as long as the insert itself takes.
"""

from collections.abc import Sequence
from typing import cast

from sqlalchemy import Connection

from prime.store.database import HEAD_CHANNEL, LOG_LOCK, Job, Outcome, RowsJob
from prime.store.message import Message
from prime.store.tables import message

# Whatever a replica of another version needs differently gets another name: they run side by side for a while.
_NAME = "prime_append_rows_1"
_TYPES = {"ts": "bigint", "course": "integer"}  # all others are text
_COLUMNS = [column.name for column in message.c if column.name != "seq"]
_GIVEN = [f"given_{name} {_TYPES.get(name, 'text')}[]" for name in _COLUMNS]

# In a function that changes something, each statement sees what was committed before it began: so the head is read as
# it is when the lock has been got.
APPENDING = f"""
    CREATE OR REPLACE FUNCTION {_NAME}(soon boolean, {", ".join(_GIVEN)}) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
    DECLARE head bigint;
    BEGIN
      PERFORM pg_advisory_xact_lock({LOG_LOCK});
      IF soon THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
      SELECT coalesce(max(seq), 0) INTO head FROM {message.name};
      INSERT INTO {message.name} (seq, {", ".join(_COLUMNS)})
        SELECT head + row.place, {", ".join(f"row.{name}" for name in _COLUMNS)}
        FROM unnest({", ".join(f"given_{name}" for name in _COLUMNS)})
          WITH ORDINALITY AS row({", ".join(_COLUMNS)}, place);
      PERFORM pg_notify('{HEAD_CHANNEL}', (head + cardinality(given_id))::text);
      RETURN head;
    END $$"""  # noqa: S608

_CASTS = [f"${n}::{_TYPES.get(name, 'text')}[]" for n, name in enumerate(_COLUMNS, 2)]
_CALL = f"SELECT {_NAME}($1::boolean, {', '.join(_CASTS)})"


def adds_rows_only(jobs: Sequence[Job[object]]) -> bool:
    """Whether these jobs add rows to the log and do nothing else."""
    return all(getattr(job, "rows_only", False) for job in jobs)


def append_rows(connection: Connection, jobs: Sequence[RowsJob], *, soon: bool) -> list[Outcome]:
    """Append what these jobs add, all or nothing; it is committed when this returns.

    Fails when a row is refused, by a key that was used before for example; nothing is there then.
    """
    results: list[list[Message]] = []
    rows: list[tuple[object, ...]] = []
    for job in jobs:
        result, added = job.placed(len(rows))  # counted from the head, which is not known yet
        results.append(cast("list[Message]", result))
        rows += added
    if not rows:
        return [Outcome(result) for result in results]
    _, *columns = zip(*rows, strict=True)
    head = cast("int", connection.exec_driver_sql(_CALL, (soon, *map(list, columns))).scalar_one())
    return [Outcome([each._replace(seq=head + each.seq) for each in result]) for result in results]
