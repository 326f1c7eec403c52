"""Replicas on one PostgreSQL that are killed and stopped at random: nothing acknowledged is lost or there twice."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

REPLICAS = 3
WRITERS = 6
KEY = "0" * 64


@dataclass
class Replica:
    """A `prime serve` that is started again whenever it was killed."""

    number: int
    folder: Path
    environment: dict[str, str]
    process: "subprocess.Popen[str] | None" = None
    url: str = ""

    def start(self) -> None:
        command = [sys.executable, "-m", "prime", "serve", "--port", "0", "--data", str(self.folder / str(self.number))]
        self.process = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout
        self.url = self.process.stdout.readline().split()[-1]

    def end(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.communicate()


@dataclass
class Told:
    """What the replicas acknowledged: a message id for every key."""

    ids: dict[str, str] = field(default_factory=dict[str, str])
    tries: int = 0


async def write(replicas: list[Replica], name: str, until: float, told: Told, chance: random.Random) -> None:
    """Post one message after another, each by its key until some replica acknowledges it."""
    count = 0
    async with httpx2.AsyncClient(timeout=3) as client:
        while time.monotonic() < until:
            key, count = f"{name}-{count}", count + 1
            while key not in told.ids and time.monotonic() < until + 20:
                told.tries += 1
                url = chance.choice(replicas).url
                try:
                    body = {"text": key, "idempotencyKey": key}
                    answer = await client.post(f"{url}/api/channels/ch_hub/messages", json=body)
                except httpx2.HTTPError:
                    await asyncio.sleep(0.05)
                    continue
                if answer.status_code == 201:
                    told.ids[key] = answer.json()["id"]


async def disturb(replicas: list[Replica], until: float, chance: random.Random) -> int:
    """Kill one, or stop one for longer than a lease holds, again and again."""
    done = 0
    while time.monotonic() < until:
        await asyncio.sleep(chance.uniform(1, 3))
        replica = chance.choice(replicas)
        assert replica.process
        if chance.random() < 0.5:
            replica.end()
            await asyncio.to_thread(replica.start)
        else:
            os.kill(replica.process.pid, signal.SIGSTOP)
            await asyncio.sleep(chance.uniform(1, 5))
            os.kill(replica.process.pid, signal.SIGCONT)
        done += 1
    return done


async def all_messages(url: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    cursor = ""
    async with httpx2.AsyncClient(timeout=30) as client:
        while True:
            page = (await client.get(f"{url}/api/channels/ch_hub/messages?limit=200{cursor}")).json()
            found += [
                (item["id"], item["text"])
                for item in page["items"]
                if item["kind"] == "text" and item["actorId"] == "act_owner"
            ]
            if not page["nextCursor"]:
                return found
            cursor = f"&cursor={page['nextCursor']}"


@pytest.mark.parametrize("seconds", [12, pytest.param(60, marks=[pytest.mark.long, pytest.mark.timeout(300)])])
async def test_replicas_that_die_and_freeze_lose_and_double_nothing(
    new_postgresql_url: Callable[[], Awaitable[str]], tmp_path: Path, seconds: int
) -> None:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_") and not k.endswith("_API_KEY")}
    own = {"PRIME_DATABASE_URL": await new_postgresql_url(), "PRIME_SECRET_KEY": KEY, "PRIME_TOOL_SCAN_MS": "0"}
    environment = inherited | own
    replicas = [Replica(number, tmp_path, environment) for number in range(REPLICAS)]
    chance = random.Random(seconds)
    try:
        for replica in replicas:
            await asyncio.to_thread(replica.start)
        until = time.monotonic() + seconds
        told = Told()
        writers = [write(replicas, f"w{n}", until, told, random.Random(n)) for n in range(WRITERS)]
        disturbing = asyncio.create_task(disturb(replicas, until, chance))
        await asyncio.gather(disturbing, *writers)
        assert disturbing.result() >= 2
        assert len(told.ids) > 50

        kept = await all_messages(replicas[0].url)
        texts = [text for _, text in kept]
        assert len(texts) == len(set(texts)), "a message is there twice"
        assert {text: message_id for message_id, text in kept}.items() >= told.ids.items()
    finally:
        for replica in replicas:
            replica.end()
