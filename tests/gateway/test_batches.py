"""Batches: of the one revision that has them, answered as one, whoever carries them."""

import json
from typing import Any

import httpx2
from tests.gateway.conftest import House, Json
from tests.gateway.test_front import ACCEPT, HELLO
from websockets.asyncio.client import connect

from prime.gateway.front.batches import Batch, Batches, batch_in
from prime.gateway.front.sessions import Session

INITIALIZED: Json = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def hello(revision: str) -> Json:
    return {**HELLO, "params": {**HELLO["params"], "protocolVersion": revision}}


def call(number: Any, name: str, **arguments: Any) -> Json:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


PRIME = call(2, "prime", agentId="a", sessionId="b")
# A call on the short way, one on the long way, a list, two that are none, and something that wants no answer.
MIXED: list[Any] = [
    call("a", "echo__echo", text="one"),
    call("b", "find_tools", query="echo"),
    {"jsonrpc": "2.0", "id": "c", "method": "tools/list"},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "nobody's"}},
    {**hello("2025-03-26"), "id": "d"},
    call("a", "echo__echo", text="again"),
    5,
]


def check_mixed(answers: list[Json]) -> None:
    wrong = [one["error"]["code"] for one in answers if "error" in one]
    right = {one["id"]: one["result"] for one in answers if "result" in one}
    assert wrong == [-32600] * 3
    assert set(right) == {"a", "b", "c"}
    assert right["a"]["content"][0]["text"] == "one"
    assert right["c"]["tools"][0]["name"] == "prime"


async def test_batches_over_http(house: House) -> None:
    async with httpx2.AsyncClient(base_url=house.url, headers=ACCEPT) as http:
        for revision, status in (("2025-03-26", 200), ("2025-06-18", 400)):
            opened = await http.post("/mcp", json=hello(revision))
            session = {"mcp-session-id": opened.headers["mcp-session-id"]}
            await http.post("/mcp", json=INITIALIZED, headers=session)
            await http.post("/mcp", json=PRIME, headers=session)
            answer = await http.post("/mcp", json=MIXED, headers=session)
            assert answer.status_code == status
            if status == 200:
                check_mixed(answer.json())
                quiet = await http.post("/mcp", json=[INITIALIZED, INITIALIZED], headers=session)
                assert (quiet.status_code, quiet.content) == (202, b"")
                long = [call(number, "echo__echo", text="x" * 10_000) for number in range(100)]
                answers = (await http.post("/mcp", json=long, headers=session)).json()
                assert sorted(one["id"] for one in answers) == list(range(100))
                for wrong in ([], [*long, PRIME]):
                    told = await http.post("/mcp", json=wrong, headers=session)
                    assert (told.status_code, told.json()["error"]["code"]) == (400, -32600)
        stranger = await http.post("/mcp", json=MIXED, headers={"mcp-session-id": "f" * 32})
        assert stranger.status_code == 400


async def test_batches_over_a_connection(house: House) -> None:
    async with connect(house.url.replace("http", "ws") + "/mcp/ws") as socket:

        async def ask(message: Any) -> Any:
            await socket.send(json.dumps(message))
            return json.loads(await socket.recv())

        await ask(hello("2025-03-26"))
        await socket.send(json.dumps(INITIALIZED))
        await ask(PRIME)
        check_mixed(await ask(MIXED))
        # What is given up is not waited for, on the short way and on the long one.
        slow = [call("s", "echo__slow", seconds=30), call("q", "echo__echo", text="quick")]
        slow[0]["params"]["_meta"] = {"progressToken": "p"}
        for batch in (slow, [call("s", "echo__slow", seconds=30), slow[1]]):
            await socket.send(json.dumps(batch))
            given_up = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "s"}}
            await socket.send(json.dumps([given_up]))
            while (said := await socket.recv())[:1] != "[":  # progress
                pass
            answers: list[Json] = json.loads(said)
            assert [one["id"] for one in answers] == ["q"]
        # In one breath: what is given up before it has begun never begins.
        given_up = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "t"}}
        answers = await ask([call("t", "echo__slow", seconds=30), given_up, slow[1]])
        assert [one["id"] for one in answers] == ["q"]


def test_only_the_one_revision_has_them() -> None:
    session = Session(key="k", client=None, revision="2025-03-26")
    assert batch_in(" [1]", session) == [1]
    assert batch_in(b"\n[1]", session) == [1]
    for text in ("[]", "{}", "[1", "", json.dumps([1] * 101)):
        assert batch_in(text, session) is None
    session.revision = "2025-11-25"
    assert batch_in("[1]", session) is None
    assert batch_in("[1]", None) is None


def test_answers_are_sent_with_the_last_one() -> None:
    batches = Batches()
    assert batches.answered(1, b"{}") == b"{}"
    assert batches.begin(Batch.of([call(1, "x"), call(2, "x"), INITIALIZED])) is None
    assert batches.answered(2, b"2") is None
    assert batches.answered(None, b"told") == b"told"
    assert batches.answered(1, b"1") == b"[2,1]"
    assert batches.begin(Batch.of([INITIALIZED])) is None
    assert batches.begin(Batch.of([call(3, "x")])) is None
    assert batches.given_up(3) is None
    assert batches.answered(3, b"late") == b"late"


async def test_batches_over_a_stream_of_events(house: House) -> None:
    async with (
        httpx2.AsyncClient(base_url=house.url, timeout=20) as http,
        http.stream("GET", "/mcp/sse") as stream,
    ):
        events = (line.removeprefix("data: ") async for line in stream.aiter_lines() if line.startswith("data: "))
        address = await anext(events)

        async def ask(message: Any) -> Any:
            assert (await http.post(address, json=message)).status_code == 202
            return json.loads(await anext(events))

        await ask(hello("2025-03-26"))
        assert (await http.post(address, json=INITIALIZED)).status_code == 202
        await ask(PRIME)
        check_mixed(await ask(MIXED))
        assert (await http.post(address, json=[INITIALIZED, INITIALIZED])).status_code == 202
        assert (await ask([]))["error"]["code"] == -32600
