"""Any document: it survives reading and writing, the published JSON Schema agrees, and it can be translated and called."""

import json
import re
from contextlib import suppress
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prime.core.visible import unhidden
from prime.tools.argv import InvalidArguments, build_argv
from prime.tools.atip import InvalidDocument, callables, filter_document, parse_document, published_schema
from prime.tools.providers import PROVIDERS, STRATEGIES, compile_tools
from prime.tools.tool import tools_of

Json = dict[str, Any]
SCHEMA = jsonschema_rs.validator_for(json.loads(published_schema()))

WORD = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=6)
NAME = WORD.filter(lambda w: w[0] not in ".-~" and not set(w) & set("/\\:*?<>|\"'`$&;"))
TEXT = st.text(st.characters(codec="utf-8"), max_size=8).map(unhidden)
FLAG = st.none() | st.booleans()
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
SCALAR = st.booleans() | st.integers() | TEXT


def shape(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries(required, optional=optional | {"x-more": ANYTHING})


_COMMON: dict[str, Any] = {"description": TEXT, "required": FLAG, "default": ANYTHING, "variadic": FLAG}
KIND = st.sampled_from(["string", "integer", "number", "boolean", "file", "directory", "url", "array"])


def parameter(**more: Any) -> st.SearchStrategy[Json]:
    plain = shape({"name": WORD, "type": KIND} | more, _COMMON | {"enum": st.lists(SCALAR, max_size=3)})
    values = {"enum": st.lists(SCALAR, min_size=1, max_size=3)}
    return plain | shape({"name": WORD, "type": st.just("enum")} | more | values, _COMMON)


ARGUMENT = parameter()
OPTION = parameter(flags=st.lists(st.sampled_from(["-a", "--bee", "c=", "+d"]), min_size=1, max_size=2))
EFFECTS = shape(
    {},
    dict.fromkeys(("network", "subprocess", "idempotent", "reversible", "destructive"), FLAG)
    | {key: st.none() | st.lists(TEXT, max_size=2) for key in ("creates", "modifies", "deletes")}
    | {"filesystem": shape({}, {"read": FLAG, "write": FLAG, "delete": FLAG, "paths": st.lists(TEXT, max_size=2)})}
    | {"interactive": shape({}, {"stdin": st.sampled_from(["none", "required", None]), "tty": FLAG})}
    | {"cost": shape({}, {"billable": FLAG, "estimate": TEXT})}
    | {"duration": shape({}, {"typical": TEXT, "timeout": st.none() | TEXT})},
)
LEAF: dict[str, Any] = {
    "description": st.none() | TEXT,
    "arguments": st.none() | st.lists(ARGUMENT, max_size=2),
    "options": st.none() | st.lists(OPTION, max_size=2),
    "effects": st.none() | EFFECTS,
    "examples": st.none() | st.lists(TEXT, max_size=2),
}
KEY = st.sampled_from(["", "a", "b"]) | WORD
COMMANDS = st.recursive(
    st.dictionaries(KEY, shape({}, LEAF), max_size=2),
    lambda inner: st.dictionaries(KEY, shape({}, LEAF | {"commands": st.none() | inner}), max_size=2),
    max_leaves=4,
)
DOCUMENT = shape(
    {
        "atip": st.sampled_from(["0.1", "0.3", "0.6.2", {"version": "0.4", "features": ["x"]}]),
        "name": NAME,
        "version": TEXT,
        "description": TEXT,
    },
    {
        "homepage": st.none() | TEXT,
        "commands": st.none() | COMMANDS,
        "globalOptions": st.lists(OPTION, max_size=2),
        "effects": EFFECTS,
        "partial": FLAG,
        "trust": shape({}, {"source": TEXT, "verified": FLAG}),
        "omitted": ANYTHING,
        "patterns": st.lists(shape({"name": TEXT}, {"steps": st.lists(shape({"command": TEXT}, {}), max_size=2)})),
    },
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(DOCUMENT)
def test_any_document_survives(raw: Json) -> None:
    document = parse_document(json.dumps(raw), where="x")
    assert SCHEMA.is_valid(raw)
    assert document.to_json() == raw
    assert parse_document(document.to_json(), where="x") == document
    assert filter_document(document).total_commands == len(callables(document)) or document.partial


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(DOCUMENT, ANYTHING, st.randoms())
def test_schema_and_parser_refuse_the_same(raw: Json, thing: Any, chance: Any) -> None:
    """One value somewhere is replaced by another: either both take the result, or neither."""
    broken = json.loads(json.dumps(raw))
    holders: list[Any] = [broken]
    for holder in holders:
        items: list[Any] = list(holder.values()) if isinstance(holder, dict) else list(holder)  # pyright: ignore[reportUnknownArgumentType]
        holders += [item for item in items if isinstance(item, dict | list) and item]
    holder = chance.choice(holders)
    place = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))  # pyright: ignore[reportUnknownArgumentType]
    holder[place] = thing
    try:
        parse_document(json.dumps(broken), where="x")
    except InvalidDocument:
        assert not SCHEMA.is_valid(broken)
    else:
        assert SCHEMA.is_valid(broken)


NAMES = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
KEYS = re.compile(r"[A-Za-z0-9_-]{1,64}")


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(DOCUMENT, st.dictionaries(WORD, ANYTHING, max_size=2))
def test_any_document_can_be_translated_and_called(raw: Json, odd: Json) -> None:
    document = parse_document(json.dumps(raw), where="x")
    tools = tools_of(document)
    for provider in PROVIDERS:
        for strategy in STRATEGIES:
            json.dumps(compile_tools(tools, provider, strict=True, strategy=strategy).definitions).encode()
    for definition in compile_tools(tools, "openai", strict=True):
        function = definition["function"]
        assert NAMES.fullmatch(function["name"])
        assert function["strict"] is True
        assert len(function["description"]) <= 1024
        assert all(KEYS.fullmatch(key) for key in function["parameters"]["properties"])
        assert function["parameters"]["required"] == list(function["parameters"]["properties"])
    for tool in tools:
        for arguments in (odd, {slot.key: odd.get(slot.key, "x") for slot in tool.slots}):
            with suppress(InvalidArguments):
                words = build_argv(tool, arguments)
                assert words[0] == document.name
                assert all("\0" not in word for word in words)


def test_the_schema_refuses_what_the_parser_refuses() -> None:
    base: Json = {"atip": "0.3", "name": "t", "version": "1", "description": "d"}
    assert SCHEMA.is_valid(base)
    for change in ({"name": "../../x"}, {"name": "a b"}, {"atip": "0.9"}, {"effects": {"network": 1}}, {"version": 1}):
        assert not SCHEMA.is_valid(base | change)
        with pytest.raises(InvalidDocument):
            parse_document(base | change, where="x")
