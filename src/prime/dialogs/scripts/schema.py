"""JSON Schemas of the records' fields, for editors that complete and check frontmatter."""

from collections.abc import Mapping

from prime.core.errors import NotFound
from prime.core.json_text import Json, JsonObject
from prime.dialogs.scripts.building import similar, wire_text
from prime.dialogs.scripts.fields import ACTION_TAKES, DIALOG_FIELDS, HEADER_FIELDS, MAX_COUNT, SHAPES, Field
from prime.dialogs.scripts.records import FuncCall
from prime.dialogs.scripts.script import KIND, VERSION

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT: JsonObject = {"type": "string"}


def record_schema(record_type: str) -> JsonObject:
    """The schema of a record's frontmatter, or of the JSON in a `func_call_record`."""
    shape = SHAPES.get(record_type) or SHAPES.get(f"{record_type}_record")
    if shape is None:
        hint = similar(record_type, SHAPES) or f"Known are: {', '.join(SHAPES)}."
        raise NotFound(f"There is no record type {record_type!r}.", hint=hint)
    schema = _object(shape.fields)
    about = (shape.cls.__doc__ or "").strip()
    below = f" Its text is `{wire_text(shape)}`." if shape.text else ""
    head: JsonObject = {"$schema": _DIALECT, "title": shape.type, "description": about + below}
    if shape.cls is FuncCall:
        _properties(schema)["type"] = {"const": shape.type}
    return head | schema


def header_schema() -> JsonObject:
    """The schema of a script's own frontmatter."""
    schema = _object(HEADER_FIELDS)
    _properties(schema).update({"kind": {"const": KIND}, "version": {"const": VERSION}})
    return {"$schema": _DIALECT, "title": KIND} | schema


def all_schemas() -> JsonObject:
    """Every record type's schema by its name, and the frontmatter's as `script`."""
    schemas: JsonObject = {name: record_schema(name) for name in SHAPES}
    return {"script": header_schema(), **schemas}


def _object(fields: Mapping[str, Field]) -> JsonObject:
    properties: JsonObject = {name: _field(field) for name, field in fields.items()}
    required: list[Json] = [name for name, field in fields.items() if field.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _properties(schema: JsonObject) -> JsonObject:
    found = schema["properties"]
    assert isinstance(found, dict)
    return found


def _field(field: Field) -> JsonObject:
    if field.kind == "enum":
        return {"enum": list(field.choices)}
    if field.kind == "dialog":
        return _object(DIALOG_FIELDS)
    return _FORMS[field.kind]


def _action() -> JsonObject:
    forms: list[Json] = [{"enum": list(ACTION_TAKES)}]
    for kind, names in ACTION_TAKES.items():
        properties: JsonObject = {"type": {"const": kind}}
        properties.update(dict.fromkeys(sorted(names), _TEXT))
        forms.append({"type": "object", "properties": properties, "required": ["type"], "additionalProperties": False})
    return {"anyOf": forms}


_FORMS: Mapping[str, JsonObject] = {
    "count": {"type": "integer", "minimum": 0, "maximum": MAX_COUNT},
    "text": _TEXT,
    "texts": {"type": "array", "items": _TEXT},
    "object": {"type": "object"},
    "objects": {"type": "array", "items": {"type": "object"}},
    "action": _action(),
}
