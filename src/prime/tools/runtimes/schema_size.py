"""How much there is to judge: by a schema with everything written out that it refers to, and of one value by it.

A few lines that refer to one another twice each are a schema of millions, and judging by it keeps the whole process. What
refers to itself is counted once in a schema; how far that goes, the value says.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import cast
from urllib.parse import unquote

from prime.core.errors import JsonValue

# Schemas that judge the same value, what is in a list, or what is in an object.
_SAME = frozenset({"not", "if", "then", "else"})
_ALL_SAME = frozenset({"allOf", "anyOf", "oneOf"})
_NAMED_SAME = frozenset({"dependentSchemas", "dependencies"})
_OF_LIST = frozenset({"items", "additionalItems", "contains", "unevaluatedItems"})
_ALL_OF_LIST = frozenset({"prefixItems", "items"})
_OF_OBJECT = frozenset({"additionalProperties", "unevaluatedProperties", "propertyNames"})
_REFERENCES = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})

_DEEPEST = 200  # schemas within one another, or referring on from one to the next
_MOST_PAIRS = 500_000  # of a schema and a value that it judges, looked at to count

_PLAIN = str | int | float | None
_Part = tuple[JsonValue, JsonValue]


class _Anything:
    """In the place of a value: whatever there may be, all of a schema judges it."""


_ANYTHING = cast("JsonValue", _Anything())


class SchemaSize:
    """Counts of one schema."""

    def __init__(self, schema: Mapping[str, JsonValue]) -> None:
        self._whole = cast("JsonValue", schema)
        self._roots: list[JsonValue] = [self._whole]
        self._anchors: defaultdict[str, list[JsonValue]] = defaultdict(list)
        for part in _parts(self._whole):
            self._name(part)

    def written_out(self, most: int) -> int:
        """How many schemas it is, each counted wherever it stands or is referred to; above `most` a number says only that."""
        return _Counting(self, most).of(self._whole, _ANYTHING, _DEEPEST)

    def judging(self, value: JsonValue, most: int) -> int:
        """How often one of them judges the value or something in it; above `most` a number says only that."""
        return _Counting(self, most).of(self._whole, value, 2 * _DEEPEST)

    @property
    def has_alternatives(self) -> bool:
        """Whether a value may fit in several ways, of all of which is told why it does not."""
        return any(not part.keys().isdisjoint({"anyOf", "oneOf", "contains"}) for part in _parts(self._whole))

    def _name(self, part: Mapping[str, JsonValue]) -> None:
        for keyword in ("$id", "id"):
            if isinstance(name := part.get(keyword), str):
                self._roots.append(cast("JsonValue", part))
                self._anchors[name.partition("#")[2]].append(cast("JsonValue", part))
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(name := part.get(keyword), str):
                self._anchors[name].append(cast("JsonValue", part))

    def referred(self, reference: str) -> list[JsonValue]:
        """What it may refer to: which of several depends on more than is looked at here."""
        place = unquote(reference.partition("#")[2])
        if place and not place.startswith("/"):
            return self._anchors.get(place, [])
        steps = [each.replace("~1", "/").replace("~0", "~") for each in place.split("/")[1:]]
        return [_at(root, steps) for root in self._roots]


class _Counting:
    def __init__(self, size: SchemaSize, most: int) -> None:
        self._size = size
        self._most = most
        self._known: dict[tuple[int, int], int] = {}

    def of(self, schema: JsonValue, value: JsonValue, room: int) -> int:
        if not isinstance(schema, dict):
            return 1
        # Whatever is neither list nor object is judged by as many.
        key = id(cast("object", schema)), 0 if isinstance(value, _PLAIN) else id(value)
        if key not in self._known:
            if not room or len(self._known) >= _MOST_PAIRS:
                return self._most + 1
            self._known[key] = 0  # what refers to itself, while it is counted
            count = 1
            for parts in _beneath(cast("Mapping[str, JsonValue]", schema), value, self._size):
                most = 1
                for part in parts:
                    most = max(most, self.of(*part, room - 1))
                count += most
                if count > self._most:
                    break
            self._known[key] = count
        return self._known[key]


def _beneath(schema: Mapping[str, JsonValue], value: JsonValue, size: SchemaSize) -> Iterator[list[_Part]]:
    """Schemas that judge as well, and what: of those that stand together, one."""
    for keyword, part in schema.items():
        if keyword in _REFERENCES and isinstance(part, str):
            yield [(each, value) for each in size.referred(part)]
        elif keyword in _SAME:
            yield [(part, value)]
        elif keyword in _ALL_SAME and isinstance(part, list):
            yield from ([(each, value)] for each in cast("list[JsonValue]", part))
        elif keyword in _NAMED_SAME and isinstance(part, dict):
            yield from ([(each, value)] for each in cast("dict[str, JsonValue]", part).values())
        elif keyword in _ALL_OF_LIST and isinstance(part, list):
            yield from ([each] for each in _pairs(cast("list[JsonValue]", part), value))
        elif keyword in _OF_LIST:
            yield from ([(part, each)] for each in _items(value, list))
        elif keyword in _OF_OBJECT:
            yield from ([(part, each)] for each in _items(value, dict))
        elif keyword == "patternProperties" and isinstance(part, dict):
            parts = cast("dict[str, JsonValue]", part).values()
            yield from ([(one, each)] for one in parts for each in _items(value, dict))
        elif keyword == "properties" and isinstance(part, dict):
            yield from ([each] for each in _properties(cast("dict[str, JsonValue]", part), value))


def _items(value: JsonValue, kind: type) -> Iterator[JsonValue]:
    if value is _ANYTHING:
        yield value
    elif isinstance(value, kind):
        yield from (
            cast("dict[str, JsonValue]", value).values() if isinstance(value, dict) else cast("list[JsonValue]", value)
        )


def _pairs(parts: list[JsonValue], value: JsonValue) -> Iterator[_Part]:
    if value is _ANYTHING:
        yield from ((part, value) for part in parts)
    elif isinstance(value, list):
        yield from zip(parts, cast("list[JsonValue]", value), strict=False)


def _properties(parts: dict[str, JsonValue], value: JsonValue) -> Iterator[_Part]:
    if value is _ANYTHING:
        yield from ((part, value) for part in parts.values())
    elif isinstance(value, dict):
        found = cast("dict[str, JsonValue]", value)
        yield from ((parts[name], found[name]) for name in parts.keys() & found.keys())


def weight_of(value: JsonValue, most: int) -> int:
    """How long the value is about, in characters; above `most` a number says only that."""
    left, weight = [value], 0
    while left and weight <= most:
        value = left.pop()
        weight += len(value) + 1 if isinstance(value, str) else 1
        if isinstance(value, dict):
            items = cast("dict[str, JsonValue]", value)
            weight += sum(map(len, items))
            left.extend(items.values())
        elif isinstance(value, list):
            left.extend(cast("list[JsonValue]", value))
    return weight


def _parts(value: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            yield value
            left.extend(cast("dict[str, JsonValue]", value).values())
        elif isinstance(value, list):
            left.extend(cast("list[JsonValue]", value))


def _at(found: JsonValue, steps: list[str]) -> JsonValue:
    for step in steps:
        if isinstance(found, dict):
            found = cast("dict[str, JsonValue]", found).get(step)
        elif isinstance(found, list) and step.isdecimal() and int(step) < len(cast("list[JsonValue]", found)):
            found = cast("list[JsonValue]", found)[int(step)]
        else:
            return None
    return found
