"""Two who want the same single thing: one yes, and the other room holds."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.hub.conftest import House, OpenHouse, PlanOf

from prime.hub.learning import OwnersAnswer
from prime.hub.pace import Pace
from prime.mind.jobs.judging import Judgement
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import COMPETES_FOR, PlannedChannel, PlannedParticipant
from prime.rooms.records import OWNER, PRIME
from prime.store.message import NewMessage


def buyer(name: str, wants: str = "bicycle") -> PlannedChannel:
    return PlannedChannel(
        key=name.casefold(),
        name=name,
        tier="external",
        participants=(PlannedParticipant(name=f"{name} Berg", role="buyer", connector="echo"),),
        brief="They may want it.",
        facts={COMPETES_FOR: wants},
    )


def binding(necessity: float = 0.9, answer: str | None = None) -> Callable[[Line], Judgement | None]:
    def verdict(line: Line) -> Judgement | None:
        if "?" not in line.text:
            return None
        return Judgement(
            message_id=line.message_id, decision="ask", necessity=necessity, reason="it binds", text=line.text,
            commits="accept" in line.text, self_answer=answer,
        )  # fmt: skip

    return verdict


@pytest.fixture
async def sale(open_house: OpenHouse, plan_of: PlanOf) -> House:
    house = await open_house(Pace(autostop_ms=0, ask_min_gap_ms=0))
    house.mind.plans.append(plan_of(buyer("Anna"), buyer("Bo"), buyer("Cleo", wants="car")))
    house.mind.verdicts = binding()
    await house.say("Sell my bicycle, and my car")
    return house


async def offers(house: House, name: str, text: str) -> str:
    channel = await house.channel(name)
    voice = next(member for member in channel.members if member not in {OWNER, PRIME})
    await house.store.log.append(NewMessage(channel_id=channel.id, actor_id=voice, kind="text", text=text))
    await house.hub.engine.run()
    return channel.id


async def told(house: House, channel_id: str) -> list[str]:
    return [message.text for message in (await house.log(channel_id, "brief"))[1:]]


async def test_a_yes_in_one_room_settles_what_waits_in_the_other(sale: House) -> None:
    anna = await offers(sale, "Anna", "200 for it, do you accept?")
    bo = await offers(sale, "Bo", "I would pay 180 cash today. Will you accept that?")
    cleo = await offers(sale, "Cleo", "The car for 4,000: is that something you would accept?")
    first, second, third = await sale.questions.waiting()
    await sale.hub.answer(first.id, OwnersAnswer(text="Yes, sold"))
    assert [q.id for q in await sale.questions.waiting()] == [third.id], "the car is another matter"
    ended = await sale.questions.get(second.id)
    assert (ended.status, ended.reason) == ("expired", "You said yes in Anna, and there is only one.")
    assert await told(sale, anna) == ["Yes, sold"]
    assert await told(sale, bo) == ["Not for now: promised elsewhere."]
    assert await told(sale, cleo) == []
    _, card = (await sale.hub.feed())[0]
    assert (card.type, card.channel_id, card.question) == ("auto_resolved", bo, second.text)
    assert card.reason == "You said yes in Anna, and there is only one."
    assert set(second.sources) < set(card.sources)


async def test_what_is_asked_later_holds_too_until_the_first_room_is_closed(sale: House) -> None:
    anna = await offers(sale, "Anna", "200 for it, do you accept?")
    [first] = await sale.questions.waiting()
    await sale.hub.answer(first.id, OwnersAnswer(text="Yes"))
    bo = await offers(sale, "Bo", "I would pay 180 cash today. Will you accept that?")
    assert not await sale.questions.waiting()
    assert len(await told(sale, bo)) == 2
    await sale.rooms.close_channel(anna)
    await offers(sale, "Bo", "Now 190 in coins. Do you accept?")
    assert [question.channel_id for question in await sale.questions.waiting()] == [bo]


async def test_a_no_or_a_yes_that_binds_to_nothing_promises_nothing(sale: House) -> None:
    await offers(sale, "Anna", "200 for it, do you accept?")
    await offers(sale, "Bo", "May I come and see the bicycle on Friday?")
    for question, words in zip(await sale.questions.waiting(), ("No, thanks", "Yes"), strict=True):
        await sale.hub.answer(question.id, OwnersAnswer(text=words))
    anna = await offers(sale, "Anna", "Then 220, and that is my last word. Do you accept?")
    assert [question.channel_id for question in await sale.questions.waiting()] == [anna]


async def test_prime_itself_promises_it_once(sale: House) -> None:
    """Both ask at the same moment, and a yes of Prime's own would do for each."""
    sale.mind.verdicts = binding(0.2, "Yes, please do.")
    channels = [await sale.channel(name) for name in ("Anna", "Bo")]
    new = [
        NewMessage(
            channel_id=channel.id, kind="text", text="20 for the bell. Do you accept?",
            actor_id=next(member for member in channel.members if member not in {OWNER, PRIME}),
        )
        for channel in channels
    ]  # fmt: skip
    await sale.store.log.append(*new)
    await sale.hub.engine.run()
    answers = [text for channel in channels for text in await told(sale, channel.id)]
    assert answers.count("Yes, please do.") == 1


async def test_who_was_held_back_meanwhile_is_told_once(open_house: OpenHouse, plan_of: PlanOf) -> None:
    house = await open_house(Pace(autostop_ms=0))
    house.mind.plans.append(plan_of(buyer("Anna"), replace(buyer("Bo"), name="Bo")))
    house.mind.verdicts = binding()
    await house.say("Sell my bicycle")
    await offers(house, "Anna", "200 for it, do you accept?")
    bo = await offers(house, "Bo", "I would pay 180 cash today. Will you accept that?")
    [first] = await house.questions.waiting()
    await house.hub.answer(first.id, OwnersAnswer(text="Yes"))
    house.clock.advance(60)
    await house.hub.engine.run()
    assert await told(house, bo) == ["Not for now: promised elsewhere."]
    assert not await house.questions.waiting()
