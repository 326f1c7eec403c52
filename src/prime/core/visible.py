"""A text that somebody agrees to, as it is: nothing in it hides, turns the rest around or pushes it out of sight."""

import re

# Letters and symbols to Unicode, nothing to the eye.
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# Line ends and tabs are laid out; the joiners make one sign of several in Persian, Hindi and emoji; the last is the
# blank of Chinese and Japanese.
_PLAIN = frozenset("\n\t\u200c\u200d\u3000")
_BLANKS = re.compile(r"[ \t\u3000]{40,}|(?:[ \t\u3000]{0,39}\n){4,}")


def visible(text: str) -> str:
    r"""The text with what does not show by its number (`\u202e`), and long blanks by their length (`␣×600`, `⏎×60`)."""
    if not text.isprintable() or not _FILLERS.isdisjoint(text):
        text = "".join(char if _shows(char) else _number(char) for char in text)
    return _BLANKS.sub(_length, text)


def _shows(char: str) -> bool:
    return (char.isprintable() and char not in _FILLERS) or char in _PLAIN


def _number(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _length(run: re.Match[str]) -> str:
    lines = run[0].count("\n")
    return f" ⏎×{lines}\n" if lines else f" ␣×{len(run[0])} "
