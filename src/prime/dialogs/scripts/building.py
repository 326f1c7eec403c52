"""Records from the names and values that a file or a log message holds, and back."""

import difflib
from collections.abc import Iterable, Mapping
from typing import cast

from prime.core.json_text import Json, write_json
from prime.dialogs.scripts.fields import HEADER_FIELDS, SHAPES, Field, RecordShape, Wrong
from prime.dialogs.scripts.records import Record, WebSearchAction
from prime.dialogs.scripts.script import Header, SourceDialog


class FieldProblem(Exception):
    """A field is missing, unknown or wrong; `key` is its name where it stands there, `in_text` points at the text."""

    def __init__(
        self,
        message: str,
        *,
        key: str | None = None,
        in_text: bool = False,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.key = key
        self.in_text = in_text
        self.expected = expected
        self.hint = hint


def build(shape: RecordShape, values: Mapping[str, Json], text: str) -> Record:
    """The record with these fields; `text` fills its main text field and must be blank when it has none."""
    arguments = _checked(values, shape.fields, shape)
    if not shape.required <= values.keys():
        missing = next(name for name in shape.fields if name in shape.required and name not in values)
        raise FieldProblem(
            f"{shape.type} needs the field `{missing}`.",
            expected=_takes(shape.fields[missing]),
            hint=f"Add a line `{missing}: …` to its frontmatter." if shape.text else f"Add `{missing}`.",
        )
    if shape.text is not None:
        arguments[shape.text] = text
    elif text and not text.isspace():
        hint = "Remove what stands below its frontmatter."
        raise FieldProblem(f"{shape.type} has no text.", in_text=True, hint=hint)
    # What each argument is was checked against the same annotations that the class declares.
    return shape.cls(**arguments)  # pyright: ignore[reportArgumentType]


def build_header(values: Mapping[str, Json]) -> Header:
    """The header with these fields (`kind` and `version` aside)."""
    return Header(**_checked(values, HEADER_FIELDS, None))  # pyright: ignore[reportArgumentType]


def values_of(record: Record) -> dict[str, Json]:
    """The record's fields as the file names them, without its main text and without what is not set."""
    return _written(record, SHAPES[record.TYPE].fields)


def header_values(header: Header) -> dict[str, Json]:
    """The header's fields as the file names them, without what is not set."""
    return _written(header, HEADER_FIELDS)


def text_of(record: Record) -> str | None:
    """The record's main text; None for a type that has none."""
    return None if record.TEXT is None else cast("str", getattr(record, record.TEXT))


def similar(name: str, known: Iterable[str]) -> str | None:
    """A hint that names the nearest known word, if one is near."""
    near = difflib.get_close_matches(name[:80], list(known), n=1)
    return f"Did you mean `{near[0]}`?" if near else None


def _checked(values: Mapping[str, Json], fields: Mapping[str, Field], shape: RecordShape | None) -> dict[str, object]:
    arguments: dict[str, object] = {}
    for key, value in values.items():
        field = fields.get(key)
        if field is None:
            raise _unknown(key, fields, shape)
        try:
            arguments[field.attribute] = field.check(value)
        except Wrong as wrong:
            raise FieldProblem(
                f"`{key}` is {_shown(value)}.", key=key, expected=wrong.expected, hint=wrong.hint
            ) from wrong
    return arguments


def _unknown(key: str, fields: Mapping[str, Field], shape: RecordShape | None) -> FieldProblem:
    if shape is None:
        return FieldProblem(f"A script's frontmatter has no field `{key}`.", key=key, hint=similar(key, fields))
    if key == "type":
        return FieldProblem("`type` does not belong here.", key=key, hint="Remove it; the heading names the type.")
    if shape.text is not None and key == wire_text(shape):
        hint = "Write it below the frontmatter, as the block's text."
        return FieldProblem(f"`{key}` is the text of {shape.type}.", key=key, hint=hint)
    hint = similar(key, fields) or f"It has {', '.join(fields)}."
    return FieldProblem(f"{shape.type} has no field `{key}`.", key=key, hint=hint)


def wire_text(shape: RecordShape) -> str | None:
    """What the format calls the record's main text."""
    return "tellaskContent" if shape.text == "tellask_content" else shape.text


def _takes(field: Field) -> str:
    kinds = {"count": "a whole number, 0 or more", "texts": "a list of texts", "objects": "a list of objects"}
    return " or ".join(field.choices) or kinds.get(field.kind, field.kind)


def _shown(value: Json) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "empty"
    return repr(value[:60]) if isinstance(value, str) else write_json(value)[:60]


def _written(source: Record | Header | SourceDialog | WebSearchAction, fields: Mapping[str, Field]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, field in fields.items():
        value = cast("object", getattr(source, field.attribute))
        if value is not None:
            found[name] = _plain(value)
    return found


def _plain(value: object) -> Json:
    if isinstance(value, tuple):
        return list(cast("tuple[Json, ...]", value))
    if isinstance(value, WebSearchAction):
        parts = {"type": value.type, "query": value.query, "url": value.url, "pattern": value.pattern}
        return {key: part for key, part in parts.items() if part is not None}
    if isinstance(value, SourceDialog):
        return {"rootId": value.root_id, "selfId": value.self_id, "course": value.course, "status": value.status}
    return cast("Json", value)
