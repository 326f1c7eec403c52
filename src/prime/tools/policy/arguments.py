"""Checks of a call's arguments before they become words: what no program should be given, and what misleads a reader."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import cast

from prime.core.errors import JsonValue
from prime.tools.policy.decision import Reason, ask, deny

# The kernel takes no longer word (MAX_ARG_STRLEN), and all of them together are bounded too.
LONGEST_WORD = 128 * 1024 - 1
LONGEST_LINE = 1024 * 1024
_SHELL = re.compile(r"\$\(|`|\$\{|[;|&<>\n]")
_DEEPEST = 30


def strings_in(value: JsonValue) -> Iterator[str]:
    """Every text in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in cast("dict[str, JsonValue]", value).items():
            yield key
            yield from strings_in(item)
    elif isinstance(value, list | tuple):
        for item in cast("list[JsonValue]", value):
            yield from strings_in(item)


def argument_reasons(arguments: Mapping[str, JsonValue]) -> Iterator[Reason]:
    """What is wrong with the texts, whatever the tool."""
    if _depth(dict(arguments)) > _DEEPEST:
        yield deny("arguments_too_deep", f"The arguments are nested deeper than {_DEEPEST}.", "Flatten them.")
        return
    total = 0
    for text in strings_in(dict(arguments)):
        total += len(text)
        yield from _text(text)
    if total > LONGEST_LINE:
        yield deny("arguments_too_long", f"The arguments have {total} characters.", "Put the text into a file.")


def _depth(value: JsonValue) -> int:
    """How deep it is nested, found level by level: what comes from outside may be deeper than Python can go."""
    level: list[JsonValue] = [value]
    for depth in range(_DEEPEST + 2):
        level = [inner for item in level for inner in _inside(item)]
        if not level:
            return depth
    return _DEEPEST + 1


def _inside(value: JsonValue) -> list[JsonValue]:
    if isinstance(value, dict):
        return list(cast("dict[str, JsonValue]", value).values())
    return list(cast("list[JsonValue]", value)) if isinstance(value, list | tuple) else []


def _text(text: str) -> Iterator[Reason]:
    if "\0" in text:
        yield deny("nul_in_argument", "An argument has a NUL character in it, which would cut it off.", "Leave it out.")
    if any("\ud800" <= char <= "\udfff" for char in text):
        yield deny("invalid_text", "An argument has half a character in it (a lone surrogate).", "Send valid Unicode.")
    elif len(text.encode()) > LONGEST_WORD:
        yield deny("arguments_too_long", f"An argument has {len(text)} characters.", "Put the text into a file.")
    if any(_misleads(char) for char in text):
        yield ask("hidden_characters", "An argument has characters that do not show, or that change how it reads.")


def _misleads(char: str) -> bool:
    """Control characters but for tab and line ends, and format characters such as the bidirectional ones."""
    if " " <= char <= "~":
        return False
    category = unicodedata.category(char)
    return (category == "Cc" and char not in "\t\n\r\0") or (category == "Cf" and char not in "\u200c\u200d")


def name_reasons(text: str) -> Iterator[Reason]:
    """A file's or a folder's name. No shell reads it here, but the tool may hand it to one."""
    if _SHELL.search(text):
        yield ask("shell_syntax", f"{text[:80]!r} has a shell's syntax in it, which a path does not need.")
