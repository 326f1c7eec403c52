"""Command shapes that are known to destroy or to launch programs, in every spelling (D-ATIP-16).

`dangers` reads a list of words as the program would, and looks into what wrappers and shells are told to run.
"""

from collections.abc import Iterator, Sequence

from prime.tools.policy.shapes import destroyers, git, launchers, shell, sql
from prime.tools.policy.shapes.danger import Danger, launches
from prime.tools.policy.shapes.identity import applet, names_of
from prime.tools.policy.shapes.words import Words

__all__ = ["Danger", "commands_within", "dangers", "text_dangers"]

# Beyond this nobody reads a command line either; it is asked about instead of searched.
_MOST_WORDS = 400
_MOST_TEXT = 100_000
_DEEPEST = 4


def dangers(argv: Sequence[str], *, path: str | None = None) -> tuple[Danger, ...]:
    """All that this command line is known to do; each once. `path` is the PATH that its program is found on."""
    if len(argv) > _MOST_WORDS and _launches(applet(argv), path):
        return (launches("It launches a program, and its command line is too long to be looked into."),)
    found = (danger for command in commands_within(argv, path=path) for danger in _own(command, path))
    return tuple(dict.fromkeys(found))


def text_dangers(text: str) -> tuple[Danger, ...]:
    """The same for a line of shell or SQL that a tool takes as one argument."""
    if len(text) > _MOST_TEXT:
        return (launches("The text is too long to be looked into."),)
    lines = (danger for command in shell.commands_in(text) for danger in dangers(command))
    return tuple(dict.fromkeys([*lines, *sql.statement_dangers(text)]))


def commands_within(argv: Sequence[str], *, path: str | None = None, depth: int = 0) -> Iterator[list[str]]:
    """The command itself, and for what launches others every command that its words may be."""
    own = list(applet(argv))
    if not own:
        return
    yield own
    if depth > _DEEPEST or len(own) > _MOST_WORDS or _launches(own, path) is None:
        return
    for start in range(1, len(own)):
        # `-c'rm -r x'` and `--command=rm` carry their command in the same word.
        word = own[start].partition("=")[2] if own[start].startswith("--") else own[start]
        if launchers_text(word):
            for command in shell.commands_in(word[:_MOST_TEXT]):
                yield from commands_within(command, path=path, depth=depth + 1)
        elif word and not word.startswith("-"):
            yield [*applet([word, *own[start + 1 :]])]


def launchers_text(word: str) -> bool:
    return bool(shell.LOOKS_LIKE_SHELL.search(word))


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
