"""Backups of a SQLite data folder: consistent copies by `VACUUM INTO`, checked, kept to a number.

A backup is one file. The contents of attachments, which are files of their own in a data folder, travel in its
`attachment_blob` table. The key that seals secrets is not in it: who finds a backup cannot open them.
"""

import asyncio
import hashlib
import os
import re
import shutil
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from prime.core.clock import Clock
from prime.core.errors import Conflict, InvalidInput, NotFound
from prime.store.attachments import FileBlobs
from prime.store.folder import DataFolder
from prime.store.message import payload_hash

_NAME = re.compile(r"prime-(\d{8}-\d{6})(?:-(\d+))?\.db")
_PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class Backup:
    name: str
    size: int
    created_at: int


class Backups:
    """The `backups/` of a data folder."""

    def __init__(self, folder: DataFolder, clock: Clock, keep: int) -> None:
        self._folder = folder
        self._clock = clock
        self._keep = keep
        self._lock = asyncio.Lock()

    async def create(self) -> Backup:
        """Copy the database as it is at this moment, check the copy, and let the oldest beyond the number go."""
        async with self._lock:
            return await asyncio.to_thread(self._create)

    def list(self) -> list[Backup]:
        """Newest first."""
        folder = self._folder.backups
        if not folder.is_dir():
            return []
        found = [(_order(path.name), path) for path in folder.iterdir() if _NAME.fullmatch(path.name)]
        return [_described(path) for _, path in sorted(found, reverse=True)]

    def path(self, name: str) -> Path:
        path = self._folder.backups / name
        if not _NAME.fullmatch(name) or not path.is_file():
            raise NotFound(f"There is no backup {name}.", hint="`prime backup list` shows what there is.")
        return path

    def _create(self) -> Backup:
        if not self._folder.database.exists():
            raise Conflict(
                f"There is no database in {self._folder.path}.",
                hint="Start Prime once, or check --data; a PostgreSQL database is backed up with pg_dump.",
                code="nothing_to_back_up",
            )
        self._folder.backups.mkdir(mode=0o700, exist_ok=True)
        target = self._free_name()
        temporary = target.with_suffix(_PARTIAL)
        for left in self._folder.backups.glob(f"*{_PARTIAL}*"):  # by a process that was killed; there is one owner
            left.unlink()
        with _opened(self._folder.database) as connection:
            connection.execute("VACUUM INTO ?", (str(temporary),))
        with _opened(temporary) as connection:
            _take_contents(connection, FileBlobs(self._folder.attachments))
        verify(temporary)
        temporary.chmod(0o600)
        _fsync(temporary)
        temporary.rename(target)
        _fsync(target.parent)
        self._rotate()
        return _described(target)

    def _free_name(self) -> Path:
        """A name behind all others, also when several are taken in a second or the clock was set back."""
        stamp = datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC).strftime("%Y%m%d-%H%M%S")
        newest = max((_order(backup.name) for backup in self.list()), default=("", 0))
        if stamp > newest[0]:
            return self._folder.backups / f"prime-{stamp}.db"
        return self._folder.backups / f"prime-{newest[0]}-{newest[1] + 1}.db"

    def _rotate(self) -> None:
        if self._keep > 0:
            for old in self.list()[self._keep :]:
                (self._folder.backups / old.name).unlink()


def verify(path: Path) -> int:
    """Check a copy from end to end, every payload and every attachment by its hash; how many messages it holds."""
    if not path.is_file():
        raise NotFound(f"There is no file {path}.")
    try:
        with _opened(path, read_only=True) as connection:
            return _verify(connection, path)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not a backup of Prime, or it is damaged: {error}.", code="bad_backup") from error


def restore(backup: Path, folder: DataFolder) -> int:
    """Put a backup into a data folder that holds no database; how many messages it holds. Derived tables come by themselves."""
    count = verify(backup)
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
        with _opened(temporary) as connection:
            _give_contents(connection, FileBlobs(folder.attachments))
        _fsync(temporary)
        temporary.rename(folder.database)
        _fsync(folder.path)
    finally:
        folder.release()
    return count


def _verify(connection: sqlite3.Connection, path: Path) -> int:
    [(answer,)] = connection.execute("PRAGMA integrity_check(1)").fetchall()
    [(count, head)] = connection.execute("SELECT count(*), coalesce(max(seq), 0) FROM message").fetchall()
    if answer != "ok" or count != head:
        raise InvalidInput(f"{path} is damaged: {answer}; {count} of {head} messages.", code="bad_backup")
    payloads = connection.execute(
        "SELECT seq, text, body, payload_hash FROM message WHERE id NOT IN (SELECT message_id FROM erasure)"
    )
    for seq, text, body, digest in payloads:
        if payload_hash(text, body) != digest:
            raise InvalidInput(f"{path} is damaged: message {seq} is not what was said.", code="bad_backup")
    for digest, content in connection.execute("SELECT sha256, content FROM attachment_blob"):
        if hashlib.sha256(content).hexdigest() != digest:
            raise InvalidInput(f"{path} is damaged: attachment content {digest} has changed.", code="bad_backup")
    return count


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
def _opened(path: Path, *, read_only: bool = False) -> Generator[sqlite3.Connection]:
    mode = "mode=ro&immutable=1" if read_only else "mode=rw"
    connection = sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True, isolation_level=None, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


def _order(name: str) -> tuple[str, int]:
    found = _NAME.fullmatch(name)
    return (found[1], int(found[2] or 1)) if found else ("", 0)


def _described(path: Path) -> Backup:
    facts = path.stat()
    return Backup(path.name, facts.st_size, int(facts.st_mtime * 1000))


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
