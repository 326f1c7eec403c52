"""Calls out of responses and results back, with the official packages' own types on both ends."""

import json
from contextlib import suppress
from typing import Any

import anthropic.types
import openai.types.chat
import openai.types.responses
import pytest
from google.genai import types as gemini_types
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from prime.core.errors import InvalidInput
from prime.tools.providers import (
    PROVIDERS,
    CallResult,
    MalformedArguments,
    Provider,
    ToolCall,
    parse_tool_calls,
    tool_result_message,
    tool_result_messages,
)

Json = dict[str, Any]
CALLS = [("a1", "gh_pr_list", {"limit": 3}), ("a2", "gh_pr_create", {"title": "Größe"})]


def response(provider: Provider, calls: list[tuple[str, str, Any]]) -> Json:
    """What the provider's API sends for these calls, as JSON."""
    if provider == "openai":
        made = [{"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for i, n, a in calls]
        message = {"role": "assistant", "content": None, "tool_calls": made}
        choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
        return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    if provider == "openai-responses":
        return {
            "output": [
                {"type": "message", "content": []},
                *({"type": "function_call", "call_id": i, "name": n, "arguments": json.dumps(a)} for i, n, a in calls),
            ]
        }
    if provider == "anthropic":
        blocks: list[Json] = [{"type": "text", "text": "Let me see."}]
        blocks += [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]
        return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": blocks}
    parts: list[Json] = [{"text": "Let me see."}]
    parts += [{"functionCall": {"name": n, "args": a}} for _, n, a in calls]
    return {"candidates": [{"content": {"role": "model", "parts": parts}}]}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_single_and_parallel_calls(provider: Provider) -> None:
    for count in (0, 1, 2):
        found = parse_tool_calls(provider, response(provider, CALLS[:count]))
        assert [(call.name, call.arguments) for call in found] == [(n, a) for _, n, a in CALLS[:count]]
        expected = ["call_0", "call_1"] if provider == "gemini" else ["a1", "a2"]
        assert [call.id for call in found] == expected[:count]


def test_the_packages_own_objects() -> None:
    usage = {"input_tokens": 1, "output_tokens": 1}
    anthropic_message = anthropic.types.Message.model_validate(
        response("anthropic", CALLS) | {"usage": usage, "stop_reason": "tool_use", "stop_sequence": None}
    )
    openai_message = openai.types.chat.ChatCompletion.model_validate(response("openai", CALLS))
    gemini_message = gemini_types.GenerateContentResponse.model_validate(response("gemini", CALLS))
    messages: list[tuple[Provider, object]] = [
        ("openai", openai_message),
        ("openai", openai_message.choices[0].message),
        ("anthropic", anthropic_message),
        ("gemini", gemini_message),
    ]
    for provider, message in messages:
        found = parse_tool_calls(provider, message)
        assert [call.name for call in found] == ["gh_pr_list", "gh_pr_create"]
        assert found[1].arguments == {"title": "Größe"}


@pytest.mark.holds("D-ATIP-14")
def test_gemini_spells_it_both_ways_and_has_no_ids() -> None:
    parts: list[Json] = [{"function_call": {"name": "a", "args": {}}}, {"functionCall": {"name": "b", "id": "given"}}]
    found = parse_tool_calls("gemini", {"candidates": [{"content": {"parts": parts}}]})
    assert [(call.id, call.name, call.arguments) for call in found] == [("call_0", "a", {}), ("given", "b", {})]


@pytest.mark.holds("D-ATIP-14")
def test_a_made_id_is_no_other_call_s() -> None:
    parts: list[Json] = [{"functionCall": {"name": "a"}}, {"functionCall": {"name": "b", "id": "call_0"}}]
    found = parse_tool_calls("gemini", {"candidates": [{"content": {"parts": parts}}]})
    assert len({call.id for call in found}) == 2


@pytest.mark.holds("D-ATIP-14")
@pytest.mark.parametrize("raw", ["{", "[1]", '"x"', "nul", '{"a": NaN}', '{"a": 1e999}', "[" * 5000, "3"])
def test_malformed_arguments_are_a_typed_error_with_the_raw_text(raw: str) -> None:
    made = response("openai", CALLS)
    made["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = raw
    with pytest.raises(MalformedArguments) as refused:
        parse_tool_calls("openai", made)
    error = refused.value
    assert isinstance(error, InvalidInput)
    assert (error.raw, error.call_id, error.name) == (raw, "a1", "gh_pr_list")
    assert [call.id for call in error.calls] == ["a2"]


def test_no_arguments_are_an_empty_object() -> None:
    made = response("openai", CALLS[:1])
    made["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = ""
    assert parse_tool_calls("openai", made)[0].arguments == {}
    made_anthropic = response("anthropic", [("1", "x", [1])])
    with pytest.raises(MalformedArguments):
        parse_tool_calls("anthropic", made_anthropic)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "tool_calls", "output", "content", "candidates", "parts", "type"]),
            inner,
            max_size=3,
        )
    ),
)


@given(ODD, st.sampled_from(PROVIDERS))
def test_odd_responses_have_no_calls_or_a_clear_error(odd: object, provider: Provider) -> None:
    with suppress(MalformedArguments):
        assert parse_tool_calls(provider, odd) == []


RESULTS: list[Any] = ["text", {"a": 1}, [1, "é"], None, 3]


@pytest.mark.parametrize("value", RESULTS)
def test_results_are_taken_by_the_official_packages(value: Any) -> None:
    call = ToolCall("a1", "gh_pr_list", {})
    chat = tool_result_message("openai", call, value)
    TypeAdapter(openai.types.chat.ChatCompletionToolMessageParam).validate_python(chat)
    assert chat["tool_call_id"] == "a1"
    output = tool_result_message("openai-responses", call, value)
    TypeAdapter(openai.types.responses.response_input_item_param.FunctionCallOutput).validate_python(output)
    message = tool_result_message("anthropic", call, value, is_error=True)
    TypeAdapter(anthropic.types.MessageParam).validate_python(message)
    assert message["content"][0]["is_error"] is True
    answer = tool_result_message("gemini", call, value)
    content = gemini_types.Content.model_validate(answer)
    assert content.parts
    assert content.parts[0].function_response
    assert isinstance(content.parts[0].function_response.response, dict)


@pytest.mark.holds("D-ATIP-14")
def test_a_gemini_result_is_always_an_object() -> None:
    def sent(value: Any, **more: Any) -> Any:
        return tool_result_message("gemini", "call_0", value, name="x", **more)["parts"][0]["function_response"]

    assert sent("text") == {"name": "x", "response": {"result": "text"}}
    assert sent({"a": 1}) == {"name": "x", "response": {"a": 1}}
    assert sent("no", is_error=True) == {"name": "x", "response": {"error": "no"}}
    given_id = tool_result_message("gemini", ToolCall("given", "x", {}), 1)
    assert given_id["parts"][0]["function_response"]["id"] == "given"
    with pytest.raises(InvalidInput, match="name"):
        tool_result_message("gemini", "call_0", "text")


def test_parallel_results() -> None:
    results = [CallResult(ToolCall(i, n, a), "ok") for i, n, a in CALLS]
    assert len(tool_result_messages("openai", results)) == 2
    (together,) = tool_result_messages("anthropic", results)
    assert [block["tool_use_id"] for block in together["content"]] == ["a1", "a2"]
    (parts,) = tool_result_messages("gemini", results)
    assert [part["function_response"]["name"] for part in parts["parts"]] == ["gh_pr_list", "gh_pr_create"]
    assert tool_result_messages("anthropic", []) == []


@given(st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | st.text(), max_size=4))
def test_arguments_survive_every_provider(arguments: Json) -> None:
    for provider in PROVIDERS:
        (call,) = parse_tool_calls(provider, response(provider, [("1", "x", arguments)]))
        assert call.arguments == arguments
