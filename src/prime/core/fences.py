"""Fenced blocks of Markdown: three or more backticks or tildes, closed by a run at least as long.

The rules are CommonMark's for a fence that stands in no list or quote, with one difference: a fence that is never
closed is an error, because whatever follows it would silently become part of the block.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from prime.core.bad_text import BadText, line_and_column

_OPENING = re.compile(r"( {0,3})(`{3,}|~{3,})[ \t]*([^\n]*)(?:\n|\Z)")
_RUN = {char: re.compile(re.escape(char) + "{3,}") for char in "`~"}
_INDENTED = {width: re.compile(rf"^ {{1,{width}}}", re.MULTILINE) for width in (1, 2, 3)}


class Fence(NamedTuple):
    """One fenced block; offsets are into the text that it was read from."""

    marker: str
    """The opening run, for example six backticks."""
    info: str
    """What stands behind the opening run, trimmed: usually a language."""
    body: str
    """The lines between, each with its line end; as far indented as they are beyond the fence itself."""
    start: int
    """Where the opening line begins."""
    body_start: int
    """Where the first line between the fences begins."""
    end: int
    """Where the line after the closing fence begins."""


def read_fence(text: str, start: int = 0, *, path: str | None = None) -> Fence | None:
    """The block whose opening line begins at `start`; None when that line opens no fence."""
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    indent, marker, info = opening.groups()
    if marker[0] == "`" and "`" in info:
        return None
    inside = opening.end()
    # From the line end of the opening line on, so that a block without lines is closed too.
    closing = _closing(marker[0], len(marker)).search(text, inside - 1)
    if closing is None:
        raise _unclosed(text, start + len(indent), marker, path)
    body = text[inside : closing.start() + 1]
    if indent:
        body = _INDENTED[len(indent)].sub("", body)
    return Fence(marker, info.strip(), body, start, inside, min(closing.end() + 1, len(text)))


def fence_for(body: str, *, char: str = "`", at_least: int = 3) -> str:
    """A run that no line of `body` can close: `at_least` long, or one longer than the longest run in it."""
    if char * at_least not in body:
        return char * at_least
    return char * (max(len(run) for run in _RUN[char].findall(body)) + 1)


@lru_cache(maxsize=64)
def _closing(char: str, length: int) -> re.Pattern[str]:
    return re.compile(rf"\n {{0,3}}{re.escape(char)}{{{length},}}[ \t\r]*(?=\n|\Z)")


def _unclosed(text: str, offset: int, marker: str, path: str | None) -> BadText:
    line, column = line_and_column(text, offset)
    return BadText(
        "This fence is never closed.",
        line=line,
        column=column,
        path=path,
        expected=f"a line of {len(marker)} or more {marker[0]} and nothing else",
        hint="Add it; a shorter run inside the block does not close it.",
    )
