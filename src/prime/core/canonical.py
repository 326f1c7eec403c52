"""JSON with one spelling per value, JSON read within limits, and text that every database takes."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import cast

from prime.core.errors import InvalidInput, TooLarge

JSON = None | bool | int | float | str | list["JSON"] | dict[str, "JSON"]

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MAX_BITS = 12_000  # about 3,600 digits; Python itself refuses to print or read more than 4,300


def clean_text(text: str) -> str:
    """`text` without NUL, and with U+FFFD for half characters (lone surrogates); all else stays as it is."""
    return _whole(text.replace("\x00", ""))


def canonical_json(value: object, *, max_depth: int = 64) -> str:
    """The one spelling of a value: keys sorted by code point, no blanks, plain UTF-8 text.

    Takes mappings with string keys, lists, tuples, strings, numbers, booleans and None. Raises `InvalidInput` for NaN,
    infinities and other types, `TooLarge` for deep nesting.
    """
    if _is_plain(value, max_depth):
        try:
            text = _ENCODER.encode(value)
        except ValueError:  # NaN, too many digits
            text = "\ud800"
        if text.isascii() or not _SURROGATE.search(text):
            return text
    writer = _Writer(max_depth)
    writer.write(value)
    return "".join(writer.out)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def _is_plain(value: object, max_depth: int) -> bool:
    """Whether the fast encoder of the standard library gives the same spelling."""
    level: list[object] = [value]
    for _ in range(max_depth + 1):
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                known = cast("dict[object, object]", item)
                if not all(type(key) is str for key in known):
                    return False
                below += known.values()
            elif isinstance(item, list | tuple):
                below += cast("Sequence[object]", item)
            elif type(item) not in _SCALARS:
                return False
        if not below:
            return True
        level = below
    return False


_SCALARS = frozenset({str, int, float, bool, type(None)})


class _Writer:
    """The slow way: takes all mappings, mends text, and remembers the way so that an error can say where."""

    def __init__(self, max_depth: int) -> None:
        self.out: list[str] = []
        self._trail: list[str | int] = []
        self._max_depth = max_depth

    def write(self, value: object) -> None:
        if isinstance(value, str):
            self.out.append(_string(value))
        elif isinstance(value, Mapping):
            self._object(cast("Mapping[object, object]", value))
        elif isinstance(value, list | tuple):
            self._array(cast("Sequence[object]", value))
        else:
            self.out.append(self._scalar(value))

    def _object(self, value: Mapping[object, object]) -> None:
        keys: dict[str, object] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidInput(f"The key {key!r} at '{self._where()}' is not text.", hint="JSON keys are strings.")
            keys[_whole(key)] = item
        if len(keys) != len(value):
            raise InvalidInput(f"Two keys at '{self._where()}' become one.", hint="Remove half characters from keys.")
        self.out.append("{")
        for number, key in enumerate(sorted(keys)):
            self.out.append(("," if number else "") + _string(key) + ":")
            self._inside(key, keys[key])
        self.out.append("}")

    def _array(self, value: Sequence[object]) -> None:
        self.out.append("[")
        for number, item in enumerate(value):
            if number:
                self.out.append(",")
            self._inside(number, item)
        self.out.append("]")

    def _inside(self, step: str | int, value: object) -> None:
        self._trail.append(step)
        if len(self._trail) > self._max_depth:
            raise TooLarge(f"Nested deeper than {self._max_depth} levels.", hint="Flatten the value.")
        self.write(value)
        self._trail.pop()

    def _scalar(self, value: object) -> str:
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        if isinstance(value, int):
            if value.bit_length() > _MAX_BITS:
                raise TooLarge(f"The number at '{self._where()}' has too many digits.", hint="Send it as text.")
            return int.__repr__(value)
        if isinstance(value, float):
            return self._float(value)
        raise InvalidInput(f"{type(value).__name__} at '{self._where()}' is not a JSON value.", hint="Convert it.")

    def _float(self, value: float) -> str:
        if not math.isfinite(value):
            raise InvalidInput(f"{value} at '{self._where()}' is not a JSON number.", hint="Use null or a finite one.")
        return float.__repr__(value)

    def _where(self) -> str:
        return "/" + "/".join(str(step)[:40] for step in self._trail[:8])


def _whole(text: str) -> str:
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _string(text: str) -> str:
    return json.dumps(_whole(text), ensure_ascii=False)


def parse_json(data: str | bytes, *, max_depth: int = 64, max_bytes: int = 1 << 20) -> JSON:
    """The value, or `InvalidInput` (not JSON, NaN) or `TooLarge` (bytes, depth, digits)."""
    if len(data) > max_bytes or (isinstance(data, str) and len(data.encode("utf-8", "replace")) > max_bytes):
        raise TooLarge(f"The JSON is larger than {max_bytes} bytes.", hint="Send less at once.")
    text = _decoded(data)
    # Few brackets cannot nest deep, and most JSON has few.
    if text.count("[") + text.count("{") > max_depth and _depth(text) > max_depth:
        raise TooLarge(f"The JSON is nested deeper than {max_depth} levels.", hint="Flatten it.")
    try:
        return cast("JSON", _DECODER.decode(text))
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"Not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}.",
            hint="Correct it and send again.",
        ) from None
    except ValueError as error:  # the interpreter's limit on digits
        raise TooLarge(f"A number in the JSON is too long: {error}", hint="Send it as text.") from None


def _decoded(data: str | bytes) -> str:
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"The JSON is not UTF-8 (byte {error.start}).", hint="Encode it as UTF-8.") from None


_MARKS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]+|[\]}]+', re.DOTALL)


def _depth(text: str) -> int:
    """The deepest nesting, found without recursion; wrong only for text that is no JSON anyway."""
    deepest = level = 0
    for found in _MARKS.finditer(text):
        mark = found.group()
        if mark[0] in "[{":
            level += len(mark)
            deepest = max(deepest, level)
        elif mark[0] in "]}":
            level -= len(mark)
    return deepest


def _constant(name: str) -> float:
    raise InvalidInput(f"{name} is not a JSON number.", hint="Use null or a finite number.")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise InvalidInput(f"The number {text[:40]} is out of range.", hint="Send it as text.")
    return value


# Kept: `json.loads` would make one for every text.
_DECODER = json.JSONDecoder(parse_constant=_constant, parse_float=_finite)
