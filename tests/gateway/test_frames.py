"""Messages that are none are told what is wrong with them, whoever carries them; nothing is done, and nothing breaks."""

import json
from typing import Any

import httpx2
import pytest
from tests.gateway.conftest import House, Json
from tests.gateway.test_front import ACCEPT, HELLO
from websockets.asyncio.client import connect

from prime.gateway.behind.rpc import read_messages
from prime.gateway.front.frames import refusal

CALL: Json = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {"name": "echo__echo", "arguments": {"text": "x"}},
}
WRONG: list[tuple[Any, int, Any, str | None]] = [
    ([CALL, CALL], -32600, None, None),
    ([], -32600, None, None),
    ("words", -32600, None, None),
    (5, -32600, None, None),
    ({**CALL, "id": None}, -32600, None, "id"),
    ({**CALL, "id": 1.5}, -32600, None, "id"),
    ({**CALL, "id": True}, -32600, None, "id"),
    ({**CALL, "id": {}}, -32600, None, "id"),
    ({**CALL, "jsonrpc": "1.0"}, -32600, 7, "jsonrpc"),
    ({"id": 7, "method": "tools/list"}, -32600, 7, "jsonrpc"),
    ({"jsonrpc": "2.0", "id": 7}, -32600, 7, "method"),
    ({**CALL, "method": 5}, -32600, 7, "method"),
    ({**CALL, "params": ["echo__echo"]}, -32602, 7, "params"),
    ({**CALL, "params": {}}, -32602, 7, "name"),
    ({**CALL, "params": {"name": 5}}, -32602, 7, "name"),
    ({**CALL, "params": {"name": "echo__echo", "arguments": [1]}}, -32602, 7, "arguments"),
    ({**CALL, "method": "resources/read", "params": {"uri": 5}}, -32602, 7, "uri"),
    ({**CALL, "method": "prompts/get", "params": {}}, -32602, 7, "name"),
    ({**CALL, "method": "resources/subscribe", "params": {}}, -32602, 7, "uri"),
]
STATELESS: Json = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
FINE: list[Any] = [
    CALL,
    # Methods that the stateless revision took away are not there, whatever they are given.
    {**CALL, "method": "resources/subscribe", "params": STATELESS},
    {**CALL, "method": "resources/unsubscribe", "params": STATELESS},
    {**CALL, "id": "seven"},
    {**CALL, "id": -1},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 7, "result": {}},
    {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "x"}},
]


@pytest.mark.parametrize(("message", "code", "number", "field"), WRONG)
def test_what_is_wrong_is_named(message: Any, code: int, number: Any, field: str | None) -> None:
    told: Any = refusal(json.dumps(message))
    assert (told["error"]["code"], told["id"], told["error"].get("data", {}).get("field")) == (code, number, field)


@pytest.mark.parametrize("message", FINE)
def test_what_is_right_goes_on(message: Any) -> None:
    assert refusal(json.dumps(message)) is None


async def test_wrong_messages_are_answered_on_every_transport(house: House) -> None:
    async with httpx2.AsyncClient(base_url=house.url, headers=ACCEPT) as http:
        hello = await http.post("/mcp", json=HELLO)
        # Who is told that lists change must be told so in the first place.
        assert hello.json()["result"]["capabilities"]["tools"]["listChanged"] is True
        session = {"mcp-session-id": hello.headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"}
        await http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session)
        other = await http.post("/mcp", json=WRONG[0][0], headers=session | {"mcp-protocol-version": "1999-01-01"})
        assert (other.status_code, other.json()["error"]["code"]) == (400, -32022)
        assert "2025-06-18" in other.json()["error"]["data"]["supported"]
        for message, code, number, _ in WRONG:
            answer = await http.post("/mcp", json=message, headers=session)
            assert (answer.status_code, answer.json()["error"]["code"], answer.json()["id"]) == (400, code, number)
    async with connect(house.url.replace("http", "ws") + "/mcp/ws") as socket:
        await socket.send(json.dumps(HELLO))
        await socket.recv()
        for message, code, number, _ in WRONG:
            await socket.send(json.dumps(message))
            told = json.loads(await socket.recv())
            assert (told["error"]["code"], told["id"]) == (code, number)
    assert "echo__echo" not in [m.body.get("name") for m in await house.prime.parts.store.log.after(0)]


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        (b'{"jsonrpc": "2.0", "id": 7, "result": ' + b"[" * 300 + b"]" * 300 + b"}", [7]),
        ('{"id":8,"jsonrpc":"2.0","result":' + "[" * 300 + "]" * 300 + "}", [8]),
        (b'{"result": ' + b"[" * 300 + b"]" * 300 + b', "id": 9, "jsonrpc": "2.0"}', [9]),
        (b'{"result": {"x": ' + b"[" * 300 + b"]" * 300 + b', "id": 9}}', []),
        (b"listening on 8000", []),
    ],
)
def test_an_answer_that_cannot_be_read_fails_its_own_request(line: bytes | str, numbers: list[int]) -> None:
    found = read_messages(line)
    assert [one["id"] for one in found] == numbers
    assert all("cannot be read" in str(one["error"]) for one in found)
