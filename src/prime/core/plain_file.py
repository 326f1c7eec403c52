"""Reading a file that somebody else may have put there: a pipe makes nobody wait, and what has no end is not read on."""

import errno
import os
import stat
from pathlib import Path


def read_plain(path: Path, most: int) -> bytes:
    """The bytes of a file, at most one more than `most`; OSError when it is a pipe, a device or a folder."""
    with open(path, "rb", opener=open_now) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "It is a pipe or a device, not a file")
        return file.read(most + 1)


def open_now(path: str, flags: int) -> int:
    """An opener that does not wait until somebody writes into a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)
