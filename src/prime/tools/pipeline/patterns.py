"""Standing approvals: exactly these arguments, or a pattern over the call's words that the owner saw and edited."""

import fnmatch
import re
import shlex
from collections.abc import Sequence
from urllib.parse import unquote

from prime.core.errors import InvalidInput

REST = "**"
_PARTS = re.compile(r"[/=\\]")
_LONGEST = 2000
# A pattern never covers these: somebody has to look at the very call.
LOOK_AT_EACH = frozenset({"known_destructive", "confirm"})
# No standing approval covers these: the policy says "each time".
ASK_EACH_TIME = frozenset({"confirm"})


def parse_pattern(text: str) -> tuple[str, ...]:
    """The words of a pattern; `InvalidInput` says what is wrong with it.

    The first word is literal. In a word `*` stands for anything but a new word, and for an option only if the word
    begins with `-` itself; `**` as the last word stands for all the words that follow.
    """
    if len(text) > _LONGEST:
        raise _wrong(f"A pattern has at most {_LONGEST} characters.")
    try:
        words = tuple(shlex.split(text))
    except ValueError:
        raise _wrong("The pattern has a quote without its end.") from None
    if not words:
        raise _wrong("The pattern is empty.")
    if any(sign in words[0] for sign in "*?["):
        raise _wrong("The first word of a pattern names the tool and has no wildcard.")
    if REST in words[:-1]:
        raise _wrong("`**` can only be the last word.")
    return words


def matches(pattern: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the pattern's words cover the call's words, one by one."""
    if pattern and pattern[-1] == REST:
        fixed = len(pattern) - 1
        return len(words) >= fixed and _each(pattern[:fixed], words[:fixed])
    return len(pattern) == len(words) and _each(pattern, words)


def literal(words: Sequence[str]) -> str:
    """The pattern that covers exactly these words: where an owner's editing begins."""
    return " ".join(shlex.quote("".join(f"[{char}]" if char in "*?[" else char for char in word)) for word in words)


def _each(pattern: Sequence[str], words: Sequence[str]) -> bool:
    return all(_covers(one, word) for one, word in zip(pattern, words, strict=True))


def _covers(pattern: str, word: str) -> bool:
    if word.startswith("-") and not pattern.startswith(("-", "[-]")):
        return False
    # "/../" would lead a pattern like `src/*` or `path=*` out of its folder, as an address does with `%2e%2e` or `\\`.
    if pattern != word and any(".." in _PARTS.split(read) for read in (word, unquote(word))):
        return False
    return fnmatch.fnmatchcase(word, pattern)


def _wrong(message: str) -> InvalidInput:
    hint = "Write the command as it is shown, with * in place of a part that may differ."
    return InvalidInput(message, code="invalid_pattern", hint=hint, field="pattern")
