"""A call from its name to its logged result, over real processes and both databases."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from prime.core.errors import Forbidden, InvalidInput, PrimeError
from prime.tools.catalog import UnknownTool
from prime.tools.pipeline import ToolCall
from prime.tools.policy import Delegation
from prime.tools.priming.sessions import PrimeRequired
from prime.tools.runtimes import FolderRuntime
from prime.tools.tool import Tool

Programs = Callable[..., Tool]
FolderTool = Callable[[str, str], FolderRuntime]


async def test_a_call_runs_and_is_on_record(open_house: Any, programs: Programs) -> None:
    house = await open_house(programs("hello", 'echo "hello $1"; echo beside >&2'))
    await house.prime()
    call = ToolCall(name="hello", arguments={"words": ["you"]})
    result = await house.workshop.pipeline.call(call, house.session())
    assert result.content == ({"type": "text", "text": "hello you\n"},)
    assert (result.is_error, result.exit_code, result.bytes_out) == (False, 0, 17)
    assert result.log == "beside\n"
    [called], [ended] = await house.logged("tool_call"), await house.logged("tool_result")
    assert called["callId"] == ended["callId"] == call.id
    assert called["arguments"] == {"words": ["you"]}
    assert (called["agentId"], called["sessionId"]) == ("a", "s")
    assert (ended["exitCode"], ended["bytesOut"], ended["isError"]) == (0, 17, False)
    assert ended["durationMs"] >= 0
    assert ended["askedBy"] == "act_owner"
    messages = {m.kind: m for m in await house.store.log.after(0)}
    assert messages["tool_result"].sources == (messages["tool_call"].id,)


async def test_a_failing_tool_is_a_result(open_house: Any, programs: Programs) -> None:
    house = await open_house(programs("fails", "echo half; echo why >&2; exit 7"))
    await house.prime()
    result = await house.workshop.pipeline.call(ToolCall(name="fails"), house.session())
    assert (result.is_error, result.exit_code) == (True, 7)
    assert [block["text"] for block in result.content] == ["half\n", "why\n"]


@pytest.mark.holds("D-RUN-2")
async def test_a_failing_folder_says_its_last_words(open_house: Any, folder_tool: FolderTool) -> None:
    folders = folder_tool("breaks", "echo looking; echo first >&2; echo then sesame-opens >&2; exit 3")
    async with folders:
        house = await open_house(folders=folders, secrets=("sesame-opens",))
        await house.prime()
        result = await house.workshop.pipeline.call(ToolCall(name="breaks"), house.session())
    assert (result.exit_code, result.bytes_out, result.log) == (3, len("looking\n"), "looking")
    assert result.error["code"] == "tool_exit"
    assert result.error["stderr"].startswith("first\nthen ")
    assert result.content[1]["text"].startswith("The end of its stderr:\nfirst\nthen ")
    assert "sesame" not in json.dumps(result.as_json())
    [ended] = await house.logged("tool_result")
    assert (ended["exitCode"], ended["bytesOut"]) == (3, 8)


@pytest.mark.holds("D-DIR-1")
async def test_an_unprimed_session_is_refused_told_how_and_on_record(open_house: Any, programs: Programs) -> None:
    house = await open_house(programs("hello", "touch ran"))
    with pytest.raises(PrimeRequired) as caught:
        await house.workshop.pipeline.call(ToolCall(name="hello"), house.session())
    assert caught.value.hint
    [ended] = await house.logged("tool_result")
    assert ended["error"]["code"] == "prime_required"
    assert not (house.folder / "ran").exists()
    primed = await house.workshop.pipeline.call(
        ToolCall(name="prime", arguments={"agentId": "a", "sessionId": "s"}), house.session()
    )
    assert primed.structured["session"]["sessionId"] == "s"
    await house.workshop.pipeline.call(ToolCall(name="find_tools", arguments={"query": "hello"}), house.session())


async def test_a_session_cannot_prime_another(open_house: Any) -> None:
    house = await open_house()
    arguments = {"agentId": "a", "sessionId": "other"}
    result = await house.workshop.pipeline.call(ToolCall(name="prime", arguments=arguments), house.session())
    assert result.is_error
    assert result.error["code"] == "invalid_prime_request"
    assert not await house.workshop.sessions.is_primed("a", "other")


async def test_auto_puts_the_directives_into_the_first_result(open_house: Any, programs: Programs) -> None:
    house = await open_house(programs("hello", "echo hi"), mode="auto")
    first = await house.workshop.pipeline.call(ToolCall(name="hello"), house.session())
    second = await house.workshop.pipeline.call(ToolCall(name="hello"), house.session())
    assert first.directives["toolName"] == "prime"
    assert second.directives is None


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "code"),
    [
        ("nope", {}, UnknownTool, "unknown_tool"),
        ("hello", {"word": 1}, InvalidInput, "invalid_arguments"),
        ("find_tools", {"query": 1}, InvalidInput, "invalid_arguments"),
        ("find_tools", {"query": "x", "more": 1}, InvalidInput, "invalid_arguments"),
        ("hello", {"words": ["x" * 600_000]}, InvalidInput, "arguments_too_large"),
        ("find_tools", {"query": float("nan")}, InvalidInput, "invalid_input"),
    ],
)
async def test_every_refusal_has_a_code_a_next_step_and_a_record(
    open_house: Any, programs: Programs, name: str, arguments: Any, kind: type[PrimeError], code: str
) -> None:
    house = await open_house(programs("hello", "touch ran"))
    await house.prime()
    with pytest.raises(kind) as caught:
        await house.workshop.pipeline.call(ToolCall(name=name, arguments=arguments), house.session())
    assert caught.value.error_code == code
    assert caught.value.hint
    [ended] = await house.logged("tool_result")
    assert ended["error"]["code"] == code
    assert ended["isError"]
    assert not (house.folder / "ran").exists()


async def test_results_are_redacted_then_cut(open_house: Any, programs: Programs) -> None:
    script = "echo token=sk-ant-api03-abcdefghijklmnopqrstuvwx; echo held-by-prime-7; yes x | head -c 200000"
    house = await open_house(programs("leaks", script), secrets=("held-by-prime-7",))
    await house.prime()
    result = await house.workshop.pipeline.call(ToolCall(name="leaks"), house.session())
    text = result.content[0]["text"]
    assert "sk-ant" not in text
    assert "held-by-prime-7" not in text
    assert len(text.encode()) <= 64 * 1024
    assert result.bytes_out > 200_000
    everything = str([m.body for m in await house.store.log.after(0)])
    assert "held-by-prime-7" not in everything


async def test_strangers_get_no_tools_for_files_or_programs(open_house: Any, programs: Programs) -> None:
    house = await open_house(programs("hello", "touch ran"))
    await house.prime()
    outside = house.session(tier="external")
    with pytest.raises(Forbidden) as caught:
        await house.workshop.pipeline.call(ToolCall(name="hello"), outside)
    assert caught.value.error_code == "tier_denied"
    found = await house.workshop.pipeline.call(ToolCall(name="find_tools", arguments={"query": "x"}), outside)
    assert not found.is_error
    assert not (house.folder / "ran").exists()


@pytest.mark.parametrize(
    ("more", "is_told"),
    [({}, True), ({"tier": "external"}, False), ({"delegation": Delegation(allowed_tools=("find_tools",))}, False)],
)
async def test_a_name_that_is_almost_right_tells_only_of_what_is_there(
    open_house: Any, programs: Programs, more: dict[str, Any], is_told: bool
) -> None:
    """Whoever may not call a tool is not told its name by trying one like it."""
    house = await open_house(programs("merger_with_acme", "echo hi"))
    await house.prime()
    session = house.session(**more)
    for name in ("merger_with_acm", "merger"):
        with pytest.raises(UnknownTool) as caught:
            await house.workshop.pipeline.call(ToolCall(name=name), session)
        logged = str((await house.logged("tool_result"))[-1])
        shown = f"{caught.value} {caught.value.data} {logged}"
        assert ("merger_with_acme" in shown) == (is_told and name == "merger_with_acm")
    with pytest.raises(UnknownTool, match="find_tools"):
        await house.workshop.pipeline.call(ToolCall(name="find_tool"), session)


async def test_a_delegation_narrows(open_house: Any, programs: Programs) -> None:
    house = await open_house(programs("hello", "echo hi"))
    await house.prime()
    narrow = house.session(delegation=Delegation(allowed_tools=("find_tools",)))
    with pytest.raises(Forbidden) as caught:
        await house.workshop.pipeline.call(ToolCall(name="hello"), narrow)
    assert caught.value.error_code == "not_delegated"


async def test_a_broken_policy_lets_nothing_through_until_it_is_mended(
    open_house: Any, programs: Programs, tmp_path: Any
) -> None:
    house = await open_house(programs("hello", "echo hi"))
    await house.prime()
    policy = tmp_path / "config" / "prime" / "policy.json"
    policy.parent.mkdir(parents=True)
    policy.write_text('{"allow": {"write": "perhaps"}}')
    with pytest.raises(Forbidden) as caught:
        await house.workshop.pipeline.call(ToolCall(name="hello"), house.session())
    assert caught.value.error_code == "invalid_policy"
    policy.write_text('{"deny": ["hello"]}')
    with pytest.raises(Forbidden) as caught:
        await house.workshop.pipeline.call(ToolCall(name="hello"), house.session())
    assert caught.value.error_code == "command_denied"
    policy.unlink()
    assert (await house.workshop.pipeline.call(ToolCall(name="hello"), house.session())).exit_code == 0


async def test_a_channel_hears_its_own_calls(open_house: Any, programs: Programs) -> None:
    house = await open_house(programs("hello", "echo hi"))
    await house.prime()
    await house.workshop.pipeline.call(ToolCall(name="hello"), house.session(channel_id="ch_x", actor_id="act_bot"))
    await house.workshop.pipeline.call(ToolCall(name="hello"), house.session())
    rows = [m for m in await house.store.log.after(0) if m.kind == "tool_result"]
    assert [(m.channel_id, m.actor_id, m.audience) for m in rows] == [
        ("ch_x", "act_bot", "room"),
        ("ch_hub", "act_owner", "hub"),
    ]


async def test_a_caller_that_goes_away_is_on_record_and_leaves_no_process(open_house: Any, programs: Programs) -> None:
    house = await open_house(programs("slow", 'echo $$ > "$1"; exec sleep 60', {"filesystem": {"read": True}}))
    (house.folder.parent / "config" / "prime").mkdir(parents=True)
    (house.folder.parent / "config" / "prime" / "policy.json").write_text('{"allow": {"write": true}}')
    await house.prime()
    call = asyncio.create_task(
        house.workshop.pipeline.call(ToolCall(name="slow", arguments={"words": ["pid"]}), house.session())
    )
    await house.asked()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    [ended] = await house.logged("tool_result")
    assert ended["error"]["code"] == "cancelled"
