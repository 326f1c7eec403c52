"""One channel stands still while the others go on."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.hub.conftest import House, OpenHouse

from prime.core.errors import Conflict
from prime.hub.connector import Answer, Context, Identity, Opener
from prime.hub.swarm.pausing import channel_switches, pause_channel, resume_channel
from prime.mind.jobs.planning import Plan, PlannedChannel
from prime.rooms.records import HUB, OWNER, Actor
from prime.rooms.views import View


async def two_rooms(house: House, plan_of: Callable[..., Plan], partner: PlannedChannel) -> tuple[str, str]:
    other = replace(partner, key="other", name="Other")
    house.mind.plans = [plan_of(partner, other)]
    house.mind.lines = {"Maria": ["One.", "Two.", "Three."], "Prime": ["And then?", "Go on.", "Fine."]}
    await house.say("Organise a stand at the fair.")
    return (await house.channel("Partner")).id, (await house.channel("Other")).id


async def paused_ones(house: House) -> set[str]:
    return {channel for channel, paused in (await channel_switches(house.store)).items() if paused}


@pytest.mark.holds("D-PAGE-1")
async def test_a_paused_channel_stands_still_and_goes_on_where_it_was(
    house: House, plan_of: Callable[..., Plan], partner: PlannedChannel
) -> None:
    paused, other = await two_rooms(house, plan_of, partner)
    await pause_channel(house.store, house.hub.swarm, paused)
    before = await house.spoken(paused)
    for _ in range(4):
        await house.turn()
    assert await house.spoken(paused) == before
    assert len(await house.spoken(other)) > len(before)
    assert await paused_ones(house) == {paused}
    await house.rooms.say(paused, OWNER, "Are you there?")
    await house.turn()
    assert await house.spoken(paused) == [*before, "Are you there?"], "only resuming it wakes it"
    await resume_channel(house.store, house.hub.swarm, paused)
    house.mind.lines = {name: [f"{name} is here, {n}." for n in range(8)] for name in ("Maria", "Prime")}
    for _ in range(3):
        await house.turn()
    assert len(await house.spoken(paused)) > len(before) + 1
    assert await paused_ones(house) == set()


@pytest.mark.holds("D-PAGE-1")
async def test_a_pause_is_logged_once_and_for_the_hub_alone(
    house: House, plan_of: Callable[..., Plan], partner: PlannedChannel
) -> None:
    paused, _ = await two_rooms(house, plan_of, partner)
    for _ in range(2):
        await pause_channel(house.store, house.hub.swarm, paused)
    switched = [m for m in await house.log(paused, "system") if m.body.get("op") == "paused"]
    assert [m.actor_id for m in switched] == [OWNER]
    view = await View.of(house.store, paused)
    assert not [m for m in await view.messages(limit=200) if m.kind == "system"]
    await house.store.projector.rebuild("swarm")
    assert await paused_ones(house) == {paused}, "it is what the log says"


async def test_a_turn_under_way_ends_with_the_pause(open_house: OpenHouse, plan_of: Callable[..., Plan]) -> None:
    speaking = asyncio.Event()

    class Slow:
        def identity(self) -> Identity:
            return Identity(name="Slow", kind="agent", connector="slow")

        async def reply(self, context: Context) -> Answer:
            speaking.set()
            await asyncio.Event().wait()
            raise AssertionError(context)

    def opener(_actor: Actor) -> Slow:
        return Slow()

    slow: Opener = opener
    house = await open_house(slow=slow)
    actor = await house.rooms.add_actor("Slow", "agent", "slow")
    channel = await house.rooms.create_channel("Hall", tier="team", members=[actor.id])
    await house.rooms.say(channel.id, OWNER, "Hello?")
    ticking = asyncio.create_task(house.hub.swarm.tick())
    await speaking.wait()
    await pause_channel(house.store, house.hub.swarm, channel.id)
    await asyncio.wait_for(ticking, 30)
    assert await house.spoken(channel.id) == ["Hello?"]


async def test_only_what_speaks_by_itself_can_be_paused(house: House) -> None:
    with pytest.raises(Conflict, match="Nobody speaks by itself"):
        await pause_channel(house.store, house.hub.swarm, HUB)
