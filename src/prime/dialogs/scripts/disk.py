"""Files below a folder, reached without following any symbolic link.

Every step from the root down is opened relative to the folder before it and refuses links, so a link that is swapped in
between a check and its use leads nowhere: there is no moment in which a path is looked up twice.
"""

import errno
import os
import secrets
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from prime.core.errors import Conflict, Forbidden, NotFound, PrimeError, Unavailable

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a FIFO must not make anybody wait
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def opened_folder(root: Path, parts: Sequence[str], *, create: bool = False) -> Generator[int]:
    """A descriptor of the folder `parts` below `root`; `create` makes what is missing."""
    shown = "/".join(parts)
    with _errors(shown):
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            with _errors(shown):
                inner = _enter(folder, part, create=create)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def read_file(folder: int, name: str, *, shown: str, most: int) -> bytes:
    """A plain file's bytes, `most` + 1 at the most: one more than allowed tells that it is too long."""
    with _errors(shown):
        descriptor = os.open(name, _READ, dir_fd=folder)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Forbidden(f"{shown} is not a plain file.", hint="Only plain files are read.")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(most + 1)
        finally:
            os.close(descriptor)


def write_file(folder: int, name: str, data: bytes, *, shown: str, overwrite: bool) -> None:
    """Put a whole file in place at once. Without `overwrite`, of two writers one wins and the other gets `Conflict`."""
    # `~` is not in any slug's alphabet, so this name is never a script's.
    draft = f"~{secrets.token_hex(8)}"
    with _errors(shown):
        descriptor = os.open(draft, _NEW, 0o644, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            _place(folder, draft, name, shown=shown, overwrite=overwrite)
            os.fsync(folder)
        finally:
            # Gone already when it was renamed into place.
            with suppress(FileNotFoundError):
                os.unlink(draft, dir_fd=folder)


def entries(folder: int) -> list[os.DirEntry[str]]:
    """What a folder holds, by name."""
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)


def _place(folder: int, draft: str, name: str, *, shown: str, overwrite: bool) -> None:
    if not overwrite:
        try:
            os.link(draft, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError as error:
            raise Conflict(
                f"{shown} exists already.", code="already_exists", hint="Choose another slug, or overwrite it."
            ) from error
        return
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise Forbidden(f"{shown} is not a plain file.", hint="Only plain files are overwritten.")
    os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)


def _enter(folder: int, part: str, *, create: bool) -> int:
    if create:
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=folder)
    return os.open(part, _FOLDER, dir_fd=folder)


@contextmanager
def _errors(shown: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise _told(error, shown) from error


def _told(error: OSError, shown: str) -> PrimeError:
    if error.errno == errno.ENOENT:
        return NotFound(f"{shown} does not exist.")
    # With O_NOFOLLOW a link is ELOOP; with O_DIRECTORY beside it, ENOTDIR.
    if error.errno in {errno.ELOOP, errno.ENOTDIR}:
        return Forbidden(f"{shown} leads through a symbolic link or a file.", hint="Use plain folders and files.")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return Forbidden(f"{shown} may not be used: {error.strerror}.", hint="Check the folder's permissions.")
    if error.errno in {errno.ENAMETOOLONG, errno.EISDIR}:
        return Conflict(f"{shown} cannot be a file here: {error.strerror}.", hint="Choose another slug.")
    return Unavailable(f"{shown} cannot be used: {error.strerror}.")
