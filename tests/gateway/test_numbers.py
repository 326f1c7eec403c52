"""Ids of requests: told apart by type and value, wherever they are looked at, and every request is answered."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from tests.gateway.conftest import House, Json
from tests.gateway.test_batches import INITIALIZED, PRIME, call, hello
from tests.gateway.test_front import ACCEPT
from websockets.asyncio.client import connect

from prime.gateway.front.numbers import Numbers
from prime.gateway.front.posted import Posted

ALIKE: list[Any] = ["1", 1, "01", " 1", "1_0", 10, "_GET_stream", "prime-1", 10**30, "", 'a"b', "é"]


def ping(number: Any) -> Json:
    return {"jsonrpc": "2.0", "id": number, "method": "ping"}


def slow(number: Any) -> Json:
    """A call on the long way, which tells how far it is."""
    made = call(number, "echo__slow", seconds=30)
    made["params"]["_meta"] = {"progressToken": "p"}
    return made


def give_up(number: Any) -> Json:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}


# What is no request, beside requests: answers to nothing, and ids that are none.
ODD: list[Any] = [
    {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}},
    {"jsonrpc": "2.0", "id": "1", "error": {"code": 1, "message": "-"}},
    ping(True),
    ping(1.0),
    ping(None),
    ping([]),
    ping("1"),
    "\0",
]


# Answers that are none. A connection tells of them by themselves, and a post that has nothing else does.
BROKEN: list[Any] = [{"jsonrpc": "2.0", "id": [], "error": "-"}, {"jsonrpc": "2.0", "id": True, "result": {}}]


def check_odd(answers: list[Json]) -> None:
    right = [one["id"] for one in answers if "result" in one]
    wrong = [(one["id"], one["error"]["code"]) for one in answers if "error" in one]
    assert sorted(map(repr, right)) == sorted(map(repr, ALIKE))
    # Four ids that are none, one that a request of the batch has already, and what is no message.
    assert sorted(wrong, key=repr) == sorted([*[(None, -32600)] * 5, ("1", -32600)], key=repr)


@pytest.mark.parametrize("accept", [ACCEPT["accept"], "application/json"])
async def test_every_request_over_http_is_answered_whatever_its_id(house: House, accept: str) -> None:
    async with httpx2.AsyncClient(base_url=house.url, headers={"accept": accept}, timeout=20) as http:
        session = {"mcp-session-id": (await http.post("/mcp", json=hello("2025-03-26"))).headers["mcp-session-id"]}
        await http.post("/mcp", json=INITIALIZED, headers=session)
        batch = [*map(ping, ALIKE), *ODD, *BROKEN]
        for _ in range(3):
            check_odd((await http.post("/mcp", json=batch, headers=session)).json())
        alone = await asyncio.gather(*(http.post("/mcp", json=ping(number), headers=session) for number in ALIKE))
        assert [one.json() for one in alone] == [{"jsonrpc": "2.0", "id": number, "result": {}} for number in ALIKE]
        for nothing in ODD[:2]:
            assert (await http.post("/mcp", json=nothing, headers=session)).status_code == 202
        body = json.dumps(ping("in pieces")).encode()

        async def pieces() -> AsyncIterator[bytes]:
            for begin in range(0, len(body), 7):
                yield body[begin : begin + 7]

        told = await http.post("/mcp", content=pieces(), headers={**session, "content-type": "application/json"})
        assert told.json() == {"jsonrpc": "2.0", "id": "in pieces", "result": {}}


@pytest.mark.parametrize("number", [7, "7"])
async def test_an_id_over_http_is_used_again_when_its_request_is_answered(house: House, number: Any) -> None:
    async with httpx2.AsyncClient(base_url=house.url, headers=ACCEPT, timeout=20) as http:
        session = {"mcp-session-id": (await http.post("/mcp", json=hello("2025-03-26"))).headers["mcp-session-id"]}

        async def post(message: Any) -> httpx2.Response:
            return await http.post("/mcp", json=message, headers=session)

        await post(INITIALIZED)
        await post(PRIME)
        other = str(number) if isinstance(number, int) else int(number)
        for _ in range(3):
            async with http.stream("POST", "/mcp", json=slow(number), headers=session) as running:
                lines = (line async for line in running.aiter_lines() if line.startswith("data: {"))
                assert "progress" in await anext(lines)
                for same in (slow(number), call(number, "echo__echo", text="x"), ping(number)):
                    told = await post(same)
                    assert (told.status_code, told.json()["id"], told.json()["error"]["code"]) == (400, number, -32600)
                batch = (await post([ping(number), ping(other)])).json()
                assert {one["id"]: "result" in one for one in batch} == {number: False, other: True}
                others: list[Any] = [other, True, "nobody's", None, []]
                for another in others:
                    assert (await post(give_up(another))).status_code == 202
                assert (await post(ping("still there"))).json()["result"] == {}
                assert (await post(give_up(number))).status_code == 202
                said = [json.loads(line.removeprefix("data: ")) async for line in lines]
            assert [(one["id"], "error" in one) for one in said if "method" not in one] == [(number, True)]
            assert (await post(ping(number))).json() == {"jsonrpc": "2.0", "id": number, "result": {}}
            assert (await post(call(number, "echo__echo", text="x"))).json()["id"] == number


async def test_every_request_of_a_connection_is_answered_whatever_its_id(house: House) -> None:
    async with connect(house.url.replace("http", "ws") + "/mcp/ws") as socket:

        async def hear() -> Any:
            async with asyncio.timeout(20):
                while (said := json.loads(await socket.recv())) and "method" in said:  # progress
                    pass
            return said

        async def ask(message: Any) -> Any:
            await socket.send(json.dumps(message))
            return await hear()

        await ask(hello("2025-03-26"))
        await socket.send(json.dumps(INITIALIZED))
        await ask(PRIME)
        check_odd(await ask([*map(ping, ALIKE), *ODD]))
        for broken in BROKEN:
            assert (await ask(broken))["error"]["code"] == -32700
        for quick in (call(5, "echo__slow", seconds=30), slow(5)):
            await socket.send(json.dumps([quick, ping("beside")]))
            again = await ask([ping(5), ping("5")])
            assert {one["id"]: "result" in one for one in again} == {5: False, "5": True}
            assert (await ask(call(5, "echo__echo", text="x")))["error"]["code"] == -32600
            assert (await ask(slow(5)))["error"]["code"] == -32600
            await socket.send(json.dumps([give_up("5"), give_up(5.0), give_up(None)]))
            assert (await ask(ping("still there")))["result"] == {}
            assert [one["id"] for one in await ask(give_up(5))] == ["beside"]
        # Of two that the SDK would take for one, each is given up by its own id.
        for first, second in ((1, "1"), ("1", 1)):
            await socket.send(json.dumps([slow(1), ping("a")]))
            await socket.send(json.dumps([slow("1"), ping("b")]))
            assert [one["id"] for one in await ask(give_up(first))] == ["a" if first == 1 else "b"]
            assert [one["id"] for one in await ask(give_up(second))] == ["b" if first == 1 else "a"]


def test_numbers_are_those_of_the_client_where_they_cannot_be_mixed_up() -> None:
    numbers = Numbers(own=False)
    assert numbers.begin(1) == 1
    assert numbers.begin(1) is None
    other = numbers.begin("1")
    assert isinstance(other, str)
    assert other != "1"
    assert [numbers.known_as(one) for one in (1, "1", True, 1.0, None)] == [1, other, None, None, None]
    assert numbers.end(other) == "1"
    assert numbers.end(other) is None
    assert numbers.known_as("1") is None
    assert numbers.end(1) == 1
    assert numbers.begin("1") == "1"


def test_a_posted_answer_bears_its_client_s_id_and_nothing_else_is_touched() -> None:
    numbers = Numbers(own=True)
    text = '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN,"b":[1.5,-0.5,"\\u00e9"],"id":1}}'
    posted = Posted.of(text.encode(), numbers)
    known = numbers.known_as(1)
    assert known is not None
    assert posted.body.decode() == text.replace("\\u00e9", "é").replace('"id":1,"m', f'"id":"{known}","m')
    answer = f'{{"jsonrpc":"2.0","id":"{known}","result":{{}}}}'
    within = f'{{"jsonrpc":"2.0","method":"x","params":{answer}}}'
    for words in (within, f"data: {within}", f"data: {json.dumps('data: ' + answer)}"):
        assert posted.in_their_words(words.encode()) == words.encode()
    for head in ("", "event: message\r\ndata: "):
        assert posted.in_their_words((head + answer).encode()).decode() == head + answer.replace(f'"{known}"', "1")
    assert Posted.of(text.encode(), numbers).wrong is not None
    posted.answered()
    following = Posted.of(text.encode(), numbers)
    assert following.wrong is None
    posted.answered()
    assert numbers.known_as(1) not in {None, known}
