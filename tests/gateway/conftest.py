"""A Prime with its gateway, in this process and on a real port, and clients of it."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
import uvicorn
from mcp.client.client import Client

from prime.app import Prime, open_prime
from prime.core.settings import Settings
from prime.gateway.behind.pool import Servers
from prime.gateway.gateway import Gateway
from prime.web.server import web_socket

ECHO = Path(__file__).parent / "servers" / "echo.py"
# What the owner vouches for about the servers of these tests: nothing that policy would ask about.
HARMLESS = {"subprocess": False, "network": False, "cost": {"billable": False}}
Json = dict[str, Any]


@dataclass(frozen=True)
class House:
    """A running Prime at an address."""

    prime: Prime
    url: str
    folder: Path

    @property
    def gateway(self) -> Gateway:
        return self.prime.parts.gateway

    @property
    def servers(self) -> Servers:
        return self.gateway.servers

    @property
    def config(self) -> Path:
        return self.folder / "config" / "prime" / "mcp.json"

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @asynccontextmanager
    async def client(self, *, primed: bool = True, mode: Any = "legacy", **options: Any) -> AsyncGenerator[Client]:
        """The SDK's client over streamable HTTP."""
        async with Client(f"{self.url}/mcp", mode=mode, **options) as client:
            if primed:
                await client.call_tool("prime", {"agentId": "tests", "sessionId": "s1"})
            yield client

    async def until(self, holds: Callable[[], bool], seconds: float = 20) -> None:
        """Wait for what other processes do."""
        async with asyncio.timeout(seconds):
            while not holds():  # noqa: ASYNC110 - nothing tells when a process of its own has come so far
                await asyncio.sleep(0.02)


def echo_entry(*arguments: str, **more: Any) -> Json:
    return {"command": sys.executable, "args": [str(ECHO), *arguments], "effects": HARMLESS, **more}


@pytest.fixture
def echo() -> Callable[..., Json]:
    return echo_entry


@asynccontextmanager
async def serving(prime: Prime) -> AsyncGenerator[str]:
    config = uvicorn.Config(
        prime.app,
        port=0,
        log_config=None,
        ws=cast("Any", web_socket),
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    prime.app.end_streams()
    server.should_exit = True
    await task


OpenHouse = Callable[..., Awaitable[House]]


@pytest.fixture
async def open_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenHouse]:
    """Opens a Prime with these servers and variables."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "config" / "prime").mkdir(parents=True)
    (tmp_path / "workspace").mkdir()
    async with AsyncExitStack() as stack:

        async def open_one(servers: Json | None = None, *, settled: bool = True, **variables: str) -> House:
            if servers is not None:
                (tmp_path / "config" / "prime" / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
            given = {"PRIME_DATA": str(tmp_path / "data"), "PRIME_WORKSPACE": str(tmp_path / "workspace"), **variables}
            prime = await stack.enter_async_context(open_prime(Settings.load(given)))
            url = await stack.enter_async_context(serving(prime))
            if settled:
                await prime.parts.gateway.servers.settled()
            return House(prime, url, tmp_path)

        yield open_one


@pytest.fixture
async def house(open_house: OpenHouse) -> House:
    """With one server behind it, called `echo`."""
    return await open_house({"echo": echo_entry()})
