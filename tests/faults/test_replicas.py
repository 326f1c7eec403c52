"""Replicas on one PostgreSQL that are killed and stopped at random: nothing acknowledged is lost or there twice."""

import asyncio
import os
import random
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx2
import pytest
from tests.faults.models import Model
from tests.faults.postgresql import Cable, Postgresql
from tests.faults.replicas import Promised, Replica

REPLICAS = 3
WRITERS = 6
QUESTION = "Where are we?"
SCRIPT = (
    "### record human_text_record\n``````markdown\n---\ngenseq: 1\nmsgId: m1\ngrammar: markdown\n---\nHello\n``````\n"
)


Start = Callable[..., list[Replica]]


async def disturb(replicas: list[Replica], until: float, chance: random.Random) -> int:
    """Kill one, or stop one for a while, again and again; beyond what a lease holds, tests/faults/test_sending.py stops them."""
    done = 0
    while time.monotonic() < until:
        await asyncio.sleep(chance.uniform(1, 3))
        replica = chance.choice(replicas)
        if chance.random() < 0.5:
            replica.end()
            await asyncio.to_thread(replica.start)
        else:
            os.kill(replica.pid, signal.SIGSTOP)
            await asyncio.sleep(chance.uniform(1, 5))
            os.kill(replica.pid, signal.SIGCONT)
        done += 1
    return done


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seconds", [12, 60])
async def test_replicas_that_die_and_freeze_lose_and_double_nothing(
    new_postgresql_url: Callable[[], Awaitable[str]], replicas: Start, promised: Promised, seconds: int
) -> None:
    started = await asyncio.to_thread(replicas, await new_postgresql_url(), REPLICAS)
    until = time.monotonic() + seconds
    disturbing = asyncio.create_task(disturb(started, until, random.Random(seconds)))
    writers = [promised.write(lambda: [one.url for one in started], f"w{n}", until) for n in range(WRITERS)]
    await asyncio.gather(disturbing, *writers)
    for replica in started:
        await promised.check(replica.url)
    assert disturbing.result() >= 1  # how many more is a matter of how quickly the machine starts a process
    assert len(promised.ids) >= WRITERS


@pytest.mark.long
@pytest.mark.timeout(200)
async def test_a_stopped_replica_s_work_is_taken_over_and_it_cannot_act_late(
    new_postgresql_url: Callable[[], Awaitable[str]], replicas: Start
) -> None:
    """The wish is planned and talked about once, whoever holds the lease; the one that wakes up adds nothing to it."""
    quick = {"PRIME_TICK_MS": "200", "PRIME_DIRECTIVE_MS": "200"}
    first, second = await asyncio.to_thread(replicas, await new_postgresql_url(), 2, **quick)
    wish = {"text": "Launch our lamp in Berlin in March, budget 20,000 EUR, we need a factory and a photographer."}
    async with httpx2.AsyncClient(timeout=20) as client:
        said = await client.post(f"{first.url}/api/channels/ch_hub/messages", json=wish)
        assert said.status_code == 201
        os.kill(first.pid, signal.SIGSTOP)
        try:
            rooms = await _until(lambda: _rooms(client, second.url))
        finally:
            os.kill(first.pid, signal.SIGCONT)
        await asyncio.sleep(5)  # the one that woke up would act now, if it could
        assert await _rooms(client, second.url) == rooms
        assert await _rooms(client, first.url) == rooms
    assert len(rooms) == len(set(rooms)), "a room was opened twice"


# For a process of its own: its clock, moved by so many seconds.
WRONG_CLOCK = """import os, time
moved = int(os.environ["CLOCK_IS_WRONG_BY"])
ns, seconds = time.time_ns, time.time
time.time_ns = lambda: ns() + moved * 10**9
time.time = lambda: seconds() + moved
"""


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_replicas_whose_clocks_are_hours_apart_work_as_one(
    new_postgresql_url: Callable[[], Awaitable[str]], replicas: Start, promised: Promised, tmp_path: Path
) -> None:
    """Whose turn it is goes by the database's clock: nobody takes what another holds, and the order is the log's."""
    (tmp_path / "clock").mkdir()
    (tmp_path / "clock" / "sitecustomize.py").write_text(WRONG_CLOCK)
    wrong = {"PYTHONPATH": str(tmp_path / "clock"), "PRIME_TICK_MS": "200", "PRIME_DIRECTIVE_MS": "200"}
    address = await new_postgresql_url()
    for hours in (-1, 0, 25):
        started = await asyncio.to_thread(replicas, address, 1, **wrong, CLOCK_IS_WRONG_BY=str(hours * 3600))
    async with httpx2.AsyncClient(timeout=20) as client:
        wish = {"text": "Launch our lamp in Berlin in March, budget 20,000 EUR, we need a factory and a photographer."}
        assert (await client.post(f"{started[2].url}/api/channels/ch_hub/messages", json=wish)).status_code == 201
        until = time.monotonic() + 10
        await asyncio.gather(
            *(promised.write(lambda: [one.url for one in started], f"w{n}", until) for n in range(WRITERS))
        )
        rooms = await _until(lambda: _rooms(client, started[0].url))
        assert len(rooms) == len(set(rooms)), "a room was opened twice"
        questions = (await client.get(f"{started[1].url}/api/questions?status=expired")).json()["items"]
        assert questions == [], "what was asked an hour ago by one clock is a day old by another"
        await client.post(f"{started[1].url}/api/swarm/pause")  # while they speak, two looks see two moments
        shown = await _until(lambda: _said(client, started[0].url))
        assert await _said(client, started[2].url) == shown
    for replica in started:
        await promised.check(replica.url)


async def _rooms(client: httpx2.AsyncClient, url: str) -> list[str]:
    items = (await client.get(f"{url}/api/channels?limit=200")).json()["items"]
    return sorted(item["name"] for item in items if item["id"] != "ch_hub")


async def _said(client: httpx2.AsyncClient, url: str) -> list[str]:
    items = (await client.get(f"{url}/api/channels/ch_hub/messages?limit=50")).json()["items"]
    return [item["id"] for item in items]


async def _until(look: Callable[[], Awaitable[list[str]]], seconds: float = 90) -> list[str]:
    """What is found once something is, and no more comes."""
    async with asyncio.timeout(seconds):
        before: list[str] = []
        while True:
            found = await look()
            if found and found == before:
                return found
            before = found
            await asyncio.sleep(2)


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("stands_still", ["process", "connections"])
async def test_an_answer_that_comes_late_is_refused(
    own_postgresql: Postgresql, cable: Cable, replicas: Start, tmp_path: Path, stands_still: str
) -> None:
    """A replica, or what it has on its way to the database, stands still while a model answers it, and another takes its turn
    meanwhile: of the two answers one is in the log.

    The process looks after its lease as soon as it goes on, and so finds by itself that it is late. What is on its way asks
    nobody: that is refused by the database alone, in the transaction that would write it (`check_lease`).
    """
    scripts = tmp_path / "work" / ".minds" / "priming" / "team_shared"
    scripts.mkdir(parents=True)
    (scripts / "begin.md").write_text(SCRIPT)
    dialog = {"name": "Dialog", "kind": "dm", "tier": "team", "priming": {"scriptRefs": ["team_shared/begin"]}}
    with Model(QUESTION) as model:
        variables = {"PRIME_MODEL": "openai:m", "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "sk-none"}
        variables["PRIME_WORKSPACE"] = str(tmp_path / "work")
        [first] = await asyncio.to_thread(replicas, own_postgresql.through(cable), 1, **variables)
        async with httpx2.AsyncClient(timeout=20) as client:
            await _until(lambda: _model(client, first.url))
            made = await client.post(f"{first.url}/api/channels", json=dialog)
            assert made.status_code == 201, made.text
            path = f"/api/channels/{made.json()['id']}/messages"
            said = await client.post(f"{first.url}{path}", json={"text": QUESTION})
            assert await asyncio.to_thread(model.asked.wait, 30), said.text
            if stands_still == "process":
                os.kill(first.pid, signal.SIGSTOP)
            else:
                cable.stick()
                model.may_answer.set()
            try:
                second = (await asyncio.to_thread(replicas, own_postgresql.url, 1, **variables))[-1]
                await _until(lambda: _model(client, second.url))
                assert await _until(lambda: _answers(client, second.url + path), 120) == ["answer 2"]
                model.may_answer.set()
            finally:
                os.kill(first.pid, signal.SIGCONT)
                cable.plug()
            await asyncio.sleep(5)  # it would write down what it was answered, if it could
            assert await _answers(client, second.url + path) == ["answer 2"]
            assert await _answers(client, first.url + path) == ["answer 2"]


async def _model(client: httpx2.AsyncClient, url: str) -> list[str]:
    """The one that is taken, once it has been tried."""
    name = (await client.get(f"{url}/api/status")).json()["model"]
    return [] if name == "offline" else [name]


async def _answers(client: httpx2.AsyncClient, url: str) -> list[str]:
    items = (await client.get(f"{url}?limit=200")).json()["items"]
    return [item["text"] for item in items if item["text"].startswith("answer ")]
