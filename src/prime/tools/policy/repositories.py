"""Programs that a repository has git start: its own settings and hooks can name any, and `git status` then runs them.

The person's own settings are theirs. A folder that was unpacked, or lies inside what was cloned, is whoever's made it.
"""

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from prime.core.plain_file import read_plain
from prime.tools.policy.decision import Reason, ask
from prime.tools.policy.git_settings import named_in, worktrees_in

_LARGEST = 1024 * 1024
# Of a repository within, as the index has it: its mode.
_SUBMODULE = b"\x00\x00\xe0\x00"
_LARGEST_INDEX = 64 * 1024 * 1024
_MOST_FOLDERS = 4096
_PLACES = ("-C", "--git-dir", "--work-tree")
# The others call git where they are called.
_CALLED = frozenset({"git", "gh", "glab"})
_HEAD = re.compile(rb"(?:ref: refs/[^\n]+|[0-9a-f]{40}|[0-9a-f]{64})\n?")
# Run by commands that only look, too.
_WHILE_LOOKING = frozenset({"post-index-change"})


class _Place(NamedTuple):
    """Git's own files of a repository, and the folder whose files it is about."""

    own: Path
    files: Path


def repository_reasons(commands: Sequence[Sequence[str]], cwd: Path, *, writes: bool) -> Iterator[Reason]:
    """Asks about git where the repository names programs. `writes`: the command is one that may run any of its hooks."""
    starts = [start for argv in commands if _is_git(argv) for start in _starts(argv, cwd)]
    named = sorted({name for start in starts for name in _named(start, writes)})
    if named:
        shown = ", ".join(named)[:200]
        yield ask("launches_programs", f"The repository's own settings have git start programs: {shown}.")


def _is_git(argv: Sequence[str]) -> bool:
    name = argv[0].rpartition("/")[2].casefold() if argv else ""
    return name in _CALLED or name.startswith("git-")


def _starts(argv: Sequence[str], cwd: Path) -> Iterator[Path]:
    """Where git may look for its repository: here, or where it is told to."""
    yield cwd
    folder = cwd
    for option, value in zip(argv, [*argv[1:], ""], strict=True):
        name, equals, attached = option.partition("=")
        if name in _PLACES or option.startswith("-C"):
            told = attached if equals else value if option in _PLACES else option[2:]
            yield folder / told
            folder = folder / told if option.startswith("-C") else folder


def _repositories(start: Path) -> Iterator[_Place]:
    """Git's own files as git finds them going up, and those of the repositories within.

    A folder that is none stops nobody: git passes by what it does not take for a repository.
    """
    for folder in (start, *start.parents):
        places = list(_at(folder))
        if places:
            yield from places
            yield from _within(folder, places)
        if any(_is_taken(place.own) for place in places):
            return


def _at(folder: Path) -> Iterator[_Place]:
    """Git's own files for what lies in this folder, if it has any; a bare repository is one itself."""
    inner = folder / ".git"
    if _is_folder(inner):
        yield from _with_common(inner, folder)
    elif (told := _told(inner, "gitdir: ")) is not None:
        yield from _with_common(folder / told, folder)
    if os.path.lexists(folder / "HEAD") and (_is_folder(folder / "objects") or os.path.lexists(folder / "commondir")):
        yield from _with_common(folder, folder)


def _with_common(own: Path, files: Path) -> Iterator[_Place]:
    yield _Place(own, files)
    if common := _told(own / "commondir"):
        yield _Place(own / common, files)


def _told(file: Path, before: str = "") -> str | None:
    """Where a file leads to, to the letter: blanks at its ends and bytes that are no text belong to a name."""
    try:
        data = read_plain(file, _LARGEST).rstrip(b"\r\n").partition(b"\0")[0]
    except (OSError, ValueError):
        return None
    text = os.fsdecode(data)
    return text.removeprefix(before) if text.startswith(before) else None


def _is_taken(own: Path) -> bool:
    """Whether git takes this for a repository for certain, so that it looks no further up."""
    head, common = own / "HEAD", own / (_told(own / "commondir") or "")
    try:
        says = b"" if head.is_symlink() else read_plain(head, _LARGEST)
    except (OSError, ValueError):
        return False
    within = [common / "objects", common / "refs"]
    return _HEAD.fullmatch(says) is not None and all(_is_folder(one) and os.access(one, os.X_OK) for one in within)


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - what cannot be looked at is none, whatever the reason


def _within(top: Path, places: Sequence[_Place]) -> Iterator[_Place]:
    """Git looks into the submodules that its index tells of, each with settings of its own."""
    if not any(_tells_of_submodules(index) for place in places for index in _indexes(place.own)):
        return
    for looked_at, (path, folders, files) in enumerate(os.walk(top)):
        folder = Path(path)
        if looked_at == _MOST_FOLDERS:
            raise _TooManyFoldersError
        if folder != top and (".git" in folders or ".git" in files):
            yield from _at(folder)
        folders[:] = [name for name in folders if name != ".git"]


def _indexes(place: Path) -> Iterator[Path]:
    yield place / "index"
    with contextlib.suppress(OSError):
        yield from place.glob("sharedindex.*")


def _tells_of_submodules(index: Path) -> bool:
    try:
        data = read_plain(index, _LARGEST_INDEX)
    except OSError:
        return False
    return _SUBMODULE in data or len(data) > _LARGEST_INDEX


def _named(start: Path, writes: bool) -> Iterator[str]:
    try:
        for place in _repositories(start):
            yield from _programs(place, writes)
    except _TooManyFoldersError:
        yield "submodules in too many folders to look at"


def _programs(place: _Place, writes: bool) -> Iterator[str]:
    for name in ("config", "config.worktree"):
        yield from _settings(place, name)
    folder = place.own / "hooks"
    try:
        hooks = os.listdir(folder)  # noqa: PTH208 - names alone
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        yield "hooks, which cannot be listed"
        return
    for hook in hooks:
        runs = writes or hook in _WHILE_LOOKING
        if runs and not hook.endswith(".sample") and os.access(folder / hook, os.X_OK):
            yield hook


def _settings(place: _Place, name: str) -> Iterator[str]:
    try:
        data = read_plain(place.own / name, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError):
        yield f"{name}, which cannot be read"
        return
    if len(data) > _LARGEST:
        yield f"{name}, which is too long to look at"
    text = data.decode("utf-8", "replace")
    yield from named_in(text)
    if any(told is None or not _is_same(place.own / told, place.files) for told in worktrees_in(text)):
        yield "worktree"  # what lies there was not looked at


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


class _TooManyFoldersError(Exception):
    pass
