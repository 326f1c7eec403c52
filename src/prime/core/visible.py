"""Text in which nothing hides, turns the rest around or pushes it out of sight.

What somebody agrees to shows it by its number (`visible`); what a stranger wrote for people and models alike is read
without it (`unhidden`), so that a model is told nothing that its owner does not see.
"""

import re
import unicodedata
from typing import TypeVar, cast

from prime.core.errors import JsonValue

# Letters, marks and symbols to Unicode, nothing to the eye; the last are variation selectors, of which 240 spell any
# byte behind any letter.
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef"
# Line ends and tabs are laid out; the joiners make one sign of several in Persian, Hindi and emoji, where two may stand
# side by side, no more; the last is the blank of Chinese and Japanese.
_PLAIN = frozenset("\n\t\u200c\u200d\u3000")
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"
_HIDDEN = re.compile(f"[{_FILLERS}]|(?<=[{_JOINERS}][{_JOINERS}])[{_JOINERS}]")
# Controls, marks of direction and width, every kind of blank.
_UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
# They choose the form of a sign or join two, and are nothing without one.
_ATTACHED = re.compile(f"[{_FILLERS}{_JOINERS}\U000e0000-\U000e0fff]")
_Json = TypeVar("_Json", bound=JsonValue)
_BLANKS = re.compile(r"[ \t\u3000]{40,}|(?:[ \t\u3000]{0,39}\n){4,}")


def visible(text: str) -> str:
    r"""The text with what does not show by its number (`\u202e`), and long blanks by their length (`␣×600`, `⏎×60`)."""
    text = _HIDDEN.sub(lambda found: _number(found[0]), text)
    if not text.isprintable():
        text = "".join(char if _shows(char) else _number(char) for char in text)
    return _BLANKS.sub(_length, text)


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in it: zero-width characters alone say as little as blanks."""
    return all(unicodedata.category(c) in _UNSEEN for c in _ATTACHED.sub("", text))


def unhidden(text: str) -> str:
    """The text without what does not show; uncommon blanks are common ones."""
    text = _HIDDEN.sub("", text)
    if text.isprintable():
        return text
    return "".join(char if _shows(char) else " " if char.isspace() and char > "\x7f" else "" for char in text)


def unhidden_json(value: _Json, *, longest: int) -> _Json:
    """The value with every text and key unhidden and no longer than that; what is nested beyond reason is null."""
    return cast("_Json", _unhidden(value, longest, 40))


def _unhidden(value: JsonValue, longest: int, room: int) -> JsonValue:
    if isinstance(value, str):
        return unhidden(value)[:longest]
    if not room:
        return None
    if isinstance(value, dict):
        items = cast("dict[str, JsonValue]", value).items()
        return {unhidden(key): _unhidden(item, longest, room - 1) for key, item in items}
    if isinstance(value, list):
        return [_unhidden(item, longest, room - 1) for item in cast("list[JsonValue]", value)]
    return value


def _shows(char: str) -> bool:
    return char.isprintable() or char in _PLAIN


def _number(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _length(run: re.Match[str]) -> str:
    lines = run[0].count("\n")
    return f" ⏎×{lines}\n" if lines else f" ␣×{len(run[0])} "
