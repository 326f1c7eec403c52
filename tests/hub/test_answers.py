"""Several processes, one answer: whoever holds the lease gives it, and it passes on when that one is gone."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from tests.hub.conftest import House

from prime.core.errors import TimedOut
from prime.dialogs.turns.streaming import TurnEvent
from prime.hub.answers import LEASE_MS, RESOURCE
from prime.hub.speaking import LINES
from prime.mind.jobs.planning import PlanRequest
from prime.rooms.records import HUB, OWNER, PRIME
from prime.store.leases import Lease, Leases


@pytest.fixture
async def elsewhere(house: House) -> Callable[[], Awaitable[Lease]]:
    """Another process begins to answer the owner."""

    async def begin() -> Lease:
        lease = await Leases(house.store.database, "another").acquire(RESOURCE, LEASE_MS)
        assert lease
        return lease

    return begin


async def test_words_are_left_to_the_process_that_answers_them_until_its_lease_is_over(
    house: House, elsewhere: Callable[[], Awaitable[Lease]]
) -> None:
    await house.rooms.say(HUB, "act_owner", "One")
    await elsewhere()
    await house.hub.resume()
    assert house.mind.planned == []
    house.clock.advance(LEASE_MS / 1000 + 1)
    await house.hub.resume()
    assert [m.text for m in await house.log(HUB, "text")] == ["One", "Noted."]


async def test_an_answer_that_comes_too_late_is_not_given(
    house: House, elsewhere: Callable[[], Awaitable[Lease]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process stood still while it thought, and another has the owner's room now."""
    thinking = house.mind.plan

    async def stands_still(request: PlanRequest) -> object:
        house.clock.advance(LEASE_MS / 1000 + 1)
        await elsewhere()
        return await thinking(request)

    monkeypatch.setattr(house.mind, "plan", stands_still)
    await house.rooms.say(HUB, "act_owner", "One")
    await house.hub.resume()
    assert len(house.mind.planned) == 1
    assert [m.text for m in await house.log(HUB)][-1] == "One"


async def test_a_mind_that_does_not_answer_holds_no_stop_up(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it was asked is left as it was, and the next process asks."""
    monkeypatch.setattr("prime.hub.answers.STOP_SECONDS", 0.01)
    thinking, asked = house.mind.plan, asyncio.Event()

    async def never_answers(_request: PlanRequest) -> object:
        asked.set()
        return await asyncio.Event().wait()

    monkeypatch.setattr(house.mind, "plan", never_answers)
    await house.hub.say("One")
    await asyncio.wait_for(asked.wait(), 10)
    await asyncio.wait_for(house.hub.stop(), 10)
    assert [m.text for m in await house.log(HUB, "text")] == ["One"]
    assert await Leases(house.store.database, "another").acquire(RESOURCE, LEASE_MS)
    monkeypatch.setattr(house.mind, "plan", thinking)
    house.clock.advance(LEASE_MS / 1000 + 1)
    await house.hub.resume()
    assert [m.text for m in await house.log(HUB, "text")] == ["One", "Noted."]


@pytest.mark.parametrize("fails", [False, True])
async def test_who_waits_is_told_that_prime_thinks_until_it_has(
    house: House, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    told: list[TurnEvent] = []
    house.hub.watchers.append(told.append)
    thinking, before = house.mind.plan, list[str]()

    async def thinks(request: PlanRequest) -> object:
        before.extend(each.doing for each in told)
        if fails:
            raise TimedOut("Nobody answered.")
        return await thinking(request)

    monkeypatch.setattr(house.mind, "plan", thinks)
    await house.say("One")
    assert before == ["thinking"]
    assert [(each.channel_id, each.actor_id, each.doing) for each in told] == [
        (HUB, PRIME, "thinking"),
        (HUB, PRIME, "ended"),
    ]
    assert [m.text for m in await house.log(HUB)][-1] == ("Nobody answered." if fails else "Noted.")


async def test_a_question_about_what_was_said_long_ago_has_it_before_it(house: House) -> None:
    price = "The price of the lamp is 40 EUR from February."
    await house.rooms.say(HUB, OWNER, price)
    for number in range(LINES + 10):
        await house.rooms.say(HUB, PRIME, f"Line {number} is about something else.")
    for asked, has_it in (("What was the price of the lamp in March?", True), ("Make the lamp cheaper.", False)):
        await house.rooms.say(HUB, OWNER, asked)
        await house.hub.resume()
        assert house.mind.planned[-1].wish == asked
        assert (price in [line.text for line in house.mind.planned[-1].lines]) is has_it, asked
