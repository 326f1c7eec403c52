"""The examples run: each is started as its comment says, finds its place in a directory, and answers."""

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from prime.app import Prime, open_prime
from prime.core.settings import Settings
from prime.web.server import quiet_server

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PATIENCE = 60  # seconds, for a machine that has much else to do


@pytest.fixture
async def directory(tmp_path: Path) -> AsyncGenerator[tuple[Prime, str]]:
    """A Prime whose directory answers on a port."""
    door = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{door.getsockname()[1]}"
    async with open_prime(Settings.load({"PRIME_DATA": str(tmp_path / "data")}), base_url=url) as prime:
        server = quiet_server(prime.app)
        serving = asyncio.create_task(server.serve(sockets=[door]))
        yield prime, url
        server.should_exit = True
        await serving


@asynccontextmanager
async def running(command: Sequence[str], directory_url: str, port: int) -> AsyncGenerator[None]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {"PATH": path, "PRIME_DIRECTORY_URL": directory_url, "AGENT_PORT": str(port)}
    process = await asyncio.create_subprocess_exec(
        *command, cwd=EXAMPLES, env={**os.environ, **variables}, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]


async def registered(prime: Prime, name: str) -> None:
    """Until it is there and online; its first heartbeat follows at once, not after a minute."""
    directory = prime.parts.network.directory
    async with asyncio.timeout(PATIENCE):
        while not any(a.name == name and directory.online(a.id) for a in (await directory.page())[1]):  # noqa: ASYNC110
            await asyncio.sleep(0.05)  # another process is on its way


@pytest.mark.parametrize(
    ("command", "name", "said", "answer"),
    [
        (["node", "plain_agent.mjs"], "Scout", "Hello", "Scout heard: Hello"),
        (["bash", "command_agent.sh"], "Sorter", "b\na\nb", "a\nb"),
    ],
)
async def test_an_example_in_another_language_registers_and_answers(
    directory: tuple[Prime, str], command: list[str], name: str, said: str, answer: str
) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed here")
    prime, url = directory
    port = free_port()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(running(command, url, port))
        client = await stack.enter_async_context(
            httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE)
        )
        await registered(prime, name)
        reply = (await client.post("/prime/message", json={"id": "1", "text": said})).json()
        assert (reply["type"], reply["text"].strip()) == ("reply", answer)
        card = (await client.get("/.well-known/prime-agent.json", params={"challenge": "n" * 20})).json()
        assert (card["name"], card["challenge"]) == (name, "n" * 20)
        assert (await client.post("/prime/message", content="{")).is_client_error
        assert (await client.get("/elsewhere")).status_code == 404
