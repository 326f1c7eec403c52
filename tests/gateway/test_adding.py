"""A server that is added through the API: written down as the command line does it, and not started before the owner's yes."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator

import httpx2
import pytest
from tests.gateway.conftest import ECHO, House, Json, OpenHouse, echo_entry


@pytest.fixture
async def house(open_house: OpenHouse) -> House:
    return await open_house({})


@pytest.fixture
async def http(house: House) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=house.url, timeout=30) as client:
        yield client


def program(name: str = "echo", **more: object) -> Json:
    return {"name": name, "command": sys.executable, "args": [str(ECHO)], **more}


@pytest.mark.holds("D-PAGE-3")
async def test_it_starts_after_a_yes_to_exactly_what_it_is(house: House, http: httpx2.AsyncClient) -> None:
    given = program(env={"ECHO_KEY": "${SOME_TOKEN:-none}"})
    answer = await http.post("/api/mcp/servers", json=given)
    assert answer.status_code == 201, answer.text
    assert (answer.json()["state"], answer.json()["opened"]) == ("held", 0)
    written = json.loads(house.config.read_text())["mcpServers"]["echo"]
    assert written == {key: value for key, value in given.items() if key != "name"}
    assert house.config.stat().st_mode & 0o077 == 0
    [question] = await house.prime.parts.questions.waiting()
    assert str(ECHO) in question.context
    assert "SOME_TOKEN" in question.context
    server = house.servers.server("echo")
    await house.prime.parts.questions.answer(question.id, choice="yes")
    await house.until(lambda: server.state == "ready")
    # The same once more is nothing new.
    again = await http.post("/api/mcp/servers", json={**given, "replace": True})
    assert again.json()["state"] == "ready"
    assert await house.prime.parts.questions.waiting() == []


async def test_a_click_on_the_page_is_the_same_yes(house: House, http: httpx2.AsyncClient) -> None:
    await http.post("/api/mcp/servers", json=program())
    server = house.servers.server("echo")
    await http.post("/api/mcp/servers/echo/accept")
    await house.until(lambda: server.state == "ready")
    assert await house.prime.parts.questions.waiting() == []


async def test_a_no_holds_through_a_reload_and_a_hand_that_writes_the_file_needs_no_yes(
    house: House, http: httpx2.AsyncClient
) -> None:
    await http.post("/api/mcp/servers", json=program())
    [question] = await house.prime.parts.questions.waiting()
    await house.prime.parts.questions.answer(question.id, choice="no")
    await house.servers.reload()
    assert (await http.post("/api/mcp/servers/echo/test")).json()["state"] == "held"
    house.config.write_text(json.dumps({"mcpServers": {"echo": echo_entry("--other")}}))
    await house.until(lambda: house.servers.server("echo").state == "ready")


async def test_it_is_replaced_only_when_that_is_said_and_then_waits_anew(
    house: House, http: httpx2.AsyncClient
) -> None:
    await http.post("/api/mcp/servers", json=program())
    await http.post("/api/mcp/servers/echo/accept")
    other = program(args=[str(ECHO), "--other"])
    refused = await http.post("/api/mcp/servers", json=other)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "already_exists")
    replaced = await http.post("/api/mcp/servers", json={**other, "replace": True})
    assert replaced.json()["state"] == "held"
    assert house.servers.names_of("echo") == []


async def test_it_goes_with_its_question_and_its_tools(house: House, http: httpx2.AsyncClient) -> None:
    await http.post("/api/mcp/servers", json=program())
    assert (await http.delete("/api/mcp/servers/echo")).status_code == 200
    assert await house.prime.parts.questions.waiting() == []
    assert json.loads(house.config.read_text())["mcpServers"] == {}
    assert (await http.delete("/api/mcp/servers/echo")).json()["error"]["code"] == "unknown_server"
    # Who writes it into the file themselves has said yes with that.
    house.config.write_text(json.dumps({"mcpServers": {"echo": echo_entry()}}))
    await house.until(lambda: bool(house.servers.servers()))
    await house.until(lambda: bool(house.servers.names_of("echo")))
    await http.delete("/api/mcp/servers/echo")
    assert house.servers.names_of("echo") == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "x"},
        {"name": "x", "command": "ls", "url": "http://127.0.0.1:9"},
        {"name": "a b", "command": "ls"},
        {"name": "../x", "command": "ls"},
        {"name": "x", "url": "file:///etc/passwd"},
        {"name": "x", "command": "ls", "env": {"A": 1}},
        {"name": "x", "command": "ls", "sampling": "allow"},
        {"name": "", "command": "ls"},
    ],
)
async def test_what_is_no_server_is_refused_and_leaves_nothing(
    house: House, http: httpx2.AsyncClient, wrong: Json
) -> None:
    answer = await http.post("/api/mcp/servers", json=wrong)
    assert answer.status_code == 400, answer.text
    assert not house.config.exists() or json.loads(house.config.read_text())["mcpServers"] == {}
    assert await house.prime.parts.questions.waiting() == []


async def test_two_that_are_added_at_once_are_both_there(house: House, http: httpx2.AsyncClient) -> None:
    answers = await asyncio.gather(*(http.post("/api/mcp/servers", json=program(f"s{n}")) for n in range(6)))
    assert {answer.status_code for answer in answers} == {201}
    assert set(json.loads(house.config.read_text())["mcpServers"]) == {f"s{n}" for n in range(6)}
    assert len(await house.prime.parts.questions.waiting()) == 6
