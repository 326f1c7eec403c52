"""Frontmatter: YAML between two `---` lines at the head of a text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from prime.core.bad_text import BadText, unix_newlines
from prime.core.json_text import MAX_DEPTH, BadJson, Json, JsonObject, children, read_json
from prime.core.yaml_text import Place, YamlMapping, read_mapping

_MARK = re.compile(r"---[ \t\r]*(?:\n|\Z)")
_CLOSING = re.compile(r"\n---[ \t\r]*(?:\n|\Z)")

# Characters that YAML takes as they are: no control characters, tabs, line breaks of its own, byte order marks.
_USUAL = "\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_USUAL_IN_QUOTES = _USUAL.replace("\x20-\x7e", r"\x20\x21\x23-\x5b\x5d-\x7e", 1)
# `key: value` on one line, where the value can be read in one way only. Everything else is left to the YAML reader.
_SIMPLE_LINE = re.compile(
    r"([A-Za-z_][A-Za-z0-9_]*): (?:"
    r"(0|-?[1-9][0-9]{0,17})"
    r"|([^\W\d_][\w./@+-]*(?: \w[\w./@+-]*)*)"
    rf'|("[{_USUAL_IN_QUOTES}]*(?:\\(?:["\\/bfnrt]|u(?![dD])[0-9a-fA-F]{{4}})[{_USUAL_IN_QUOTES}]*)*")'
    rf"|([\[{{][{_USUAL}]*[\]}}])"
    r")\n"
)
_INTEGER, _PLAIN = 2, 3
_RESERVED: Mapping[str, Json] = {
    spelled: value
    for word, value in (("null", None), ("true", True), ("false", False))
    for spelled in (word, word.capitalize(), word.upper())
}
_LONG_KEY = 200  # YAML takes 1,024 bytes at most


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """A text's frontmatter and what follows it."""

    data: JsonObject
    places: dict[str, Place]
    """Line and column of each top key, from 1, in the whole text."""
    body: str
    body_line: int
    """The line that the body begins on."""


class Split(NamedTuple):
    """Where frontmatter begins and ends in a text: the YAML between the marks, and the offset behind them."""

    yaml: str
    end: int


def split_frontmatter(text: str, *, path: str | None = None, first_line: int = 1) -> Split | None:
    """The YAML between the marks at the very head of `text`; None when there is no opening mark."""
    if not text.startswith("---"):
        return None
    opening = _MARK.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end() - 1)
    if closing is None:
        raise BadText(
            "This frontmatter is never closed.",
            line=first_line,
            path=path,
            expected="a second line of ---",
            hint="Add it behind the last `key: value` line.",
        )
    return Split(text[opening.end() : closing.start() + 1], closing.end())


def read_frontmatter(text: str, *, path: str | None = None, max_bytes: int = 262_144) -> Frontmatter:
    """Frontmatter and body of a whole text (a byte order mark and Windows line ends are understood).

    A text without frontmatter has empty data and is all body.
    """
    text = unix_newlines(text.removeprefix("\ufeff"))
    split = split_frontmatter(text, path=path)
    if split is None:
        return Frontmatter({}, {}, text, 1)
    found = read_mapping(split.yaml, path=path, first_line=2, max_bytes=max_bytes)
    return Frontmatter(found.data, found.places, text[split.end :], text.count("\n", 0, split.end) + 1)


def read_fields(text: str, *, path: str | None = None, first_line: int = 1, max_bytes: int = 262_144) -> JsonObject:
    """The mapping in `text`, as `read_mapping` reads it but without places.

    Lines of simple `key: value` are read here, about ten times as fast; a property test holds that both readers agree.
    """
    simple = read_simple(text)
    if simple is not None:
        return simple
    return locate(text, path=path, first_line=first_line, max_bytes=max_bytes).data


def locate(text: str, *, path: str | None = None, first_line: int = 1, max_bytes: int = 262_144) -> YamlMapping:
    """The mapping in `text` with the places of its keys."""
    return read_mapping(text, path=path, first_line=first_line, max_bytes=max_bytes)


def read_simple(text: str) -> JsonObject | None:
    """The mapping in `text` when all its lines are simple; None when the YAML reader must look at it."""
    found: JsonObject = {}
    position, end = 0, len(text)
    while position < end:
        line = _SIMPLE_LINE.match(text, position)
        if line is None:
            return None
        key, form = line[1], line.lastindex or 0
        if key in found or key in _RESERVED:
            return None
        written = line[form]
        if form == _INTEGER:
            found[key] = int(written)
        elif form == _PLAIN:
            found[key] = _RESERVED.get(written, written)
        elif not _put_json(found, key, written):
            return None
        position = line.end()
    return found


def _put_json(found: JsonObject, key: str, written: str) -> bool:
    if written[0] == '"':
        found[key] = written[1:-1] if "\\" not in written else read_json(written)
        return True
    # What YAML limits or reads differently is left to its own reader.
    if "\\u" in written or written.count("[") + written.count("{") >= MAX_DEPTH:
        return False
    try:
        value = read_json(written)
    except BadJson:
        return False
    if len(written) > _LONG_KEY and _has_long_key(value):
        return False
    found[key] = value
    return True


def _has_long_key(value: Json) -> bool:
    level = [value]
    while level:
        if any(len(key) >= _LONG_KEY for each in level if isinstance(each, dict) for key in each):
            return True
        level = [inner for outer in level for inner in children(outer)]
    return False
