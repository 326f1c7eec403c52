"""A database that says nothing: a network that swallows everything, a server that stands still, one that takes connections
and ends them. Nobody waits for it for ever."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Protocol

import httpx2
import pytest
from sqlalchemy import text
from tests.faults.postgresql import Cable, Postgresql
from tests.faults.replicas import Replica

from prime.app import open_prime
from prime.core.clock import SystemClock
from prime.core.settings import Settings
from prime.store.engines.links import PATIENCE_SECONDS
from prime.store.engines.postgresql import PostgresqlDatabase

# One look whether it is there, and some room for a busy machine.
SOON_S = 20.0
SILENT_S = 30.0

READS = (
    "/readyz",
    "/api/status",
    "/api/channels",
    "/api/channels/ch_hub/messages",
    "/api/brain/recall?q=word",
    "/api/brain/facts",
    "/api/feed",
    "/api/questions",
    "/api/tools",
    "/api/settings",
    "/api/export",
    "/api/dialogs/export",
)
KNOWN = {"/api/tools", "/api/settings"}
WRITES: tuple[tuple[str, dict[str, str]], ...] = (
    ("/api/channels/ch_hub/messages", {"text": "meanwhile"}),
    ("/api/channels", {"name": "Deal", "tier": "team"}),
    ("/api/swarm/pause", {}),
    ("/api/admin/rebuild", {}),
    ("/api/tools/prime", {"sessionId": "s", "agentId": "a"}),
)


class Silence(Protocol):
    """How the database is reached, and how it falls silent and speaks again."""

    url: str

    def begin(self) -> None: ...
    def end(self) -> None: ...


class Cut:
    def __init__(self, url: str, cable: Cable) -> None:
        self.url = url
        self.begin, self.end = cable.pull, cable.plug


class Torn:
    def __init__(self, url: str, cable: Cable) -> None:
        self.url = url
        self.begin, self.end = cable.tear, cable.plug


class Still:
    def __init__(self, server: Postgresql) -> None:
        self.url = server.url
        self.begin, self.end = server.stand_still, server.go_on


@pytest.fixture(params=["network", "connections", pytest.param("server", marks=pytest.mark.long)])
async def silence(request: pytest.FixtureRequest, own_postgresql: Postgresql, cable: Cable) -> AsyncGenerator[Silence]:
    way = own_postgresql.through(cable)
    kinds: dict[str, Callable[[], Silence]] = {
        "network": lambda: Cut(way, cable),
        "connections": lambda: Torn(way, cable),
        "server": lambda: Still(own_postgresql),
    }
    chosen = kinds[request.param]()
    yield chosen
    chosen.end()


async def timed(asked: Awaitable[httpx2.Response]) -> tuple[httpx2.Response, float]:
    began = time.monotonic()
    return await asked, time.monotonic() - began


async def ask_everything(client: httpx2.AsyncClient) -> None:
    """Everything at once: each is answered soon, by a sentence with advice unless it is known without the database."""
    asked = [client.get(path) for path in READS] + [client.post(path, json=body) for path, body in WRITES]
    answers = await asyncio.gather(*map(timed, asked))
    for (answer, took), path in zip(answers, [*READS, *(path for path, _ in WRITES)], strict=True):
        assert took < SOON_S, (path, took)
        if path in KNOWN and answer.status_code == 200:
            continue
        assert answer.status_code == 503, (path, answer.text)
        assert answer.json()["error"]["message"].startswith(
            ("The database does not answer", "The database cannot be read")
        )
        assert answer.json()["error"]["hint"], path


async def ready_again(client: httpx2.AsyncClient, seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while (await client.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.1)


@pytest.mark.timeout(200)
async def test_whoever_asks_a_silent_database_hears_so_soon(silence: Silence, tmp_path: Path) -> None:
    settings = Settings.load(
        {
            "PRIME_DATA": str(tmp_path),
            "PRIME_TOOL_SCAN_MS": "0",
            "PRIME_MODEL": "offline",
            "PRIME_DATABASE_URL": silence.url,
            "PRIME_SECRET_KEY": "0" * 64,
        }
    )
    async with open_prime(settings) as prime:
        transport = httpx2.ASGITransport(app=prime.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787", timeout=60) as client:
            path = "/api/channels/ch_hub/messages"
            assert (await client.post(path, json={"text": "before"})).status_code == 201
            silence.begin()
            await ask_everything(client)
            known, took = await timed(client.get("/api/channels"))
            assert (known.status_code, took < 5) == (503, True)  # known by now: nobody waits for it again
            silence.end()
            await ready_again(client)
            assert (await client.post(path, json={"text": "after"})).status_code == 201
            said = {item["text"] for item in (await client.get(path)).json()["items"]}
            assert said >= {"before", "after"}


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_half_a_minute_of_silence(silence: Silence, replicas: Callable[..., list[Replica]]) -> None:
    """A process of its own, asked all the while: each answer comes soon, and all is well when the silence ends."""
    [replica] = await asyncio.to_thread(replicas, silence.url)
    async with httpx2.AsyncClient(base_url=replica.url, timeout=60) as client:
        path = "/api/channels/ch_hub/messages"
        assert (await client.post(path, json={"text": "before"})).status_code == 201
        silence.begin()
        until = time.monotonic() + SILENT_S
        while time.monotonic() < until:
            assert (await client.get("/healthz")).status_code == 200
            await ask_everything(client)
            await asyncio.sleep(1)
        silence.end()
        await ready_again(client)
        assert (await client.post(path, json={"text": "after"})).status_code == 201
        said = {item["text"] for item in (await client.get(f"{path}?limit=200")).json()["items"]}
        assert said >= {"before", "after"}


async def test_an_answer_that_takes_long_is_waited_for(own_postgresql: Postgresql, tmp_path: Path) -> None:
    """The server is there and at work: nothing is given up."""
    database = await PostgresqlDatabase.open(own_postgresql.url, SystemClock(), ())
    slow = text(f"SELECT 7 FROM pg_sleep({PATIENCE_SECONDS + 2})")
    try:
        assert await database.read(lambda connection: connection.execute(slow).scalar_one()) == 7
    finally:
        await database.close()
