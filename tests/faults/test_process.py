"""One process under faults: killed at random points, connections that drop, clocks that jump, models that are slow or dead."""

import asyncio
import contextlib
import random
import socket
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import httpx2
import pytest
from tests.faults.replicas import Promised, Replica

from prime.app import open_prime
from prime.core.clock import FakeClock
from prime.core.settings import Settings
from prime.mind.model.choosing import NEAR_TRY_SECONDS

KILLS = 6
A_YEAR_S = 365 * 24 * 3600


class Serving(Protocol):
    url: str


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
async def test_killed_at_random_points_it_keeps_what_it_acknowledged(
    engine: str,
    new_postgresql_url: Callable[[], Awaitable[str]],
    replicas: Callable[..., list[Replica]],
    promised: Promised,
) -> None:
    url = await new_postgresql_url() if engine == "postgresql" else None
    [replica] = await asyncio.to_thread(replicas, url)
    chance = random.Random(engine)
    stop = asyncio.Event()

    async def kill() -> None:
        for _ in range(KILLS):
            promised.news.clear()
            await promised.news.wait()  # it is at work again; how soon is the machine's affair
            await asyncio.sleep(chance.uniform(0, 0.3))
            replica.end()
            await asyncio.to_thread(replica.start)
        stop.set()

    async def writer(name: str) -> None:
        number = 0
        while not stop.is_set():
            await promised.write(lambda: [replica.url], f"{name}-{number}", time.monotonic() + 0.1)
            number += 1

    await asyncio.gather(kill(), *(writer(f"w{n}") for n in range(4)))
    await promised.check(replica.url)


def post(url: str, body: bytes, length: int | None = None) -> socket.socket:
    """Send a request, or the beginning of one, and do not wait for the answer."""
    host, port = url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), 10)
    head = f"POST /api/channels/ch_hub/messages HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
    connection.sendall(f"{head}Content-Length: {length or len(body)}\r\n\r\n".encode() + body)
    return connection


@pytest.mark.long
def test_connections_that_drop_harm_nobody(serve_on_both: Callable[..., Serving]) -> None:
    """Requests whose sender is gone, bodies that never end, listeners that vanish; then everything is as before."""
    serving = serve_on_both()
    for number in range(40):
        whole = f'{{"text":"dropped {number}","idempotencyKey":"d{number}"}}'.encode()
        post(serving.url, whole).close()
        post(serving.url, whole[:10], len(whole)).close()
        host, port = serving.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), 10) as listener:
            listener.sendall(f"GET /events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    texts: list[str] = []
    for number in range(40):  # said again, as a careful sender does: each is there once
        body = {"text": f"dropped {number}", "idempotencyKey": f"d{number}"}
        answer = httpx2.post(f"{serving.url}/api/channels/ch_hub/messages", json=body, timeout=20)
        assert answer.status_code == 201
    page = httpx2.get(f"{serving.url}/api/channels/ch_hub/messages?limit=200", timeout=20).json()["items"]
    texts = [item["text"] for item in page if item["text"].startswith("dropped ")]
    assert sorted(texts) == sorted(f"dropped {number}" for number in range(40))
    assert httpx2.get(f"{serving.url}/healthz", timeout=20).status_code == 200


async def test_a_clock_that_jumps_changes_no_order_and_stops_nothing(tmp_path: Path, database_url: str | None) -> None:
    """A year ahead, two years back: what is said stays in the order in which it was said, and everything still works."""
    clock = FakeClock()
    shared = {"PRIME_DATABASE_URL": database_url, "PRIME_SECRET_KEY": "0" * 64} if database_url else {}
    quiet = {"PRIME_DATA": str(tmp_path), "PRIME_TOOL_SCAN_MS": "0", "PRIME_MODEL": "offline"}
    settings = Settings.load(quiet | shared)
    async with open_prime(settings, clock=clock) as prime:
        transport = httpx2.ASGITransport(app=prime.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787") as client:
            made = await client.post("/api/channels", json={"name": "Deal", "tier": "team"})
            path = f"/api/channels/{made.json()['id']}/messages"
            for number, jump in enumerate((0, A_YEAR_S, -2 * A_YEAR_S, 1, A_YEAR_S)):
                clock.advance(jump)
                said = await client.post(path, json={"text": f"word {number}"})
                assert said.status_code == 201, said.text
            found = (await client.get(path)).json()["items"]
            words = [item["text"] for item in found if item["text"].startswith("word ")]
            assert words == [f"word {number}" for number in range(5)]
            assert [item["seq"] for item in found] == sorted(item["seq"] for item in found)
            assert (await client.get("/readyz")).status_code == 200


@contextlib.contextmanager
def endpoint(behaviour: str):
    """The address of a model that is dead (nobody listens), or slow (takes the request and says nothing)."""
    door = socket.create_server(("127.0.0.1", 0), backlog=50)
    address = f"http://127.0.0.1:{door.getsockname()[1]}/v1"
    if behaviour == "dead":
        door.close()
    with door:
        yield address


@pytest.mark.long
@pytest.mark.timeout(NEAR_TRY_SECONDS + 120)
@pytest.mark.parametrize("behaviour", ["dead", "slow"])
def test_a_model_that_does_not_answer_holds_up_nobody(serve_on_both: Callable[..., Serving], behaviour: str) -> None:
    with endpoint(behaviour) as address:
        serving = serve_on_both(PRIME_MODEL="openai:any", OPENAI_BASE_URL=address, OPENAI_API_KEY="sk-none")
        for number in range(5):
            body = {"text": f"word {number}"}
            said = httpx2.post(f"{serving.url}/api/channels/ch_hub/messages", json=body, timeout=30)
            assert said.status_code == 201
        with ThreadPoolExecutor(1) as somebody:
            # A model nearby has minutes to load; whoever tries one waits for it, and nobody else does.
            trying = somebody.submit(
                httpx2.post,
                f"{serving.url}/api/mind/try",
                json={"model": "openai:any", "key": "sk-none", "baseUrl": address},
                timeout=NEAR_TRY_SECONDS + 60,
            )
            for _ in range(20):
                assert httpx2.get(f"{serving.url}/healthz", timeout=20).status_code == 200
            tried = trying.result().json()
        assert not tried["ok"]
        assert tried["text"]  # a sentence that says why
        page = httpx2.get(f"{serving.url}/api/channels/ch_hub/messages?limit=200", timeout=20).json()["items"]
        assert {item["text"] for item in page} >= {f"word {number}" for number in range(5)}
