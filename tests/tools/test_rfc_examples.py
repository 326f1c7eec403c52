"""Every JSON example of the RFC goes through read -> validate -> compile -> parse -> argv."""

import json
from typing import Any, TypeGuard

import jsonschema_rs
import pytest

from prime.tools.argv import build_argv
from prime.tools.atip import lint, parse_document, published_schema
from prime.tools.providers import PROVIDERS, Provider, compile_tools, parse_tool_calls
from prime.tools.tool import Slot, Tool, tools_of

Json = dict[str, Any]
ROOT: Json = {"atip": "0.3", "name": "mytool", "version": "1", "description": "Holds an example"}
ROOT_FIELDS = ("commands", "globalOptions", "authentication", "effects", "patterns", "arguments", "options")
SAMPLE: Json = {"integer": 3, "number": 1.5, "boolean": True, "array": ["a", "b"]}


@pytest.fixture(scope="session")
def documents(rfc_json: list[Any]) -> list[Json]:
    """The examples as documents: whole ones, and the schema fragments of section 3 put into a root."""
    found = [example for example in rfc_json if _is_document(example)]
    whole = [ROOT | example if "atip" not in example else example for example in found]
    assert len(whole) >= 7  # 3.4, 3.5, 3.6, 3.8, 3.9, 12.2, 13.1
    return whole


def _is_document(example: object) -> TypeGuard[Json]:
    return isinstance(example, dict) and any(field in example for field in ("atip", *ROOT_FIELDS))


def test_no_example_is_left_out(rfc_json: list[Any]) -> None:
    """What is no document is what section 8 compiles to, or section 10's delegation and context."""
    keys = {"function", "parameters", "input_schema", "delegation", "toolContext"}
    for example in rfc_json:
        if not _is_document(example):
            assert any(f'"{key}"' in json.dumps(example) for key in keys)


def value(slot: Slot) -> Any:
    parameter = slot.parameter
    if parameter.enum:
        single: Any = parameter.enum[0]
    else:
        single = SAMPLE.get(parameter.type, "x")
    return [single, single] if parameter.variadic else single


def response(provider: Provider, tool: Tool, arguments: Json) -> Json:
    if provider == "openai":
        function = {"name": tool.name, "arguments": json.dumps(arguments)}
        return {"choices": [{"message": {"tool_calls": [{"id": "1", "function": function}]}}]}
    if provider == "openai-responses":
        call = {"type": "function_call", "call_id": "1", "name": tool.name, "arguments": json.dumps(arguments)}
        return {"output": [call]}
    if provider == "anthropic":
        return {"content": [{"type": "tool_use", "id": "1", "name": tool.name, "input": arguments}]}
    return {"candidates": [{"content": {"parts": [{"functionCall": {"name": tool.name, "args": arguments}}]}}]}


def test_read_validate_write(documents: list[Json]) -> None:
    schema = jsonschema_rs.validator_for(json.loads(published_schema()))
    for example in documents:
        schema.validate(example)
        document = parse_document(example, where="rfc")
        assert document.to_json() == example
        lint(document)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("strict", [False, True])
def test_compile_parse_argv(documents: list[Json], provider: Provider, strict: bool) -> None:
    for example in documents:
        tools = tools_of(parse_document(example, where="rfc"))
        compiled = compile_tools(tools, provider, strict=strict)
        assert len(compiled) == len(tools) >= 1
        for tool in tools:
            for arguments in ({s.key: value(s) for s in tool.slots}, _least(tool)):
                (call,) = parse_tool_calls(provider, response(provider, tool, arguments))
                resolved = compiled.resolve(call)
                assert resolved.tool is tool
                words = build_argv(resolved.tool, resolved.arguments)
                assert [word for word in words if word in tool.command] >= list(tool.command)


def _least(tool: Tool) -> Json:
    """Only what must be given; the rest null, as strict mode has it."""
    return {slot.key: value(slot) if slot.parameter.required else None for slot in tool.slots}


def test_the_gh_example_as_command_lines(documents: list[Json]) -> None:
    example = next(d for d in documents if d["name"] == "gh" and "authentication" in d)
    tools = {tool.name: tool for tool in tools_of(parse_document(example, where="rfc"))}
    assert list(tools) == ["gh_pr_list", "gh_pr_create", "gh_pr_merge", "gh_repo_delete"]
    assert build_argv(tools["gh_pr_list"], {"state": "all"}) == ["gh", "pr", "list", "--state", "all"]
    assert build_argv(tools["gh_pr_create"], {"title": "Fix", "draft": True}) == [
        "gh",
        "pr",
        "create",
        "--title",
        "Fix",
        "--draft",
    ]
    assert build_argv(tools["gh_pr_merge"], {"number": 42}) == ["gh", "pr", "merge", "42"]
    assert build_argv(tools["gh_pr_merge"], {"number": None}) == ["gh", "pr", "merge"]


def test_the_curl_shim(documents: list[Json]) -> None:
    example = next(d for d in documents if d["name"] == "curl")
    (curl,) = tools_of(parse_document(example, where="rfc"))
    assert curl.name == "curl"
    assert build_argv(curl, {"request": "PUT"}) == ["curl", "-X", "PUT"]
