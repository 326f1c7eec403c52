"""A tool's JSON Schema in each provider's dialect (RFC 8.2, rules 2 and 4; D-ATIP-7).

The source may be an ATIP document's parameters or the schema of an MCP tool, which can be anything.
"""

from collections.abc import Callable, Mapping
from typing import Final, cast

from prime.core.errors import JsonValue
from prime.tools.providers.flags import OPENAI_LIMIT, neutral, shortened
from prime.tools.tool import Schema

_HINTS: Final = {"file-path": "file path", "directory-path": "directory path", "uri": "URL"}
_STRICT_KEYS: Final = frozenset({"type", "enum", "const", "properties", "items", "anyOf", "$ref", "$defs"})
_HARMLESS: Final = frozenset({"description", "default", "format", "title", "examples", "$schema", "$id", "$comment"})
_BOUNDS: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "minItems", "maxItems"}
)
_STRICT_KEPT: Final = _STRICT_KEYS | _BOUNDS
_OBJECT: Final = frozenset({"required", "additionalProperties"})
_STRICT_KNOWN: Final = _STRICT_KEPT | _HARMLESS | _OBJECT
_SAID_SO: Final = frozenset({"default", "format", "items"})  # in words, where a description is
_TOLD: Final = _SAID_SO | {"description"}
_SCALARS: Final = ("string", "boolean", "integer", "number")
_NESTING: Final = frozenset({"items", "anyOf", "$defs"})
_GEMINI_KEYS: Final = frozenset(
    {"type", "enum", "properties", "items", "anyOf", "nullable", "minimum", "maximum", "minItems", "maxItems"}
)


class NotExpressible(Exception):
    """The schema says something that the dialect has no words for."""


def strict(schema: Schema) -> dict[str, JsonValue]:
    """OpenAI's strict mode: every property required, optional ones nullable, nothing further allowed."""
    if not _STRICT_KNOWN.issuperset(schema):
        raise NotExpressible(min(schema.keys() - _STRICT_KNOWN))
    kept: dict[str, JsonValue] = {key: value for key, value in schema.items() if key in _STRICT_KEPT}
    _nested(kept, strict)
    kind = schema.get("type")
    if kind not in _SCALARS:
        kept |= _strict_container(schema, kind)
    return _with_description(kept, schema)


def _strict_container(schema: Schema, kind: JsonValue) -> dict[str, JsonValue]:
    """What a schema that may be an object or an array needs beside its own words."""
    kinds = cast("list[str]", kind) if isinstance(kind, list) else [kind]
    if "array" in kinds and "items" not in schema:
        raise NotExpressible("an array without items")
    return _strict_object(schema) if "object" in kinds else {}


def _strict_object(schema: Schema) -> dict[str, JsonValue]:
    if schema.get("additionalProperties", False) is not False or "properties" not in schema:
        raise NotExpressible("an object with free keys")
    required = set(cast("list[str]", schema.get("required") or []))
    properties = {
        key: strict(value) if key in required else nullable(strict(value)) for key, value in _properties(schema).items()
    }
    return {"properties": properties, "required": list(properties), "additionalProperties": False}


def nullable(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The schema, changed in place, that takes null too, as "leave out"; a nullable enum contains null."""
    kind = schema.get("type")
    if kind is None:
        return {"anyOf": [schema, {"type": "null"}]}
    kinds = cast("list[str]", kind) if isinstance(kind, list) else [cast("str", kind)]
    schema["type"] = [*kinds, "null"] if "null" not in kinds else kinds
    values = schema.get("enum")
    if isinstance(values, list) and None not in values:
        schema["enum"] = [*cast("list[JsonValue]", values), None]
    return schema


def plain(schema: Schema) -> dict[str, JsonValue]:
    """JSON Schema as Anthropic and OpenAI's loose mode take it: formats and defaults told in the description."""
    kept: dict[str, JsonValue] = {key: value for key, value in schema.items() if key not in _HARMLESS}
    _nested(kept, plain)
    if "properties" in schema:
        kept["properties"] = {key: plain(value) for key, value in _properties(schema).items()}
    if kept.get("required") == []:
        del kept["required"]
    return _with_description(kept, schema)


def gemini(schema: Schema) -> dict[str, JsonValue]:
    """Gemini's own schema: one type, `nullable`, enums of strings only."""
    unknown = schema.keys() - _GEMINI_KEYS - _HARMLESS - _OBJECT - _BOUNDS
    if unknown or isinstance(schema.get("additionalProperties"), dict):
        raise NotExpressible(min(unknown, default="additionalProperties"))
    kept: dict[str, JsonValue] = {key: value for key, value in schema.items() if key in _GEMINI_KEYS}
    kind = schema.get("type")
    if isinstance(kind, list):
        kept |= _gemini_type(cast("list[str]", kind))
    _nested(kept, gemini)
    if "properties" in schema:
        kept["properties"] = {key: gemini(value) for key, value in _properties(schema).items()}
    if schema.get("required"):
        kept["required"] = list(cast("list[str]", schema["required"]))
    said = _with_description(kept, schema)
    return _string_enum(said)


def _gemini_type(kinds: list[str]) -> dict[str, JsonValue]:
    solid = [kind for kind in kinds if kind != "null"]
    if len(solid) != 1:
        raise NotExpressible("several types")
    return {"type": solid[0], "nullable": True} if "null" in kinds else {"type": solid[0]}


def _string_enum(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    values = schema.get("enum")
    if not isinstance(values, list):
        return schema
    allowed = [value for value in cast("list[JsonValue]", values) if value is not None]
    if schema.get("type") == "string" and all(isinstance(value, str) and value for value in allowed):
        return schema | {"enum": allowed}
    without = {key: value for key, value in schema.items() if key != "enum"}
    told = f"One of: {neutral(', '.join(map(str, allowed)))}."
    return without | {"description": f"{without.get('description', '')} {told}".strip()}


def _nested(kept: dict[str, JsonValue], dialect: Callable[[Schema], dict[str, JsonValue]]) -> None:
    if _NESTING.isdisjoint(kept):
        return
    if isinstance(kept.get("items"), dict):
        items = cast("Schema", kept["items"])
        kept["items"] = inner = dialect(items)
        if "description" not in items:
            inner.pop("description", None)  # the array's own description says it
    if isinstance(kept.get("anyOf"), list):
        kept["anyOf"] = [dialect(item) for item in cast("list[Schema]", kept["anyOf"])]
    if isinstance(kept.get("$defs"), dict):
        kept["$defs"] = {key: dialect(item) for key, item in cast("Mapping[str, Schema]", kept["$defs"]).items()}


def _properties(schema: Schema) -> Mapping[str, Schema]:
    return cast("Mapping[str, Schema]", schema.get("properties") or {})


def _with_description(kept: dict[str, JsonValue], schema: Schema) -> dict[str, JsonValue]:
    if _TOLD.isdisjoint(schema):
        return kept
    description = schema.get("description")
    told = neutral(description) if isinstance(description, str) else ""
    if not _SAID_SO.isdisjoint(schema):
        told = " ".join(part for part in (told, _hint(schema), _default(schema)) if part)
    if told:
        kept["description"] = shortened(told, OPENAI_LIMIT)
    return kept


def _hint(schema: Schema) -> str:
    items = schema.get("items")
    source = cast("Schema", items) if isinstance(items, dict) else schema
    form = source.get("format")
    return f"({_HINTS[form]})" if isinstance(form, str) and form in _HINTS else ""


def _default(schema: Schema) -> str:
    default = schema.get("default")
    if default is None:
        return ""
    if isinstance(default, bool):
        return f"Default: {str(default).lower()}."
    if isinstance(default, str | int | float) and default != "":
        return f"Default: {neutral(str(default)[:60])}."
    return ""
