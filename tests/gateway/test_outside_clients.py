"""Other people's clients at every door: the MCP package's own and FastMCP's."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from tests.gateway.conftest import House
from tests.gateway.outside import python_program
from websockets.asyncio.client import connect

FASTMCP = "4.1.2"
PROGRAM = Path(__file__).parent / "programs" / "fastmcp_client.py"
ECHOES = ["echo__echo", "echo__slow", "echo__wild", "echo__misbehave"]
pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]


@asynccontextmanager
async def web_socket(url: str) -> AsyncGenerator[tuple[Any, Any]]:
    """A transport for the package's client, which has none for WebSockets any more."""
    to_client, for_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, for_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with connect(url, subprotocols=["mcp"]) as socket, anyio.create_task_group() as group:  # pyright: ignore[reportArgumentType]

        async def read() -> None:
            async with to_client:
                async for text in socket:
                    await to_client.send(SessionMessage(jsonrpc_message_adapter.validate_json(text)))

        async def write() -> None:
            async with for_server:
                async for message in for_server:
                    await socket.send(message.message.model_dump_json(by_alias=True, exclude_unset=True))

        group.start_soon(read)
        group.start_soon(write)
        async with for_client, to_server:
            yield for_client, to_server
        group.cancel_scope.cancel()


def stdio_words(house: House) -> list[str]:
    """`prime mcp` with the same configuration, and a data folder of its own."""
    return ["-m", "prime", "mcp", "--data", str(house.folder / "stdio-data")]


def environment(house: House) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PRIME_")}
    return kept | {"PRIME_WORKSPACE": str(house.workspace), "PRIME_TOOL_SCAN_MS": "0"}


def door(house: House, kind: str) -> Any:
    if kind == "stdio":
        words = StdioServerParameters(command=sys.executable, args=stdio_words(house), env=environment(house))
        return stdio_client(words)
    if kind == "sse":
        return sse_client(f"{house.url}/mcp/sse")
    if kind == "ws":
        return web_socket(f"{house.url.replace('http', 'ws')}/mcp/ws")
    return f"{house.url}/mcp"


# One handshake for all revisions that have one, and the stateless revision where its transport can be had.
@pytest.mark.parametrize(
    ("kind", "mode"),
    [("stdio", "legacy"), ("stdio", "auto"), ("http", "legacy"), ("http", "auto"), ("sse", "legacy"), ("ws", "legacy")],
)
async def test_the_packages_own_client(house: House, kind: str, mode: Any) -> None:
    heard: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    async with asyncio.timeout(120), Client(door(house, kind), mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools[0] == "prime"
        assert set(ECHOES) < set(tools)
        early: Any = await client.call_tool("echo__echo", {"text": "too early"})
        assert early.content[0].text.startswith("prime_required")
        await client.call_tool("prime", {"agentId": "tests", "sessionId": "s"})
        said: Any = await client.call_tool("echo__echo", {"text": "grüß dich"})
        assert said.content[0].text == "grüß dich"
        slow: Any = await client.call_tool("echo__slow", {"seconds": 0.2}, progress_callback=note)
        assert slow.content[0].text == "done"
        assert heard == sorted(heard)
        assert len(heard) == 10
        failed: Any = await client.call_tool("echo__misbehave", {"how": "error"})
        assert failed.is_error
        assert {"context", "conversation"} <= {one.name for one in (await client.list_prompts()).prompts}
        assert (await client.read_resource("prime://feed")).contents


@pytest.mark.parametrize("kind", ["stdio", "http", "sse"])
async def test_fastmcps_client(house: House, kind: str) -> None:
    python = python_program("fastmcp", FASTMCP)
    where = {
        "stdio": [sys.executable, *stdio_words(house)],
        "http": [f"{house.url}/mcp"],
        "sse": [f"{house.url}/mcp/sse"],
    }[kind]
    words = [str(python), str(PROGRAM), kind, *where]
    process = await asyncio.create_subprocess_exec(
        *words, env=environment(house), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, complaints = await process.communicate()
    assert process.returncode == 0, complaints.decode()[-3000:]
    seen = json.loads(out)
    assert seen["tools"][0] == "prime"
    assert set(ECHOES) < set(seen["tools"])
    assert seen["before"][0] is True
    assert seen["before"][1].startswith("prime_required")
    assert (seen["primed"], seen["said"], seen["slow"]) == (False, "grüß dich", "done")
    assert seen["failed"][0] is True
    assert "I will not." in seen["failed"][1]
    assert len(seen["progress"]) == 10
    assert {"context", "conversation"} <= set(seen["prompts"])
    assert seen["read"]


def test_fastmcp_has_no_client_for_web_sockets() -> None:
    """If it ever gets one, it belongs into the test above."""
    python = python_program("fastmcp", FASTMCP)
    asked = "import fastmcp.client.transports as t; print([n for n in dir(t) if n.lower().startswith(('ws', 'websocket'))])"
    done = subprocess.run([str(python), "-c", asked], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
