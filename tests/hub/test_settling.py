"""What settles a question before it is asked: an answer that is awaited, a rule on its side of a sum, another budget."""

import asyncio
from dataclasses import replace
from typing import cast

import pytest
from tests.hub.conftest import Ask, House, OpenHouse, PlanOf, ScriptedMind

from prime.core.errors import Conflict
from prime.hub.learning import OwnersAnswer
from prime.hub.pace import Pace
from prime.hub.rules import RuleBook, tried
from prime.mind.jobs.judging import KnownRule, RuleRequest
from prime.mind.jobs.keeping import Written
from prime.mind.jobs.planning import Plan, PlannedChannel, PlannedParticipant
from prime.mind.offline.judging.rules import rule_for
from prime.rooms.questions import Asking
from prime.rooms.records import HUB, PRIME, Question
from prime.store.message import NewMessage


async def ask_for_two_deposits(house: House, plan_of: PlanOf, partner: PlannedChannel, ask: Ask) -> None:
    """One is asked about, and the other waits for its answer."""
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


async def test_what_is_like_a_waiting_question_waits_for_its_answer_and_a_rule_settles_it(
    open_house: OpenHouse, plan_of: PlanOf, partner: PlannedChannel, ask: Ask
) -> None:
    house = await open_house(Pace(autostop_ms=0, ask_min_gap_ms=0))
    await ask_for_two_deposits(house, plan_of, partner, ask)
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


class Ponders(ScriptedMind):
    """Takes its time over a rule."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.done = asyncio.Event(), asyncio.Event()

    async def distill_rule(self, request: RuleRequest) -> Written:
        self.asked.set()
        await self.done.wait()
        return Written(text="Spend up to 550 EUR on deposits to keep it reserved.")


async def two_deposits(open_house: OpenHouse, plan_of: PlanOf, partner: PlannedChannel, ask: Ask) -> House:
    house = await open_house(Pace(autostop_ms=0, ask_min_gap_ms=0), mind=Ponders())
    await ask_for_two_deposits(house, plan_of, partner, ask)
    return house


async def test_what_a_rule_settles_is_not_asked_while_a_mind_words_it(
    open_house: OpenHouse, plan_of: PlanOf, partner: PlannedChannel, ask: Ask
) -> None:
    house = await two_deposits(open_house, plan_of, partner, ask)
    [first] = await house.questions.waiting()
    mind = cast("Ponders", house.mind)
    answering = asyncio.create_task(house.hub.answer(first.id, OwnersAnswer(text="Yes", make_rule=True)))
    await mind.asked.wait()
    await house.turn()
    assert [q.id for q in await house.questions.waiting()] == [first.id], "an answer comes with its rule, or not yet"
    mind.done.set()
    _, rule = await answering
    assert rule
    await house.turn()
    assert await house.questions.waiting() == []
    assert (await house.hub.learning.rule(rule.id)).hits == 1


async def test_nothing_of_an_answer_that_comes_second_counts(
    open_house: OpenHouse, plan_of: PlanOf, partner: PlannedChannel, ask: Ask
) -> None:
    house = await two_deposits(open_house, plan_of, partner, ask)
    [first] = await house.questions.waiting()
    mind = cast("Ponders", house.mind)
    late = asyncio.create_task(house.hub.answer(first.id, OwnersAnswer(text="Yes, pay.", make_rule=True)))
    await mind.asked.wait()
    await house.hub.answer(first.id, OwnersAnswer(text="No, leave it."))  # in another tab
    mind.done.set()
    with pytest.raises(Conflict, match="answered already"):
        await late
    assert await house.hub.learning.rules() == []
    assert [m.text for m in await house.log(first.channel_id, "brief")][1:] == ["No, leave it."]


async def test_of_answers_at_the_same_moment_only_the_firsts_company_is_logged(house: House) -> None:
    asked = await house.questions.ask(Asking(text="Pay?"))

    def beside(n: int) -> NewMessage:
        key = f"beside/{n}"
        return NewMessage(channel_id=HUB, actor_id=PRIME, kind="system", text=str(n), idempotency_key=key)

    answers = [house.questions.answer(asked.id, text=str(n), beside=[beside(n)]) for n in range(8)]
    given = [each for each in await asyncio.gather(*answers, return_exceptions=True) if isinstance(each, Question)]
    assert [each.answer["text"] for each in given] == [m.text for m in await house.log(HUB, "system")]
    assert len(given) == 1


@pytest.mark.parametrize(
    ("rule", "asked", "fires"),
    [
        ("Decline deposits of 500 EUR or more.", "900 EUR", True),
        ("Decline deposits of 500 EUR or more.", "300 EUR", False),
        ("Never pay deposits of more than 500 EUR.", "900 EUR", True),
        ("Never pay deposits of more than 500 EUR.", "300 EUR", False),
        ("Pay deposits of up to 550 EUR.", "540 EUR", True),
        ("Pay deposits of up to 550 EUR.", "560 EUR", False),
        # What stands at the sum tells its side, and not where somebody is from.
        ("Pay deposits to caterers from Berlin of up to 550 EUR.", "300 EUR", True),
        ("Pay deposits to caterers from Berlin of up to 550 EUR.", "5,000 EUR", False),
        ("Pay deposits over the phone up to 550 EUR.", "5,000 EUR", False),
        ("Pay deposits of no more than 550 EUR.", "300 EUR", True),
        ("Pay deposits of no more than 550 EUR.", "5,000 EUR", False),
        ("Pay deposits unless they are over 550 EUR.", "5,000 EUR", False),
        ("Agree to nothing over 550 EUR as a deposit.", "5,000 EUR", False),
        # Neither a year nor a room's name is a limit.
        ("Pay deposits of up to 550 EUR in 2027.", "1,900 EUR", False),
        ("Pay deposits of up to 550 EUR in the room “Hall 2000”.", "1,900 EUR", False),
        ("Pay up to 550 EUR for things like “a deposit of 900 EUR”.", "700 EUR", False),
        # What is not said, or not to be compared, is not agreed to.
        ("Pay deposits of up to 550 EUR.", "some money", False),
        ("Pay deposits of up to 550 EUR.", "three thousand euros", False),
        ("Pay deposits of up to 550 EUR.", "300 USD", False),
        # Who wants to be asked has agreed to nothing.
        ("Ask me about deposits of more than 500 EUR.", "900 EUR", False),
        ("Always ask me about deposits.", "300 EUR", False),
        ("Pay deposits of up to 550 EUR, ask me above that.", "300 EUR", True),
        ("Pay deposits of up to 550 EUR, ask me above that.", "900 EUR", False),
        ("Pay deposits of up to 550 EUR, you don’t need to ask me.", "300 EUR", True),
    ],
)
def test_a_rule_holds_on_its_own_side_of_the_sum(rule: str, asked: str, fires: bool) -> None:
    candidate = f"Should we pay the caterer a deposit of {asked} to keep it reserved?"
    book = tried(rule, "Should we pay the venue a deposit of 500 EUR to keep it reserved?")
    place = "Hall 2000" if "Hall" in rule else ""
    by_words, by_meaning = book.covers(candidate, place), rule_for(candidate, place, [KnownRule(id="r", text=rule)])
    assert [by_words is not None, by_meaning is not None] == [fires, fires]


@pytest.mark.parametrize(
    ("rule", "asked", "fires"),
    [
        ("定金不超过550元不用问我，直接同意。", "300元", True),
        ("定金不超过550元不用问我，直接同意。", "5000元", False),
        ("定金550元以上一律拒绝，不用问我。", "5000元", True),
        ("定金550元以上一律拒绝，不用问我。", "300元", False),
        ("定金超过550元一律拒绝，不用问我。", "5000元", True),
        ("定金超过550元要问我。", "5000元", False),
    ],
)
def test_a_chinese_rule_holds_on_its_own_side_of_the_sum(rule: str, asked: str, fires: bool) -> None:
    assert (rule_for(f"酒店要{asked}定金，付吗？", "", [KnownRule(id="r", text=rule)]) is not None) == fires


def test_a_mind_that_names_a_rule_cannot_take_it_past_its_sum() -> None:
    """Whatever a counterpart has talked it into."""
    book = tried("Pay deposits of up to 550 EUR.", "Should we pay the venue a deposit of 500 EUR?")
    [rule] = book.rules
    assert book.named(rule.id, "Should we pay 300 EUR?") is None, "an id that is empty names none"
    book = RuleBook([replace(rule, id="r")])
    assert book.named("r", "Should we pay 300 EUR?") is not None
    assert book.named("r", "Should we pay what they ask?") is not None, "it knows what was said"
    assert book.named("r", "Should we pay 5,000 EUR?") is None
    asks = RuleBook([replace(rule, id="r", text="Ask me about every deposit.")])
    assert asks.named("r", "Should we pay 300 EUR?") is None


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
