"""One decision for every message, and as few questions as possible."""

from dataclasses import replace
from typing import cast

import pytest
from tests.hub.conftest import Ask, House, OpenHouse, PlanOf

from prime.accounts.push.watch import trigger_of
from prime.core.errors import InvalidInput
from prime.hub.directive import queries
from prime.hub.directive.queries import DIRECTIVE
from prime.hub.learning import OwnersAnswer
from prime.hub.pace import Pace
from prime.mind.jobs.judging import Decision, Judgement, Judgements, JudgeRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import PlannedChannel
from prime.rooms.records import HUB, OWNER, PRIME
from prime.store.message import Message, NewMessage

A_YEAR_S = 365 * 24 * 3600


def surfacing(line: Line) -> Judgement:
    return Judgement(
        message_id=line.message_id, decision="surface", necessity=0.3, reason="news", title=line.text, text=line.text
    )


async def a_channel(house: House, name: str = "Hall", tier: str = "team") -> str:
    actor = await house.rooms.add_actor(f"{name}s voice", "agent", "echo")
    channel = await house.rooms.create_channel(name, tier=tier, members=[actor.id])  # pyright: ignore[reportArgumentType]
    return channel.id


async def heard(house: House, channel_id: str, *texts: str) -> list[Message]:
    channel = await house.rooms.channel(channel_id)
    [voice] = [member for member in channel.members if member not in {OWNER, PRIME}]
    new = [NewMessage(channel_id=channel_id, actor_id=voice, kind="text", text=text) for text in texts]
    return await house.store.log.append(*new)


async def outcomes(house: House, channel_id: str) -> list[object]:
    return [m.body["outcome"] for m in await house.log(channel_id, "decision")]


# --- asking ---


async def test_questions_keep_their_distance_and_none_is_lost(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    one, two = await a_channel(house, "One"), await a_channel(house, "Two")
    await heard(house, one, "Shall we paint the door?")
    await heard(house, two, "May the musicians come earlier?")
    await house.hub.engine.run()
    assert len(await house.questions.waiting()) == 1
    house.clock.advance(5)
    await house.hub.engine.run()
    assert len(await house.questions.waiting()) == 1
    house.clock.advance(11)
    await house.hub.engine.run()
    assert [q.text for q in await house.questions.waiting()] == [
        "Shall we paint the door?",
        "May the musicians come earlier?",
    ]
    assert await house.store.projector.read(queries.read_held, DIRECTIVE) == []
    second = (await house.questions.waiting())[1]
    assert (second.necessity, second.reason, second.channel_id) == (0.9, "a direct question", two)


async def test_a_held_question_is_settled_by_a_rule_that_came_meanwhile(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    one, two = await a_channel(house, "One"), await a_channel(house, "Two")
    await heard(house, one, "Shall we order vegetarian catering for visitors?")
    await heard(house, two, "Shall we order vegetarian catering for speakers and visitors?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.hub.answer(question.id, OwnersAnswer(text="Always vegetarian.", make_rule=True))
    house.clock.advance(20)
    await house.hub.engine.run()
    assert await house.questions.waiting() == []
    assert await outcomes(house, two) == ["held", "silent", "auto_resolved"]
    [brief] = await house.log(two, "brief")
    assert "Always vegetarian." in brief.text


async def test_the_same_question_joins_the_one_that_waits(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    one, two = await a_channel(house, "One"), await a_channel(house, "Two")
    [first] = await heard(house, one, "Shall we paint the door?")
    await house.hub.engine.run()
    house.clock.advance(60)
    [second] = await heard(house, two, "Shall we paint the door?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    assert question.sources == (first.id, second.id)
    await house.hub.answer(question.id, OwnersAnswer(text="Green."))
    for channel_id in (one, two):
        assert [m.text for m in await house.log(channel_id, "brief")] == ["Green."]


async def test_an_answer_says_what_it_is_about_when_more_was_said_since(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    channel = await a_channel(house)
    await heard(house, channel, "Shall we paint the door?", "The hall is booked.")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.hub.answer(question.id, OwnersAnswer(text="Green."))
    [brief] = await house.log(channel, "brief")
    assert brief.text == "About “Shall we paint the door?”: Green."


async def test_what_a_channel_is_told_belongs_to_its_course(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    one = await a_channel(house, "One")
    await house.rooms.begin_course(one)
    await heard(house, one, "Shall we paint the door?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.hub.answer(question.id, OwnersAnswer(text="Yes, blue.", make_rule=True))
    await heard(house, one, "Shall we paint the door?")
    await house.hub.engine.run()
    assert [brief.course for brief in await house.log(one, "brief")] == [2, 2]


async def test_what_was_answered_is_not_asked_again(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    one = await a_channel(house, "One")
    await heard(house, one, "Shall we paint the door?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.hub.answer(question.id, OwnersAnswer(text="Green."))
    house.clock.advance(60)
    await heard(house, one, "Shall we paint the door")
    house.mind.verdicts = lambda line: Judgement(
        message_id=line.message_id, decision="ask", necessity=1, reason="", text=line.text
    )
    await house.hub.engine.run()
    assert await house.questions.waiting() == []
    assert (await outcomes(house, one))[-2] == "auto_resolved"
    request = house.mind.requests[-1]
    assert [(q.text, q.answer) for q in request.settled] == [("Shall we paint the door?", "Green.")]


async def test_after_a_clock_that_was_a_year_ahead_questions_are_asked_again(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    one, two = await a_channel(house, "One"), await a_channel(house, "Two")
    house.clock.advance(A_YEAR_S)
    await heard(house, one, "Shall we paint the door?")
    await house.hub.engine.run()
    house.clock.advance(-A_YEAR_S)
    await heard(house, two, "Shall we book the hall?")
    await house.hub.engine.run()
    assert len(await house.questions.waiting()) == 2


async def test_nothing_is_below_the_bar_when_it_is_off(open_house: OpenHouse, ask: Ask) -> None:
    house = await open_house(Pace(autostop_ms=0, ask_necessity_min=0))
    house.mind.verdicts = ask(0.01, "No.")
    await heard(house, await a_channel(house), "Shall we paint the door?")
    await house.hub.engine.run()
    assert len(await house.questions.waiting()) == 1


async def test_who_asks_what_was_put_off_joins_it(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    await heard(house, await a_channel(house, "One"), "Shall we paint the door?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.questions.snooze(question.id, house.clock.now_ms() + 600_000)
    house.clock.advance(60)
    two = await a_channel(house, "Two")
    [said] = await heard(house, two, "Shall we paint the door?")
    await house.hub.engine.run()
    assert await house.questions.waiting() == []
    assert said.id in (await house.questions.get(question.id)).sources
    # What is only like it is asked: the owner put off one question, not its kind.
    await heard(house, two, "Shall we paint the door and the whole fence green?")
    await house.hub.engine.run()
    assert len(await house.questions.waiting()) == 1


async def test_a_question_ends_with_the_last_channel_that_asked_it(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    one, two = await a_channel(house, "One"), await a_channel(house, "Two")
    await heard(house, one, "Shall we paint the door?")
    await heard(house, two, "Shall we paint the door?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.rooms.close_channel(one)
    await house.hub.engine.run()
    assert [q.id for q in await house.questions.waiting()] == [question.id]
    await house.rooms.close_channel(two)
    await house.hub.engine.run()
    ended = await house.questions.get(question.id)
    assert (ended.status, ended.reason) == ("expired", "The channel that asked was closed.")


async def test_a_closed_channel_is_told_no_answer(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    one, two = await a_channel(house, "One"), await a_channel(house, "Two")
    await heard(house, one, "Shall we paint the door?")
    await heard(house, two, "Shall we paint the door?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.rooms.close_channel(one)
    await house.hub.answer(question.id, OwnersAnswer(text="Blue."))
    assert await house.log(one, "brief") == []
    assert len(await house.log(two, "brief")) == 1


async def test_what_was_held_back_is_not_asked_for_a_closed_channel(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    one, two = await a_channel(house, "One"), await a_channel(house, "Two")
    await heard(house, one, "Shall we paint the door?")
    await heard(house, two, "May the musicians come earlier?")
    await house.hub.engine.run()
    await house.rooms.close_channel(two)
    house.clock.advance(60)
    await house.hub.engine.run()
    assert [q.channel_id for q in await house.questions.waiting()] == [one]
    assert await house.store.projector.read(queries.read_held, DIRECTIVE) == []


@pytest.mark.parametrize("rule", ["   ", "x" * 2_001])
async def test_a_rule_that_cannot_be_leaves_the_question_open(house: House, ask: Ask, rule: str) -> None:
    house.mind.verdicts = ask()
    await heard(house, await a_channel(house), "Shall we paint the door?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    with pytest.raises(InvalidInput):
        await house.hub.answer(question.id, OwnersAnswer(text="Yes", make_rule=rule))
    assert [q.id for q in await house.questions.waiting()] == [question.id]


async def test_a_snoozed_question_comes_back(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    await heard(house, await a_channel(house), "Shall we paint the door?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.questions.snooze(question.id, house.clock.now_ms() + 60_000)
    assert await house.questions.waiting() == []
    house.clock.advance(61)
    assert [q.id for q in await house.questions.waiting()] == [question.id]
    await house.hub.engine.run()
    assert (await house.questions.get(question.id)).status == "pending"
    assert await house.questions.page(status="snoozed") == []
    # Its time is told once: to the page, and to the phone as if it were asked anew.
    head = await house.store.log.head()
    await house.hub.engine.run()
    assert await house.store.log.head() == head
    told = (await house.log(question.channel_id, "answer"))[-1]
    assert (told.actor_id, trigger_of(told)) == (PRIME, "question")
    await house.questions.answer(question.id, text="Yes")
    assert await house.questions.waiting() == []


@pytest.mark.holds("D-HUB-14")
async def test_a_rule_learned_elsewhere_reaches_a_lower_tier_as_a_clamped_brief(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    team, outside = await a_channel(house, "Team"), await a_channel(house, "Outside", "external")
    await heard(house, team, "Shall we promise delivery of lamps in March?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.hub.answer(
        question.id,
        OwnersAnswer(text="Yes.", make_rule="Promise delivery of lamps in March. Our margin is forty percent."),
    )
    house.clock.advance(60)
    await heard(house, outside, "Do you promise delivery of lamps in March?")
    await house.hub.engine.run()
    [brief] = await house.log(outside, "brief")
    assert brief.text.endswith("Promise delivery of lamps in March.")
    card = (await house.hub.feed())[0][1]
    assert card.removed == ("Our margin is forty percent.",)
    assert card.channel_id == outside
    visible = [m for m in await house.log(outside) if m.audience == "room"]
    assert "margin" not in str(visible)


@pytest.mark.parametrize("named", [True, False])
async def test_how_far_a_rule_goes_is_not_told_to_who_asks(house: House, ask: Ask, named: bool) -> None:
    """Whether the mind applies the rule or the engine finds it by its words."""
    house.mind.verdicts = ask()
    outside = await a_channel(house, "Outside", "external")
    await heard(house, outside, "Shall we take the hall deposit of 300 EUR from you?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    rule_text = "Spend up to 600 EUR on hall deposits without asking."
    _, rule = await house.hub.answer(question.id, OwnersAnswer(text="Yes.", make_rule=rule_text))
    assert rule
    house.mind.verdicts = ask(rule_id=rule.id if named else None, self_answer="Yes, gladly." if named else None)
    await heard(house, outside, "Shall we take another hall deposit of 310 EUR from you?")
    await house.hub.engine.run()
    assert (await outcomes(house, outside)).count("auto_resolved") == 1
    visible = str([m for m in await house.log(outside) if m.audience == "room"])
    assert "600 EUR" not in visible
    assert ("Yes, gladly." in visible) == named
    assert rule_text in {card.text for _, card in await house.hub.feed()}


async def test_a_rule_about_a_smaller_sum_says_nothing_about_a_larger_one(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    channel = await a_channel(house)
    await heard(house, channel, "May I pay 500 for printing posters?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.hub.answer(question.id, OwnersAnswer(choice="yes", make_rule="Printing posters up to 500 is fine."))
    house.clock.advance(60)
    await heard(house, channel, "May I pay 400 for printing posters?")
    await house.hub.engine.run()
    assert await house.questions.waiting() == []
    house.clock.advance(60)
    await heard(house, channel, "May I pay 4,000 for printing posters?")
    await house.hub.engine.run()
    assert [q.text for q in await house.questions.waiting()] == ["May I pay 4,000 for printing posters?"]


# --- rules ---


async def test_a_rule_is_shown_with_what_it_would_have_settled_then_edited_and_revoked(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask(0.2, "No.")
    channel = await a_channel(house)
    old = await heard(house, channel, "May visitors bring their dogs?", "Is the printer broken?")
    await house.hub.engine.run()
    house.mind.verdicts = ask()
    await heard(house, channel, "May visitors bring dogs to the hall?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    preview = await house.hub.learning.preview(question.id, text="Visitors may bring dogs.")
    assert [each.message_id for each in preview.resolves] == [old[0].id]
    worded = await house.hub.learning.preview(question.id, answer="Yes")
    assert worded.text == "May visitors bring dogs to the hall: Yes"
    _, rule = await house.hub.answer(question.id, OwnersAnswer(text="Yes", make_rule="Visitors may bring dogs."))
    assert rule
    edited = await house.hub.learning.change(rule.id, text="Visitors may bring small dogs.")
    assert (edited.text, edited.active) == ("Visitors may bring small dogs.", True)
    assert not (await house.hub.learning.change(rule.id, active=False)).active
    house.clock.advance(60)
    await heard(house, channel, "May visitors bring two dogs?")
    await house.hub.engine.run()
    assert len(await house.questions.waiting()) == 1, "a revoked rule settles nothing"


async def test_a_mind_that_names_a_rule_is_believed_only_if_it_stands(house: House, ask: Ask) -> None:
    channel = await a_channel(house)
    house.mind.verdicts = lambda line: Judgement(
        message_id=line.message_id, decision="ask", necessity=1.0, reason="", text=line.text, rule_id="rule_nobody"
    )
    await heard(house, channel, "Shall we paint the door?")
    await house.hub.engine.run()
    assert len(await house.questions.waiting()) == 1


# --- the owner's room ---


@pytest.mark.holds("D-HUB-15")
async def test_updates_tell_what_was_surfaced_and_keep_their_distance(house: House) -> None:
    house.mind.verdicts = surfacing
    channel = await a_channel(house)
    [first] = await heard(house, channel, "The hall is booked.")
    await house.hub.engine.run()
    [update] = await house.log(HUB, "text")
    assert "The hall is booked." in update.text
    assert update.sources == (first.id,)
    for n in range(7):
        await heard(house, channel, f"Row {n} is sold.")
    await house.hub.engine.run()
    assert len(await house.log(HUB, "text")) == 1
    house.clock.advance(36)
    await house.hub.engine.run()
    second = (await house.log(HUB, "text"))[1]
    assert "Row 6 is sold." in second.text
    assert "2 more in the feed." in second.text
    house.clock.advance(36)
    await house.hub.engine.run()
    assert len(await house.log(HUB, "text")) == 2, "nothing new, nothing said"


async def test_an_update_says_more_than_the_name_of_its_room(house: House) -> None:
    house.mind.verdicts = lambda line: replace(surfacing(line), title="Hall")
    channel = await a_channel(house)
    await heard(house, channel, "Could you send the invoice?")
    await house.hub.engine.run()
    [update] = await house.log(HUB, "text")
    assert "- Hall: Could you send the invoice?" in update.text


async def test_silence_is_one_decision_for_all_with_sources(house: House) -> None:
    channel = await a_channel(house)
    messages = await heard(house, channel, *(f"Row {n}" for n in range(30)))
    assert await house.hub.engine.run() == 30
    [decision] = await house.log(channel, "decision")
    assert decision.body["outcome"] == "silent"
    assert decision.sources == tuple(m.id for m in messages)
    assert await house.hub.engine.run() == 0
    assert len(await house.log(channel, "decision")) == 1


async def test_what_a_channel_began_with_and_own_words_are_not_judged(house: House) -> None:
    channel = await a_channel(house)
    scripted = NewMessage(channel_id=channel, actor_id="act_x", kind="text", text="Old?", source_tag="priming_script")
    await house.store.log.append(scripted)
    await house.rooms.say(channel, "act_owner", "Mine?")
    assert await house.hub.engine.run() == 0
    assert house.mind.requests == []


async def test_managed_profiles_are_shown_and_never_answered_by_the_engine(house: House, ask: Ask) -> None:
    actor = await house.rooms.add_actor("Ann", "human", "echo")
    await house.rooms.create_channel("Ann", kind="dm", tier="external", members=[actor.id], channel_id="ch_pp_tg_9")
    house.mind.verdicts = ask()
    await house.rooms.say("ch_pp_tg_9", actor.id, "Shall we meet?")
    await house.hub.engine.run()
    assert await house.questions.waiting() == []
    assert await outcomes(house, "ch_pp_tg_9") == ["surfaced", "silent"]
    house.mind.verdicts = ask(0.1, "Yes, at nine.")
    await house.rooms.say("ch_pp_tg_9", actor.id, "At nine or at ten?")
    await house.hub.engine.run()
    assert await house.log("ch_pp_tg_9", "brief") == []


# --- bad minds ---


async def test_nonsense_is_taken_out(house: House) -> None:
    channel = await a_channel(house)
    [first, second] = await heard(house, channel, "One", "Two")

    async def judge(request: JudgeRequest) -> Judgements:
        exploding = cast("Decision", "explode")
        wrong = Judgement(message_id=first.id, decision=exploding, necessity=float("nan"), reason="x" * 9_000)
        stranger = Judgement(message_id="msg_elsewhere", decision="ask", necessity=5, reason="")
        twice = Judgement(message_id=first.id, decision="ask", necessity=1, reason="")
        huge = Judgement(message_id=second.id, decision="surface", necessity=-3, reason="", title="t" * 9_000)
        return Judgements(items=(wrong, stranger, twice, huge))

    house.mind.judge = judge
    await house.hub.engine.run()
    assert await house.questions.waiting() == []
    surfaced, silent = await house.log(channel, "decision")
    assert (surfaced.body["outcome"], surfaced.body["necessity"]) == ("surfaced", 0.0)
    assert len(str(surfaced.body["title"])) <= 300
    assert silent.sources == (first.id,)


async def test_a_mind_that_fails_is_tried_again_later_and_then_passed_over(house: House) -> None:
    channel = await a_channel(house)
    said = await heard(house, channel, "One")
    calls = 0

    async def judge(request: JudgeRequest) -> Judgements:
        nonlocal calls
        calls += 1
        raise TimeoutError

    house.mind.judge = judge
    for _ in range(5):
        await house.hub.engine.run()
    assert calls == 1, "not tried in a loop"
    for _ in range(3):
        house.clock.advance(100)
        await house.hub.engine.run()
    assert calls == 3
    [(_, card)] = await house.hub.feed()
    assert card.title == "Not judged: Hall"
    assert card.sources == tuple(message.id for message in said)
    assert await house.store.projector.read(queries.read_fresh, DIRECTIVE) == []


async def test_ten_thousand_messages_and_a_megabyte(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask(0.1, "Fine.")
    channel = await a_channel(house)
    await heard(house, channel, *(f"Row {n} of the hall is sold." for n in range(10_000)))
    await heard(house, channel, "word " * 200_000 + "?")
    assert await house.hub.engine.run() == 10_001
    assert max(len(request.lines) for request in house.mind.requests) <= 100
    assert max(len(line.text) for request in house.mind.requests for line in request.lines) < 10_000


async def test_a_paused_swarm_asks_no_mind(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    await heard(house, await a_channel(house), "Shall we paint the door?")
    await house.hub.swarm.pause("owner", "Paused by you.")
    assert await house.hub.engine.run() == 0
    assert house.mind.requests == []
    await house.hub.swarm.resume()
    assert await house.hub.engine.run() == 1


async def test_the_mind_is_shown_what_is_settled_wanted_and_said_elsewhere(
    house: House, partner: PlannedChannel, plan_of: PlanOf, ask: Ask
) -> None:
    house.mind.plans = [plan_of(partner, aims={"budget": "9,000"})]
    await house.say("Go")
    other = await a_channel(house, "Other")
    await heard(house, other, "The hall costs 7,000.")
    channel = await house.channel("Partner")
    await heard(house, channel.id, "It would be 8,000.")
    await house.hub.engine.run()
    request = next(r for r in house.mind.requests if r.channel_name == "Partner")
    assert request.aims == {"budget": "9,000"}
    assert [line.text for line in request.elsewhere] == ["The hall costs 7,000."]
    assert [line.text for line in request.lines if not line.own] == ["It would be 8,000."]


async def test_erasing_an_answer_does_not_reopen_its_question(house: House, ask: Ask) -> None:
    house.mind.verdicts = ask()
    channel = await a_channel(house)
    await heard(house, channel, "Shall we paint the door?")
    await house.hub.engine.run()
    [question] = await house.questions.waiting()
    await house.hub.answer(question.id, OwnersAnswer(text="Green."))
    [answer] = await house.log(channel, "answer")
    await house.store.erase([answer.id], by="act_owner")
    assert (await house.questions.get(question.id)).status == "answered"
    assert (await house.questions.get(question.id)).answer == {}
    assert await house.questions.waiting() == []


async def test_a_read_mark_never_moves_back(house: House) -> None:
    channel = await a_channel(house)
    messages = await heard(house, channel, "One", "Two", "Three")
    await house.rooms.mark_read(channel, messages[2].id)
    await house.rooms.mark_read(channel, messages[0].id)
    assert (await house.rooms.unread())[channel] == 0
