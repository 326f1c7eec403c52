"""Export and import as the command line calls them: a snapshot out, a whole file in."""

import os
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from prime.core.errors import Conflict, NotFound, Unavailable
from prime.core.secret_box import SecretBox
from prime.store.copying import opened
from prime.store.database import Database, Job
from prime.store.file_blobs import FileBlobs
from prime.store.folder import DataFolder
from prime.store.transfer import Progress, check_file, read_rows, reseal, unreadable_secrets, write_rows


async def export_to(path: Path, folder: DataFolder, url: str | None, progress: Progress) -> int:
    """Write everything as it is at this moment, also while Prime runs; how many rows. Never over a file."""
    partial = _beside(path)
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            rows = await export_into(out, folder, url, progress)
            os.fsync(out.fileno())
        partial.rename(path)
    finally:
        partial.unlink(missing_ok=True)
    return rows


async def export_into(out: IO[bytes], folder: DataFolder, url: str | None, progress: Progress) -> int:
    """The same into what is open already."""

    def job(connection: Connection) -> int:
        blobs = FileBlobs(folder.attachments) if url is None else None
        return write_rows(connection, out, blobs, progress)

    rows = _read_sqlite(folder, job) if url is None else await _read_postgresql(url, job)
    out.flush()
    return rows


async def import_from(
    path: Path, database: Database, folder: DataFolder, boxes: tuple[SecretBox | None, SecretBox], progress: Progress
) -> tuple[int, list[str]]:
    """Put an export into an empty database, all of it or nothing: rows, and the secrets that no key at hand opens.

    `boxes` are the key that the secrets were sealed with, if it is known, and the one that seals them from now on.
    """
    total = check_file(path)
    blobs = FileBlobs(folder.attachments) if database.engine_name == "sqlite" else None
    before, now = boxes

    def job(connection: Connection) -> list[str]:
        read_rows(connection, path, blobs, total, progress)
        if before is not None:
            reseal(connection, before, now)
        return unreadable_secrets(connection, now)

    return total, await database.write(job)


def _read_sqlite(folder: DataFolder, job: Job[int]) -> int:
    if not folder.database.exists():
        raise Conflict(f"There is no database in {folder.path}.", hint="Check --data.", code="nothing_to_export")
    with opened(folder.database) as raw:
        raw.execute("PRAGMA query_only = ON")
        engine = create_engine("sqlite://", creator=lambda: raw, poolclass=NullPool)
        event.listen(engine, "begin", _begin)
        with engine.connect() as connection, connection.begin():
            return job(connection)


def _beside(path: Path) -> Path:
    if path.exists():
        raise Conflict(f"{path} is there already.", hint="Choose another name.", code="already_exists")
    if not path.parent.is_dir():
        raise NotFound(f"There is no folder {path.parent}.", hint="Make it, or choose another.")
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    return partial


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


async def _read_postgresql(url: str, job: Job[int]) -> int:
    from prime.store.engines.postgresql import in_short, snapshots

    try:
        async with snapshots(url) as connection:
            return await connection.run_sync(job)
    except (DBAPIError, OSError) as error:
        raise Unavailable(
            f"The database cannot be read: {in_short(error)}.", hint="Check PRIME_DATABASE_URL."
        ) from error
