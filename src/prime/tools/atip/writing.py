"""From typed values back to JSON: a field is written when it says something, under its camelCase name."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, cast

from prime.core.errors import JsonValue

_Plan = tuple[tuple[str, str, object], ...]  # attribute, JSON name, the value that need not be written


def plain(value: object) -> JsonValue:
    """The value as `json.dumps` takes it."""
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast("list[object]", value)]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in cast("Mapping[str, object]", value).items()}
    return write(value)


def write(part: object) -> dict[str, JsonValue]:
    """One dataclass of the model as an object; `extra` fills in what the model has no value for."""
    written: dict[str, JsonValue] = {}
    for attribute, name, default in _plan(type(part)):
        value = getattr(part, attribute)
        if value is not default and value != default:
            written[name] = plain(value)
    extra: Mapping[str, object] = getattr(part, "extra", {})
    for name, value in extra.items():
        written.setdefault(name, plain(value))
    return written


@cache
def _plan(kind: type) -> _Plan:
    if not is_dataclass(kind):
        raise TypeError(f"{kind} is not JSON")
    return tuple((f.name, _camel(f.name), _default(f)) for f in fields(kind) if f.name not in {"extra", "as_object"})


def _default(field: Field[Any]) -> object:
    if field.default is not MISSING:
        return field.default
    return MISSING if field.default_factory is MISSING else field.default_factory()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
