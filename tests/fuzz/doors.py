"""The doors of a whole Prime that take bodies from outside: whatever comes in is answered, and never as our own fault.

One Prime on SQLite in a folder of its own, for as long as the process lives.
"""

import asyncio
import json
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import cache
from pathlib import Path
from typing import Any, cast

import httpx2
from tests.fuzz.examples import BATCH, CALL, MESSAGE, QUERY, SENDING, TOOLS
from tests.fuzz.readers import Reader, text_of

from prime.app import open_prime
from prime.core.settings import Settings

HERE = "http://127.0.0.1:8787"
HELLO = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26",'
    ' "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}}'
)
BOUNDARY = "edge"
UPLOAD = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n'
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="channelId"\r\n\r\nch_hub\r\n--{BOUNDARY}--\r\n'
)


class House:
    """A Prime and a loop to speak with it from code that does not wait."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="prime-fuzz-"))
        self._client = self._loop.run_until_complete(self._open(Path(folder)))
        self.session = self._greet()

    async def _open(self, folder: Path) -> httpx2.AsyncClient:
        settings = Settings.load({"PRIME_DATA": str(folder), "PRIME_TOOL_SCAN_MS": "0", "PRIME_MODEL": "offline"})
        prime = await self._stack.enter_async_context(open_prime(settings))
        transport = httpx2.ASGITransport(app=prime.app)
        return await self._stack.enter_async_context(httpx2.AsyncClient(transport=transport, base_url=HERE))

    def _greet(self) -> dict[str, str]:
        hello = self.post("/mcp", HELLO.encode(), "application/json")
        return {"mcp-session-id": hello.headers["mcp-session-id"], "mcp-protocol-version": "2025-03-26"}

    def post(self, path: str, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> httpx2.Response:
        sent = {"content-type": kind, "accept": "application/json, text/event-stream", **(headers or {})}
        return self._sound(self._client.post(path, content=body, headers=sent))

    def get(self, path: str, **params: str) -> httpx2.Response:
        return self._sound(self._client.get(path, params=params))

    def _sound(self, asking: Any) -> httpx2.Response:
        answer = cast("httpx2.Response", self._loop.run_until_complete(asyncio.wait_for(asking, 30)))
        assert answer.status_code < 500 or answer.status_code == 503, answer.text
        return answer

    def close(self) -> None:
        self._loop.run_until_complete(self._stack.aclose())
        left = asyncio.all_tasks(self._loop)  # the library for event streams watches for the end of a server
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()


@cache
def house() -> House:
    return House()


def mcp(data: bytes) -> None:
    """A message is taken, answered as JSON-RPC, or refused at the threshold (what is too deep, or holds a NUL)."""
    if b"initialize" in data or b"cancelled" in data:
        return  # it would be another session's, or nobody's, affair
    answer = house().post("/mcp", data, "application/json", house().session)
    for told in _answers(answer):
        assert "result" in told or told["error"]["message"]
        assert told.get("jsonrpc") == "2.0" or answer.status_code == 400, told


def _answers(answer: httpx2.Response) -> list[dict[str, Any]]:
    if not answer.content or answer.headers["content-type"].startswith("text/event-stream"):
        return []
    value = answer.json()
    return cast("list[dict[str, Any]]", value if isinstance(value, list) else [value])


def a2a(data: bytes) -> None:
    answer = house().post("/a2a", data, "application/json").json()
    for told in cast("list[dict[str, Any]]", answer if isinstance(answer, list) else [answer]):
        assert told["jsonrpc"] == "2.0"
        assert ("result" in told) != ("error" in told)


def prime_message(data: bytes) -> None:
    answer = house().post("/prime/message", data, "application/json")
    if answer.is_success:
        assert answer.json()["type"] in {"reply", "task"}
    else:
        assert answer.json()["error"]["message"]


def upload(data: bytes) -> None:
    """A form is taken or refused; a file that is put into a proper one comes out as it went in."""
    house().post("/api/attachments", data, f"multipart/form-data; boundary={BOUNDARY}")
    if f"--{BOUNDARY}".encode() in data:
        return
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
    answer = house().post(
        "/api/attachments",
        head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode(),
        f"multipart/form-data; boundary={BOUNDARY}",
    )
    assert answer.status_code == 201, answer.text
    assert house().get(f"/api/attachments/{answer.json()['id']}").content == data


def recall(data: bytes) -> None:
    answer = house().get("/api/brain/recall", q=text_of(data).encode("utf-8", "replace").decode())
    assert answer.status_code in {200, 400, 422}, answer.text
    assert json.dumps(answer.json())


def rpc(method: str, params: str) -> str:
    return f'{{"jsonrpc": "2.0", "id": 1, "method": "{method}", "params": {params}}}'


DOORS: dict[str, Reader] = {
    "mcp-door": Reader.of(
        mcp, CALL, BATCH, TOOLS, rpc("tools/list", "{}"), rpc("resources/read", '{"uri": "prime://x"}')
    ),
    "a2a-door": Reader.of(a2a, rpc("message/send", SENDING), rpc("tasks/get", '{"id": "x", "historyLength": 1}')),
    "prime-message-door": Reader.of(prime_message, MESSAGE),
    "upload-door": Reader.of(upload, UPLOAD, "words"),
    "recall-door": Reader.of(recall, QUERY, "lamp"),
}
