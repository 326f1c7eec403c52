"""A PostgreSQL database as files: by `pg_dump` where it is, else by `COPY`; either way one consistent moment.

Derived tables are left out; they come back by themselves.
"""

import contextlib
import json
import logging
import os
import shutil
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Protocol, cast

from sqlalchemy.engine import make_url

from prime.core.errors import Conflict, InvalidInput, Unavailable
from prime.store.foreign_log import READ, ForeignLog
from prime.store.programs import run_program
from prime.store.transfer import kept_tables

log = logging.getLogger(__name__)

DUMP = "prime.dump"
TABLES = "tables.json"
_SUFFIX = ".copy"


class _Copying(Protocol):
    """What is used of asyncpg's connection, which comes without types."""

    async def fetch(self, query: str, *args: object) -> Sequence[Mapping[str, Any]]: ...
    async def fetchval(self, query: str, *args: object) -> Any: ...
    async def execute(self, query: str) -> str: ...
    async def copy_from_query(self, query: str, *, output: IO[bytes]) -> str: ...
    async def copy_to_table(self, table: str, *, source: IO[bytes], columns: Sequence[str]) -> str: ...
    async def close(self) -> None: ...
    def terminate(self) -> None: ...


async def dump(url: str, folder: Path) -> dict[str, Path]:
    """Write the database into a folder; the files, by name."""
    program = shutil.which("pg_dump")
    if program:
        try:
            return {DUMP: await _dump_with(program, url, folder / DUMP)}
        except Unavailable as error:  # older than the server, most often
            log.warning("pg_dump did not do it, so the tables are copied: %s", error)
    return await _copy_tables(url, folder)


async def load(url: str, folder: Path) -> int:
    """Fill a database from such files; how many messages it holds. With COPY, the tables must be there and empty."""
    async with _connected(url) as connection:
        if await _messages(connection):
            raise Conflict("The database holds messages already.", hint="Restore into an empty one.", code="not_empty")
    if not (folder / DUMP).exists():
        return await _fill_tables(url, folder)
    await _restore_with(url, folder / DUMP)
    async with _connected(url) as connection:
        return await _checked(connection)


def is_dump(folder: Path) -> bool:
    return (folder / DUMP).exists()


async def _dump_with(program: str, url: str, target: Path) -> Path:
    await _run([program, "--format=custom", "--no-owner", "--exclude-schema=derived", f"--file={target}"], url)
    return target


async def _restore_with(url: str, source: Path) -> None:
    program = shutil.which("pg_restore")
    if program is None:
        raise Unavailable("This backup needs pg_restore.", hint="Install PostgreSQL's client programs.")
    await _run([program, "--no-owner", "--exit-on-error", "--single-transaction", str(source)], url)


async def _run(command: list[str], url: str) -> None:
    """The password goes by the environment: what is on a command line, everyone on the machine can read."""
    parsed = make_url(url).set(drivername="postgresql")
    password = parsed.password or parsed.query.get("password")
    # Not by `set(password=None)`, which leaves it as it is.
    bare = parsed._replace(password=None).difference_update_query(["password"])
    plain = bare.render_as_string(hide_password=False)
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    if said := await run_program([*command, f"--dbname={plain}"], environment):
        raise Unavailable(f"{command[0]} failed: {' '.join(said)}")


async def _copy_tables(url: str, folder: Path) -> dict[str, Path]:
    files: dict[str, Path] = {}
    columns: dict[str, list[str]] = {}
    async with _connected(url) as connection:
        await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for name in await _tables(connection):
            columns[name] = await _columns(connection, name)
            target = folder / f"{name}{_SUFFIX}"
            with target.open("wb") as file:
                order = " ORDER BY seq" if name == "message" else ""
                listed = ", ".join(f'"{column}"' for column in columns[name])
                await connection.copy_from_query(f'SELECT {listed} FROM "{name}"{order}', output=file)  # noqa: S608
            files[target.name] = target
        await connection.execute("COMMIT")
    listing = folder / TABLES
    listing.write_text(json.dumps(columns))
    return {TABLES: listing, **files}


async def _fill_tables(url: str, folder: Path) -> int:
    import asyncpg

    columns = _listed(folder)
    async with _connected(url) as connection:
        await connection.execute("BEGIN")
        try:
            for name, listed in columns.items():
                with (folder / f"{name}{_SUFFIX}").open("rb") as file:
                    await connection.copy_to_table(name, source=file, columns=listed)
        except (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, asyncpg.UndefinedColumnError) as error:
            raise _damaged(str(error)) from error
        count = await _checked(connection)
        await connection.execute("COMMIT")
    return count


def _listed(folder: Path) -> dict[str, list[str]]:
    """The tables of a copy with their columns."""
    try:
        found: object = json.loads((folder / TABLES).read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged("it does not say what is in it") from error
    columns = cast("dict[str, list[str]]", found) if isinstance(found, dict) else {}
    if not set(columns) <= {table.name for table in kept_tables()}:
        raise InvalidInput(
            "The backup has tables that this version does not know.", hint="Use the version that made it."
        )
    if "message" not in columns or not all(_is_list_of_names(names) for names in columns.values()):
        raise _damaged("it does not say what is in it")
    if missing := [name for name in columns if not (folder / f"{name}{_SUFFIX}").is_file()]:
        raise _damaged(f"{missing[0]} is missing")
    return columns


def _is_list_of_names(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(name, str) for name in cast("list[object]", found))


async def _checked(connection: _Copying) -> int:
    """How many messages came in, every one of which can be read."""
    log, before = ForeignLog(), _BEFORE_ALL
    while page := await connection.fetch(_PAGE, before):
        for row in page:
            if fault := log.fault(row):
                raise _damaged(fault)
        before = page[-1]["seq"]
    erased = frozenset(str(row["message_id"]) for row in await connection.fetch("SELECT message_id FROM erasure"))
    if changed := log.changed(erased):
        raise _damaged(changed)
    return log.count


_BEFORE_ALL = -(2**63)
_PAGE = f"SELECT {', '.join(READ)} FROM message WHERE seq > $1 ORDER BY seq LIMIT 1000"  # noqa: S608


def _damaged(why: str) -> InvalidInput:
    return InvalidInput(
        f"The backup is damaged: {why}.",
        hint="Take another one. What pg_restore has put into the database already stays there: make it anew.",
        code="bad_backup",
    )


@contextlib.asynccontextmanager
async def _connected(url: str) -> AsyncGenerator[_Copying]:
    import asyncpg

    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    try:
        connection = cast("_Copying", await asyncpg.connect(plain))  # pyright: ignore[reportUnknownMemberType]
    except (OSError, asyncpg.PostgresError) as error:
        raise Unavailable(f"The database cannot be reached: {error}.", hint="Check PRIME_DATABASE_URL.") from error
    try:
        yield connection
    except BaseException:
        # Not by `close`: where a COPY's last piece found no room, that waits for a word of the server's that never comes.
        connection.terminate()
        raise
    await connection.close()


async def _messages(connection: _Copying) -> int:
    there = await connection.fetchval("SELECT to_regclass('public.message') IS NOT NULL")
    return int(await connection.fetchval("SELECT count(*) FROM message")) if there else 0


async def _tables(connection: _Copying) -> list[str]:
    there = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
    kept = {table.name for table in kept_tables()}
    return [row["tablename"] for row in there if row["tablename"] in kept]


async def _columns(connection: _Copying, table: str) -> list[str]:
    query = """SELECT column_name FROM information_schema.columns
               WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position"""
    return [row["column_name"] for row in await connection.fetch(query, table)]
