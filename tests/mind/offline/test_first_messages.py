"""First messages of people who have never seen Prime: each becomes a room about what it says, or no room at all."""

import pytest

from prime.mind.jobs.judging import Judgement, JudgeRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel, Plan, PlanRequest
from prime.mind.offline import OfflineMind

MIND = OfflineMind()


async def planned(wish: str) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today="2026-11-18"))


@pytest.mark.parametrize(
    ("wish", "archetype", "thing"),
    [
        ("We want to buy a house in Ghent, 3 bedrooms, up to 420k, move in before September", "property", "a house"),
        ("我们想在杭州买一套两居室，首付不超过120万，明年6月前住进去", "property", "两居室"),
        ("Buy a used van for 8,000 EUR", "general", "a used van"),
        ("I'm selling our flat in Porto", "private_sale", "the flat"),
        ("Help me write a eulogy for my uncle Tom, the funeral is on Friday", "speech", "the eulogy"),
        ("Write a toast for my sister's wedding on 5 June", "speech", "the toast"),
        ("下周五给外公写一篇悼词", "speech", "悼词"),
        ("I want to make a cookbook of my grandmother's recipes, printed", "book", "the cookbook of family recipes"),
        ("Publish a children's book about a shy dragon", "book", "the children's book on a shy dragon"),
        ("Build a booking app for dentists", "software_build", "the booking app"),
        ("My landlord keeps my deposit of 1,800 euros and I want it back", "dispute", "the deposit"),
        ("Get back the 400 EUR that our caterer owes us", "dispute", "the debt of the caterer"),
        ("房东不退我3000块押金，帮我要回来", "dispute", "押金"),
        ("Our school play is on 14 June, 45 kids, no budget really", "event", "the school play"),
        ("I want to switch banks without missing a payment", "paperwork", "switching banks"),
        ("Our cat needs a surgery, the vet says 2000, what do I do", "care", "the cat"),
        ("We are moving abroad to Portugal next spring with two kids", "moving", "the move to Portugal"),
    ],
)
async def test_the_room_is_about_what_was_written(wish: str, archetype: str, thing: str) -> None:
    aims = (await planned(wish)).aims
    assert (aims["archetype"], aims["thing"]) == (archetype, thing)


@pytest.mark.parametrize("told", ["My dog ate my homework", "I bought the wrong size of shoes"])
async def test_what_only_happened_opens_no_room_and_is_asked_about(told: str) -> None:
    plan = await planned(told)
    assert not plan.channels
    assert "what you want to get done" in plan.words


async def test_who_does_not_know_where_to_start_brings_no_art() -> None:
    plan = await planned("We are moving abroad to Portugal next spring with two kids, I don't know where to start")
    assert "Special care" not in [channel.name for channel in plan.channels]
    assert plan.aims["along"] == "two kids"


async def test_time_that_is_left_is_no_wish_of_its_own() -> None:
    plan = await planned("准备第一次参加北京马拉松，还有四个月")
    assert [channel.name for channel in plan.channels] == ["计划", "老师或教练", "同伴"]


async def test_who_said_that_there_is_no_budget_is_not_asked_for_one() -> None:
    assert "did not find a budget" not in (await planned("Our school play is on 14 June, no budget really")).words


async def test_what_is_fixed_is_said_once() -> None:
    plan = await planned("I want to switch banks without missing a payment")
    assert plan.channels[0].brief.count("without missing a payment") == 2  # what is fixed, and the owner's own sentence


async def test_a_sponsor_brings_something_and_sells_nothing() -> None:
    plan = await planned("We need a sponsor for our robotics club, 12 kids")
    brief = next(channel.brief for channel in plan.channels if channel.name == "Sponsor")
    assert brief == "We look for a sponsor. Find out what they bring and what they expect."


async def test_what_one_more_room_may_cost_is_not_what_the_whole_may_cost() -> None:
    rooms = (OpenChannel(id="ch_1", key="event-venue", name="Venue", tier="business_relation"),)
    aims = {"archetype": "event", "thing": "the summer party", "budget": "6,000 EUR"}
    wish = "Also find a band, 600 EUR at most"
    plan = await MIND.plan(PlanRequest(wish=wish, today="2026-11-18", channels=rooms, aims=aims))
    assert [channel.name for channel in plan.channels] == ["Band"]
    assert "budget" not in plan.aims


async def judged(text: str) -> Judgement:
    line = Line(message_id="m", speaker="Ann Moreau", text=text)
    return (await MIND.judge(JudgeRequest(channel_name="Room", tier="external", lines=[line], aims={}))).items[0]


async def test_what_you_do_is_what_we_do() -> None:
    asked = await judged("My notes could be public with my name. May I be quoted in what you publish?")
    assert asked.text == "May Ann Moreau be quoted in what we publish?"


async def test_what_cannot_be_returned_is_irreversible() -> None:
    assert "cannot be returned" in (await judged("It is 250 EUR and cannot be returned. Shall I order it?")).reason
