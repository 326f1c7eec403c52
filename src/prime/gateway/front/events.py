"""`/mcp/sse`: what is said to a client is a stream of events, and what it says comes by POSTs to the address named there first.

The same connection as a WebSocket's with another carrier, so that batches, the short way and the refusals are the same.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from prime.core.errors import InvalidInput, NotFound, TooLarge
from prime.core.ids import new_secret
from prime.gateway.front.server import Front
from prime.gateway.front.sessions import connection_key
from prime.gateway.front.streams import serve_texts
from prime.gateway.tokens import Client

ADDRESS = "/mcp/sse"
# Proxies close a stream on which nothing is said.
_SIGN_S = 15.0
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


@dataclass(frozen=True, slots=True)
class _Stream:
    """One that is open: whose it is, and where its texts go in."""

    client: Client | None
    texts: MemoryObjectSendStream[bytes]


class EventStreams:
    def __init__(self, front: Front) -> None:
        self._front = front
        self._open: dict[str, _Stream] = {}

    async def follow(self, receive: Receive, send: Send, client: Client | None) -> None:
        """A GET: the stream, until the client goes."""
        name, key = new_secret(), connection_key()
        texts, taken = anyio.create_memory_object_stream[bytes](0)
        said = _Events(send)
        await said.begin(f"{ADDRESS}?session_id={name}")
        self._open[name] = _Stream(client, texts)
        beside = [asyncio.create_task(said.live()), asyncio.create_task(_until_gone(receive, texts))]
        try:
            await serve_texts(self._front, key, client, lambda: _next(taken), said.message)
        finally:
            del self._open[name]
            for task in beside:
                task.cancel()
            texts.close()
            taken.close()
            self._front.sessions.end(key)
            await said.end()

    def end(self) -> None:
        """Let every client go."""
        for stream in self._open.values():
            stream.texts.close()

    async def take(self, scope: Scope, receive: Receive, client: Client | None, largest: int) -> None:
        """A POST: one text for a stream, on which it is answered. A refusal is raised."""
        stream = self._open.get(Request(scope).query_params.get("session_id", ""))
        if stream is None or stream.client != client:
            raise NotFound("There is no such stream.", code="unknown_stream", hint=f"Open one: GET {ADDRESS}.")
        if Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise InvalidInput("A message is application/json.", field="content-type")
        text = await _text(Request(scope, receive), largest)
        try:
            await stream.texts.send(text)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise NotFound("The stream has ended.", code="unknown_stream", hint=f"Open one: GET {ADDRESS}.") from None


async def _text(request: Request, largest: int) -> bytes:
    text = bytearray()
    async for part in request.stream():
        text += part
        if len(text) > largest:
            raise TooLarge(f"A message may have {largest:,} bytes.")
    try:
        from_json(text)
    except ValueError as error:
        raise InvalidInput(f"This is not JSON: {error}.", code="invalid_json") from None
    return bytes(text)


class _Events:
    """Writes one response as events."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def begin(self, address: str) -> None:
        await self._send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": _HEADERS})
        await self._write(f"event: endpoint\r\ndata: {address}\r\n\r\n")

    async def message(self, text: str) -> None:
        await self._write(f"event: message\r\ndata: {text}\r\n\r\n")

    async def live(self) -> None:
        while True:
            await asyncio.sleep(_SIGN_S)
            await self._write(": still here\r\n\r\n")

    async def end(self) -> None:
        with suppress(OSError):
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, words: str) -> None:
        with suppress(OSError):  # it has gone, which is noticed elsewhere
            await self._send({"type": "http.response.body", "body": words.encode(), "more_body": True})


async def _next(taken: MemoryObjectReceiveStream[bytes]) -> bytes | None:
    try:
        return await taken.receive()
    except anyio.EndOfStream:
        return None


async def _until_gone(receive: Receive, texts: MemoryObjectSendStream[bytes]) -> None:
    """The texts end when the client goes."""
    message: Message = await receive()
    while message["type"] != "http.disconnect":
        message = await receive()
    texts.close()
