"""Programs that a repository has git start: its own settings and hooks can name any, and `git status` then runs them.

The person's own settings are theirs. A folder that was unpacked, or lies inside what was cloned, is whoever's made it.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from prime.tools.policy.decision import Reason, ask

_NAMES_A_PROGRAM = (
    "alternaterefscommand askpass clean cmd command driver editor external fsmonitor gitproxy helper hookspath "
    "packobjectshook process program receivepack smudge sshcommand textconv uploadpack"
).replace(" ", "|")
# `key = value` at the beginning of a line or behind a section's name, unless the value is a yes or a no.
_KEY = re.compile(
    rf"(?:^|\])[ \t]*({_NAMES_A_PROGRAM})[ \t]*=(?![ \t]*(?:true|false|yes|no|on|off|0|1)?[ \t]*(?:$|[#;]))"
    r"|^[ \t]*\[[ \t]*(include)",
    re.IGNORECASE | re.MULTILINE,
)
_LARGEST = 1024 * 1024
_PLACES = ("-C", "--git-dir", "--work-tree")
# Run by commands that only look, too.
_WHILE_LOOKING = frozenset({"post-index-change"})


def repository_reasons(commands: Sequence[Sequence[str]], cwd: Path, *, writes: bool) -> Iterator[Reason]:
    """Asks about git where the repository names programs. `writes`: the command is one that may run any of its hooks."""
    starts = [start for argv in commands if _is_git(argv) for start in _starts(argv, cwd)]
    named = sorted({name for start in starts for place in _repositories(start) for name in _programs(place, writes)})
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
    """The folders of git's own files, as git finds them going up; a bare repository is one itself."""
    for folder in (start, *start.parents):
        inner = folder / ".git"
        if inner.is_dir():
            yield inner
        elif inner.is_file():
            yield from _pointed_to(inner, folder)
        elif (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            yield folder
        else:
            continue
        return


def _pointed_to(file: Path, folder: Path) -> Iterator[Path]:
    place = folder / _text(file).removeprefix("gitdir:").strip()
    yield place
    if common := _text(place / "commondir").strip():
        yield place / common


def _programs(repository: Path, writes: bool) -> Iterator[str]:
    for name in ("config", "config.worktree"):
        for found in _KEY.finditer(_text(repository / name)):
            yield (found[1] or found[2]).lower()
    try:
        hooks = os.listdir(repository / "hooks")  # noqa: PTH208 - names alone
    except OSError:
        return
    for hook in hooks:
        runs = writes or hook in _WHILE_LOOKING
        if runs and not hook.endswith(".sample") and os.access(repository / "hooks" / hook, os.X_OK):
            yield hook


def _text(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return content.read(_LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
