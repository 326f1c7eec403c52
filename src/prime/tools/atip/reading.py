"""The tools that the parser is made of: checks of single values, and a reader that collects what is wrong.

A check takes a JSON value and where it stands, and gives the typed value, or None after noting a problem. Text is read
as a person would see it: a description that hides something from people would tell it to models.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeVar, cast

from prime.core.errors import JsonValue
from prime.core.visible import unhidden, unhidden_json
from prime.tools.atip.effect import Effects
from prime.tools.atip.errors import Pointer, Problem, json_pointer

MAX_TEXT: Final = 65_536
MAX_NAME: Final = 128
MAX_PROBLEMS: Final = 50
MAX_PLAIN_DEPTH: Final = 32

_Part = TypeVar("_Part")


class TooManyProblems(Exception):
    """Enough is enough: the rest of a hostile document is not read."""


class Reader:
    """Collects the problems of one document."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.commands = 0
        self.effects: dict[object, Effects] = {}

    def problem(self, at: Pointer, message: str, hint: str) -> None:
        self.problems.append(Problem(json_pointer(at), message, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            raise TooManyProblems

    def expected(self, at: Pointer, what: str, found: object) -> None:
        self.problem(at, f"Expected {what}, found {kind_of(found)}.", f"Write {what} here, or leave the field out.")


Check = Callable[[Reader, Any, Pointer], Any]


class Spec(NamedTuple):
    """How one field is read: into which attribute, by which check, and the value it has when it is not written."""

    attribute: str
    check: Check
    default: object = None


Table = Mapping[str, Spec]


def kind_of(value: object) -> str:
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {str(value)[:20]}"
    if isinstance(value, str):
        return f"the string {value[:40]!r}" + ("…" if len(value) > 40 else "")
    return "null" if value is None else "an object" if isinstance(value, dict) else "an array"


def text(reader: Reader, value: Any, at: Pointer) -> str | None:
    if type(value) is not str:
        reader.expected(at, "a string", value)
        return None
    if not (value.isascii() and value.isprintable()) or len(value) > MAX_TEXT:
        return _wide_text(reader, value, at)
    return value


def _wide_text(reader: Reader, value: str, at: Pointer) -> str | None:
    if len(value) > MAX_TEXT:
        reader.problem(at, f"The text has {len(value):,} characters; {MAX_TEXT:,} are allowed.", "Shorten it.")
        return None
    if any("\ud800" <= c <= "\udfff" for c in value):
        reader.problem(
            at, "The text contains half of a surrogate pair, which is no character.", "Write valid UTF-8 text."
        )
        return None
    return unhidden(value)


def name(reader: Reader, value: Any, at: Pointer) -> str | None:
    """A word: printable, no spaces, not endless."""
    if type(value) is not str:
        reader.expected(at, "a string", value)
        return None
    if not value or len(value) > MAX_NAME or not value.isprintable() or " " in value:
        reader.problem(
            at,
            f"{value[:40]!r} is not a name: 1 to {MAX_NAME} printable characters without spaces.",
            "Use one word; nest subcommands instead of joining them with spaces.",
        )
        return None
    return value


def tool_name(reader: Reader, value: Any, at: Pointer) -> str | None:
    """The name of an executable, which also names files: no path may hide in it."""
    found = name(reader, value, at)
    if found is not None and (found[0] in ".-~" or any(c in found for c in "/\\:*?<>|\"'`$&;")):
        reader.problem(
            at, f"{found[:40]!r} is not the name of an executable.", "Use the bare command name, without a path."
        )
        return None
    return found


def flag(reader: Reader, value: Any, at: Pointer) -> str | None:
    found = name(reader, value, at)
    if found is not None and not (len(found) > 1 and (found[0] in "-+/" or found.endswith("="))):
        reader.problem(
            at, f"{found[:40]!r} is not a flag.", "A flag begins with - or --, or ends in = (as `if=` of dd)."
        )
        return None
    return found


def boolean(reader: Reader, value: Any, at: Pointer) -> bool | None:
    if value is True or value is False:
        return value
    reader.expected(at, "true or false", value)
    return None


def whole(reader: Reader, value: Any, at: Pointer) -> int | None:
    if type(value) is int and value >= 0:
        return value
    reader.expected(at, "a whole number, 0 or more", value)
    return None


def one_of(*allowed: str) -> Check:
    known = frozenset(allowed)

    def check(reader: Reader, value: Any, at: Pointer) -> str | None:
        if isinstance(value, str) and value in known:
            return value
        reader.problem(at, f"Unknown value: {kind_of(value)}.", f"Use one of: {', '.join(allowed)}.")
        return None

    return check


def scalar(reader: Reader, value: Any, at: Pointer) -> JsonValue:
    if isinstance(value, str):
        return text(reader, value, at)
    if isinstance(value, bool | int | float):
        return value
    reader.expected(at, "a string, number or boolean", value)
    return None


def array(check: Check, *, filled: bool = False) -> Check:
    def check_array(reader: Reader, value: Any, at: Pointer) -> tuple[Any, ...] | None:
        if type(value) is not list:
            reader.expected(at, "an array", value)
            return None
        items = cast("list[object]", value)
        if filled and not items:
            reader.problem(at, "The array is empty.", "Give at least one value.")
        return tuple([check(reader, item, (*at, index)) for index, item in enumerate(items)])

    return check_array


def anything(reader: Reader, value: Any, at: Pointer) -> JsonValue:
    """A value of any shape, its texts unhidden."""
    if type(value) is str:
        return text(reader, value, at)
    before = len(reader.problems)
    kept = as_it_is(reader, value, at)
    return unhidden_json(kept, longest=MAX_TEXT) if len(reader.problems) == before else kept


def as_it_is(reader: Reader, value: Any, at: Pointer) -> JsonValue:
    """A value that is compared or handed on, to the letter. Only its size is of interest."""
    _plain(reader, value, at, MAX_PLAIN_DEPTH)
    return value


def _plain(reader: Reader, value: object, at: Pointer, room: int) -> None:
    if not room:
        reader.problem(at, f"Nested more than {MAX_PLAIN_DEPTH} levels deep.", "Flatten it.")
    elif isinstance(value, str):
        text(reader, value, at)
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[object]", value)):
            _plain(reader, item, (*at, index), room - 1)
    elif isinstance(value, dict):
        for key, item in cast("dict[str, object]", value).items():
            _plain(reader, item, (*at, _checked_key(reader, key, at)), room - 1)


def _checked_key(reader: Reader, key: str, at: Pointer) -> str:
    if not key.isascii():
        text(reader, key, (*at, key))
    return key


def part(kind: Callable[..., _Part], table: Table, required: tuple[str, ...] = ()) -> Check:
    """A check that reads an object into a dataclass; unknown fields go to its `extra`."""

    def check(reader: Reader, value: Any, at: Pointer) -> _Part | None:
        if type(value) is not dict:
            reader.expected(at, "an object", value)
            return None
        raw = cast("dict[str, object]", value)
        if any(raw.get(field) is None for field in required):
            missing(reader, raw, required, at)
            return None
        before = len(reader.problems)
        values = fields(reader, raw, table, at)
        return kind(**values) if len(reader.problems) == before else None

    return check


def missing(reader: Reader, raw: Mapping[str, object], required: tuple[str, ...], at: Pointer) -> None:
    for field in required:
        if raw.get(field) is None:
            reader.problem(at, f"The field `{field}` is missing.", f"Add `{field}`.")


def fields(reader: Reader, raw: Mapping[str, object], table: Table, at: Pointer) -> dict[str, Any]:
    """The keyword arguments of the dataclass."""
    values: dict[str, Any] = {}
    extra: dict[str, object] = {}
    for key, value in raw.items():
        spec = table.get(key)
        if spec is None:
            extra[unhidden(_checked_key(reader, key, at))] = anything(reader, value, (*at, key))
        elif value is None:
            extra[key] = None
        else:
            read = spec.check(reader, value, (*at, key))
            if read is None:
                continue
            if (not value or type(value) is not dict) and read == spec.default:
                extra[key] = value
            else:
                values[spec.attribute] = read
    if extra:
        values["extra"] = extra
    return values
