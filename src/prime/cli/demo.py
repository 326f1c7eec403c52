"""`prime serve --demo`: a throw-away house with a project already running and two agents around it."""

import asyncio
import json
import shutil
import signal
import socket
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from prime.core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Generator

    from prime.app import Prime
    from prime.sdk import Agent

PROJECT = (
    "Launch our desk lamp Lumen in Berlin on 12 March 2027: find a venue, win a retail partner, print 800 flyers. "
    "Budget 20,000 EUR."
)
ATTACH_SECONDS = 10.0


@contextmanager
def demo_settings(settings: Settings) -> "Generator[Settings]":
    """The same settings over a data folder that is gone afterwards, with accounts that are played in memory."""
    folder = Path(tempfile.mkdtemp(prefix="prime-demo-"))
    changes: dict[str, object] = {"data": folder, "database_url": None, "tg_user_mock": True, "x_mock": True}
    try:
        yield settings.model_copy(update=changes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def ended_by_signals() -> "Generator[None]":
    """Let a SIGTERM that comes before the server listens to it leave time to clean up."""

    def leave(_number: int, _frame: object) -> None:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@asynccontextmanager
async def open_demo(
    settings: Settings, *, base_url: str | None = None, serving: bool = False
) -> "AsyncGenerator[Prime]":
    """Prime with two simulated remote agents in its directory and a project under way."""
    from prime.app import open_prime
    from prime.sdk.simulated import SIMULATED

    async with AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(_served(agent)) for agent in SIMULATED]
        remote = json.dumps([{"url": url, "tier": "business_relation"} for url in urls])
        chosen = settings.model_copy(update={"remote_agents": remote})
        prime = await stack.enter_async_context(open_prime(chosen, base_url=base_url, serving=serving))
        await _attached(prime, len(urls))
        await prime.parts.hub.say(PROJECT, idempotency_key="demo")
        yield prime


async def _attached(prime: "Prime", count: int) -> None:
    """Wait until the agents are in the directory, so that the plan knows them."""
    directory = prime.parts.network.directory
    waited = 0.0
    while (await directory.page())[0] < count and waited < ATTACH_SECONDS:
        await asyncio.sleep(0.05)
        waited += 0.05


@asynccontextmanager
async def _served(agent: "Agent") -> AsyncGenerator[str]:
    """An agent on a free port of loopback; its address."""
    from prime.sdk.running import Place, open_agent
    from prime.web.server import quiet_server

    door = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    async with open_agent(agent, Place(), url) as running:
        server = quiet_server(running.app)
        serving = asyncio.create_task(server.serve(sockets=[door]))
        try:
            yield url
        finally:
            server.should_exit = True
            await serving
