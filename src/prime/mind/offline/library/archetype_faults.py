"""What is wrong with an archetype's file, told to whoever wrote it: the line, the place, what is wrong, and what is right."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TypeVar, cast

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from prime.core.errors import InvalidInput
from prime.core.yaml_text import read_mapping

_BROKEN = "Write it as docs/archetypes.md shows."
_LEVELS = ("[", "]")
_KEY = "[key]"


_M = TypeVar("_M", bound=BaseModel)


def read_as(text: str, where: str, model: type[_M]) -> _M:
    """A file as what it is to hold; an error names the place in it that does not fit."""
    found = read_mapping(text, path=where)
    try:
        return model.model_validate(found.data)
    except ValidationError as error:
        line, place, what = told(error, text, model)
        raise InvalidInput(f"{where}:{line}: {place}: {what}", hint=_BROKEN, field=place) from error


def told(error: ValidationError, text: str, model: type[BaseModel]) -> tuple[int, str, str]:
    """The line, the place in the file, and what is wrong there. A key that is unknown comes first: it is most often a slip of
    the pen, and what it should have been is then missing as well."""
    faults = error.errors(include_url=False, include_input=False)
    first = next((fault for fault in faults if fault["type"] == "extra_forbidden"), faults[0])
    where = [part for part in first["loc"] if part != _KEY]
    place = ".".join(str(part) for part in where) or "the file"
    what = _what(first, faults, model)
    return _line(text, where), place, what if what.endswith("?") else f"{what}."


def bracket_fault(template: str) -> str:
    """What is wrong with the `[…]` of a sentence; "" where nothing is."""
    depth = 0
    for sign in template:
        depth += (sign == _LEVELS[0]) - (sign == _LEVELS[1])
        if depth not in {0, 1}:
            return "a “[” stands inside another one" if depth > 0 else "a “]” has no “[” before it"
    return "a “[” is not closed by “]”" if depth else ""


def _what(fault: ErrorDetails, faults: Sequence[ErrorDetails], model: type[BaseModel]) -> str:
    kind, last = fault["type"], str(fault["loc"][-1]) if fault["loc"] else ""
    if kind == "extra_forbidden":
        beside = [
            str(each["loc"][-1])
            for each in faults
            if each["type"] == "missing" and each["loc"][:-1] == fault["loc"][:-1]
        ]
        meant = get_close_matches(last, [*beside, *sorted(_keys_of(model))], n=1, cutoff=0.6) or beside[:1]
        return f"“{last}” is no key here{f'; did you mean “{meant[0]}”?' if meant else ''}"
    if kind == "missing":
        return f"“{last}” is missing"
    if kind == "literal_error":
        one_of = fault.get("ctx", {}).get("expected", "")
        return f"it must be one of {one_of}".replace("'", "")
    if kind == "string_pattern_mismatch" and "a-z0-9_" in fault["msg"]:
        return "a name has small letters, digits and _ only, and begins with a letter"
    if kind in {"too_short", "tuple_type", "list_type"}:
        return "it must be a list of one sentence or more, in [ ]"
    said = fault["msg"].removeprefix("Value error, ")
    return re.sub(r"^Input should be ", "it must be ", said)


def _keys_of(model: type[BaseModel]) -> set[str]:
    """Every key that a file may have, at any depth."""
    found: set[str] = set()
    todo: list[object] = [model.model_json_schema()]
    while todo:
        schema = todo.pop()
        if isinstance(schema, dict):
            inner = cast("dict[str, object]", schema)
            if isinstance(inner.get("properties"), dict):
                found.update(cast("dict[str, object]", inner["properties"]))
            todo.extend(inner.values())
    return found


def _line(text: str, where: Sequence[str | int]) -> int:
    """The line on which the innermost part stands that the file has."""
    node: Node | None = yaml.SafeLoader(text).get_single_node()
    line = 1
    for part in where:
        if isinstance(node, MappingNode):
            pairs = cast("list[tuple[ScalarNode, Node]]", node.value)
            pair = next((each for each in pairs if each[0].value == str(part)), None)
            if pair is None:
                break
            line, node = _begins(pair[0]), pair[1]
        elif isinstance(node, SequenceNode) and isinstance(part, int):
            items = cast("list[Node]", node.value)
            node = items[part]
            line = _begins(node)
        else:
            break
    return line


def _begins(node: Node) -> int:
    return node.start_mark.line + 1 if node.start_mark else 1
