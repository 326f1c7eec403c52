"""A schema that judges the values of a tool."""

import time
from collections.abc import Callable
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


def _in_one_of_its_own(lines: int) -> dict[str, Any]:
    """`#` is then another schema than the whole."""
    inner = {"$id": "https://a.example/inner", **_doubling(lines, "allOf")}
    return {"$ref": "https://a.example/inner", "$defs": {"inner": inner}}


def _by_names_as_they_were_written_before(lines: int) -> dict[str, Any]:
    defs = {f"d{n}": {"$id": f"#d{n}", **_twice({"$ref": f"#d{n + 1}"}, "allOf")} for n in range(lines)}
    draft = "http://json-schema.org/draft-07/schema#"
    return {
        "$schema": draft,
        "allOf": [{"$ref": "#d0"}],
        "definitions": {**defs, "e": {"$id": f"#d{lines}", "const": 1}},
    }


@pytest.mark.parametrize("made", [_in_one_of_its_own, _by_names_as_they_were_written_before])
def test_so_is_one_that_refers_in_another_way(made: Callable[[int], dict[str, Any]]) -> None:
    with pytest.raises(InvalidSchema, match="1,000,000 schemas"):
        CompiledSchema(made(27))
    assert CompiledSchema(made(10)).problems(1) == []
    assert CompiledSchema(made(10)).problems(2) != []


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


_ITSELF_TWICE = [{"$ref": "#"}, {"$ref": "#"}]
_MANY = {"items": {"$ref": "#/$defs/d0"}, "$defs": _doubling(12, "allOf")["$defs"]}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "object", "properties": {"a": {"allOf": _ITSELF_TWICE}}}, _nested(60)),
        ({"type": "object", "properties": {"a": {"anyOf": _ITSELF_TWICE}}}, _nested(60)),
        ({"items": {"type": "integer"}}, ["x"] * 200_000),
        ({"anyOf": [{"items": {"type": "integer"}}, {"items": {"type": "null"}}]}, ["x"] * 200_000),
        ({"allOf": [{"type": "string", "minLength": n} for n in range(2000)]}, {"a": "x" * 1_000_000}),
        (_MANY, [2] * 100),
        (_MANY, [1] * 100_000),
    ],
    ids=["all of itself", "any of itself", "a long list", "any of two lists", "a long text", "a large schema", "both"],
)
def test_a_value_is_judged_in_time(schema: dict[str, Any], value: Any) -> None:
    """However often it is wrong, and however much there is to judge."""
    judged = CompiledSchema(schema)
    began = time.process_time()
    [problem] = judged.problems(value)
    assert time.process_time() - began < 5
    assert problem["message"]


def test_of_a_large_value_the_first_problem_is_told() -> None:
    judged = CompiledSchema({"items": {"properties": {"a": {"type": "integer"}}}})
    [problem] = judged.problems([{"a": 1}] * 20_000 + [{"a": "x"}, {"a": "y"}])
    assert problem == {"pointer": "/20000/a", "message": '"x" is not of type "integer"'}


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


def test_a_large_value_is_taken() -> None:
    """Of many small things, each of which few of the schemas judge."""
    properties: dict[str, Any] = {f"p{n}": {"type": ["number", "null"]} for n in range(200)}
    row: dict[str, Any] = {"properties": {**properties, "p2": {}}, "additionalProperties": False}
    rows: Any = [{"p1": n / 7, "p2": [n, n + 0.5]} for n in range(60_000)]
    assert CompiledSchema({"items": row}).problems(rows) == []
