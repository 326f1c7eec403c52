"""The files that a tool is made of: whether they are as they were, and one digest for all of them."""

import hashlib
import os
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from prime.core.errors import InvalidInput, TooLarge
from prime.core.plain_file import read_plain
from prime.tools.runtimes.inside import inside, own_argument
from prime.tools.runtimes.manifest import FILE_NAME, MIB, Manifest

MAX_FILES: Final = 2_000
MAX_BYTES: Final = 256 * MIB
# Made or fetched by others, and too many to look at before each call.
_LEFT_OUT: Final = frozenset({"__pycache__", ".git", ".venv", "node_modules"})

# Of each file: its path, and what changes whenever its bytes do.
_FileStamp = tuple[str, int, int, int, int]
Stamp = tuple[_FileStamp, ...]
# The same of one path, a file's or a folder's.
_Mark = tuple[int, int, int, int]
# Long beside the time that a stamp takes, and beside the tick of any file system's clock.
SETTLED_NS: Final = 2_000_000_000


class Files:
    """Where the files of one tool are, found out once: `stamp` is asked for several times in every call.

    `settled_ns`: for how long nothing must have changed before a glance is enough.
    """

    def __init__(self, manifest: Manifest, *, settled_ns: int = SETTLED_NS) -> None:
        self._settled_ns = settled_ns
        self._folder = manifest.folder
        self._workdir = manifest.policy.workdir
        # What runs counts wherever it lies; a link on its way there is a file of the folder itself.
        self._run = (FILE_NAME, *_entry_files(manifest))
        self._walked: list[str] = []
        self._marks: list[tuple[str, _Mark]] = []

    def stamp(self) -> Stamp:
        """How they are now. What the tool may write itself is not part of it, unless it is what runs."""
        own = None if self._workdir is None else inside(self._folder, self._workdir)
        self._walked = []
        others = () if own == self._folder else stamp_of_folder(self._folder, own, self._walked)
        seen = {entry[0] for entry in others}
        run = {path for path in self._run if path not in seen}
        return tuple(sorted([*others, *(_stamped(path, os.lstat(f"{self._folder}/{path}")) for path in run)]))

    def seem_as_in(self, stamp: Stamp) -> bool:
        """Whether they are still as they were, by a glance at each path where that is enough.

        For who looks at hundreds of tools every second. What runs is told by a stamp.
        """
        if self._untouched():
            return True
        if self.stamp() != stamp:
            return False
        self._mark([*self._walked, *(f"{self._folder}/{path}" for path, *_ in stamp)])
        return True

    def _untouched(self) -> bool:
        """Whether nothing was written since they were marked, and nothing came to the folders or went."""
        try:
            return bool(self._marks) and all(_mark(path) == mark for path, mark in self._marks)
        except OSError:
            return False

    def _mark(self, paths: Sequence[str]) -> None:
        marks = [(path, _mark(path)) for path in paths]
        # What changed while the stamp was taken, or within one tick of the file system's clock, is looked at once more.
        latest = max(max(written, changed) for _, (_, _, written, changed) in marks)
        self._marks = marks if latest < time.time_ns() - self._settled_ns else []


def stamp_of_folder(folder: Path, besides: Path | None = None, walked: list[str] | None = None) -> Stamp:
    """How the files below a folder are now, `besides` left out. The folders on the way are added to `walked`."""
    found: list[_FileStamp] = []
    walked = [] if walked is None else walked
    for entry in _walk(str(folder), "", None if besides is None else str(besides), walked):
        found.append(entry)
        if len(found) > MAX_FILES:
            message = f"{folder} has more than {MAX_FILES:,} files."
            raise TooLarge(message, code="tool_too_large", hint="Keep only what the tool needs in its folder.")
    if sum(entry[2] for entry in found) > MAX_BYTES:
        message = f"The files of {folder} are larger than {MAX_BYTES // MIB} MiB together."
        raise TooLarge(message, code="tool_too_large", hint="Keep data outside of the tool's folder.")
    return tuple(sorted(found))


def digest_of(manifest: Manifest, stamp: Stamp) -> str:
    """`sha256:…` over the names and bytes of the files of a stamp."""
    digest = hashlib.sha256()
    for path, *_ in stamp:
        place = manifest.folder / path
        content = bytes(place.readlink()) if place.is_symlink() else read_plain(place, MAX_BYTES)
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return f"sha256:{digest.hexdigest()}"


def _entry_files(manifest: Manifest) -> Iterator[str]:
    for word in (manifest.entry.program, *manifest.entry.args):
        found = own_argument(manifest.folder, word)
        if found is not None:
            yield str(found.relative_to(manifest.folder))


def _walk(folder: str, prefix: str, besides: str | None, walked: list[str]) -> Iterator[_FileStamp]:
    """In plain text, because it runs twice in every call."""
    walked.append(folder)
    with os.scandir(folder) as entries:
        for entry in entries:
            name = prefix + entry.name
            if not entry.is_dir(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
                    message = f"{entry.path} is a pipe, a socket or a device."
                    hint = "Keep only files in the tool's folder."
                    raise InvalidInput(message, code="not_a_file", hint=hint, file=entry.path)
                yield _stamped(name, status)
            elif entry.name not in _LEFT_OUT and entry.path != besides:
                yield from _walk(entry.path, f"{name}/", besides, walked)


def _mark(path: str) -> _Mark:
    status = os.lstat(path)
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _stamped(name: str, status: os.stat_result) -> _FileStamp:
    return (name, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
