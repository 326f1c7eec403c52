"""Replicas that are started again, and writers that count what was acknowledged."""

import asyncio
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx2


@dataclass
class Replica:
    """A `prime serve` that is started again whenever it was killed; always at the same address."""

    folder: Path
    environment: dict[str, str]
    process: "subprocess.Popen[str] | None" = None
    url: str = ""

    def start(self) -> None:
        """Whoever else is on the machine may have been given its port meanwhile, and gives it back."""
        port, late = self.url.rpartition(":")[2] or "0", time.monotonic() + 90
        command = [sys.executable, "-m", "prime", "serve", "--port", port, "--data", str(self.folder)]
        while True:
            with tempfile.TemporaryFile("w+") as complaints:
                self.process = subprocess.Popen(
                    command, env=self.environment, stdout=subprocess.PIPE, stderr=complaints, text=True
                )
                assert self.process.stdout
                if said := self.process.stdout.readline():
                    self.url = said.split()[-1]
                    return
                self.process.communicate()
                complaints.seek(0)
                why = complaints.read()
            assert "in use" in why, why
            assert time.monotonic() < late, why
            time.sleep(0.2)

    @property
    def pid(self) -> int:
        assert self.process
        return self.process.pid

    def end(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.communicate()
            self.process = None


@dataclass
class Promised:
    """What was acknowledged: a message id for every key. Writers go on until each of their messages is."""

    ids: dict[str, str] = field(default_factory=dict[str, str])
    tries: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)  # set with every acknowledgement

    async def write(self, urls: Callable[[], Sequence[str]], name: str, until: float, patience: float = 200) -> None:
        """One message after another and at least one, each by its key until somebody acknowledges it."""
        chance, count = random.Random(name), 0
        async with httpx2.AsyncClient(timeout=10) as client:
            while count == 0 or time.monotonic() < until:  # on a busy machine, the time may be over before the first
                key, count = f"{name}-{count}", count + 1
                while key not in self.ids and time.monotonic() < until + patience:
                    self.tries += 1
                    await self._post(client, chance.choice(urls()), key)
                assert key in self.ids, f"{key} was not acknowledged within {patience:g} s after the faults"

    async def _post(self, client: httpx2.AsyncClient, url: str, key: str) -> None:
        body = {"text": key, "idempotencyKey": key}
        try:
            answer = await client.post(f"{url}/api/channels/ch_hub/messages", json=body)
        except httpx2.HTTPError:
            answer = None
        if answer is not None and answer.status_code == 201:
            self.ids[key] = answer.json()["id"]
            self.news.set()
        else:
            await asyncio.sleep(0.05)

    async def check(self, url: str) -> None:
        """All of it is in the log, and nothing twice."""
        kept = await owner_messages(url)
        texts = [text for _, text in kept]
        assert len(texts) == len(set(texts)), "a message is there twice"
        assert {text: message_id for message_id, text in kept}.items() >= self.ids.items(), "something is lost"


async def owner_messages(url: str) -> list[tuple[str, str]]:
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
