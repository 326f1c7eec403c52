"""Copies of a SQLite database, made by `VACUUM INTO` while it is written to, checked from end to end, and put back.

The contents of attachments, which are files of their own in a data folder, travel in the copy's `attachment_blob`
table. The copying runs as a process of its own (`python -m prime.store.copying`): in a thread it would keep writers
waiting for the interpreter.
"""

import hashlib
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from urllib.parse import quote

from prime.core.errors import Conflict, InvalidInput, NotFound, PrimeError
from prime.core.whole_file import fsync
from prime.store.file_blobs import FileBlobs
from prime.store.file_digest import append_digest, check_digest, cut_digest
from prime.store.folder import DataFolder
from prime.store.foreign_log import READ, ForeignLog
from prime.store.guards import GUARDS_SQLITE

_STEPS = 10_000  # of SQLite's machine, between two looks at how much was written
_AT_ONCE = 2 * 1024 * 1024
_LONGEST_PAUSE = 0.25


def copy(database: Path, attachments: Path, target: Path) -> None:
    """A consistent copy of a database that is being written to, with the contents of its attachments, checked."""
    with opened(database) as connection, _Leisure(target) as leisure:
        connection.set_progress_handler(leisure.pause, _STEPS)
        connection.execute("VACUUM INTO ?", (str(target),))
    with opened(target) as connection:
        connection.execute("PRAGMA synchronous = OFF")  # one fsync at the end is enough
        _take_contents(connection, FileBlobs(attachments))
    append_digest(target)
    fsync(target)
    verify_copy(target)


class _Leisure:
    """Writes a growing file to the disk bit by bit, with pauses.

    A gigabyte that the system writes when it likes, or at one fsync, stands before the fsync of each append.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._file: int | None = None
        self._written = 0
        self._since = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            os.close(self._file)

    def pause(self) -> int:
        """Called by SQLite from time to time; 0 lets it go on."""
        if self._file is None and self._target.exists():
            self._file = os.open(self._target, os.O_RDWR)
        if self._file is not None and (size := os.fstat(self._file).st_size) - self._written >= _AT_ONCE:
            self._written = size
            os.fdatasync(self._file)
            # What is on the disk need not stand in memory, where the database's own pages do.
            os.posix_fadvise(self._file, 0, size, os.POSIX_FADV_DONTNEED)
            # As long as it has worked: half of the disk is for others.
            time.sleep(min(time.perf_counter() - self._since, _LONGEST_PAUSE))
            self._since = time.perf_counter()
        return 0


def verify_copy(path: Path) -> int:
    """Check a copy from end to end, and every payload and every attachment by its hash; how many messages it holds."""
    if not path.is_file():
        raise NotFound(f"There is no file {path}.")
    check_digest(path)
    try:
        with opened(path, read_only=True) as connection:
            return _verify(connection, path)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not a backup of Prime, or it is damaged: {error}.", code="bad_backup") from error


def restore_copy(backup: Path, folder: DataFolder, key: bytes | None = None) -> int:
    """Put a copy into a data folder that holds no database; how many messages it holds. Derived tables come by themselves.

    With `key`, the folder's secrets are sealed with it from then on.
    """
    count = verify_copy(backup)
    folder.own()
    try:
        if folder.database.exists():
            raise Conflict(
                f"{folder.path} holds a database already.",
                hint="Restore into another folder with --data, then point Prime at it.",
                code="folder_not_empty",
            )
        _clear_leftovers(folder)
        temporary = folder.database.with_suffix(".restoring")
        shutil.copyfile(backup, temporary)
        temporary.chmod(0o600)
        cut_digest(temporary)
        with opened(temporary) as connection:
            _give_contents(connection, FileBlobs(folder.attachments))
        if key is not None:
            _put_key(folder.secret_key, key)
        fsync(temporary)
        temporary.rename(folder.database)
        fsync(folder.path)
    finally:
        folder.release()
    return count


def _verify(connection: sqlite3.Connection, path: Path) -> int:
    _check_guards(connection, path)
    [(answer,)] = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if answer != "ok":
        raise _damaged(path, str(answer))
    log = ForeignLog()
    for row in connection.execute(f"SELECT {', '.join(READ)} FROM message ORDER BY seq"):  # noqa: S608
        if fault := log.fault(dict(zip(READ, row, strict=True))):
            raise _damaged(path, fault)
    erased = frozenset(str(name) for (name,) in connection.execute("SELECT message_id FROM erasure"))
    if changed := log.changed(erased):
        raise _damaged(path, changed)
    for digest, content in connection.execute("SELECT sha256, content FROM attachment_blob"):
        if not isinstance(content, bytes) or hashlib.sha256(content).hexdigest() != digest:
            raise _damaged(path, f"attachment content {str(digest)[:64]} has changed")
    return log.count


def _damaged(path: Path, why: str) -> InvalidInput:
    return InvalidInput(f"{path} is damaged: {why}.", code="bad_backup")


def _check_guards(connection: sqlite3.Connection, path: Path) -> None:
    """What a database does by itself goes where it is restored: it must be Prime's guards, all of them and nothing else."""
    made = connection.execute(
        "SELECT sql FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'"
    )
    found = {str(sql) for (sql,) in made}
    if found != set(GUARDS_SQLITE):
        raise _damaged(path, "what keeps its log append-only is not as Prime made it")


def _take_contents(connection: sqlite3.Connection, blobs: FileBlobs) -> None:
    for (digest,) in connection.execute("SELECT DISTINCT sha256 FROM attachment").fetchall():
        content = blobs.read(digest)
        if content is not None:
            connection.execute("INSERT INTO attachment_blob (sha256, content) VALUES (?, ?)", (digest, content))


def _give_contents(connection: sqlite3.Connection, blobs: FileBlobs) -> None:
    for digest, content in connection.execute("SELECT sha256, content FROM attachment_blob"):
        blobs.write(digest, content)
    connection.execute("DELETE FROM attachment_blob")
    connection.execute("VACUUM")


def _clear_leftovers(folder: DataFolder) -> None:
    """What belonged to a database that is gone would be taken for parts of the new one."""
    for name in ("prime.db-wal", "prime.db-shm", "prime.restoring", "derived.db", "derived.db-wal", "derived.db-shm"):
        (folder.path / name).unlink(missing_ok=True)


@contextmanager
def opened(path: Path, *, read_only: bool = False) -> Generator[sqlite3.Connection]:
    mode = "mode=ro&immutable=1" if read_only else "mode=rw"
    connection = sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True, isolation_level=None, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


def _put_key(path: Path, key: bytes) -> None:
    if path.exists():
        if path.read_bytes().strip() == key.strip():
            return
        raise Conflict(
            f"{path} holds another key.", hint="Restore into an empty folder with --data.", code="folder_not_empty"
        )
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())


def main(arguments: list[str]) -> int:
    """The process that copies: database, attachments, target."""
    os.nice(10)
    try:
        copy(*map(Path, arguments))
    except (PrimeError, sqlite3.Error, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
