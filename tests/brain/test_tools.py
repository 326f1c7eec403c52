"""Recall and facts as tools: what an agent finds is what its channel may see."""

from pathlib import Path
from typing import Any, Protocol

import httpx2

from prime.tools.pipeline.call import CallSession, ToolCall
from prime.web.parts import Parts


class House(Protocol):
    http: httpx2.AsyncClient

    @property
    def parts(self) -> Parts: ...


async def call(
    house: House, name: str, arguments: dict[str, Any], channel: str | None, actor: str = "act_owner"
) -> Any:
    session = CallSession(
        session_id="s",
        agent_id="a",
        cwd=Path.cwd(),
        actor_id=actor,
        channel_id=channel,
        tier="external" if channel else "team",
    )
    prime = {"agentId": "a", "sessionId": "s"}
    await house.parts.workshop.pipeline.call(ToolCall(name="prime", arguments=prime), session)
    result = await house.parts.workshop.pipeline.call(ToolCall(name=name, arguments=arguments), session)
    return result.error or result.structured


async def test_an_agent_finds_what_its_channel_says(house: House) -> None:
    parts = house.parts
    for channel in ("ch_a", "ch_b"):
        await parts.rooms.create_channel(channel, tier="external", channel_id=channel)
        await parts.rooms.say(channel, "act_owner", f"The price is {channel} 40.")
    await parts.brain.timeline("price")  # read by the offline mind
    found = await call(house, "recall", {"query": "price"}, "ch_a")
    assert {item["channelId"] for item in found["items"]} == {"ch_a"}
    assert "price" in found["items"][0]["quoted"]
    everywhere = await call(house, "recall", {"query": "price"}, None)
    assert {item["channelId"] for item in everywhere["items"]} >= {"ch_a", "ch_b"}
    known = await call(house, "facts", {"subject": "price"}, "ch_b")
    assert [fact["quoted"] for fact in known["facts"]] == ["The price is ch_b 40"]
    assert len((await call(house, "facts", {"subject": "price", "at": "2026"}, None))["facts"]) == 2


async def test_nobody_else_recalls_outside_a_channel(house: House) -> None:
    answer = await call(house, "recall", {"query": "price"}, None, actor="act_somebody")
    assert answer["code"] == "forbidden"
