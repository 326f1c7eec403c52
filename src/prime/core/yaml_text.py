"""YAML as plain data: text, numbers, true and false, null, lists and mappings, and nothing else.

The scalars are those of YAML 1.2 (`on`, `no` and dates are text). Anchors, aliases, tags, duplicate keys and keys that
are not text are refused, so that no small text stands for a large value and no value depends on who reads it. Values
are built from the parser's events without recursion.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from prime.core.bad_text import BadText
from prime.core.errors import TooLarge
from prime.core.json_text import MAX_DEPTH, Json, JsonObject

_CONSTANTS: Mapping[str, Json] = {"": None, "~": None} | {
    spelled: value
    for word, value in (("null", None), ("true", True), ("false", False))
    for spelled in (word, word.capitalize(), word.upper())
}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_A_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_DIGITS = 4000  # Python refuses to convert more than 4,300
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")

Place = tuple[int, int]


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet."""

    value: list[Json] | JsonObject
    key: str | None = None
    at: Place = (1, 1)


@dataclass(slots=True)
class YamlMapping:
    """A mapping, and where each of its keys stands (line and column from 1)."""

    data: JsonObject = field(default_factory=dict[str, Json])
    places: dict[str, Place] = field(default_factory=dict[str, Place])


def read_mapping(text: str, *, path: str | None = None, first_line: int = 1, max_bytes: int = 262_144) -> YamlMapping:
    """The one mapping that a YAML text holds; an empty text is an empty mapping.

    `first_line` is the line of the file that the text begins on: errors and places count from there.
    """
    if len(text) > max_bytes or len(text.encode(errors="replace")) > max_bytes:
        raise TooLarge(f"This YAML has more than {max_bytes} bytes.", hint="Move long text out of it.", file=path)
    return _Reader(path, first_line).read(text)


class _Reader:
    def __init__(self, path: str | None, first_line: int) -> None:
        self._path = path
        self._first_line = first_line
        self._open: list[_Open] = []
        self._found = YamlMapping()
        self._documents = 0

    def read(self, text: str) -> YamlMapping:
        bad = _UNPRINTABLE.search(text)
        if bad is not None:
            line, column = text.count("\n", 0, bad.start()), bad.start() - text.rfind("\n", 0, bad.start())
            message = f"The character U+{ord(bad.group()):04X} cannot stand in YAML."
            raise self._error(message, (line, column - 1), hint='Write it as an escape in "double quotes".')
        try:
            for event in _events(text):
                self._take(event)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = (mark.line, mark.column) if mark else (0, 0)
            raise self._error(f"This is not YAML: {error.problem or error.context}.", place) from error
        return self._found

    def _take(self, event: Event) -> None:
        mark = event.start_mark
        place = (mark.line, mark.column) if mark else (0, 0)
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            raise self._error("Anchors and aliases are not read here.", place, hint="Write the value out.")
        if getattr(event, "tag", None) is not None:
            raise self._error("YAML tags are not read here.", place, hint='Quote text as "text"; leave the tag out.')
        if isinstance(event, ScalarEvent):
            self._scalar(event, place)
        elif isinstance(event, MappingStartEvent):
            self._begin(_Open({}), place)
        elif isinstance(event, SequenceStartEvent):
            self._begin(_Open([]), place)
        elif isinstance(event, (MappingEndEvent, SequenceEndEvent)):
            self._open.pop()
        elif isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._error("There is more than one YAML document here.", place, hint="Keep one.")

    def _begin(self, opened: _Open, place: Place) -> None:
        if not self._open:
            if isinstance(opened.value, list):
                raise self._not_a_mapping(place)
            self._found.data = opened.value
        else:
            self._put(opened.value, place)
        if len(self._open) >= MAX_DEPTH:
            raise self._error(f"This YAML is nested deeper than {MAX_DEPTH} levels.", place)
        self._open.append(opened)

    def _scalar(self, event: ScalarEvent, place: Place) -> None:
        value = self._plain(event.value, place) if event.implicit[0] else event.value
        if self._open:
            self._put(value, place)
        elif value is not None:
            raise self._not_a_mapping(place)

    def _put(self, value: Json, place: Place) -> None:
        inner = self._open[-1]
        if isinstance(inner.value, list):
            inner.value.append(value)
        elif inner.key is None:
            inner.key = self._key(value, inner.value, place)
            if len(self._open) == 1:
                self._found.places[inner.key] = (self._first_line + place[0], place[1] + 1)
        else:
            inner.value[inner.key] = value
            inner.key = None

    def _key(self, value: Json, siblings: JsonObject, place: Place) -> str:
        if not isinstance(value, str):
            raise self._error("A key must be text.", place, hint='Put it into "double quotes".')
        if value in siblings:
            raise self._error(f"The key {value!r} is here twice.", place, hint="Keep one of them.")
        return value

    def _plain(self, written: str, place: Place) -> Json:
        if written in _CONSTANTS:
            return _CONSTANTS[written]
        if _NOT_A_NUMBER.fullmatch(written):
            raise self._error(f"{written} is not a number that is taken here.", place, hint="Quote it if it is text.")
        number = _INTEGER.fullmatch(written) or _FLOAT.fullmatch(written)
        return written if number is None else self._number(written, place)

    def _number(self, written: str, place: Place) -> int | float:
        if len(written) > _DIGITS:
            raise self._error("This number has too many digits.", place, hint="Quote it if it is text.")
        if _INTEGER.fullmatch(written):
            return int(written, 0) if written[:2] in {"0o", "0x"} else int(written)
        number = float(written)
        if number in {float("inf"), float("-inf")}:
            raise self._error("This number is too large.", place, hint="Quote it if it is text.")
        return number

    def _not_a_mapping(self, place: Place) -> BadText:
        return self._error("Here stands one value.", place, expected="lines of `key: value`")

    def _error(self, message: str, place: Place, *, expected: str | None = None, hint: str | None = None) -> BadText:
        line, column = self._first_line + place[0], place[1] + 1
        return BadText(message, line=line, column=column, path=self._path, expected=expected, hint=hint)


def _events(text: str) -> Iterator[Event]:
    # libyaml where PyYAML was built with it: ten times as fast, the same events.
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    return cast("Iterator[Event]", yaml.parse(text, Loader=loader))  # pyright: ignore[reportUnknownMemberType]
