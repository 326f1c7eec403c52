"""Backups of a SQLite data folder: consistent copies by `VACUUM INTO`, checked, kept to a number."""

import asyncio
import os
import re
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from prime.core.clock import Clock
from prime.core.errors import Conflict, InvalidInput, NotFound, Unavailable
from prime.store.folder import DataFolder

_NAME = re.compile(r"prime-\d{8}-\d{6}(?:-\d+)?\.db")


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

    async def create(self) -> Backup:
        """Copy the database as it is at this moment, check the copy, and let the oldest beyond the number go."""
        return await asyncio.to_thread(self._create)

    def list(self) -> list[Backup]:
        """Newest first."""
        folder = self._folder.backups
        if not folder.is_dir():
            return []
        found = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)]
        return [_described(path) for path in sorted(found, key=lambda p: p.name, reverse=True)]

    def path(self, name: str) -> Path:
        path = self._folder.backups / name
        if not _NAME.fullmatch(name) or not path.is_file():
            raise NotFound(f"There is no backup {name}.", hint="`prime backup list` shows what there is.")
        return path

    def _create(self) -> Backup:
        if not self._folder.database.exists():
            raise Unavailable(
                f"There is no database in {self._folder.path}.", hint="Start Prime once, or check --data."
            )
        self._folder.backups.mkdir(mode=0o700, exist_ok=True)
        target = self._free_name()
        temporary = target.with_suffix(".partial")
        temporary.unlink(missing_ok=True)
        connection = sqlite3.connect(self._folder.database, isolation_level=None, timeout=30)
        try:
            connection.execute("VACUUM INTO ?", (str(temporary),))
        finally:
            connection.close()
        verify(temporary)
        temporary.chmod(0o600)
        _fsync(temporary)
        temporary.rename(target)
        _fsync(target.parent)
        self._rotate()
        return _described(target)

    def _free_name(self) -> Path:
        stamp = datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC).strftime("%Y%m%d-%H%M%S")
        target = self._folder.backups / f"prime-{stamp}.db"
        number = 1
        while target.exists():
            number += 1
            target = self._folder.backups / f"prime-{stamp}-{number}.db"
        return target

    def _rotate(self) -> None:
        if self._keep > 0:
            for old in self.list()[self._keep :]:
                (self._folder.backups / old.name).unlink()


def verify(path: Path) -> int:
    """Check a copy from end to end; how many messages it holds."""
    if not path.is_file():
        raise NotFound(f"There is no file {path}.")
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        try:
            [(answer,)] = connection.execute("PRAGMA integrity_check(1)").fetchall()
            [(count, head)] = connection.execute("SELECT count(*), coalesce(max(seq), 0) FROM message").fetchall()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise InvalidInput(f"{path} is not a backup of Prime, or it is damaged: {error}.", code="bad_backup") from error
    if answer != "ok" or count != head:
        raise InvalidInput(f"{path} is damaged: {answer}; {count} of {head} messages.", code="bad_backup")
    return count


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
        temporary = folder.database.with_suffix(".restoring")
        temporary.write_bytes(backup.read_bytes())
        temporary.chmod(0o600)
        _fsync(temporary)
        temporary.rename(folder.database)
        _fsync(folder.path)
    finally:
        folder.release()
    return count


def _described(path: Path) -> Backup:
    facts = path.stat()
    return Backup(path.name, facts.st_size, int(facts.st_mtime * 1000))


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
