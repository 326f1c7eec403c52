"""YAML written so that every reader of it finds the same value: one line per key, quoted unless plainly text."""

import re
from collections.abc import Mapping

from prime.core.errors import InvalidInput
from prime.core.json_text import Json, check_depth, write_json

_PLAIN = re.compile(r"[^\W\d_][\w./@+-]*(?: \w[\w./@+-]*)*")
# Words that some reader of YAML takes for something else than text.
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_EXPONENT = re.compile(r"^(-?[0-9]+)(e[-+][0-9]+)$")
_LONG_KEY = 200  # YAML takes 1,024 bytes at most without a `?`


def yaml_lines(values: Mapping[str, Json]) -> str:
    """A line of `key: value` for each pair."""
    check_depth(list(values.values()))
    return "".join(f"{key}: {yaml_value(value)}\n" for key, value in values.items())


def yaml_value(value: Json) -> str:
    """One value, on one line."""
    if type(value) is int:
        return str(value)
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
        return value if plain else _quoted(value)
    return _flow(value)


def _flow(value: Json) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return f"[{', '.join([_flow(item) for item in value])}]"
    if isinstance(value, dict):
        return "{" + ", ".join([f"{_key(key)}: {_flow(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, float):
        return _number(value)
    return write_json(value)


def _key(key: str) -> str:
    return _quoted(key) if len(key) < _LONG_KEY else f"? {_quoted(key)}"


def _number(value: float) -> str:
    if value != value or value in {float("inf"), float("-inf")}:  # noqa: PLR0124 - only NaN differs from itself
        raise InvalidInput(f"The number {value} cannot be written.", hint="Use a finite number or null.")
    # `1e+20` is text to YAML 1.1; `1.0e+20` is a number to everybody.
    return _EXPONENT.sub(r"\1.0\2", repr(value))


def _quoted(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", write_json(text))
