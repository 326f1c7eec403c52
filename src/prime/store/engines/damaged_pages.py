"""Finding damage in PostgreSQL's files before anybody relies on them."""

from dataclasses import dataclass

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from prime.core.errors import Unavailable
from prime.store.tables import DERIVED_SCHEMA

# What a server calls pages, rows and indexes that are not what was written.
DAMAGED = "XX00"

# It took too long, also for a lock, and then nothing more is answered in that transaction; another replica made tables anew
# meanwhile.
_PASSING = frozenset({"57014", "55P03", "25P02", "42P01"})

RESTORE = "Restore a backup into an empty database that PRIME_DATABASE_URL names: prime backup restore FILE."

_OURS = text(
    "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
    " WHERE schemaname = :schema AND tableowner = current_user"
)


@dataclass(frozen=True, slots=True)
class Damage:
    """What the server says of a page, and whether it is of a table that can be made anew from the log."""

    said: str
    is_derived: bool


def damage_in(connection: Connection, *, seconds: float | None) -> Damage | None:
    """None when nothing is damaged, or, with `seconds`, when nothing was found in time.

    For a transaction of its own: it changes how long a statement may take. Without `seconds` what keeps it from looking at
    everything is raised: nobody is told that all is well which was not looked at.
    """
    limit = 0 if seconds is None else round(seconds * 1000)
    connection.exec_driver_sql("SET LOCAL enable_indexonlyscan = off")
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {limit}")
    for schema in (connection.dialect.default_schema_name, DERIVED_SCHEMA):
        try:
            with connection.begin_nested():  # of one that takes too long, the next is looked at all the same
                # On a busy server, to ask for the names may take too long already.
                if names := connection.execute(_OURS, {"schema": schema}).scalars().all():
                    connection.exec_driver_sql(
                        " UNION ALL ".join(map(_reading, names))
                    )  # a hundred, and most are small
        except DBAPIError as error:
            if is_damage(error):
                said = getattr(error.orig, "message", "") or str(error.orig)
                return Damage(said, is_derived=schema == DERIVED_SCHEMA)
            if seconds is None or sqlstate(error) not in _PASSING:
                raise
    return None


def _reading(table: str) -> str:
    # What is long stands in files of its own, which only who asks for all of a row comes to.
    what = "sum(octet_length(t::text))" if table.endswith(".message") else "count(*)"
    return f"SELECT {what} FROM {table} t"  # noqa: S608  (names that the server gave)


async def look_for_damage(url: str) -> Damage | None:
    """In all of the database, however long that takes."""
    from prime.store.engines.postgresql import in_short, snapshots  # here: it looks for damage itself, when it starts

    try:
        async with snapshots(url) as connection:
            return await connection.run_sync(damage_in, seconds=None)
    except (DBAPIError, OSError) as error:
        raise Unavailable(
            f"The database could not be looked at to its end: {in_short(error)}.", hint="Ask again."
        ) from error


def is_damage(error: DBAPIError) -> bool:
    """Whether the server says that its files are not what was written."""
    return sqlstate(error).startswith(DAMAGED)


def sqlstate(error: DBAPIError) -> str:
    return str(getattr(error.orig, "sqlstate", ""))
