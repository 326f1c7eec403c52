"""What each record's and the header's fields are called in the file, what they take, and how they are checked."""

import dataclasses
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Union, cast, get_args, get_origin

from prime.core.json_text import Json, JsonObject
from prime.dialogs.scripts.records import RECORD_CLASSES, Record, WebSearchAction
from prime.dialogs.scripts.script import Header, SourceDialog

# Names that the format itself writes with an underscore.
_SNAKE = {"provider_data", "calling_genseq"}

FieldKind = Literal["count", "text", "enum", "texts", "object", "objects", "action", "dialog"]
FieldValue = object


class Wrong(Exception):
    """A value is not what its field takes; `expected` says what is, `hint` how to write it."""

    def __init__(self, expected: str, hint: str | None = None) -> None:
        super().__init__(expected)
        self.expected = expected
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record: its name in Python and in the file, what it takes, and whether it must be there."""

    attribute: str
    name: str
    kind: FieldKind
    required: bool
    choices: tuple[str, ...]
    check: Callable[[Json], FieldValue]


def wire_name(attribute: str) -> str:
    """`msg_id` -> `msgId`, but for the names that the format writes with an underscore."""
    if attribute in _SNAKE:
        return attribute
    head, *rest = attribute.split("_")
    return head + "".join(part.capitalize() for part in rest)


# What a page can count to without rounding, and far below what the log refuses after the script was read.
MAX_COUNT = 2**53 - 1


def _count(value: Json) -> int:
    if type(value) is not int or value < 0:
        raise Wrong("a whole number, 0 or more")
    if value > MAX_COUNT:
        raise Wrong(f"a whole number, {MAX_COUNT} at most")
    return value


def _text(value: Json) -> str:
    if not isinstance(value, str):
        unquoted = isinstance(value, (bool, int, float)) or value is None
        raise Wrong("text", 'Put it into "double quotes" if it is meant as text.' if unquoted else None)
    return value


def _texts(value: Json) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Wrong("a list of texts", 'Write it as ["a", "b"].')
    return tuple(cast("list[str]", value))


def _object(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        raise Wrong("an object", 'Write it as {"key": value}.')
    return value


def _objects(value: Json) -> tuple[JsonObject, ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Wrong("a list of objects", 'Write it as [{"key": value}].')
    return tuple(cast("list[JsonObject]", value))


def _enum(choices: tuple[str, ...]) -> Callable[[Json], str]:
    expected = " or ".join(choices)

    def check(value: Json) -> str:
        if not isinstance(value, str) or value not in choices:
            raise Wrong(expected)
        return value

    return check


ACTION_TAKES: Mapping[str, frozenset[str]] = {
    "search": frozenset({"query"}),
    "open_page": frozenset({"url"}),
    "find_in_page": frozenset({"url", "pattern"}),
}


def _action(value: Json) -> WebSearchAction:
    # The bare word is short for an action of which nothing more is known.
    given = {"type": value} if isinstance(value, str) else _object(value)
    kind = _enum(tuple(ACTION_TAKES))(given.get("type"))
    rest = {key: item for key, item in given.items() if key != "type"}
    if not rest.keys() <= ACTION_TAKES[kind]:
        raise Wrong(f"`type: {kind}` with no more than {' and '.join(sorted(ACTION_TAKES[kind]))}")
    return WebSearchAction(type=kind, **{key: _text(item) for key, item in rest.items()})  # pyright: ignore[reportArgumentType] - checked above


def _dialog(value: Json) -> SourceDialog:
    given = _object(value)
    if given.keys() != DIALOG_FIELDS.keys():
        raise Wrong("an object with rootId, selfId, course and status")
    return SourceDialog(**{DIALOG_FIELDS[key].attribute: DIALOG_FIELDS[key].check(item) for key, item in given.items()})  # pyright: ignore[reportArgumentType] - checked field by field


_CHECKS: Mapping[FieldKind, Callable[[Json], FieldValue]] = {
    "count": _count,
    "text": _text,
    "texts": _texts,
    "object": _object,
    "objects": _objects,
    "action": _action,
    "dialog": _dialog,
}
_KINDS: Mapping[object, FieldKind] = {
    int: "count",
    str: "text",
    tuple[str, ...]: "texts",
    JsonObject: "object",
    tuple[JsonObject, ...]: "objects",
    WebSearchAction: "action",
    SourceDialog: "dialog",
}


def _field(declared: "dataclasses.Field[object]") -> Field:
    annotation: object = declared.type
    if get_origin(annotation) in {Union, types.UnionType}:
        annotation = next(option for option in get_args(annotation) if option is not types.NoneType)
    choices = cast("tuple[str, ...]", get_args(annotation)) if get_origin(annotation) is Literal else ()
    kind: FieldKind = "enum" if choices else _KINDS[annotation]
    check = _enum(choices) if choices else _CHECKS[kind]
    required = declared.default is dataclasses.MISSING
    return Field(declared.name, wire_name(declared.name), kind, required, choices, check)


def fields_of(cls: type[Record | Header | SourceDialog], *, without: str | None = None) -> dict[str, Field]:
    """The fields of a class by their name in the file, in order, `without` the one that holds the main text."""
    declared = (_field(each) for each in dataclasses.fields(cls) if each.name != without)
    return {each.name: each for each in declared}


@dataclass(frozen=True, slots=True)
class RecordShape:
    """One record type as the file has it."""

    cls: type[Record]
    type: str
    text: str | None
    """The attribute that the text below the frontmatter fills."""
    fields: Mapping[str, Field]
    required: frozenset[str]


def _shape(cls: type[Record]) -> RecordShape:
    fields = fields_of(cls, without=cls.TEXT)
    required = frozenset(each.name for each in fields.values() if each.required)
    return RecordShape(cls, cls.TYPE, cls.TEXT, fields, required)


DIALOG_FIELDS = fields_of(SourceDialog)
HEADER_FIELDS = fields_of(Header)
SHAPES: Mapping[str, RecordShape] = {cls.TYPE: _shape(cls) for cls in RECORD_CLASSES}
