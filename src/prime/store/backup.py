"""Backups of an instance: taken while it runs, checked, kept to a number, put back elsewhere.

A plain backup of SQLite is one database file without the key that seals secrets: who finds it cannot open them. A full
one is an archive with the key (`prime.store.archive`), sealed with a passphrase if wanted. A backup of PostgreSQL is
always an archive; its key is PRIME_SECRET_KEY and is never in it.
"""

import asyncio
import re
import shutil
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from prime.core.clock import Clock
from prime.core.errors import Conflict, InvalidInput, NotFound, Unavailable
from prime.core.whole_file import fsync
from prime.store import archive
from prime.store.copying import restore_copy, verify_copy
from prime.store.disk import HINT, telling
from prime.store.folder import DataFolder
from prime.store.programs import run_program

DATABASE = "prime.db"
_NAME = re.compile(r"prime-(\d{8}-\d{6})(?:-(\d+))?\.(?:db|tar|tar\.sealed)")
_PARTIAL = "partial-"


@dataclass(frozen=True, slots=True)
class Backup:
    name: str
    size: int
    created_at: int


class Backups:
    """The `backups/` of a data folder. With `url` the data lie in PostgreSQL, and only their backups lie here."""

    def __init__(self, folder: DataFolder, clock: Clock, keep: int, url: str | None = None) -> None:
        self._folder = folder
        self._clock = clock
        self._keep = keep
        self._url = url
        self._lock = asyncio.Lock()

    async def create(self, *, full: bool = False, passphrase: str | None = None, keep: int | None = None) -> Backup:
        """Copy the database as it is at this moment, check the copy, and let the oldest beyond the number go.

        `full` puts the key that seals secrets beside it.
        """
        async with self._lock:
            with telling("There is no backup"):
                return await self._create(full=full, passphrase=passphrase, keep=self._keep if keep is None else keep)

    async def _create(self, *, full: bool, passphrase: str | None, keep: int) -> Backup:
        self._folder.backups.mkdir(mode=0o700, exist_ok=True, parents=True)
        for left in self._folder.backups.glob(f"{_PARTIAL}*"):  # by a process that was killed; there is one owner
            shutil.rmtree(left, ignore_errors=True)
        work = Path(tempfile.mkdtemp(prefix=_PARTIAL, dir=self._folder.backups))
        try:
            made = await self._make(work, full=full or passphrase is not None, passphrase=passphrase)
            target = self._free_name("".join(made.suffixes))
            await asyncio.to_thread(_put_in_place, made, target)
        finally:
            await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)
        self._rotate(keep)
        return _described(target)

    def list(self) -> "list[Backup]":
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

    def newest_at(self) -> int | None:
        """When the newest was taken: by its name, or by its file where it had to be named behind one from the future."""
        newest = next(iter(self.list()), None)
        if newest is None:
            return None
        named = datetime.strptime(f"{_order(newest.name)[0]}+0000", "%Y%m%d-%H%M%S%z")
        return min(int(named.timestamp() * 1000), newest.created_at)

    async def _make(self, work: Path, *, full: bool, passphrase: str | None) -> Path:
        """The backup as a file in the folder `work`."""
        members = await self._copied(work)
        if not full and self._url is None:
            return members[DATABASE]
        key = self._folder.secret_key
        if self._url is None and key.exists():
            members = {**members, archive.KEY: key}
        facts = {"engine": "postgresql" if self._url else "sqlite", "createdAt": self._clock.now_ms()}
        made = work / ("prime.tar.sealed" if passphrase else "prime.tar")
        await asyncio.to_thread(archive.pack, members, made, facts, passphrase)
        await asyncio.to_thread(_read_back, made, passphrase)
        return made

    async def _copied(self, work: Path) -> Mapping[str, Path]:
        if self._url is not None:
            from prime.store.postgresql_backup import dump

            return await dump(self._url, work)
        if not self._folder.database.exists():
            raise Conflict(
                f"There is no database in {self._folder.path}.",
                hint="Start Prime once, or check --data.",
                code="nothing_to_back_up",
            )
        target = work / DATABASE
        await _copy_apart(self._folder, target)
        return {DATABASE: target}

    def _free_name(self, suffix: str) -> Path:
        """A name behind all others, also when several are taken in a second or the clock was set back."""
        stamp = datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC).strftime("%Y%m%d-%H%M%S")
        newest = max((_order(backup.name) for backup in self.list()), default=("", 0))
        if stamp > newest[0]:
            return self._folder.backups / f"prime-{stamp}{suffix}"
        return self._folder.backups / f"prime-{newest[0]}-{newest[1] + 1}{suffix}"

    def _rotate(self, keep: int) -> None:
        if keep > 0:
            for old in self.list()[keep:]:
                (self._folder.backups / old.name).unlink()


def verify(path: Path, passphrase: str | None = None) -> int | None:
    """Check a backup from end to end; how many messages it holds, or None where only its files can be checked."""
    _require(path)
    if not archive.is_archive(path):
        return verify_copy(path)
    with _unpacked(path, passphrase) as folder:
        copy = folder / DATABASE
        return verify_copy(copy) if copy.exists() else None


def restore(path: Path, folder: DataFolder, passphrase: str | None = None) -> int:
    """Put a backup of SQLite into a data folder that holds no database; how many messages it holds."""
    _require(path)
    if not archive.is_archive(path):
        return restore_copy(path, folder)
    with _unpacked(path, passphrase) as unpacked:
        copy, key = unpacked / DATABASE, unpacked / archive.KEY
        if not copy.exists():
            raise InvalidInput(
                f"{path} is a backup of PostgreSQL.", hint="Set PRIME_DATABASE_URL to an empty database and try again."
            )
        return restore_copy(copy, folder, key.read_bytes() if key.exists() else None)


@contextmanager
def unpacked_for_postgresql(path: Path, passphrase: str | None) -> Generator[Path]:
    """The files of a PostgreSQL backup, for `postgresql_backup.load`."""
    _require(path)
    of_sqlite = InvalidInput(
        f"{path} is a backup of SQLite.",
        hint="Restore it without PRIME_DATABASE_URL, then `prime export` and `prime import`.",
    )
    if not archive.is_archive(path):
        raise of_sqlite
    with _unpacked(path, passphrase) as folder:
        if (folder / DATABASE).exists():
            raise of_sqlite
        yield folder


def _require(path: Path) -> None:
    if not path.is_file():
        raise NotFound(f"There is no file {path}.", hint="`prime backup list` shows the backups of a data folder.")


def _read_back(made: Path, passphrase: str | None) -> None:
    """What cannot be read is no backup."""
    with _unpacked(made, passphrase):
        pass


@contextmanager
def _unpacked(path: Path, passphrase: str | None) -> Generator[Path]:
    with _place_beside(path) as folder:
        archive.unpack(path, Path(folder), passphrase)
        yield Path(folder)


def _place_beside(path: Path) -> tempfile.TemporaryDirectory[str]:
    """A folder where there is room for what is in the file: /tmp is often memory. But it may lie where nobody writes."""
    prefix = ".prime-unpacked-"
    try:
        return tempfile.TemporaryDirectory(prefix=prefix, dir=path.parent)
    except OSError:
        return tempfile.TemporaryDirectory(prefix=prefix)


async def _copy_apart(folder: DataFolder, target: Path) -> None:
    copying = [sys.executable, "-m", "prime.store.copying"]
    if said := await run_program([*copying, str(folder.database), str(folder.attachments), str(target)]):
        raise Unavailable(f"The backup failed: {said[-1].rstrip('.')}.", hint=HINT, code="backup_failed")


def _put_in_place(made: Path, target: Path) -> None:
    made.chmod(0o600)
    fsync(made)
    made.rename(target)
    fsync(target.parent)


def _order(name: str) -> tuple[str, int]:
    found = _NAME.fullmatch(name)
    return (found[1], int(found[2] or 1)) if found else ("", 0)


def _described(path: Path) -> Backup:
    facts = path.stat()
    return Backup(path.name, facts.st_size, int(facts.st_mtime * 1000))
