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
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import to_json

from prime.gateway.front.batches import Batch, Batches, batch_in
from prime.gateway.front.frames import Number, refusal
from prime.gateway.front.numbers import CANCELLED, Numbers, in_flight
from prime.gateway.front.quick import QuickCall
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
        self._numbers = Numbers(own=False)
        self._one_at_a_time = asyncio.Lock()

    async def read(self, receive: Receive) -> None:
        # Calls in a group of asyncio's own: it cancels each once, and costs a third.
        async with asyncio.TaskGroup() as calls, self._to_server:
            while (text := await receive()) is not None:
                given = batch_in(text, self._front.sessions.find(self._key))
                if given is None:
                    await self._take(text, calls)
                    continue
                batch = Batch.of(given, lambda number: self._numbers.known_as(number) is not None)
                await self._send(self._batches.begin(batch))
                for message in batch.messages:
                    await self._take(to_json(message), calls)

    async def write(self, said: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with said:
            async for one in said:
                message = one.message
                number = None
                if isinstance(message, JSONRPCResponse | JSONRPCError):
                    number = self._numbers.end(message.id)
                    message = message if number is None else message.model_copy(update={"id": number})
                written = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
                await self._send(self._batches.answered(number, written))

    async def _take(self, text: str | bytes, calls: asyncio.TaskGroup) -> None:
        """One message."""
        quick = self._front.quick
        if quick.cancel(self._key, text):
            return
        if (call := quick.read(self._key, self._client, text)) is not None:
            if (known := self._numbers.begin(call.number)) is None:
                await self._send(to_json(in_flight(call.number)))
                return
            quick.expect(call)
            calls.create_task(self._answer(call, known))
        elif (wrong := refusal(text)) is not None:
            await self._send(to_json(wrong))
        else:
            await self._hand_on(text)

    async def _answer(self, call: QuickCall, known: Number) -> None:
        said = await self._front.quick.answer(call)
        self._numbers.end(known)
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
        if isinstance(message, JSONRPCRequest):
            if (known := self._numbers.begin(message.id)) is None:
                await self._send(to_json(in_flight(message.id)))
                return
            message = message.model_copy(update={"id": known})
        elif isinstance(message, JSONRPCNotification) and message.method == CANCELLED:
            await self._give_up(message)
            return
        await self._to_server.send(SessionMessage(message))

    async def _give_up(self, message: JSONRPCNotification) -> None:
        """A request is not answered any more. What is not in flight cannot be given up."""
        params = message.params or {}
        if (known := self._numbers.known_as(params.get("requestId"))) is None:
            return
        await self._send(self._batches.given_up(self._numbers.end(known)))
        renamed = message.model_copy(update={"params": {**params, "requestId": known}})
        await self._to_server.send(SessionMessage(renamed))

    async def _send(self, text: bytes | None) -> None:
        if text is not None:
            async with self._one_at_a_time:
                await self._send_text(text.decode())
