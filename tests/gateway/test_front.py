"""Clients in front: listing, calling, priming, errors, on every transport and revision."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.shared.exceptions import MCPError
from tests.gateway.conftest import House, Json, OpenHouse, echo_entry
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

HELLO: Json = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
ACCEPT = {"accept": "application/json, text/event-stream"}


def text_of(result: Any) -> str:
    return result.content[0].text


@pytest.mark.holds("D-DIR-1")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_session_is_primed_before_it_calls(house: House, mode: str) -> None:
    async with house.client(primed=False, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert tools[0].name == "prime"
        assert "Mandatory" in (tools[0].description or "")
        refused = await client.call_tool("echo__echo", {"text": "hi"})
        assert refused.is_error
        assert text_of(refused).startswith("prime_required:")
        assert "`prime`" in text_of(refused)
        primed = await client.call_tool("prime", {"agentId": "me", "sessionId": "mine"})
        assert primed.structured_content is not None
        assert primed.structured_content["session"]["sessionId"] == "mine"
        said = await client.call_tool("echo__echo", {"text": "hi"})
        assert (said.is_error, text_of(said)) == (False, "hi")


@pytest.mark.holds("D-DIR-4")
async def test_priming_counts_for_its_own_session_only(house: House) -> None:
    async with house.client() as one, house.client(primed=False) as other:
        assert not (await one.call_tool("echo__echo", {"text": "a"})).is_error
        refused = await other.call_tool("echo__echo", {"text": "a"})
        assert text_of(refused).startswith("prime_required")


async def test_a_stateless_client_is_told_apart_by_its_session_id(house: House) -> None:
    async with house.client(primed=False, mode="auto") as client:
        await client.call_tool("prime", {"agentId": "a", "sessionId": "x"}, meta={"sessionId": "one"})
        ok = await client.call_tool("echo__echo", {"text": "a"}, meta={"sessionId": "one"})
        not_ok = await client.call_tool("echo__echo", {"text": "a"}, meta={"sessionId": "two"})
    assert not ok.is_error
    assert text_of(not_ok).startswith("prime_required")


async def test_mode_auto_puts_the_directives_into_the_first_result(open_house: OpenHouse, echo: Any) -> None:
    house = await open_house({"echo": echo()}, PRIME_PRIMING_MODE="auto")
    async with house.client(primed=False) as client:
        first = await client.call_tool("echo__echo", {"text": "hi"})
        second = await client.call_tool("echo__echo", {"text": "hi"})
    assert "primed" in json.loads(text_of(first))
    assert text_of(second) == "hi"


async def test_wrong_calls_are_errors_with_the_field_and_failures_are_results(house: House) -> None:
    async with house.client() as client:
        with pytest.raises(MCPError, match="no tool named") as unknown:
            await client.call_tool("echo__ecko", {})
        assert unknown.value.error.code == -32602
        assert "echo__echo" in unknown.value.error.message
        with pytest.raises(MCPError) as wrong:
            await client.call_tool("echo__echo", {"text": 5})
        assert (wrong.value.error.code, wrong.value.error.data["field"]) == (-32602, "text")
        failed = await client.call_tool("echo__misbehave", {"how": "error"})
        assert failed.is_error
        assert "I will not." in text_of(failed)


async def test_listing_has_titles_hints_and_schemas(house: House) -> None:
    async with house.client(primed=False) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert "`prime` first" in (client.instructions or "")
    echo, wild = tools["echo__echo"], tools["echo__wild"]
    assert echo.title == "Echo"
    assert echo.input_schema["required"] == ["text"]
    assert echo.annotations is not None
    assert wild.annotations is not None
    assert (echo.annotations.read_only_hint, echo.annotations.destructive_hint) == (True, False)
    assert (wild.annotations.read_only_hint, wild.annotations.destructive_hint) == (False, True)
    assert tools["prime"].output_schema is not None


async def test_pages(open_house: OpenHouse, echo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    house = await open_house({"echo": echo()})
    front = await house.gateway.front()
    session = front.front._desk.sessions.of(_caller())  # pyright: ignore[reportPrivateUsage]
    from prime.gateway.front.listing import page

    everything = front.front._desk.tools(session)  # pyright: ignore[reportPrivateUsage]
    names: list[str] = []
    cursor: str | None = None
    while True:
        items, cursor = page(everything, cursor, size=2)
        names += [str(item["name"]) for item in items]
        if cursor is None:
            break
    assert names == [str(item["name"]) for item in everything]
    async with house.client(primed=False) as client:
        with pytest.raises(MCPError, match="cursor"):
            await client.list_tools(cursor="made up")


def _caller() -> Any:
    from prime.gateway.front.sessions import Caller

    return Caller(key="k")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_progress_arrives_in_order_before_the_result(house: House, mode: str) -> None:
    heard: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    async with house.client(mode=mode) as client:
        result = await client.call_tool("echo__slow", {"seconds": 0.2}, progress_callback=note)
    assert text_of(result) == "done"
    assert heard == sorted(heard)
    assert len(heard) == 10


async def test_cancelling_reaches_the_server_behind(open_house: OpenHouse, echo: Any, tmp_path: Any) -> None:
    trace = tmp_path / "trace"
    house = await open_house({"echo": echo(env={"ECHO_TRACE": str(trace)})})
    async with house.client() as client:
        slow = asyncio.create_task(client.call_tool("echo__slow", {"seconds": 30}))
        calls = house.servers.server("echo")
        await house.until(lambda: bool(calls.busy))
        slow.cancel()
        await house.until(lambda: trace.exists() and "cancelled" in trace.read_text())
        assert text_of(await client.call_tool("echo__echo", {"text": "still"})) == "still"


async def test_calls_end_with_their_session_or_connection(
    open_house: OpenHouse, echo: Any, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    trace = tmp_path / "trace"
    house = await open_house({"echo": echo(env={"ECHO_TRACE": str(trace)})})
    server = house.servers.server("echo")
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    primed = {"name": "prime", "arguments": {"agentId": "a", "sessionId": "s"}}
    slow = {"name": "echo__slow", "arguments": {"seconds": 30}}
    calls = [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": p} for n, p in ((2, primed), (3, slow))]

    def ended(times: int) -> bool:
        return trace.exists() and trace.read_text().count("cancelled") == times

    async with httpx2.AsyncClient(base_url=house.url, headers=ACCEPT, timeout=20) as http:
        session = {"mcp-session-id": (await http.post("/mcp", json=HELLO)).headers["mcp-session-id"]}
        for message in (ready, calls[0]):
            await http.post("/mcp", json=message, headers=session)
        running = asyncio.create_task(http.post("/mcp", json=calls[1], headers=session))
        await house.until(lambda: server.busy)
        assert (await http.delete("/mcp", headers=session)).status_code == 200
        await house.until(lambda: ended(1))
        assert (await running).status_code == 202
    async with connect(house.url.replace("http", "ws") + "/mcp/ws") as socket:
        for message, answered in ((HELLO, True), (ready, False), (calls[0], True), (calls[1], False)):
            await socket.send(json.dumps(message))
            if answered:
                await socket.recv()
        await house.until(lambda: server.busy)
    await house.until(lambda: ended(2))
    assert "Exception in ASGI" not in caplog.text


async def test_a_stream_ends_when_prime_is_about_to(house: House) -> None:
    async with httpx2.AsyncClient(base_url=house.url, timeout=20) as http, http.stream("GET", "/mcp/sse") as stream:
        lines = stream.aiter_lines()
        assert await anext(lines) == "event: endpoint"
        house.prime.app.end_streams()
        async with asyncio.timeout(10):
            assert [line async for line in lines if line.startswith("event")] == []


async def test_answers_are_json_unless_there_is_more_to_say(house: House) -> None:
    async with httpx2.AsyncClient(base_url=house.url, headers=ACCEPT) as http:
        hello = await http.post("/mcp", json=HELLO)
        session = {"mcp-session-id": hello.headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"}
        await http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session)
        listed = await http.post("/mcp", json={"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, headers=session)
        only_json = await http.post(
            "/mcp",
            json={"jsonrpc": "2.0", "id": 3, "method": "tools/list"},
            headers={**session, "accept": "application/json"},
        )
    for answer in (hello, listed, only_json):
        assert answer.headers["content-type"] == "application/json"
        assert "result" in answer.json()


@pytest.mark.holds("D-RUN-6")
async def test_server_sent_events_and_web_sockets(house: House) -> None:
    async with Client(sse_client(f"{house.url}/mcp/sse"), mode="legacy") as client:
        await client.call_tool("prime", {"agentId": "a", "sessionId": "s"})
        assert text_of(await client.call_tool("echo__echo", {"text": "by events"})) == "by events"
    answer: Json = {}
    async with connect(house.url.replace("http", "ws") + "/mcp/ws", subprotocols=["mcp"]) as socket:  # pyright: ignore[reportArgumentType]
        assert socket.subprotocol == "mcp"
        await socket.send("{not json")
        assert json.loads(await socket.recv())["error"]["code"] == -32700
        await socket.send(json.dumps(HELLO))
        assert json.loads(await socket.recv())["result"]["protocolVersion"] == "2025-06-18"
        await socket.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        prime = {"name": "prime", "arguments": {"agentId": "a", "sessionId": "b"}}
        for number, params in enumerate((prime, {"name": "echo__echo", "arguments": {"text": "ws"}}), 2):
            await socket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}))
            answer = json.loads(await socket.recv())
        assert answer["result"]["content"][0]["text"] == "ws"
        await socket.send(json.dumps({"jsonrpc": "2.0", "method": "closed"}))
        assert [message async for message in socket] == []


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_every_handshake_revision_is_spoken(house: House, revision: str) -> None:
    async with httpx2.AsyncClient(base_url=house.url, headers=ACCEPT) as http:
        hello = {**HELLO, "params": {**HELLO["params"], "protocolVersion": revision}}
        assert (await http.post("/mcp", json=hello)).json()["result"]["protocolVersion"] == revision


async def test_forged_and_foreign_requests_are_turned_away(house: House) -> None:
    list_tools = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    async with httpx2.AsyncClient(base_url=house.url, headers=ACCEPT) as http:
        forged = await http.post("/mcp", json=list_tools, headers={"mcp-session-id": "f" * 32})
        foreign = await http.post("/mcp", json=HELLO, headers={"origin": "https://evil.example"})
        stream = await http.get("/mcp/sse", headers={"origin": "https://evil.example"})
        rebound = await http.post("/mcp", json=HELLO, headers={"host": "evil.example"})
        bad_token = await http.post("/mcp", json=HELLO, headers={"authorization": "Bearer prime_mcp_no"})
        no_session = await http.post("/mcp", json=list_tools)
    statuses = [r.status_code for r in (forged, foreign, stream, rebound, bad_token, no_session)]
    assert statuses == [404, 403, 403, 403, 401, 400]
    with pytest.raises(InvalidStatus):
        async with connect(house.url.replace("http", "ws") + "/mcp/ws", origin="https://evil.example"):  # pyright: ignore[reportArgumentType]
            pass


async def test_the_small_surface_lists_what_was_used(open_house: OpenHouse, echo: Any) -> None:
    house = await open_house({"echo": echo()}, PRIME_MCP_SURFACE="search")
    async with house.client() as client:
        assert [t.name for t in (await client.list_tools()).tools] == ["prime", "find_tools", "call_tool"]
        found = await client.call_tool("find_tools", {"query": "says it again"})
        assert "echo__echo" in text_of(found)
        said = await client.call_tool("call_tool", {"name": "echo__echo", "arguments": {"text": "found"}})
        assert text_of(said) == "found"
        names = [t.name for t in (await client.list_tools()).tools]
        assert names == ["prime", "find_tools", "call_tool", "echo__echo"]
        with pytest.raises(MCPError, match="name"):
            await client.call_tool("call_tool", {"name": "call_tool"})


async def test_a_call_is_logged_once(house: House) -> None:
    async with house.client() as client:
        await client.call_tool("echo__echo", {"text": "remember me"})
    log = house.prime.parts.store.log
    kinds = [m.kind for m in await log.after(0) if m.body.get("name") == "echo__echo"]
    assert kinds == ["tool_call", "tool_result"]


async def test_a_folder_that_becomes_a_tool_is_told(open_house: OpenHouse) -> None:
    house = await open_house()
    told = asyncio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            told.set()

    async with house.client(message_handler=hear) as client:
        manifest = {"name": "added", "version": "1", "description": "Is new.", "runtime": "process"}
        folder = house.workspace / ".prime" / "tools" / "added"
        folder.mkdir(parents=True)
        entry = {"entry": {"command": "cat"}, "schema": {"parameters": {"type": "object"}}}
        (folder / "tool.json").write_text(json.dumps({"id": "added", **manifest, **entry}))
        async with asyncio.timeout(10):
            await told.wait()
        assert "added" in [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.holds("D-ATIP-15")
async def test_what_prime_was_started_with_in_secret_is_not_shown(open_house: OpenHouse) -> None:
    house = await open_house({"echo": echo_entry()}, PRIME_ADMIN_TOKEN="mellon-and-enter")
    async with house.client() as client:
        said = await client.call_tool("echo__echo", {"text": "say mellon-and-enter"})
    assert text_of(said) == "say [redacted]"
