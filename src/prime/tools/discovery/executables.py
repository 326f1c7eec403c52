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


def find_executables(folders: Iterable[str], settings: ScanSettings) -> Found:
    """Walk the folders in order; a name that was seen is never looked at again, as the first on PATH wins."""
    found: dict[str, Executable | None] = {}
    skipped: list[Skipped] = []
    seen: set[str] = set()
    me = os.geteuid()
    for folder in folders:
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        why = _unsafe_folder(folder, me)
        if why is not None:
            skipped.append(Skipped(folder, folder, why))
            continue
        for entry in _programs(folder):
            if entry.name not in found:
                found[entry.name] = _look(entry, real, me, settings, skipped)
    return Found(tuple(item for item in found.values() if item is not None), tuple(skipped))


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


def _look(
    entry: "os.DirEntry[str]", folder: str, me: int, settings: ScanSettings, skipped: list[Skipped]
) -> Executable | None:
    """The program, or None; a program that may not be asked is noted."""
    try:
        how = entry.stat()
    except OSError:  # a link to nothing
        return None
    if not stat.S_ISREG(how.st_mode) or not how.st_mode & 0o111:
        return None
    why = unsafe_program(how, me)
    if why is None and settings.skips(entry.name):
        why = "on the skip list"
    if why is not None:
        skipped.append(Skipped(entry.name, entry.path, why))
        return None
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
