"""Canonical JSON, limited JSON reading, clean text."""

import json
import math
import sys
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.core.canonical import canonical_json, clean_text, parse_json
from prime.core.errors import InvalidInput, TooLarge

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def test_one_spelling():
    assert (
        canonical_json({"b": [1, 2.0, -0.0, 1.5], "a": {"é": None, "": True}})
        == '{"a":{"":true,"é":null},"b":[1,2.0,-0.0,1.5]}'
    )
    assert canonical_json([]) == "[]"
    assert canonical_json({}) == "{}"
    assert canonical_json((1, "x")) == '[1,"x"]'
    assert canonical_json(2**80) == str(2**80)
    assert canonical_json('\u2028\x1f"') == '"\u2028\\u001f\\""'


@given(values)
def test_reads_back_and_does_not_depend_on_order(value: object):
    text = canonical_json(value)
    assert parse_json(text) == value
    assert canonical_json(parse_json(text)) == text


@given(values)
def test_both_ways_of_writing_agree(value: object):
    """A read-only mapping takes the careful way, a dict the quick one."""
    assert canonical_json(MappingProxyType({"a": value})) == canonical_json({"a": value})


@given(st.dictionaries(st.text(), st.integers(), max_size=6))
def test_key_order_is_lost(value: dict[str, int]):
    assert canonical_json(value) == canonical_json(dict(reversed(value.items())))


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, {"a": [math.nan]}, b"x", {1: 2}, {"a": {1, 2}}, object()]
)
def test_what_is_no_json(value: object):
    with pytest.raises(InvalidInput):
        canonical_json(value)


def test_an_error_says_where():
    with pytest.raises(InvalidInput, match="/a/1/b"):
        canonical_json({"a": [0, {"b": math.nan}]})


def test_half_characters_are_replaced():
    assert canonical_json({"\ud800": "a\udfffb"}) == '{"\ufffd":"a\ufffdb"}'
    with pytest.raises(InvalidInput):
        canonical_json(dict.fromkeys(["\ud800", "\ud801"], 1))


def test_depth_and_size():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(TooLarge):
        canonical_json(deep)
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(TooLarge):
        canonical_json(loop)
    with pytest.raises(TooLarge):
        canonical_json(1 << 100_000)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "[" * 65 + "]" * 65, '[{"a":' * 40, "1" * 5000, "-" + "9" * 100_000]
)
def test_reading_too_much(text: str):
    with pytest.raises(TooLarge):
        parse_json(text)
    assert sys.getrecursionlimit() < 10_000


def test_reading_at_the_limits():
    assert parse_json("[" * 64 + "]" * 64)
    assert parse_json('"' + "[" * 1000 + '"') == "[" * 1000
    assert parse_json('["\\"[[[", "]"]', max_depth=1) == ['"[[[', "]"]
    assert parse_json(b"\xef\xbb\xbf{}") == {}
    assert parse_json('"éé"', max_bytes=6) == "éé"
    with pytest.raises(TooLarge):
        parse_json('"éé"', max_bytes=5)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "{",
        "nul",
        "[1,]",
        "NaN",
        "[Infinity]",
        "-Infinity",
        "1e999",
        "'a'",
        b"\xff",
        b"\x00",
        '"a\nb"',
        "[]]",
        "\ud800",
    ],
)
def test_reading_what_is_no_json(data: str | bytes):
    with pytest.raises(InvalidInput):
        parse_json(data)


@given(st.text() | st.binary())
def test_reading_anything(data: str | bytes):
    try:
        value = parse_json(data)
    except (InvalidInput, TooLarge):
        return
    assert value == json.loads(data if isinstance(data, str) else data.decode("utf-8-sig"))


def test_clean_text():
    assert clean_text("a\x00b\ud83dc") == "ab\ufffdc"
    kept = "\t\r\n\x1b[0m é e\u0301 ﬁ \u200b\ufeff 😀"
    assert clean_text(kept) == kept


@given(st.text(st.characters(exclude_categories=[])))
def test_clean_text_always_encodes_and_stays(text: str):
    cleaned = clean_text(text)
    assert b"\x00" not in cleaned.encode()
    assert clean_text(cleaned) == cleaned
