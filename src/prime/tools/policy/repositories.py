"""Programs that a repository has git start: its own settings and hooks can name any, and `git status` then runs them.

The person's own settings are theirs. A folder that was unpacked, or lies inside what was cloned, is whoever's made it.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from prime.core.plain_file import read_plain
from prime.tools.policy.decision import Reason, ask
from prime.tools.policy.git_settings import named_in

_LARGEST = 1024 * 1024
# Of a repository within, as the index has it: its mode.
_SUBMODULE = b"\x00\x00\xe0\x00"
_LARGEST_INDEX = 64 * 1024 * 1024
_MOST_FOLDERS = 4096
_PLACES = ("-C", "--git-dir", "--work-tree")
# Run by commands that only look, too.
_WHILE_LOOKING = frozenset({"post-index-change"})


def repository_reasons(commands: Sequence[Sequence[str]], cwd: Path, *, writes: bool) -> Iterator[Reason]:
    """Asks about git where the repository names programs. `writes`: the command is one that may run any of its hooks."""
    starts = [start for argv in commands if _is_git(argv) for start in _starts(argv, cwd)]
    named = sorted({name for start in starts for name in _named(start, writes)})
    if named:
        shown = ", ".join(named)[:200]
        yield ask("launches_programs", f"The repository's own settings have git start programs: {shown}.")


def _is_git(argv: Sequence[str]) -> bool:
    name = argv[0].rpartition("/")[2].casefold() if argv else ""
    return name == "git" or name.startswith("git-")


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


def _repositories(start: Path) -> Iterator[Path]:
    """The folders of git's own files, as git finds them going up, and those of the repositories within."""
    for folder in (start, *start.parents):
        places = list(_at(folder))
        if places:
            yield from places
            yield from _within(folder, places)
            return


def _at(folder: Path) -> Iterator[Path]:
    """Git's own files for what lies in this folder, if it has any; a bare repository is one itself."""
    inner = folder / ".git"
    if inner.is_dir():
        yield from _with_common(inner)
    elif os.path.lexists(inner):
        yield from _with_common(folder / _text(inner).removeprefix("gitdir:").strip())
    elif os.path.lexists(folder / "HEAD") and ((folder / "objects").is_dir() or (folder / "commondir").exists()):
        yield from _with_common(folder)


def _with_common(place: Path) -> Iterator[Path]:
    yield place
    if common := _text(place / "commondir").strip():
        yield place / common


def _within(top: Path, places: Sequence[Path]) -> Iterator[Path]:
    """Git looks into the submodules that its index tells of, each with settings of its own."""
    if not any(_tells_of_submodules(index) for place in places for index in _indexes(place)):
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


def _programs(repository: Path, writes: bool) -> Iterator[str]:
    for name in ("config", "config.worktree"):
        yield from _settings(repository / name)
    try:
        hooks = os.listdir(repository / "hooks")  # noqa: PTH208 - names alone
    except OSError:
        return
    for hook in hooks:
        runs = writes or hook in _WHILE_LOOKING
        if runs and not hook.endswith(".sample") and os.access(repository / "hooks" / hook, os.X_OK):
            yield hook


def _settings(file: Path) -> Iterator[str]:
    try:
        data = read_plain(file, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError):
        yield f"{file.name}, which cannot be read"
        return
    if len(data) > _LARGEST:
        yield f"{file.name}, which is too long to look at"
    yield from named_in(data.decode("utf-8", "replace"))


def _text(file: Path) -> str:
    try:
        return read_plain(file, _LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


class _TooManyFoldersError(Exception):
    pass
