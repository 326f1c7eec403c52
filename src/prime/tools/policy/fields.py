"""Reading policy and delegation documents: every wrong field is an error that names its place. Nothing is ignored,
because a restriction that is misspelt and skipped would let more through than its author meant."""

import json
from collections.abc import Iterable, Mapping
from typing import cast

from prime.core.errors import InvalidInput, JsonValue

MAX_DOCUMENT = 1024 * 1024


def loads(text: str, where: str) -> JsonValue:
    """JSON with its place in errors; no NaN, and no key twice, since readers would differ on which one counts."""
    if len(text) > MAX_DOCUMENT:
        raise InvalidInput(f"{where} is larger than {MAX_DOCUMENT} characters.", code="invalid_policy", file=where)
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        message = f"{where} is not valid JSON: {error}."
        raise InvalidInput(message, code="invalid_policy", hint="Correct the file.", file=where) from None


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key appears twice in one object")
    return found


def _no_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is not JSON")


def wrong(where: str, pointer: str, message: str, hint: str) -> InvalidInput:
    place = pointer or "the top"
    return InvalidInput(
        f"{where}: at {place}: {message}", code="invalid_policy", hint=hint, file=where, pointer=pointer
    )


def an_object(value: JsonValue, where: str, pointer: str, known: Iterable[str]) -> Mapping[str, JsonValue]:
    """An object with only `known` keys; `x-` extensions are left alone."""
    if not isinstance(value, dict):
        raise wrong(where, pointer, f"an object is needed, not {kind(value)}.", "Write { … }.")
    fields = cast("dict[str, JsonValue]", value)
    names = sorted(known)
    for key in fields:
        if key not in names and not key.startswith("x-"):
            raise wrong(where, f"{pointer}/{key[:80]}", "is not known.", f"Known here: {', '.join(names)}.")
    return fields


def a_list_of_words(value: JsonValue, where: str, pointer: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise wrong(where, pointer, f"a list is needed, not {kind(value)}.", 'Write ["…", "…"].')
    items = cast("list[JsonValue]", value)
    for index, item in enumerate(items):
        if not isinstance(item, str) or not item.strip() or "\0" in item:
            raise wrong(where, f"{pointer}/{index}", f"a name is needed, not {kind(item)}.", "Write text in quotes.")
    return tuple(" ".join(cast("str", item).split()) for item in items)


def a_number(value: JsonValue, where: str, pointer: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e12:
        raise wrong(where, pointer, f"a number from 0 on is needed, not {kind(value)}.", "Write for example 5.")
    return float(value)


def kind(value: JsonValue) -> str:
    """What it is, in the words of JSON."""
    names = {"bool": "a boolean", "str": "text", "int": "a number", "float": "a number", "list": "a list"}
    return "null" if value is None else names.get(type(value).__name__, "an object")
