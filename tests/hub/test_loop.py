"""The whole loop: the owner's words, a plan, channels, turns, a question, an answer, a rule, and the next one settled."""

import pytest
from tests.hub.conftest import Ask, House, PlanOf, ScriptedMind

from prime.core.errors import RateLimited
from prime.hub.learning import Learning, OwnersAnswer
from prime.mind.jobs.judging import RuleRequest
from prime.mind.jobs.keeping import Written
from prime.mind.jobs.planning import PlannedChannel
from prime.rooms.questions import Asking


async def test_one_message_raises_a_war_room(house: House, partner: PlannedChannel, plan_of: PlanOf) -> None:
    house.mind.plans = [plan_of(partner)]
    house.mind.lines = {"Prime": ["We would like a stand."], "Maria": ["The corner one is 5,000."]}
    said = await house.say("Organise the fair in May")
    [plan] = await house.log("ch_hub", "plan")
    assert (plan.text, plan.sources) == ("On it.", (said.id,))
    channel = await house.channel("Partner")
    [brief] = await house.log(channel.id, "brief")
    assert brief.text == "Agree on a stand."
    assert brief.body["facts"] == {"archetype": "event", "role": "supplier"}
    [held] = await house.log(channel.id, "system")
    assert "Our budget is 9,000." in held.text
    assert held.audience == "hub"
    await house.turn()
    await house.turn()
    assert await house.spoken(channel.id) == ["We would like a stand.", "The corner one is 5,000."]
    to_maria = house.mind.replies[-1]
    assert (to_maria.speaker, to_maria.role, to_maria.brief) == ("Maria", "supplier", "Agree on a stand.")


async def test_a_question_is_asked_answered_learned_and_not_asked_again(
    house: House, partner: PlannedChannel, plan_of: PlanOf, ask: Ask
) -> None:
    house.mind.plans = [plan_of(partner)]
    house.mind.verdicts = ask()
    house.mind.lines = {
        "Prime": ["Which stands are free?", "Thank you, the corner then.", "As before."],
        "Maria": ["Shall I reserve the corner stand?", "Shall I reserve a corner stand in June, too?"],
    }
    await house.say("Organise the fair")
    channel = await house.channel("Partner")
    await house.turn()
    await house.turn()
    [question] = await house.questions.waiting()
    assert question.text == "Shall I reserve the corner stand?"
    assert question.channel_id == channel.id
    await house.turn()
    assert len(await house.spoken(channel.id)) == 2, "the channel waits for the owner"

    answered, rule = await house.hub.answer(question.id, OwnersAnswer(text="Yes, take it.", make_rule=True))
    assert answered.status == "answered"
    assert rule
    assert rule.text == "Shall I reserve the corner stand: Yes, take it."
    brief = (await house.log(channel.id, "brief"))[-1]
    assert "Yes, take it." in brief.text
    assert question.message_id in brief.sources
    for _ in range(4):
        await house.turn()
    assert (await house.spoken(channel.id))[2:4] == [
        "Thank you, the corner then.",
        "Shall I reserve a corner stand in June, too?",
    ]
    assert await house.questions.waiting() == []
    [(_, card)] = await house.hub.feed()
    assert (card.type, card.rule_id) == ("auto_resolved", rule.id)
    assert card.sources
    [kept] = await house.hub.learning.rules()
    assert kept.hits == 1
    assert await house.hub.counters() == (1, 1)


@pytest.mark.parametrize("fails", [RateLimited("Too often."), ValueError("odd")])
async def test_an_answer_that_no_rule_can_be_made_of_counts_and_the_owner_is_told(
    house: House, fails: Exception
) -> None:
    class Wordless(ScriptedMind):
        async def distill_rule(self, request: RuleRequest) -> Written:
            raise fails

    learning = Learning(house.store, house.rooms, house.questions, Wordless())
    question = await house.questions.ask(Asking(text="Paint the door?"))
    answered, rule = await learning.answer(question.id, OwnersAnswer(text="Yes.", make_rule=True))
    assert (answered.status, rule) == ("answered", None)
    [told] = await house.log("ch_hub", "system")
    assert told.text.startswith("Your answer is kept, but no rule was made of it. ")
    assert told.sources == (question.message_id,)
    assert "odd" not in told.text


async def test_below_the_bar_prime_decides_and_says_so(
    house: House, partner: PlannedChannel, plan_of: PlanOf, ask: Ask
) -> None:
    house.mind.plans = [plan_of(partner)]
    house.mind.verdicts = ask(0.4, "The earlier slot.")
    house.mind.lines = {"Prime": ["When?", "The earlier slot, please."], "Maria": ["Nine or eleven?"]}
    await house.say("Organise the fair")
    channel = await house.channel("Partner")
    await house.turn()
    await house.turn()
    assert await house.questions.waiting() == []
    [(_, card)] = await house.hub.feed()
    assert (card.type, card.text, card.question) == ("auto_resolved", "The earlier slot.", "Nine or eleven?")
    assert "0.40" in card.reason
    brief = (await house.log(channel.id, "brief"))[-1]
    assert brief.text == "The earlier slot."
    await house.turn()
    assert (await house.spoken(channel.id))[-1] == "The earlier slot, please."
