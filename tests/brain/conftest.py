"""A whole house over HTTP, in this process."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from prime.app import Prime, open_prime
from prime.core.clock import FakeClock
from prime.core.settings import Settings
from prime.web.local import LocalDoor
from prime.web.parts import Parts


@dataclass
class House:
    """A running Prime and a client of it."""

    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock

    @property
    def parts(self) -> Parts:
        return self.prime.parts

    async def upload(self, name: str, content: bytes, *, mime: str = "", channel: str | None = None) -> dict[str, Any]:
        form = {"channelId": channel} if channel else {}
        answer = await self.http.post("/api/attachments", files={"file": (name, content, mime or None)}, data=form)
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def note(self, name: str, content: bytes, *, mime: str = "", channel: str = "ch_hub") -> dict[str, Any]:
        """Bring a file into a channel, and wait for its note."""
        uploaded = await self.upload(name, content, mime=mime, channel=channel)
        await self.parts.brain.notes.catch_up()
        answer = await self.http.get(f"/api/channels/{channel}/messages", params={"around": uploaded["noteMessageId"]})
        assert answer.status_code == 200, answer.text
        return next(m for m in answer.json()["items"] if m["id"] == uploaded["noteMessageId"])

    async def get(self, path: str, **query: str) -> dict[str, Any]:
        answer = await self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def answer_to(self, message_id: str) -> dict[str, Any]:
        """What Prime says to words of the owner's."""
        await self.parts.hub.settle()
        said = (await self.get("/api/channels/ch_hub/messages", limit="50"))["items"]
        return next(m for m in said if m["actorId"] == "act_prime" and message_id in m["sources"])

    async def found(self, query: str) -> list[dict[str, Any]]:
        return (await self.get("/api/brain/recall", q=query))["items"]


@pytest.fixture
async def house(tmp_path: Path, clock: FakeClock) -> AsyncIterator[House]:
    settings = Settings.load().model_copy(update={"data": tmp_path / "data"})
    async with open_prime(settings, clock=clock) as prime:
        transport = httpx2.ASGITransport(app=LocalDoor(prime.app))
        async with httpx2.AsyncClient(transport=transport, base_url="http://prime.sock") as http:
            yield House(prime, http, clock)
