"""One connection of the SDK's server over any pair of functions that take and give JSON texts.

The SDK has no WebSocket any more; this is what a transport of one's own needs.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.server.lowlevel.server import Server
from mcp.server.models import InitializationOptions
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from prime.gateway.front.sessions import CALLER, Caller
from prime.gateway.tokens import Client

# The next text, None when the other side has gone.
Receive = Callable[[], Awaitable[str | bytes | None]]
Send = Callable[[str], Awaitable[None]]


async def serve_texts(
    server: Server[Any], options: InitializationOptions, key: str, client: Client | None, receive: Receive, send: Send
) -> None:
    """Serve until the other side goes, or says that it is closed."""
    to_server, for_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, for_client = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        async with to_server:
            while (text := await receive()) is not None:
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
        await server.run(for_server, to_client, options)
        group.cancel_scope.cancel()
