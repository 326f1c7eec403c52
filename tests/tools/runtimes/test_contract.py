"""One line in, one line out, and every way in which that goes wrong is told apart (D-RUN-2, 3, 4)."""

import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from prime.core.errors import InvalidInput, PrimeError, TimedOut, TooLarge
from prime.tools.runtimes import ToolFailed

Call = Callable[..., Coroutine[Any, Any, Any]]
Make = Callable[..., Path]


async def test_arguments_go_in_as_one_line_and_the_answer_comes_out(shell: Make, call: Call) -> None:
    shell("echoing", 'read -r line; printf \'{"got": %s}\\n\' "$line"')
    result = await call("echoing", text="two\nlines", n=1)
    assert result.structured == {"got": {"arguments": {"text": "two\nlines", "n": 1}}}
    assert result.content == ({"type": "json", "json": result.structured},)
    assert (result.is_error, result.exit_code, result.log) == (False, 0, "")
    assert result.bytes_out > 20


@pytest.mark.parametrize(
    ("answer", "why"),
    [("NaN", "NaN is not JSON"), ("-Infinity", "-Infinity is not JSON"), ("1e999", "too large"), ('"\\ud800"', "half")],
)
async def test_an_answer_that_is_almost_json_is_told_why_it_is_none(
    shell: Make, call: Call, answer: str, why: str
) -> None:
    shell("almost", f"echo log; printf '%s\\n' '{answer}'")
    with pytest.raises(ToolFailed, match=why) as told:
        await call("almost")
    assert told.value.error_code == "tool_no_answer"


@pytest.mark.holds("D-RUN-2")
@pytest.mark.parametrize(
    ("script", "code", "kind"),
    [
        ("echo '1'; echo trouble >&2; exit 3", "tool_exit", ToolFailed),
        ("kill -9 $$", "tool_exit", ToolFailed),
        ("exit 0", "tool_no_answer", ToolFailed),
        ("echo not json", "tool_no_answer", ToolFailed),
        ("echo '{\"a\": NaN}'", "tool_no_answer", ToolFailed),
        ("echo 1; echo 2", "tool_two_answers", ToolFailed),
        ("echo 1; echo bye", "tool_garbage_after_answer", ToolFailed),
        ("printf '[\\n1,\\n2\\n]\\n'", "tool_garbage_after_answer", ToolFailed),
        ("printf '\\377\\376\\n'", "tool_invalid_utf8", ToolFailed),
        ("printf '\"\\303\\050\"\\n'", "tool_invalid_utf8", ToolFailed),
        ("exec cat /dev/zero", "tool_output_too_large", TooLarge),
        ("sleep 60; echo 1", "tool_timeout", TimedOut),
        ("sleep 60 & wait", "tool_timeout", TimedOut),
        ('echo \'{"content": "x", "isError": true, "content": []}\'', "tool_no_answer", ToolFailed),
        ('echo \'{"content": [{"type": "text"}], "isError": true}\'', "tool_invalid_answer", ToolFailed),
        ('echo \'{"content": [], "isError": "yes"}\'', "tool_invalid_answer", ToolFailed),
        (
            'echo \'{"content": [{"type": "image", "data": "!!", "mimeType": "image/png"}]}\'',
            "tool_invalid_answer",
            ToolFailed,
        ),
    ],
)
async def test_each_failure_has_its_own_code(
    shell: Make, call: Call, left: Callable[[], int], script: str, code: str, kind: type[PrimeError]
) -> None:
    slow = code == "tool_timeout"
    shell("failing", f"echo last words >&2\n{script}", policy={"timeoutMs": 300 if slow else 20_000})
    before = left()
    with pytest.raises(kind) as told:
        await call("failing")
    assert told.value.error_code == code
    assert told.value.hint
    assert str(told.value.data["stderr"]).startswith("last words")
    assert left() == before


async def test_what_is_not_json_before_the_answer_is_log(shell: Make, call: Call) -> None:
    shell("chatty", "echo starting; printf 'caf\\351\\n'; echo; echo '{\"ok\": true}'")
    result = await call("chatty")
    assert result.structured == {"ok": True}
    assert result.log == "starting\ncaf�"


async def test_the_end_of_stderr_is_kept_not_its_beginning(shell: Make, call: Call) -> None:
    shell("loud", "i=0; while [ $i -lt 30000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1")
    with pytest.raises(ToolFailed) as told:
        await call("loud")
    assert str(told.value.data["stderr"]).endswith("line 29999\n")
    assert "line 29999" in told.value.message


async def test_an_answer_needs_no_newline_and_may_be_any_value(shell: Make, call: Call) -> None:
    for number, value in enumerate(
        ['"text"', "null", "[1,2]", "12.5", '{"content": "x"}', '{"content": [{"type": "h1"}]}']
    ):
        shell(f"any{number}", f"printf '{value}'")
        result = await call(f"any{number}")
        assert result.content == ({"type": "json", "json": json.loads(value)},)
        assert result.structured == json.loads(value)


@pytest.mark.holds("D-RUN-4")
async def test_mcp_content_passes_as_it_is(shell: Make, call: Call) -> None:
    blocks = [
        {"type": "text", "text": "hi"},
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "b"}},
        {"type": "json", "json": [1]},
    ]
    shell("direct", f"echo '{json.dumps({'content': blocks, 'isError': True})}'")
    result = await call("direct")
    assert list(result.content) == blocks
    assert result.is_error
    assert result.structured is None
    shell("both", f"echo '{json.dumps({'content': blocks[:1], 'structuredContent': {'a': 1}})}'")
    result = await call("both")
    assert (result.content, result.structured, result.is_error) == ((blocks[0],), {"a": 1}, False)


@pytest.mark.holds("D-RUN-3")
async def test_arguments_are_checked_before_anything_starts(shell: Make, call: Call, workspace: Path) -> None:
    parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    writes = {"filesystem": {"write": True}}
    shell("strict", "touch ran; echo 1", schema={"parameters": parameters}, effects=writes)
    for wrong in ({}, {"n": "1"}, {"n": None}):
        with pytest.raises(InvalidInput) as told:
            await call("strict", **wrong)
        assert told.value.error_code == "invalid_arguments"
        assert told.value.data["problems"]
    assert not (workspace / "ran").exists()
    await call("strict", n=1)
    assert (workspace / "ran").exists()


@pytest.mark.holds("D-RUN-3")
async def test_results_are_checked_and_errors_are_never_masked(shell: Make, call: Call) -> None:
    schema: dict[str, Any] = {
        "parameters": {"type": "object"},
        "returns": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    }
    shell("wrong", 'echo \'{"n": "x"}\'', schema=schema)
    with pytest.raises(ToolFailed) as told:
        await call("wrong")
    assert told.value.error_code == "tool_invalid_result"
    assert "/n" in told.value.message
    shell("right", "echo '{\"n\": 1}'", schema=schema)
    assert (await call("right")).structured == {"n": 1}
    error = {"content": [{"type": "text", "text": "no such city"}], "isError": True}
    shell("error", f"echo '{json.dumps(error)}'", schema=schema)
    result = await call("error")
    assert result.is_error
    assert result.content == ({"type": "text", "text": "no such city"},)
    shell("failing", "echo broken >&2; exit 1", schema=schema)
    with pytest.raises(ToolFailed, match="broken"):
        await call("failing")
    as_text = {"content": [{"type": "text", "text": '{"n": 2}'}]}
    shell("text", f"echo '{json.dumps(as_text)}'", schema=schema)
    assert (await call("text")).structured == {"n": 2}
    shell("prose", f"echo '{json.dumps({'content': [{'type': 'text', 'text': 'two'}]})}'", schema=schema)
    with pytest.raises(ToolFailed) as told:
        await call("prose")
    assert told.value.error_code == "tool_invalid_result"


async def test_what_is_no_json_cannot_be_an_argument(shell: Make, call: Call) -> None:
    shell("any", "echo 1")
    for wrong in (float("nan"), {1, 2}):
        with pytest.raises(InvalidInput):
            await call("any", x=wrong)
    with pytest.raises(TooLarge) as told:
        await call("any", x="x" * 9_000_000)
    assert told.value.error_code == "arguments_too_large"


async def test_large_requests_and_answers_do_not_block_each_other(make_tool: Make, call: Call) -> None:
    """It writes a megabyte before it reads a line, and is sent several."""
    script = """#!/usr/bin/env python3
import json, sys
print("x" * 1_000_000, flush=True)
given = json.loads(sys.stdin.readline())["arguments"]
print(json.dumps({"n": len(given["text"])}))
"""
    make_tool("large", {"run.py": script}, policy={"maxOutputBytes": 4_000_000})
    result = await call("large", text="y" * 3_000_000)
    assert result.structured == {"n": 3_000_000}
    assert len(result.log) == 1_000_000
