"""What is on PATH, and what of it may be asked for its document."""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from prime.tools.discovery.settings import ScanSettings


class Identity(NamedTuple):
    """An executable as it was: an answer holds as long as none of this changes."""

    real_path: str
    mtime_ns: int
    size: int
    inode: int


class Executable(NamedTuple):
    """A program by the name and path under which it would run."""

    name: str
    path: str
    identity: Identity


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was passed over: a folder, a program, a file; and why."""

    name: str
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """The programs of some folders, the first of each name, and what was passed over."""

    executables: tuple[Executable, ...]
    skipped: tuple[Skipped, ...]


def path_folders() -> list[str]:
    """The folders of PATH, in order."""
    return os.environ.get("PATH", os.defpath).split(os.pathsep)


class Programs:
    """Finds programs, and remembers what it has looked at: most of them have not changed since the last time."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[object, Executable | Skipped | None]] = {}
        self._skip: tuple[str, ...] = ()

    def find(self, folders: Iterable[str], settings: ScanSettings) -> Found:
        """Walk the folders in order; a name that was seen is never looked at again, as the first on PATH wins."""
        if settings.skip != self._skip:
            self._seen.clear()
            self._skip = settings.skip
        found: dict[str, Executable | Skipped | None] = {}
        skipped: list[Skipped] = []
        walked: set[str] = set()
        me = os.geteuid()
        for folder in folders:
            real = os.path.realpath(folder)
            why = _unsafe_folder(folder, me)
            if real not in walked and why is None:
                for entry in _programs(folder):
                    if entry.name not in found:
                        found[entry.name] = self._look(entry, real, me, settings)
            elif real not in walked:
                skipped.append(Skipped(folder, folder, why or ""))
            walked.add(real)
        skipped += [item for item in found.values() if type(item) is Skipped]
        return Found(tuple(item for item in found.values() if type(item) is Executable), tuple(skipped))

    def _look(
        self, entry: "os.DirEntry[str]", folder: str, me: int, settings: ScanSettings
    ) -> Executable | Skipped | None:
        try:
            how = entry.stat()
        except OSError:  # a link to nothing
            return None
        # The file itself, not its path: a link that leads elsewhere now leads to another inode.
        now = how.st_ino, how.st_mtime_ns, how.st_size, how.st_mode, how.st_uid, how.st_dev
        known = self._seen.get(entry.path)
        if known is None or known[0] != now:
            known = self._seen[entry.path] = now, _judged(entry, how, folder, me, settings)
        return known[1]


def _unsafe_folder(folder: str, me: int) -> str | None:
    if not folder.startswith("/"):
        return "not an absolute path"
    try:
        how = os.stat(folder)  # noqa: PTH116
    except OSError as error:
        return f"{error.strerror}".lower()
    if not stat.S_ISDIR(how.st_mode):
        return "not a folder"
    if how.st_mode & stat.S_IWOTH:
        return "anyone may write to this folder"
    if how.st_uid not in (0, me):
        return "the folder belongs to somebody else"
    return None


def _programs(folder: str) -> Iterator["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            # By name, so that two scans of one folder do things in one order.
            yield from sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return


def _judged(
    entry: "os.DirEntry[str]", how: os.stat_result, folder: str, me: int, settings: ScanSettings
) -> Executable | Skipped | None:
    """A program, one that may not be asked, or something else."""
    if not stat.S_ISREG(how.st_mode) or not how.st_mode & 0o111:
        return None
    why = unsafe_program(how, me)
    if why is None and settings.skips(entry.name):
        why = "on the skip list"
    if why is not None:
        return Skipped(entry.name, entry.path, why)
    real = os.path.realpath(entry.path) if entry.is_symlink() else f"{folder}/{entry.name}"
    return Executable(entry.name, entry.path, Identity(real, how.st_mtime_ns, how.st_size, how.st_ino))


def unsafe_program(how: os.stat_result, me: int) -> str | None:
    """Why a program may not be started to ask it something; None when it may."""
    if how.st_mode & (stat.S_ISUID | stat.S_ISGID):
        return "it runs with another user's rights (setuid)"
    if how.st_mode & stat.S_IWOTH:
        return "anyone may change it"
    if how.st_uid not in (0, me):
        return "it belongs to somebody else"
    return None
