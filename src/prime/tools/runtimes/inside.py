"""Paths of a manifest: relative to its folder, and never out of it, by whatever way."""

from pathlib import Path, PurePosixPath

OUTSIDE = "leads out of the tool's folder"


class Outside(ValueError):
    """A path that is not the folder's own; the text says why."""


def inside(folder: Path, path: str) -> Path:
    """The real place of a relative path; `Outside` when it, or a symbolic link on its way, leaves `folder`."""
    if not path or "\0" in path:
        raise Outside("is not a path")
    if PurePosixPath(path).is_absolute() or path.startswith("~"):
        raise Outside("is not relative to the tool's folder")
    if ".." in PurePosixPath(path).parts:
        raise Outside(OUTSIDE)
    try:
        real = (folder / path).resolve()
    except (OSError, RuntimeError) as error:
        raise Outside("is a symbolic link that leads nowhere") from error
    if not real.is_relative_to(folder):
        raise Outside(f"{OUTSIDE} by a symbolic link")
    return real


def existing_file(folder: Path, path: str) -> Path:
    """The same for a file that is there."""
    real = inside(folder, path)
    if not real.is_file():
        raise Outside("is not a file in the tool's folder")
    return real


def own_argument(folder: Path, word: str) -> Path | None:
    """The file of the folder that an argument names; None when it names none.

    A word that climbs out of the folder to something that exists is `Outside`; other words mean nothing here.
    """
    if not word or word.startswith("-") or "\0" in word or len(word) > 1024 or PurePosixPath(word).is_absolute():
        return None
    try:
        there = (folder / word).exists() or (folder / word).is_symlink()
    except OSError:  # too long a name is no name
        return None
    if not there:
        return None
    real = inside(folder, word)
    return real if real.is_file() else None
