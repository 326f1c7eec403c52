"""Tools that are not there, because their server is not: what is said about them."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from tests.gateway.conftest import House, OpenHouse, echo_entry

from prime.gateway.front import desk


def said(result: Any) -> str:
    assert result.is_error
    return result.content[0].text


async def late_house(open_house: OpenHouse, gate: str) -> House:
    return await open_house({"late": echo_entry("--late", gate)}, settled=False)


async def test_a_call_waits_for_a_server_that_is_being_opened(open_house: OpenHouse, tmp_path: Any) -> None:
    gate = tmp_path / "gate"
    house = await late_house(open_house, str(gate))
    async with house.client() as client:
        call = asyncio.create_task(client.call_tool("late__echo", {"text": "hello"}))
        await house.until(lambda: house.servers.expects("late__echo"))
        gate.touch()
        assert "hello" in str((await call).content)
    assert not house.servers.expects("late__echo")


async def test_one_that_takes_long_is_said_to_be_opened(
    open_house: OpenHouse, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "OPENING_S", 0.1)
    house = await late_house(open_house, str(tmp_path / "gate"))
    async with house.client() as client:
        words = said(await client.call_tool("late__echo", {"text": "hello"}))
        assert words.startswith("server_opening: ")
        assert "in a moment" in words
        with pytest.raises(MCPError, match="no tool named"):
            await client.call_tool("nobody__echo", {"text": "hello"})
    async with httpx2.AsyncClient(base_url=house.url) as http:
        answer = await http.post("/api/tools/late__echo/call", json={"arguments": {}, "sessionId": "s", "agentId": "a"})
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "server_opening"


async def test_one_that_cannot_be_opened_is_named_with_the_reason(open_house: OpenHouse) -> None:
    house = await open_house({"broken": {"command": "/nowhere/at-all"}, "off": echo_entry(disabled=True)})
    async with house.client() as client:
        words = said(await client.call_tool("broken__echo", {}))
        assert words.startswith("server_unavailable: ")
        assert "/nowhere/at-all" in words
        assert "prime mcp test broken" in words
        assert said(await client.call_tool("off__echo", {})).startswith("server_disabled: ")


async def test_a_server_of_a_workspace_waits_for_the_owner(open_house: OpenHouse, tmp_path: Any) -> None:
    (tmp_path / "workspace" / ".prime").mkdir()
    (tmp_path / "workspace" / ".prime" / "mcp.json").write_text(json.dumps({"mcpServers": {"theirs": echo_entry()}}))
    house = await open_house({})
    async with house.client() as client:
        words = said(await client.call_tool("theirs__echo", {"text": "x"}))
        assert words.startswith("server_held: ")
        assert "prime mcp accept theirs" in words


async def test_a_tool_whose_description_changed_is_held_and_not_unknown(house: House) -> None:
    async with house.client() as client:
        await client.call_tool("echo__misbehave", {"how": "change"})
        await house.until(lambda: bool(house.servers.held.get("echo")))
        assert said(await client.call_tool("echo__echo", {"text": "x"})).startswith("tool_held: ")
        with pytest.raises(MCPError, match="no tool named"):
            await client.call_tool("echo__nothing", {"text": "x"})


async def test_words_find_the_tools_of_a_server_that_is_being_opened(open_house: OpenHouse, tmp_path: Any) -> None:
    gate = tmp_path / "gate"
    house = await late_house(open_house, str(gate))
    async with house.client() as client:
        finding = asyncio.create_task(client.call_tool("find_tools", {"query": "says it again"}))
        await asyncio.sleep(0.05)
        gate.touch()
        assert "late__echo" in str((await finding).content)
