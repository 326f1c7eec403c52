"""Command shapes that are known to destroy or to launch programs, in every spelling (D-ATIP-16).

`dangers` reads a list of words as the program would, and looks into what wrappers and shells are told to run.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from prime.tools.policy.shapes import destroyers, git, launchers, shell, sql, verbs
from prime.tools.policy.shapes.danger import Danger, launches, reads_unnamed
from prime.tools.policy.shapes.identity import Names
from prime.tools.policy.shapes.words import Words

__all__ = ["Danger", "Names", "called", "commands_within", "dangers", "text_dangers", "too_long"]

# Beyond this nobody reads a command line either; it is asked about instead of searched.
_MOST_WORDS = 400
_MOST_COMMANDS = 500
_MOST_TEXT = 100_000
_DEEPEST = 4
_JQ = frozenset({"jq", "gojq", "jaq"})
_LOADS = re.compile(r"\b(?:import|include|modulemeta)\b")


def dangers(argv: Sequence[str], names: Names | None = None) -> tuple[Danger, ...]:
    """All that this command line is known to do, and what its words sound like; each once."""
    names = names or Names()
    commands = islice(commands_within(argv, names), _MOST_COMMANDS)
    found = dict.fromkeys(danger for command in commands for danger in _own(command, names))
    if too_long(argv, names):
        found[launches("It launches programs, and its command line is too long to be looked into.")] = None
    return tuple(found)


def too_long(argv: Sequence[str], names: Names) -> bool:
    """Whether it launches programs and says more of them than is looked into."""
    own = names.applet(argv)
    if _launches(own, names) is None:
        return False
    if len(own) > _MOST_WORDS or any(len(word) > _MOST_TEXT for word in own):
        return True
    return len(list(islice(commands_within(own, names), _MOST_COMMANDS))) == _MOST_COMMANDS


def text_dangers(text: str, names: Names | None = None, *, prose: bool = False) -> tuple[Danger, ...]:
    """The same for a line of shell or SQL that a tool takes as one argument; `prose`: it may be a person's words as well."""
    if len(text) > _MOST_TEXT:
        return (launches("The text is too long to be looked into."),)
    names = (names or Names()).for_sentences()
    commands = shell.commands_in(text) if not prose or shell.is_meant(text) else []
    lines = (danger for command in commands[:_MOST_COMMANDS] for danger in dangers(command, names))
    more = [launches("There are too many commands to be looked into.")] if len(commands) > _MOST_COMMANDS else []
    statements = sql.statement_dangers(text) if not prose or sql.is_meant(text) else ()
    return tuple(dict.fromkeys([*lines, *more, *statements]))


def called(argv: Sequence[str], names: Names) -> Iterator[list[str]]:
    """The command by every name that its program goes by: a list of commands names `git push`, whatever its path and
    whether it is written `git-push`."""
    for name in sorted(names.of(argv[0])):
        yield [name, *argv[1:]]
        program, dash, subcommand = name.partition("-")
        if dash:
            yield [program, subcommand, *argv[1:]]


def commands_within(argv: Sequence[str], names: Names, depth: int = 0) -> Iterator[list[str]]:
    """The command itself, and for what launches others every command that its words may be."""
    own = list(names.applet(argv))
    if not own:
        return
    yield own
    if depth > _DEEPEST or len(own) > _MOST_WORDS or _launches(own, names) is None:
        return
    for start in range(1, len(own)):
        for word in _carried(own[start]):
            if shell.LOOKS_LIKE_SHELL.search(word):
                for command in shell.commands_in(word[:_MOST_TEXT]):
                    yield from commands_within(command, names, depth + 1)
            elif word:
                yield [*names.applet([word, *own[start + 1 :]])]


def _carried(word: str) -> list[str]:
    """The word, or what it carries after an option: `-c'rm -r x'`, `-ecrm`, `--command=rm`."""
    if word.startswith("--"):
        return [word.partition("=")[2]]
    return [word[cut:] for cut in (2, 3, 4)] if word.startswith("-") else [word]


def _launches(argv: Sequence[str], names: Names) -> str | None:
    if not argv:
        return None
    key = tuple(argv)
    if key not in names.launching:
        names.launching[key] = _why_it_launches(argv, names)
    return names.launching[key]


def _why_it_launches(argv: Sequence[str], names: Names) -> str | None:
    called = names.of(argv[0])
    if _is_git(called):
        told = next((danger.text for danger in git.dangers(argv) if danger.code == "launches_programs"), None)
        if told is not None:
            return told
    return _runs_others(called, Words.of(argv[1:]), names)


def _runs_others(called: frozenset[str], words: Words, names: Names) -> str | None:
    """A sentence when the program runs others, is told to, or has a program's name after `--`."""
    if (why := launchers.why(called, words)) is not None or names.sentences or verbs.takes_data(called):
        return why
    if (word := verbs.runs(called, words)) is not None:
        return f"`{min(called)} … {word[:40]}` runs another program, as far as its words tell."
    if "--" in words.all[:-1] and names.is_program(after := words.all[words.all.index("--") + 1]):
        return f"`{min(called)} … -- {after[:40]}` may run {after[:40]}."
    return None


def _is_git(called: frozenset[str]) -> bool:
    return "git" in called or any(name.startswith("git-") for name in called)


def _own(argv: Sequence[str], names: Names) -> Iterator[Danger]:
    """Of one command by itself."""
    called, words = names.of(argv[0]), Words.of(argv[1:])
    if (why := _launches(argv, names)) is not None:
        yield launches(why)
    if _is_git(called):
        yield from git.dangers(argv)
    if called & _JQ and any(_LOADS.search(word) for word in words.all):
        yield reads_unnamed("A jq filter with `import`, `include` or `modulemeta` reads files from wherever it says.")
    if called & sql.CLIENTS:
        yield from sql.dangers(words)
    yield from destroyers.dangers(called, words)
    if not names.sentences:
        yield from verbs.dangers(called, words)
