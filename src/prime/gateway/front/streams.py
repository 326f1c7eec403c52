"""One connection of the SDK's server over any pair of functions that take and give JSON texts.

The SDK has no WebSocket any more; this is what a transport of one's own needs.
"""

import asyncio
from collections.abc import Awaitable, Callable

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import to_json

from prime.gateway.front.frames import refusal
from prime.gateway.front.quick import QuickCall
from prime.gateway.front.server import Front
from prime.gateway.front.sessions import CALLER, Caller
from prime.gateway.tokens import Client

# The next text, None when the other side has gone.
Receive = Callable[[], Awaitable[str | bytes | None]]
Send = Callable[[str], Awaitable[None]]


async def serve_texts(front: Front, key: str, client: Client | None, receive: Receive, send_text: Send) -> None:
    """Serve until the other side goes, or says that it is closed."""
    quick, one_at_a_time = front.quick, asyncio.Lock()
    to_server, for_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, for_client = anyio.create_memory_object_stream[SessionMessage](0)

    async def send(text: str) -> None:
        async with one_at_a_time:
            await send_text(text)

    async def answer(call: QuickCall) -> None:
        if (said := await quick.answer(call)) is not None:
            await send(to_json(said).decode())

    async def read() -> None:
        # Calls in a group of asyncio's own: it cancels each once, and costs a third.
        async with asyncio.TaskGroup() as calls, to_server:
            while (text := await receive()) is not None:
                if quick.cancel(key, text):
                    continue
                if (call := quick.read(key, client, text)) is not None:
                    calls.create_task(answer(call))
                    continue
                if (wrong := refusal(text)) is not None:
                    await send(to_json(wrong).decode())
                    continue
                try:
                    message = jsonrpc_message_adapter.validate_json(text, by_name=False)
                except ValidationError:
                    error = ErrorData(code=PARSE_ERROR, message="This is not one JSON-RPC message.")
                    await send(JSONRPCError(jsonrpc="2.0", id=None, error=error).model_dump_json(by_alias=True))
                    continue
                await to_server.send(SessionMessage(message))

    async def write() -> None:
        async with for_client:
            async for message in for_client:
                await send(message.message.model_dump_json(by_alias=True, exclude_unset=True))

    async with anyio.create_task_group() as group:
        CALLER.set(Caller(key=key, client=client, end=group.cancel_scope.cancel))
        group.start_soon(read)
        group.start_soon(write)
        await front.server.run(for_server, to_client, front.options)
        group.cancel_scope.cancel()
