"""One connection of the SDK's server over any pair of functions that take and give JSON texts.

The SDK has no WebSocket any more; this is what a transport of one's own needs.
"""

import asyncio
from collections.abc import Awaitable, Callable

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import to_json

from prime.gateway.front.batches import Batch, Batches, batch_in
from prime.gateway.front.frames import refusal
from prime.gateway.front.quick import CANCELLED, QuickCall
from prime.gateway.front.server import Front
from prime.gateway.front.sessions import CALLER, Caller
from prime.gateway.tokens import Client

# The next text, None when the other side has gone.
Receive = Callable[[], Awaitable[str | bytes | None]]
Send = Callable[[str], Awaitable[None]]


async def serve_texts(front: Front, key: str, client: Client | None, receive: Receive, send_text: Send) -> None:
    """Serve until the other side goes, or says that it is closed."""
    to_server, for_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, for_client = anyio.create_memory_object_stream[SessionMessage](0)
    connection = _Connection(front, key, client, to_server, send_text)
    async with anyio.create_task_group() as group:
        CALLER.set(Caller(key=key, client=client, end=group.cancel_scope.cancel))
        group.start_soon(connection.read, receive)
        group.start_soon(connection.write, for_client)
        await front.server.run(for_server, to_client, front.options)
        group.cancel_scope.cancel()


class _Connection:
    """Between the texts of one client and the SDK's messages."""

    def __init__(
        self,
        front: Front,
        key: str,
        client: Client | None,
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
        send: Send,
    ) -> None:
        self._front = front
        self._key = key
        self._client = client
        self._to_server = to_server
        self._send_text = send
        self._batches = Batches()
        self._one_at_a_time = asyncio.Lock()

    async def read(self, receive: Receive) -> None:
        # Calls in a group of asyncio's own: it cancels each once, and costs a third.
        async with asyncio.TaskGroup() as calls, self._to_server:
            while (text := await receive()) is not None:
                given = batch_in(text, self._front.sessions.find(self._key))
                if given is None:
                    await self._take(text, calls)
                    continue
                batch = Batch.of(given)
                await self._send(self._batches.begin(batch))
                for message in batch.messages:
                    await self._take(to_json(message), calls)

    async def write(self, said: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with said:
            async for one in said:
                message = one.message
                number = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
                written = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
                await self._send(self._batches.answered(number, written))

    async def _take(self, text: str | bytes, calls: asyncio.TaskGroup) -> None:
        """One message."""
        quick = self._front.quick
        if quick.cancel(self._key, text):
            return
        if (call := quick.read(self._key, self._client, text)) is not None:
            quick.expect(call)
            calls.create_task(self._answer(call))
        elif (wrong := refusal(text)) is not None:
            await self._send(to_json(wrong))
        else:
            await self._hand_on(text)

    async def _answer(self, call: QuickCall) -> None:
        said = await self._front.quick.answer(call)
        if said is None:
            await self._send(self._batches.given_up(call.number))
        else:
            await self._send(self._batches.answered(call.number, to_json(said)))

    async def _hand_on(self, text: str | bytes) -> None:
        try:
            message = jsonrpc_message_adapter.validate_json(text, by_name=False)
        except ValidationError:
            error = ErrorData(code=PARSE_ERROR, message="This is not one JSON-RPC message.")
            await self._send(JSONRPCError(jsonrpc="2.0", id=None, error=error).model_dump_json(by_alias=True).encode())
            return
        if isinstance(message, JSONRPCNotification) and message.method == CANCELLED:
            await self._send(self._batches.given_up((message.params or {}).get("requestId")))
        await self._to_server.send(SessionMessage(message))

    async def _send(self, text: bytes | None) -> None:
        if text is not None:
            async with self._one_at_a_time:
                await self._send_text(text.decode())
