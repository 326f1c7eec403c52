"""JSON read strictly: what two readers could understand differently is refused.

Duplicate keys, NaN and infinities, half surrogate pairs, numbers too long to convert and nesting without end are errors
here, though the standard library takes most of them.
"""

import json
import math
from typing import TypeAlias

from prime.core.errors import InvalidInput

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = dict[str, Json]

MAX_DEPTH = 100


class BadJson(InvalidInput):
    """Not JSON, or JSON that is not taken here; `offset` is where, counted in characters from 0."""

    code = "bad_json"

    def __init__(self, message: str, *, offset: int = 0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.offset = offset


def read_json(text: str) -> Json:
    """The value of one JSON text; `BadJson` says what is wrong with it and where."""
    try:
        value: Json = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadJson(f"This is not JSON: {error.msg}.", offset=error.pos) from error
    except RecursionError as error:
        raise BadJson("This JSON is nested too deeply.", hint=f"At most {MAX_DEPTH} levels are read.") from error
    except ValueError as error:
        raise BadJson("A number in this JSON has too many digits.") from error
    if text.count("[") + text.count("{") > MAX_DEPTH:
        check_depth(value)
    if "\\u" in text:
        _refuse_half_pairs(value)
    return value


def write_json(value: Json, *, indent: int | None = None) -> str:
    """JSON text that `read_json` reads back to the same value."""
    if isinstance(value, (list, dict)):
        check_depth(value)
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError as error:
        raise InvalidInput("A number here cannot be written as JSON.", hint="Use a finite number or null.") from error


def check_depth(value: Json) -> None:
    """Refuse what is nested deeper than `MAX_DEPTH`."""
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [inner for outer in level for inner in children(outer)]
        if not level:
            return
    raise BadJson("This JSON is nested too deeply.", hint=f"At most {MAX_DEPTH} levels are read.")


def children(value: Json) -> list[Json]:
    """What a list or an object holds."""
    if isinstance(value, list):
        return value
    return list(value.values()) if isinstance(value, dict) else []


def _unique(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise BadJson(f"The key {twice[:80]!r} is in one JSON object twice.", hint="Keep one of them.")
    return found


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise BadJson(f"The number {digits[:40]} is too large.")
    return number


def _no_constant(name: str) -> float:
    raise BadJson(f"{name} is not JSON.", hint="Use a number, a string or null.")


def _refuse_half_pairs(value: Json) -> None:
    try:
        write_json(value).encode()
    except UnicodeEncodeError as error:
        raise BadJson(r"A \u escape in this JSON is half of a surrogate pair.", hint="Write the character.") from error


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
