"""Prime's own folders, data and configuration: no program that Prime starts sees them, and no call of a tool names a file
in them. Whoever puts up walls or judges paths need not know where they are."""

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

# Real paths, each as often as somebody keeps it.
_kept: list[str] = []


@contextmanager
def kept_private(*folders: Path) -> Generator[None]:
    """Until the end, programs find these folders empty, but for what they need in there."""
    names = [os.path.realpath(folder) for folder in folders]
    _kept.extend(names)
    try:
        yield
    finally:
        for name in names:
            _kept.remove(name)


def is_private(path: str | Path) -> bool:
    """Whether a path leads into one of them."""
    return any(_within(os.path.realpath(path), folder) for folder in _kept)


def private_walls(needed: Iterable[str], writable: Iterable[str]) -> Iterator[str]:
    """bubblewrap's words that empty the folders and put back what the program needs of them, `writable` to be written."""
    shown = dict.fromkeys(os.path.realpath(path) for path in needed) if _kept else {}
    written = {os.path.realpath(path) for path in writable} if _kept else set[str]()
    for folder in dict.fromkeys(_kept):
        if not os.path.isdir(folder):  # noqa: PTH112 - every call
            continue
        yield from ("--tmpfs", folder)
        for path in shown:
            if path != folder and _within(path, folder):
                yield from ("--bind" if path in written else "--ro-bind", path, path)
        yield from ("--remount-ro", folder)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
