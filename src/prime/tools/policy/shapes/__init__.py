"""Command shapes that are known to destroy or to launch programs, in every spelling (D-ATIP-16).

`dangers` reads a list of words as the program would, and looks into what wrappers and shells are told to run.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from prime.tools.policy.shapes import destroyers, git, launchers, shell, sql
from prime.tools.policy.shapes.danger import Danger, launches
from prime.tools.policy.shapes.identity import applet, names_of
from prime.tools.policy.shapes.words import Words

__all__ = ["Danger", "commands_within", "dangers", "text_dangers", "too_long"]

# Beyond this nobody reads a command line either; it is asked about instead of searched.
_MOST_WORDS = 400
_MOST_COMMANDS = 500
_MOST_TEXT = 100_000
_DEEPEST = 4


def dangers(argv: Sequence[str], *, path: str | None = None) -> tuple[Danger, ...]:
    """All that this command line is known to do; each once. `path` is the PATH that its program is found on."""
    commands = islice(commands_within(argv, path=path), _MOST_COMMANDS)
    found = dict.fromkeys(danger for command in commands for danger in _own(command, path))
    if too_long(argv, path=path):
        found[launches("It launches programs, and its command line is too long to be looked into.")] = None
    return tuple(found)


def too_long(argv: Sequence[str], *, path: str | None = None) -> bool:
    """Whether it launches programs and says more of them than is looked into."""
    own = applet(argv)
    if _launches(own, path) is None:
        return False
    texts = any(len(word) > _MOST_TEXT for word in own)
    return (
        texts
        or len(own) > _MOST_WORDS
        or len(list(islice(commands_within(own, path=path), _MOST_COMMANDS))) >= _MOST_COMMANDS
    )


def text_dangers(text: str) -> tuple[Danger, ...]:
    """The same for a line of shell or SQL that a tool takes as one argument."""
    if len(text) > _MOST_TEXT:
        return (launches("The text is too long to be looked into."),)
    commands = shell.commands_in(text)
    lines = (danger for command in commands[:_MOST_COMMANDS] for danger in dangers(command))
    more = [launches("There are too many commands to be looked into.")] if len(commands) > _MOST_COMMANDS else []
    return tuple(dict.fromkeys([*lines, *more, *sql.statement_dangers(text)]))


def commands_within(argv: Sequence[str], *, path: str | None = None, depth: int = 0) -> Iterator[list[str]]:
    """The command itself, and for what launches others every command that its words may be."""
    own = list(applet(argv))
    if not own:
        return
    yield own
    if depth > _DEEPEST or len(own) > _MOST_WORDS or _launches(own, path) is None:
        return
    for start in range(1, len(own)):
        for word in _carried(own[start]):
            if shell.LOOKS_LIKE_SHELL.search(word):
                for command in shell.commands_in(word[:_MOST_TEXT]):
                    yield from commands_within(command, path=path, depth=depth + 1)
            elif word:
                yield [*applet([word, *own[start + 1 :]])]


def _carried(word: str) -> list[str]:
    """The word, or what it carries after an option: `-c'rm -r x'`, `-ecrm`, `--command=rm`."""
    if word.startswith("--"):
        return [word.partition("=")[2]]
    return [word[cut:] for cut in (2, 3, 4)] if word.startswith("-") else [word]


def _launches(argv: Sequence[str], path: str | None) -> str | None:
    if not argv:
        return None
    names = names_of(argv[0], path)
    if names & {"git"} or any(name.startswith("git-") for name in names):
        return next((danger.text for danger in git.dangers(argv) if danger.code == "launches_programs"), None)
    return launchers.why(names, Words.of(argv[1:]))


def _own(argv: Sequence[str], path: str | None) -> Iterator[Danger]:
    """Of one command by itself."""
    names, words = names_of(argv[0], path), Words.of(argv[1:])
    if (why := launchers.why(names, words)) is not None:
        yield launches(why)
    if "git" in names or any(name.startswith("git-") for name in names):
        yield from git.dangers(argv)
    if names & sql.CLIENTS:
        yield from sql.dangers(words)
    yield from destroyers.dangers(names, words)
