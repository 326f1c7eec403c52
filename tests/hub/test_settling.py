"""What settles a question before it is asked: an answer that is awaited, a rule on its side of a sum, another budget."""

from dataclasses import replace

import pytest
from tests.hub.conftest import Ask, House, OpenHouse, PlanOf

from prime.hub.learning import OwnersAnswer
from prime.hub.pace import Pace
from prime.hub.rules import tried
from prime.mind.protocol import Plan, PlannedChannel, PlannedParticipant


async def test_what_is_like_a_waiting_question_waits_for_its_answer_and_a_rule_settles_it(
    open_house: OpenHouse, plan_of: PlanOf, partner: PlannedChannel, ask: Ask
) -> None:
    house = await open_house(Pace(autostop_ms=0, ask_min_gap_ms=0))
    second = replace(partner, key="second", name="Second", participants=(PlannedParticipant(name="Ines", role="r"),))
    house.mind.plans = [plan_of(partner, second)]
    house.mind.lines = {
        "Maria": ["Should we pay the venue a deposit of 500 EUR to keep it reserved?"],
        "Ines": ["Should we pay the caterer a deposit of 300 EUR to keep it reserved?"],
    }
    house.mind.verdicts = ask()
    await house.say("A fair")
    for _ in range(3):
        await house.turn()
    # Three partners do not ask for three deposits at once.
    [first] = await house.questions.waiting()
    await house.hub.answer(
        first.id, OwnersAnswer(text="Yes", make_rule="Spend up to 550 EUR on deposits to keep it reserved.")
    )
    for _ in range(2):
        await house.turn()
    assert await house.questions.waiting() == []
    [settled] = [item for _, item in await house.hub.feed() if item.type == "auto_resolved"]
    assert "550" in settled.reason


@pytest.mark.parametrize(
    ("rule", "asked", "fires"),
    [
        ("Decline deposits of 500 EUR or more.", 900, True),
        ("Decline deposits of 500 EUR or more.", 300, False),
        ("Pay deposits of up to 550 EUR.", 540, True),
        ("Pay deposits of up to 550 EUR.", 560, False),
    ],
)
def test_a_rule_holds_on_its_own_side_of_the_sum(rule: str, asked: int, fires: bool) -> None:
    book = tried(rule, "Should we pay the venue a deposit of 500 EUR to keep it reserved?")
    candidate = f"Should we pay the caterer a deposit of {asked} EUR to keep it reserved?"
    assert (book.covers(candidate) is not None) == fires


async def test_a_new_budget_is_judged_by_from_the_next_message_on(
    house: House, plan_of: PlanOf, partner: PlannedChannel
) -> None:
    house.mind.plans = [
        plan_of(partner, aims={"budget": "9,000 EUR"}),
        Plan(title="", summary="", words="Noted.", aims={"budget": "25,000"}),
    ]
    house.mind.lines = {"Maria": ["The stand is 4,000 EUR."]}
    await house.say("A fair")
    await house.say("raise the budget to 25k")
    for _ in range(3):
        await house.turn()
    assert house.mind.requests[-1].aims["budget"] == "25,000"
    assert [m.kind for m in await house.log() if m.text == "Noted."] == ["text"], "a word, not a plan"


async def test_what_the_owner_leaves_to_prime_is_answered_by_prime_and_shown(
    house: House, plan_of: PlanOf, partner: PlannedChannel, ask: Ask
) -> None:
    house.mind.plans = [plan_of(partner)]
    house.mind.lines = {"Maria": ["Shall I reserve the stand against 500 EUR?"]}
    house.mind.verdicts = ask(self_answer="Not yet: we do not bind ourselves to this for now.")
    await house.say("A fair")
    for _ in range(3):
        await house.turn()
    [question] = await house.questions.waiting()
    answered, rule = await house.hub.answer(question.id, OwnersAnswer(text="You decide", make_rule=True))
    assert answered.answer["text"] == "You decide"
    assert rule is None, "nothing was decided that could hold for ever"
    channel = await house.channel("Partner")
    told = [message.text for message in await house.log(channel.id, "brief")]
    assert told[-1] == "Not yet: we do not bind ourselves to this for now."
    assert not [text for text in told if "You decide" in text]
    [card] = [item for _, item in await house.hub.feed() if item.type == "auto_resolved"]
    assert card.reason == "You left it to me."
    assert card.text == told[-1]
    assert question.sources[0] in card.sources


async def test_a_question_asked_back_settles_nothing_later(
    open_house: OpenHouse, plan_of: PlanOf, partner: PlannedChannel, ask: Ask
) -> None:
    house = await open_house(Pace(autostop_ms=0, ask_min_gap_ms=0))
    house.mind.plans = [plan_of(partner)]
    house.mind.lines = {"Maria": ["Shall I reserve the stand?", "Shall I reserve the stand?"]}
    house.mind.verdicts = ask()
    await house.say("A fair")
    for _ in range(3):
        await house.turn()
    [first] = await house.questions.waiting()
    await house.hub.answer(first.id, OwnersAnswer(text="Why so early?"))
    for _ in range(3):
        await house.turn()
    assert [question.text for question in await house.questions.waiting()] == ["Shall I reserve the stand?"]
