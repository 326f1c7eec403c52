"""A file that ends with the hash of all before it, so that a single changed bit is noticed wherever it is.

SQLite reads as many pages as its header names and does not mind what stands behind them.
"""

import hashlib
from pathlib import Path

from prime.core.errors import InvalidInput

_MARK = b"\nprime-sha256 "
_HEX = 64
LENGTH = len(_MARK) + _HEX
_PIECE = 1024 * 1024


def append_digest(path: Path) -> None:
    tail = _MARK + _digest(path, path.stat().st_size)
    with path.open("ab") as file:
        file.write(tail)


def check_digest(path: Path) -> None:
    """Refuse a file that is not what it was when its digest was put behind it."""
    size = path.stat().st_size - LENGTH
    if size < 0 or _tail(path, size) != _MARK + _digest(path, size):
        raise InvalidInput(
            f"{path} is not a backup of Prime, or it is damaged: it does not end with the hash of what it holds.",
            hint="Take another one; `prime backup list` shows what there is.",
            code="bad_backup",
        )


def cut_digest(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - LENGTH)


def _tail(path: Path, start: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read()


def _digest(path: Path, size: int) -> bytes:
    hashing = hashlib.sha256()
    with path.open("rb") as file:
        while size > 0 and (piece := file.read(min(size, _PIECE))):
            hashing.update(piece)
            size -= len(piece)
    return hashing.hexdigest().encode()
