"""Over the API, with the offline mind: an answer becomes a rule, and the next case like it is settled without the owner."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from prime.app import open_prime
from prime.core.clock import FakeClock
from prime.core.settings import Settings
from prime.rooms.records import PRIME
from prime.store.message import Message
from prime.web.local import LocalDoor
from prime.web.parts import Parts


@dataclass
class House:
    parts: Parts
    http: httpx2.AsyncClient
    clock: FakeClock

    async def get(self, path: str) -> Any:
        response = await self.http.get(path)
        assert response.status_code == 200, response.text
        return response.json()

    async def post(self, path: str, **body: object) -> Any:
        response = await self.http.post(path, json=body)
        assert response.status_code in {200, 201}, response.text
        return response.json()

    async def step(self) -> None:
        await self.parts.hub.swarm.tick()
        self.clock.advance(90)
        await self.parts.hub.engine.run()

    async def said(self, channel: str) -> list[Message]:
        return [m for m in await self.parts.store.log.page(channel, limit=200) if m.kind == "text"]


@pytest.fixture
async def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setenv("PATH", str(tmp_path))  # no tools of this machine
    clock = FakeClock()
    settings = Settings.load({
        "PRIME_DATA": str(tmp_path / "data"), "PRIME_MODEL": "offline", "PRIME_AUTOSTOP_MS": "0",
    })  # fmt: skip
    async with open_prime(settings, clock=clock) as prime:
        transport = httpx2.ASGITransport(app=LocalDoor(prime.app))
        async with httpx2.AsyncClient(transport=transport, base_url="http://prime.sock") as http:
            yield House(prime.parts, http, clock)


async def test_an_answer_becomes_a_rule_and_the_next_case_is_not_asked(house: House) -> None:
    await house.post("/api/chat", text="Plan a summer party for 60 guests in Graz on 12 July, budget 9,000 EUR")
    await house.parts.hub.settle()
    questions: list[Any] = []
    for _ in range(30):
        await house.step()
        questions = (await house.get("/api/questions?status=pending"))["items"]
        if questions:
            break
    assert questions, "a war room comes to a point that only the owner can decide"
    first = questions[0]
    answered = await house.post(f"/api/questions/{first['id']}/answer", text="Yes, go ahead", makeRule=True)
    rule = answered["rule"]
    assert rule["active"]
    assert rule["fromQuestionId"] == first["id"]
    before = (await house.get("/api/metrics"))["totals"]

    # The same is asked once more, by somebody else, in such a conversation of another project.
    cause = await house.parts.store.log.get(first["sources"][0])
    other = await house.parts.rooms.add_actor("Vera", "agent", "echo")
    like = f"{(await house.parts.rooms.channel(first['channelId'])).name} (jubilee)"
    channel = await house.parts.rooms.create_channel(like, tier="business_relation", members=[other.id])
    again = await house.parts.rooms.say(channel.id, other.id, cause.text)
    house.clock.advance(90)
    await house.parts.hub.engine.run()

    asked = [q for q in (await house.get("/api/questions"))["items"] if again.id in q["sources"]]
    assert asked == [], "it is settled before it reaches the owner"
    card = next(item for item in (await house.get("/api/feed"))["items"] if again.id in item["sources"])
    assert card["type"] == "auto_resolved"
    [decision] = [
        m
        for m in await house.parts.store.log.page(channel.id, limit=50)
        if m.kind == "decision" and again.id in m.sources and m.body.get("outcome") == "auto_resolved"
    ]
    assert decision.body["ruleId"] == rule["id"], "by exactly this rule"
    [known] = [each for each in (await house.get("/api/rules"))["items"] if each["id"] == rule["id"]]
    assert known["hits"] == 1
    after = (await house.get("/api/metrics"))["totals"]
    assert after["ruleHits"] == before.get("ruleHits", 0) + 1
    assert after["autoResolved"] == before.get("autoResolved", 0) + 1


@pytest.mark.parametrize("kind", ["group", "dm"])
async def test_where_the_owner_is_alone_with_prime_prime_answers(house: House, kind: str) -> None:
    channel = (await house.post("/api/channels", name="Just us", kind=kind, tier="team"))["id"]
    await house.post(f"/api/channels/{channel}/messages", text="What should I look at first today?")
    async with asyncio.timeout(30):
        while True:
            head = house.parts.store.heads.head
            said = await house.said(channel)
            if said[-1].actor_id == PRIME:
                break
            await house.parts.hub.swarm.tick()
            if house.parts.store.heads.head == head:
                await house.parts.store.heads.wait_beyond(head)
    assert said[-1].text
    await house.parts.hub.swarm.tick()
    assert len(await house.said(channel)) == 2, "once"
