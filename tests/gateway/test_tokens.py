"""Clients from elsewhere: a token of their own, which only takes away, and sessions that belong to it."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.conftest import OpenStore
from tests.gateway.conftest import House, OpenHouse, echo_entry
from tests.gateway.test_front import ACCEPT, HELLO, text_of
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from prime.core.clock import FakeClock
from prime.core.errors import Conflict, InvalidInput, NotFound
from prime.gateway.tables import GATEWAY_MIGRATIONS
from prime.gateway.tokens import Tokens, delegation_of
from prime.store.store import Store

OWNED = {"PRIME_OWNER_EMAIL": "me@example.org"}


@pytest.fixture
async def store(open_store: OpenStore) -> Store:
    return await open_store(migrations=GATEWAY_MIGRATIONS)


async def test_a_token_lives_until_it_is_over_or_revoked(store: Store, clock: FakeClock) -> None:
    tokens = Tokens(store.database, store.whispers, clock)
    made = await tokens.create("laptop", delegation_of(["echo__echo"], []), lifetime_ms=1000)
    found = await tokens.find(made.token)
    assert found is not None
    assert found.delegation == made.client.delegation
    assert await tokens.find(made.token + "x") is None
    assert await tokens.find("Bearer") is None
    with pytest.raises(Conflict):
        await tokens.create("laptop", delegation_of([], None))
    clock.advance(2)
    assert await tokens.find(made.token) is None
    await tokens.revoke("laptop")
    with pytest.raises(NotFound):
        await tokens.revoke("laptop")
    with pytest.raises(InvalidInput):
        delegation_of([], ["everything"])
    assert made.token not in str(await tokens.all())


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)  # a data folder has one owner
async def test_what_one_replica_revokes_opens_nothing_in_another(open_store: OpenStore, clock: FakeClock) -> None:
    here, there = [await open_store(migrations=GATEWAY_MIGRATIONS) for _ in range(2)]
    mine, others = (Tokens(store.database, store.whispers, clock) for store in (here, there))
    made = await mine.create("laptop", delegation_of([], None))
    ended, heard = list[str](), asyncio.Event()

    def end(client_id: str) -> None:
        ended.append(client_id)
        heard.set()

    others.on_revoked = end
    assert await others.find(made.token) == made.client  # and it is remembered there
    await mine.revoke("laptop")
    await asyncio.wait_for(heard.wait(), 30)
    assert ended == [made.client.id]
    assert await others.find(made.token) is None


@asynccontextmanager
async def _connect(house: House, token: str) -> AsyncGenerator[Client]:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=30) as http,
        Client(streamable_http_client(f"{house.url}/mcp", http_client=http), mode="legacy") as client,
    ):
        yield client


async def test_without_a_token_nobody_comes_in(open_house: OpenHouse) -> None:
    house = await open_house({}, **OWNED)
    async with httpx2.AsyncClient(base_url=house.url, headers=ACCEPT) as http:
        answers = [await http.post("/mcp", json=HELLO), await http.get("/mcp/sse"), await http.get("/api/mcp/servers")]
    assert [answer.status_code for answer in answers] == [401, 401, 401]
    assert answers[0].headers["www-authenticate"] == "Bearer"


async def test_a_token_only_takes_away(open_house: OpenHouse) -> None:
    house = await open_house({"echo": echo_entry()}, **OWNED)
    made = await house.gateway.tokens.create("narrow", delegation_of(["echo__echo"], []))
    async with _connect(house, made.token) as client:
        assert [t.name for t in (await client.list_tools()).tools] == ["prime", "echo__echo", "find_tools"]
        await client.call_tool("prime", {"agentId": "a", "sessionId": "s"})
        assert text_of(await client.call_tool("echo__echo", {"text": "mine"})) == "mine"
        refused = await client.call_tool("echo__slow", {})
        assert text_of(refused).startswith("not_delegated")
        with pytest.raises(Exception, match="not left to this client"):
            await client.list_resources()
        with pytest.raises(Exception, match="not left to this client"):
            await client.read_resource("prime://channel/ch_hub")


async def test_a_session_belongs_to_its_token(open_house: OpenHouse) -> None:
    house = await open_house({}, **OWNED)
    tokens = [(await house.gateway.tokens.create(name, delegation_of([], None))).token for name in ("one", "two")]
    async with httpx2.AsyncClient(base_url=house.url, headers=ACCEPT) as http:
        mine = {"authorization": f"Bearer {tokens[0]}"}
        batching = {**HELLO, "params": {**HELLO["params"], "protocolVersion": "2025-03-26"}}
        hello = await http.post("/mcp", json=batching, headers=mine)
        session = {"mcp-session-id": hello.headers["mcp-session-id"]}
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await http.post("/mcp", json=ready, headers={**session, **mine})
        ping = {"jsonrpc": "2.0", "id": 5, "method": "ping"}
        theirs = {"authorization": f"Bearer {tokens[1]}"}
        for asked in (ping, [ping]):
            stolen = await http.post("/mcp", json=asked, headers={**session, **theirs})
            assert stolen.status_code == (404 if asked is ping else 400)
        own = await http.post("/mcp", json=[ping], headers={**session, **mine})
        await house.gateway.tokens.revoke("one")
        revoked = await http.post("/mcp", json=ping, headers={**session, **mine})
    assert [own.status_code, revoked.status_code] == [200, 401]


async def test_a_revoked_token_ends_what_it_has_open(open_house: OpenHouse) -> None:
    house = await open_house({"echo": echo_entry()}, **OWNED)
    made = await house.gateway.tokens.create("lost", delegation_of([], None))
    mine = {"authorization": f"Bearer {made.token}"}
    async with (
        httpx2.AsyncClient(base_url=house.url, headers=mine, timeout=20) as http,
        connect(house.url.replace("http", "ws") + "/mcp/ws", additional_headers=mine) as socket,
        http.stream("GET", "/mcp/sse") as stream,
    ):
        lines = stream.aiter_lines()
        assert await anext(lines) == "event: endpoint"
        await socket.send(json.dumps(HELLO))
        await socket.recv()
        await house.gateway.tokens.revoke("lost")
        with pytest.raises(ConnectionClosed):
            async with asyncio.timeout(10):
                await socket.recv()
        async with asyncio.timeout(10):
            assert not [line async for line in lines if line.startswith("event: message")]


async def test_a_token_that_is_over_ends_what_it_has_open(open_house: OpenHouse) -> None:
    house = await open_house({}, **OWNED)
    made = await house.gateway.tokens.create("short", delegation_of([], None), lifetime_ms=3000)
    mine = {"authorization": f"Bearer {made.token}"}
    async with (
        asyncio.timeout(20),
        httpx2.AsyncClient(base_url=house.url, headers=mine, timeout=20) as http,
        connect(house.url.replace("http", "ws") + "/mcp/ws", additional_headers=mine) as socket,
        http.stream("GET", "/mcp/sse") as stream,
    ):
        assert stream.status_code == 200
        await socket.send(json.dumps(HELLO))
        await socket.recv()
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()  # nothing is said on either of them
        assert [line async for line in stream.aiter_lines() if line.startswith("event: message")] == []
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


async def test_a_client_without_resources_is_told_of_none(open_house: OpenHouse) -> None:
    """The stateless revision's way to be told of changes asks for the same right as the others."""
    house = await open_house({}, **OWNED)
    made = await house.gateway.tokens.create("narrow", delegation_of(["echo__echo"], []))
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"_meta": meta, "notifications": {"resourceSubscriptions": ["prime://channel/ch_hub"]}}
    headers = {
        "authorization": f"Bearer {made.token}",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
    }
    async with httpx2.AsyncClient(base_url=house.url, headers=ACCEPT | headers, timeout=20) as http:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
        answer = await http.post("/mcp", json=asked)
    assert "not left to this client" in answer.text
