"""Tools as servers describe them, and what of it can be passed on."""

from typing import Any

import jsonschema_rs
import pytest
from tests.gateway.conftest import Json

from prime.gateway.behind.definitions import readable
from prime.gateway.front.listing import object_schema

OBJECT: Json = {"type": "object"}
BROKEN: list[Json] = [
    {"type": "object", "properties": 5},
    {"type": "object", "required": "a"},
    {"type": "object", "properties": {"a": {"type": "integr"}}},
    {"type": "object", "properties": {"a": {"pattern": "("}}},
    {"type": "object", "properties": {"a": {"$ref": "#/$defs/nowhere"}}},
    {"type": "object", "properties": {"a": {"$ref": "http://169.254.169.254/latest"}}},
    {"$schema": "https://example.com/nobody-knows-it", "type": "object"},
]
TUPLE: Json = {"type": "object", "properties": {"at": {"type": "array", "items": [{"type": "number"}]}}}


def tool(name: str, schema: Any = OBJECT, **more: Any) -> Json:
    return {"name": name, "inputSchema": schema, **more}


@pytest.mark.parametrize("schema", BROKEN)
def test_a_tool_whose_schema_is_none_is_left_out_with_the_reason(schema: Json) -> None:
    found = readable([tool("fine"), tool("broken", schema)])
    assert [one["name"] for one in found.tools] == ["fine"]
    assert found.left_out["broken"]


def test_a_schema_is_read_as_the_draft_that_it_names() -> None:
    older = {"$schema": "http://json-schema.org/draft-07/schema#", **TUPLE}
    found = readable([tool("older", older), tool("newer", TUPLE)])
    assert [one["name"] for one in found.tools] == ["older"]
    assert set(found.left_out) == {"newer"}


@pytest.mark.parametrize("promise", [*BROKEN, 5, []])
def test_a_promise_that_is_none_is_not_passed_on(promise: Any) -> None:
    [kept] = readable([tool("fine", outputSchema=promise)]).tools
    assert "outputSchema" not in kept


def test_what_is_no_tool_is_passed_over() -> None:
    given: list[Any] = [
        None,
        "x",
        {},
        tool(""),
        tool("n" * 257),
        tool("a", None),
        tool("b"),
        tool("b", description="2"),
    ]
    found = readable(given)
    assert found.tools == [tool("b")]
    assert found.left_out == {}


def test_properties_are_objects_for_clients_that_take_nothing_else() -> None:
    given: Json = {"properties": {"any": True, "none": False, "text": {"type": "string"}}}
    shown: Any = object_schema(given)
    assert shown["properties"] == {"any": {}, "none": {"not": {}}, "text": {"type": "string"}}
    for value in ({"any": 5}, {"text": "x"}, {"none": 1}, {"text": 1}):
        assert jsonschema_rs.is_valid(shown, value) == jsonschema_rs.is_valid(given, value)


def test_models_are_told_nothing_that_people_do_not_see() -> None:
    """Looked at after that is gone: a schema that was one only with it would take the whole list with it."""
    hidden = "Reads.\U000e0041\u202e\u200b\x9b\U000e0170\u3164"
    schema = {"type": "object", "properties": {"a": {"description": hidden, "type": "string"}}}
    broken = {"type": "object", "properties": {"a": {"pattern": "[\u200b]"}}}
    told = readable([
        {"name": "a", "description": hidden, "inputSchema": schema},
        {"name": "a\u200b", "inputSchema": schema},
        {"name": "b", "inputSchema": broken},
    ])  # fmt: skip
    [tool] = told.tools
    assert tool["description"] == "Reads."
    assert tool["inputSchema"] == {"type": "object", "properties": {"a": {"description": "Reads.", "type": "string"}}}
    assert list(told.left_out) == ["b"]
