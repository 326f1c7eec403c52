"""Programs that a repository has git start: its own settings and hooks can name any, and `git status` then runs them.

The person's own settings are theirs. A folder that was unpacked, or lies inside what was cloned, is whoever's made it.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from prime.core.plain_file import read_plain
from prime.tools.policy.decision import Reason, ask
from prime.tools.policy.git_index import is_plain
from prime.tools.policy.git_settings import named_in, work_trees_in
from prime.tools.policy.shapes import Names

_LARGEST = 1024 * 1024
_LARGEST_INDEX = 64 * 1024 * 1024
_MOST_FOLDERS = 4096
_PLACES = ("-C", "--git-dir", "--work-tree")
# The others call git where they are called.
_CALLED = frozenset({"git", "gh", "glab"})
_SETTINGS = ("config", "config.worktree")
_WITHIN = ("--sub", "--recurse-sub")  # so begins what has a command go into the repositories within
# Run by commands that only look, too.
_WHILE_LOOKING = frozenset({"post-index-change"})
_HEAD = re.compile(r"ref:[ \t]{0,9}refs/|[0-9a-f]{40}")


def repository_reasons(commands: Sequence[Sequence[str]], cwd: Path, names: Names, *, writes: bool) -> Iterator[Reason]:
    """Asks about git where the repository names programs. `writes`: the command is one that may run any of its hooks."""
    named = sorted({name for argv in commands if _is_git(argv, names) for name in _named(argv, cwd, writes)})
    if named:
        shown = ", ".join(named)[:200]
        yield ask("launches_programs", f"The repository's own settings have git start programs: {shown}.")


def _is_git(argv: Sequence[str], names: Names) -> bool:
    called = names.of(argv[0]) if argv else ()
    return any(name in _CALLED or name.startswith("git-") for name in called)


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


def _named(argv: Sequence[str], cwd: Path, writes: bool) -> Iterator[str]:
    found = {start: list(_upwards(start)) for start in _starts(argv, cwd)}
    repositories = list(chain.from_iterable(found.values()))
    # What is in no index may be in what was committed, where a command is told to look there.
    if any(word.startswith(_WITHIN) for word in argv) or any(each.tells_of_others() for each in repositories):
        # Where git is told of a repository, any of these may be where its files are.
        tops = {each.folder for each in repositories} | {start for start, there in found.items() if not there}
        try:
            repositories += _within(tops)
        except OSError:
            yield "submodules that cannot be looked for"
    if any(each.has_files_elsewhere() for each in repositories):
        yield "worktree"  # what lies there was not looked at, and nobody asked about it
    for each in repositories:
        yield from _programs(each.place, writes)


class _Repository(NamedTuple):
    """Git's own files at `place`, which it finds from `folder`."""

    folder: Path
    place: Path

    def is_one_to_git(self) -> bool:
        """Whether git looks no further: what only looks like a repository it passes by."""
        place = self.place
        common = place / common if (common := _line(place / "commondir")) else place
        head, folders = place / "HEAD", [common / "objects", common / "refs"]
        if head.is_symlink() or not _HEAD.match(_line(head)):
            return False
        return all(_is_folder(folder) and os.access(folder, os.X_OK) for folder in folders)

    def tells_of_others(self) -> bool:
        """Whether its index may have submodules, which git looks into, each with settings of its own."""
        try:
            names = os.listdir(self.place)  # noqa: PTH208 - names alone
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        indexes = [self.place / name for name in names if name == "index" or name.startswith("sharedindex.")]
        # With object names of another length its entries begin elsewhere.
        return "objectformat" in self.settings().lower() or not all(map(_is_plain, indexes))

    def has_files_elsewhere(self) -> bool:
        return not all(_is_same(self.place / told, self.folder) for told in work_trees_in(self.settings()))

    def settings(self) -> str:
        return "\n".join(_text(self.place / name) for name in _SETTINGS)


def _upwards(start: Path) -> Iterator[_Repository]:
    """What git may find going up from where it is, whatever led there, until it surely has one."""
    here = Path(os.path.realpath(start))
    for folder in (here, *here.parents):
        there = list(_at(folder))
        yield from there
        if there and there[0].is_one_to_git():
            return


def _at(folder: Path) -> Iterator[_Repository]:
    """Git's own files for what lies in this folder, if it has any; a bare repository is one itself."""
    inner = folder / ".git"
    if _is_folder(inner):
        yield from _with_common(folder, inner)
    elif os.path.lexists(inner):
        yield from _with_common(folder, folder / _line(inner).removeprefix("gitdir:").removeprefix(" "))
    if os.path.lexists(folder / "HEAD") and (_is_folder(folder / "objects") or os.path.lexists(folder / "commondir")):
        yield from _with_common(folder, folder)


def _with_common(folder: Path, place: Path) -> Iterator[_Repository]:
    yield _Repository(folder, place)
    if common := _line(place / "commondir"):
        yield _Repository(folder, place / common)


def _within(tops: Iterable[Path]) -> Iterator[_Repository]:
    """The repositories beneath these folders; OSError when not all of them can be looked at."""

    def stop(error: OSError) -> None:
        raise error

    for looked_at, (path, folders, files) in enumerate(chain.from_iterable(os.walk(top, onerror=stop) for top in tops)):
        if looked_at == _MOST_FOLDERS:
            raise OSError  # it would take too long
        folder = Path(path)
        if ".git" in folders or ".git" in files:
            yield from _at(folder)
        folders[:] = [name for name in folders if name != ".git"]


def _is_plain(index: Path) -> bool:
    try:
        return is_plain(read_plain(index, _LARGEST_INDEX))
    except OSError:
        return False


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - what cannot be looked at is none, whatever the reason


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def _programs(repository: Path, writes: bool) -> Iterator[str]:
    for name in _SETTINGS:
        yield from _settings(repository / name)
    try:
        hooks = os.listdir(repository / "hooks")  # noqa: PTH208 - names alone
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError):
        yield "hooks, which cannot be looked at"
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


def _line(file: Path) -> str:
    """What a file of one line says, as git reads it: to the byte, and no further than a NUL."""
    return _text(file).rstrip("\r\n").partition("\0")[0]


def _text(file: Path) -> str:
    try:
        return os.fsdecode(read_plain(file, _LARGEST))
    except (OSError, ValueError):
        return ""
