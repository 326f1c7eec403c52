"""A Prime over the real app, in process or on a port, and agents around it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
import uvicorn
from pydantic import SecretStr
from starlette.types import ASGIApp

from prime.app import Prime, open_prime
from prime.core.clock import Clock, SystemClock
from prime.core.settings import Settings
from prime.sdk import Agent
from prime.sdk.running import Place, Running, open_agent
from prime.web.local import LocalDoor
from prime.web.server import quiet_server


@dataclass
class Instance:
    """A Prime, a stranger's client and the owner's."""

    prime: Prime
    stranger: httpx2.AsyncClient
    owner: httpx2.AsyncClient


OpenInstance = Callable[..., Awaitable[Instance]]


def make_settings(folder: Path, url: str | None, **changes: object) -> Settings:
    settings = Settings.load({})
    database = {"database_url": SecretStr(url), "secret_key": SecretStr("k" * 40)} if url else {}
    base = {"data": folder, "port": 0, "owner_email": "owner@example.com"}
    return settings.model_copy(update=base | database | changes)


@pytest.fixture
async def open_instance(tmp_path: Path) -> AsyncIterator[OpenInstance]:
    """Opens an instance with an owner, over in-process ASGI."""
    async with AsyncExitStack() as stack:

        async def open_one(
            name: str = "prime", *, url: str | None = None, clock: Clock | None = None, **changes: object
        ) -> Instance:
            settings = make_settings(tmp_path / name, url, **changes)
            base_url = f"http://{name}.example:8787"
            prime = await stack.enter_async_context(
                open_prime(settings.model_copy(update={"public_url": base_url}), clock=clock or SystemClock())
            )

            async def client(app: ASGIApp, address: str) -> httpx2.AsyncClient:
                transport = httpx2.ASGITransport(app=app, client=(address, 1234))
                made = httpx2.AsyncClient(transport=transport, base_url=base_url, timeout=30)
                return await stack.enter_async_context(made)

            return Instance(
                prime, await client(prime.app, "203.0.113.7"), await client(LocalDoor(prime.app), "127.0.0.1")
            )

        yield open_one


@pytest.fixture
async def instance(open_instance: OpenInstance) -> Instance:
    return await open_instance()


Serve = Callable[..., Awaitable[str]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Serves apps on free ports of loopback; gives their addresses."""
    running: list[tuple[uvicorn.Server, asyncio.Task[None]]] = []

    async def start(app: ASGIApp, door: socket.socket | None = None) -> str:
        door = door or socket.create_server(("127.0.0.1", 0))
        server = quiet_server(app)  # of several that listen to signals, one that ended would stay in charge
        task = asyncio.create_task(server.serve(sockets=[door]))
        while not server.started:  # noqa: ASYNC110  (uvicorn has no event for it)
            await asyncio.sleep(0.005)
        running.append((server, task))
        return f"http://127.0.0.1:{door.getsockname()[1]}"

    yield start
    # All at once: each looks only ten times a second whether it shall end.
    for server, _ in running:
        server.should_exit = True
    await asyncio.gather(*(task for _, task in running))


@dataclass
class Served:
    """An instance on a port of loopback."""

    instance: Instance
    url: str


OpenServed = Callable[..., Awaitable[Served]]


@pytest.fixture
async def open_served(tmp_path: Path, serve: Serve) -> AsyncIterator[OpenServed]:
    """Opens instances that can reach each other; stops serving before they close."""
    async with AsyncExitStack() as stack:

        async def open_one(name: str = "prime", **changes: object) -> Served:
            door = socket.create_server(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{door.getsockname()[1]}"
            settings = make_settings(tmp_path / name, None, **changes)
            prime = await stack.enter_async_context(open_prime(settings, base_url=url))
            await serve(prime.app, door)
            owner = httpx2.AsyncClient(
                transport=httpx2.ASGITransport(app=LocalDoor(prime.app)), base_url=url, timeout=30
            )
            stranger = httpx2.AsyncClient(base_url=url, timeout=30)
            await stack.enter_async_context(owner)
            await stack.enter_async_context(stranger)
            return Served(Instance(prime, stranger, owner), url)

        yield open_one


StartAgent = Callable[..., Awaitable[Running]]


@pytest.fixture
async def start_agent(serve: Serve) -> AsyncIterator[StartAgent]:
    """Serves agents on ports of loopback, registered where a directory is named."""
    async with AsyncExitStack() as stack:

        async def start(made: Agent, directory_url: str | None = None, port: int = 0) -> Running:
            door = socket.create_server(("127.0.0.1", port))
            url = f"http://127.0.0.1:{door.getsockname()[1]}"
            running = await stack.enter_async_context(open_agent(made, Place(directory_url=directory_url), url))
            await serve(running.app, door)
            if running.membership:
                await running.membership.register()
            return running

        yield start


WaitForTexts = Callable[..., Awaitable[list[str]]]


@pytest.fixture
def texts_of() -> WaitForTexts:
    """What was said in a channel, once there is as much as a test waits for."""

    async def wait(instance: Instance, channel_id: str, count: int, kind: str = "text") -> list[str]:
        store = instance.prime.parts.store
        async with asyncio.timeout(60):
            while True:
                head = await store.log.head()
                texts = [m.text for m in await store.log.page(channel_id, limit=500) if m.kind == kind]
                if len(texts) >= count:
                    return texts
                await store.heads.wait_beyond(head)

    return wait
