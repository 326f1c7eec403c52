"""A remote agent as a participant of a war room's channel, over real ports."""

from typing import Any

import pytest

from prime.core.errors import PrimeError
from prime.network.calls.queries import MESSAGE_TOPIC
from prime.rooms.records import PRIME
from prime.sdk import Message, agent
from prime.store.outbox import Item


@agent(name="Scout", capabilities=["scouting"])
async def scout(message: Message) -> str:
    return f"Looked into: {message.text}"


@pytest.mark.holds("D-HUB-19")
async def test_the_swarm_cannot_tell_a_remote_agent_from_others(
    open_served: Any, start_agent: Any, texts_of: Any
) -> None:
    served = await open_served()
    parts = served.instance.prime.parts
    running = await start_agent(scout, served.url)
    [entry] = await parts.network.directory.search(capability="scouting")
    actor_id = await parts.network.contacts.invite(entry.id, "ch_scouting")
    assert await parts.network.contacts.invite(entry.id, "ch_scouting") == actor_id, "twice is as good as once"
    await parts.rooms.create_channel(
        "Scouting", kind="dm", tier="external", members=[actor_id], brief="Find a hall.", channel_id="ch_scouting"
    )
    await parts.rooms.say("ch_scouting", PRIME, "Which hall is free in May?")
    await parts.hub.swarm.tick()
    texts = await texts_of(served.instance, "ch_scouting", 2)
    assert texts[:2] == ["Which hall is free in May?", "Looked into: Which hall is free in May?"]
    asked = [m for m in await parts.store.log.page("ch_scouting", limit=50) if m.body.get("op") == "asked"]
    assert len(asked) == 1
    shown = (await served.instance.owner.get("/api/actors")).json()["items"]
    assert [(a["name"], a["kind"], a["connector"]) for a in shown if a["id"] == actor_id] == [
        ("Scout", "agent", "prime_message")
    ]
    assert running.url


async def test_an_agent_that_is_gone_is_told_after_some_tries_and_once(open_served: Any) -> None:
    served = await open_served()
    parts = served.instance.prime.parts
    await parts.network.outbox.stop()  # it is tried by hand
    card = {"name": "Gone", "endpoint": "http://127.0.0.1:9", "capabilities": ["scouting"]}
    await served.instance.stranger.post("/api/directory/register", json=card)
    [entry] = await parts.network.directory.search(capability="scouting")
    actor_id = await parts.network.contacts.invite(entry.id, "ch_scouting")
    await parts.rooms.create_channel(
        "Scouting", kind="dm", tier="external", members=[actor_id], brief="Find a hall.", channel_id="ch_scouting"
    )
    said = await parts.rooms.say("ch_scouting", PRIME, "Which hall is free in May?")
    await parts.hub.swarm.tick()

    async def told_after(attempt: int) -> list[str]:
        item = Item("out_1", MESSAGE_TOPIC, {"messageId": said.id}, attempts=attempt, epoch=attempt)
        with pytest.raises(PrimeError):
            await parts.network.correspondence.deliver(item)
        return [f"{each.title}: {each.text}" for _, each in await parts.hub.feed()]

    assert [await told_after(attempt) for attempt in (1, 2, 3)] == [[]] * 3, "it may be starting anew"
    once = ["Gone could not answer: It cannot be reached at the moment. It is tried again by itself."]
    assert [await told_after(attempt) for attempt in (4, 5, 6)] == [once] * 3
