"""A schema that judges the values of a tool."""

import time
from typing import Any

import pytest

from prime.tools.runtimes.schema import CompiledSchema, InvalidSchema


def _doubling(lines: int, of: str) -> dict[str, Any]:
    """Each line refers to the next one twice."""
    sign = "#" if of == "anchors" else "#/$defs/"
    defs = {f"d{n}": {**_twice({"$ref": f"{sign}d{n + 1}"}, of), "$anchor": f"d{n}"} for n in range(lines)}
    return {"$ref": "#/$defs/d0", "$defs": {**defs, f"d{lines}": {"$anchor": f"d{lines}", "const": 1}}}


def _twice(schema: dict[str, Any], of: str) -> dict[str, Any]:
    if of == "properties":
        return {"properties": {"a": {"properties": {"b": schema}, "not": schema}}}
    return {"anyOf" if of == "anyOf" else "allOf": [schema, schema]}


@pytest.mark.parametrize("of", ["anyOf", "properties", "anchors"])
def test_a_schema_that_doubles_with_every_line_is_refused(of: str) -> None:
    began = time.process_time()
    with pytest.raises(InvalidSchema, match="1,000,000 schemas"):
        CompiledSchema(_doubling(27, of))
    assert CompiledSchema(_doubling(10, of)).problems(1) == []
    assert time.process_time() - began < 5


def test_one_that_refers_to_itself_is_taken() -> None:
    tree: dict[str, Any] = {
        "type": "object",
        "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "name": {"type": "string"}},
        "additionalProperties": False,
    }
    judged = CompiledSchema(tree)
    assert judged.problems({"left": {"name": "a"}, "right": {"left": {}}}) == []
    assert judged.problems({"left": {"other": 1}}) != []


def test_a_large_one_is_taken() -> None:
    wide = {f"p{n}": {"$ref": "#/$defs/one"} for n in range(5000)}
    one = {"type": "object", "properties": {f"q{n}": {"type": "string"} for n in range(20)}}
    assert CompiledSchema({"type": "object", "properties": wide, "$defs": {"one": one}}).problems({"p1": {}}) == []


def test_one_that_refers_on_and_on_is_refused() -> None:
    defs: dict[str, Any] = {f"d{n}": {"not": {"$ref": f"#/$defs/d{n + 1}"}} for n in range(3000)}
    with pytest.raises(InvalidSchema, match="too deep"):
        CompiledSchema({"$ref": "#/$defs/d0", "$defs": {**defs, "d3000": {}}})
