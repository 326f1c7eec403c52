"""A model takes part in the swarm: its turns go through the tool pipeline, wait for the owner, and go on after a restart."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from prime.app import open_prime
from prime.core.clock import FakeClock
from prime.core.errors import JsonValue
from prime.core.settings import Settings
from prime.mind.spend import SpendStopped
from prime.rooms.records import PRIME
from prime.store.message import Message
from prime.tools.atip.effect import Cost, Effects, Filesystem
from prime.tools.runtime import RunContext
from prime.web.parts import Parts

WRITES = Effects(
    filesystem=Filesystem(read=False, write=True, delete=False),
    network=False,
    subprocess=False,
    destructive=False,
    cost=Cost(billable=False),
)


class House:
    """A Prime whose mind is a model behind a fake of its provider's wire."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.ran: list[object] = []
        tools = parts.workshop.builtins
        tools.add("look", "Looks.", {"type": "object"}, self._look)
        tools.add("mark", "Writes.", {"type": "object"}, self._look, effects=WRITES)

    async def _look(self, arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
        self.ran.append(arguments.get("x"))
        return {"saw": arguments.get("x")}

    async def channel(self, tier: Any = "team", **more: Any) -> str:
        """A channel with one more agent, which is the only one that has something to say."""
        bo = await self.parts.rooms.add_actor("Bo", "agent", "llm_generic", actor_id="act_bo")
        made = await self.parts.rooms.create_channel("Work", tier=tier, members=[bo.id], brief="Look at it.", **more)
        await self.parts.rooms.leave(made.id, PRIME)
        return made.id

    async def log(self, channel: str, *kinds: str) -> list[Message]:
        return [m for m in await self.parts.store.log.page(channel, limit=500) if not kinds or m.kind in kinds]


Open = Callable[[], AbstractAsyncContextManager[House]]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    monkeypatch.setenv("PATH", str(tmp_path))  # no tools of this machine

    @asynccontextmanager
    async def open_one() -> AsyncGenerator[House]:
        settings = Settings.load({"PRIME_DATA": str(tmp_path / "data"), "PRIME_MODEL": "offline"})
        async with open_prime(settings, clock=FakeClock()) as prime:
            yield House(prime.parts)

    return open_one


async def test_it_uses_a_tool_through_the_pipeline_and_says_words(
    opened: Open, provider: Any, mind: Any, says: Any
) -> None:
    fake = await provider("openai")
    fake.will(says(call=("look", {"x": 7})), says("I saw 7."), says(""))
    async with opened() as house:
        house.parts.hub.mind = mind(fake)
        channel = await house.channel()
        assert await house.parts.hub.swarm.tick() == 1
        assert house.ran == [7]
        kinds = [m.kind for m in await house.log(channel) if m.actor_id == "act_bo" and m.kind != "system"]
        assert kinds == ["tool_call", "tool_result", "text"]
        assert (await house.log(channel, "text"))[-1].text == "I saw 7."
        asked = fake.received[-2].body
        assert "look" in {tool["function"]["name"] for tool in asked["tools"]}
        assert "Look at it." in str(asked["messages"][0])
        assert (await house.parts.hub.metrics.series()).totals["calls"] == 2
        # It was the last to speak, so it is nobody's turn until somebody else says something.
        assert await house.parts.hub.swarm.tick() == 0


async def test_an_approval_pauses_the_turn_and_a_restart_does_not_lose_it(
    opened: Open, provider: Any, mind: Any, says: Any
) -> None:
    fake = await provider("anthropic")
    fake.will(says("One moment.", call=("mark", {"x": 1})), says("Written."))
    async with opened() as house:
        house.parts.hub.mind = mind(fake)
        channel = await house.channel()
        await house.parts.hub.swarm.tick()
        [question] = await house.parts.questions.waiting()
        assert (question.kind, question.channel_id) == ("approval", channel)
        assert await house.parts.hub.swarm.tick() == 0, "it waits, and nothing is asked of the model meanwhile"
        assert house.ran == []
    async with opened() as house:
        house.parts.hub.mind = mind(fake)
        assert await house.parts.hub.swarm.tick() == 0
        await house.parts.questions.answer(question.id, choice="yes")
        assert await house.parts.hub.swarm.tick() == 1
        assert house.ran == [1]
        assert [m.text for m in await house.log(channel, "text")] == ["One moment.", "Written."]
    assert len(fake.received) == 2


async def test_an_outsider_is_offered_no_tool_that_touches_files(
    opened: Open, provider: Any, mind: Any, says: Any
) -> None:
    fake = await provider("openai")
    fake.will(says("Hello."))
    async with opened() as house:
        house.parts.hub.mind = mind(fake)
        await house.channel("external")
        await house.parts.hub.swarm.tick()
        offered = {tool["function"]["name"] for tool in fake.received[0].body.get("tools", [])}
        assert "mark" not in offered


async def test_what_prime_says_downward_is_clamped_in_turns_too(
    opened: Open, provider: Any, mind: Any, says: Any
) -> None:
    fake = await provider("openai")
    fake.will(says("We can do Monday. Our margin is 40%."))
    async with opened() as house:
        house.parts.hub.mind = mind(fake)
        channel = (await house.parts.rooms.create_channel("Out", tier="business_relation", brief="Agree.")).id
        await house.parts.hub.swarm.tick()
        assert [m.text for m in await house.log(channel, "text")] == ["We can do Monday."]
        [held] = [m for m in await house.log(channel, "system") if m.body.get("op") == "held_back"]
        assert "margin" in held.text


async def test_nothing_left_to_spend_pauses_the_swarm(opened: Open, provider: Any, mind: Any) -> None:
    class Spent:
        async def allow_call(self) -> None:
            raise SpendStopped("The cap is reached.", hint="Raise it.")

        allow_image = allow_call

        async def record(self, _usage: object) -> None: ...

    fake = await provider("gemini")
    async with opened() as house:
        house.parts.hub.mind = mind(fake, spending=Spent())
        await house.channel()
        await house.parts.hub.swarm.tick()
        state = await house.parts.hub.swarm.state()
        assert (state.running, state.code) == (False, "spend")
        assert fake.received == []


async def test_a_model_that_is_away_is_backed_off(opened: Open, provider: Any, mind: Any, fails: Any) -> None:
    fake = await provider("openai")
    fake.will(*[fails(500)] * 10)
    async with opened() as house:
        house.parts.hub.mind = mind(fake)
        channel = await house.channel()
        await house.parts.hub.swarm.tick()
        [failed] = [m for m in await house.log(channel, "system") if m.body.get("op") == "failed"]
        assert cast("int", failed.body["until"]) > house.parts.clock.now_ms()
        requests = len(fake.received)
        await house.parts.hub.swarm.tick()
        assert len(fake.received) == requests
