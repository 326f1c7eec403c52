"""Requests and answers against section 8 of the seed."""

import json
import re
from pathlib import Path
from typing import Any, Literal, cast

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.tools.priming import InvalidPrimeRequest, PrimeRequest, prime_schema
from prime.tools.priming.install import request_of, spoken
from prime.tools.priming.own import own_directive

SEED = Path(__file__).parents[3] / ".." / "shared" / "seeds" / "prime-directive-rfc.md"

_WORDS = {"$id", "$schema", "title", "description"}
_objects = st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text(), max_size=3)
requests = st.fixed_dictionaries(
    {"agentId": st.text(), "sessionId": st.text()},
    optional={
        "capabilities": _objects,
        "locale": st.text(),
        "userRole": st.sampled_from(["end_user", "admin", "system"]),
        "metadata": _objects,
    },
)


def _meaning(schema: Any) -> Any:
    """A schema without its words."""
    if isinstance(schema, list):
        return [_meaning(item) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    kept = {k: v for k, v in cast("dict[str, Any]", schema).items() if k not in _WORDS}
    return {
        k: {name: _meaning(part) for name, part in v.items()} if k == "properties" else _meaning(v)
        for k, v in kept.items()
    }


@pytest.mark.parametrize(("which", "place"), [("request", 0), ("response", 1)])
@pytest.mark.holds("D-DIR-3")
def test_the_published_schemas_mean_what_the_seed_says(which: Literal["request", "response"], place: int) -> None:
    if not SEED.exists():
        pytest.skip(f"the RFC is not here: {SEED}")
    text = SEED.read_text(encoding="utf-8")
    blocks = [json.loads(b) for b in re.findall(r"```json\n(.*?)```", text[text.index("### 8.") :], re.DOTALL)]
    assert _meaning(prime_schema(which)) == _meaning(blocks[place])


@given(requests)
def test_what_the_schema_allows_is_read_and_answered(value: dict[str, Any]) -> None:
    assert jsonschema_rs.is_valid(prime_schema("request"), value)
    request = PrimeRequest.from_json(value)
    assert PrimeRequest.from_json(request.to_json()) == request
    jsonschema_rs.Draft202012Validator(prime_schema("response"), validate_formats=True).validate(
        own_directive().answer(request)
    )


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"sessionId": "s"}, "agentId"),
        ({"agentId": "a"}, "sessionId"),
        ({"agentId": 1, "sessionId": "s"}, "agentId"),
        ({"agentId": "a", "sessionId": None}, "sessionId"),
        ({"agentId": "a", "sessionId": "s", "capabilities": []}, "capabilities"),
        ({"agentId": "a", "sessionId": "s", "metadata": "x"}, "metadata"),
        ({"agentId": "a", "sessionId": "s", "locale": 3}, "locale"),
        ({"agentId": "a", "sessionId": "s", "userRole": "owner"}, "userRole"),
        ({"agentId": "a", "sessionId": "s", "userRole": None}, "userRole"),
        ({"agentId": "a", "sessionId": "s", "agent_id": "a"}, "agent_id"),
        ([], ""),
    ],
)
@pytest.mark.holds("D-DIR-3")
def test_what_it_does_not_allow_is_an_error_that_names_the_field(value: Any, field: str) -> None:
    assert not jsonschema_rs.is_valid(prime_schema("request"), value)
    with pytest.raises(InvalidPrimeRequest) as caught:
        PrimeRequest.from_json(value)
    assert caught.value.field == field
    assert field in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("given", "flag"),
    [
        ({"agentId": "a", "sessionId": "s", "metadata": '{"a": NaN}'}, "--metadata"),
        ({"agentId": "a", "sessionId": "s", "capabilities": '{"a": 1, "a": 2}'}, "--capabilities"),
        ({"agentId": "a", "sessionId": "s\udcff"}, "--session-id"),
        ({"agentId": " ", "sessionId": "s"}, "--agent-id"),
    ],
)
def test_words_of_a_command_line_that_make_no_request(given: dict[str, str | None], flag: str) -> None:
    with pytest.raises(InvalidPrimeRequest) as caught:
        request_of(given)
    assert spoken(caught.value).startswith(flag)


def test_half_a_character_is_named_and_could_be_answered() -> None:
    for field in ("agentId", "sessionId", "locale", "x\ud800"):
        with pytest.raises(InvalidPrimeRequest) as caught:
            PrimeRequest.from_json({"agentId": "a", "sessionId": "s", field: "half \ud800"})
        assert field.startswith(caught.value.field[:1])
        json.dumps(caught.value.as_json(), ensure_ascii=False).encode()
