"""How large a schema is with everything written out that it refers to.

A few lines that refer to one another twice each are a schema of millions, and judging one value by it keeps the whole
process. What refers to itself is counted once: how far that goes, the value says.
"""

from collections.abc import Iterator, Mapping
from typing import cast
from urllib.parse import unquote

from prime.core.errors import JsonValue

_SINGLE = frozenset({
    "not", "if", "then", "else", "items", "additionalItems", "additionalProperties", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
})  # fmt: skip
_LISTED = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies"})
_REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})

_DEEPEST = 200  # schemas within one another, or referring on from one to the next


def written_out(schema: Mapping[str, JsonValue], most: int) -> int:
    """How many schemas it is, each counted wherever it stands or is referred to; a number above `most` says only that."""
    return _Counting(schema, most).of(cast("JsonValue", schema))


class _Counting:
    def __init__(self, whole: Mapping[str, JsonValue], most: int) -> None:
        self._whole = whole
        self._most = most
        self._known: dict[int, int] = {}
        self._anchors = {name: part for part in _parts(cast("JsonValue", whole)) for name in _names(part)}

    def of(self, schema: JsonValue, depth: int = 0) -> int:
        if not isinstance(schema, dict):
            return 1
        if depth > _DEEPEST:
            return self._most + 1
        key = id(cast("object", schema))
        if key not in self._known:
            self._known[key] = 0  # what refers to itself, while it is counted
            count = 1
            for part in self._beneath(cast("Mapping[str, JsonValue]", schema)):
                count += self.of(part, depth + 1)
                if count > self._most:
                    break
            self._known[key] = count
        return self._known[key]

    def _beneath(self, schema: Mapping[str, JsonValue]) -> Iterator[JsonValue]:
        for keyword, value in schema.items():
            if keyword in _REFERENCES and isinstance(value, str):
                yield self._referred(value)
            if keyword in _LISTED and isinstance(value, list):
                yield from cast("list[JsonValue]", value)
            elif keyword in _SINGLE:
                yield value
            elif keyword in _NAMED and isinstance(value, dict):
                yield from cast("dict[str, JsonValue]", value).values()

    def _referred(self, reference: str) -> JsonValue:
        place = unquote(reference.partition("#")[2])
        if place and not place.startswith("/"):
            return self._anchors.get(place)
        found: JsonValue = cast("JsonValue", self._whole)
        for step in (each.replace("~1", "/").replace("~0", "~") for each in place.split("/")[1:]):
            if isinstance(found, dict):
                found = cast("dict[str, JsonValue]", found).get(step)
            elif isinstance(found, list) and step.isdecimal() and int(step) < len(cast("list[JsonValue]", found)):
                found = cast("list[JsonValue]", found)[int(step)]
            else:
                return None
        return found


def _parts(value: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield value
            left.extend(cast("dict[str, JsonValue]", value).values())
        elif isinstance(value, list):
            left.extend(cast("list[JsonValue]", value))


def _names(part: Mapping[str, JsonValue]) -> Iterator[str]:
    for keyword in ("$anchor", "$dynamicAnchor"):
        name = part.get(keyword)
        if isinstance(name, str):
            yield name
