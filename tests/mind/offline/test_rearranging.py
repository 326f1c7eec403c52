"""One message that changes several things of a war room, and wishes that say themselves what is done about the thing."""

import pytest

from prime.mind.jobs.planning import OpenChannel, Plan, PlanRequest
from prime.mind.offline import OfflineMind

TODAY = "2026-11-18"
WISH = "Plan a product launch of the Kestrel lamp on 12 March, budget 30,000 EUR"
WISH_ZH = "四月发布新品台灯，预算三万元，找媒体和代理"


async def later(first: str, then: str) -> tuple[Plan, dict[str, str]]:
    """What a second message makes of the first one's rooms, and their names by id."""
    mind = OfflineMind()
    plan = await mind.plan(PlanRequest(wish=first, today=TODAY))
    there = [OpenChannel(id=f"ch_{c.key}", key=c.key, name=c.name, tier=c.tier) for c in plan.channels]
    made = await mind.plan(PlanRequest(wish=then, today=TODAY, channels=there, aims=plan.aims))
    return made, {c.id: c.name for c in there}


@pytest.mark.parametrize(
    ("said", "closed", "opened"),
    [
        ("Drop the press and add an influencer agency.", ["Press"], ["Agency (the Kestrel lamp)"]),
        ("Close the press and open a room with a photographer", ["Press"], ["Photographer"]),
        ("We also need a caterer; the making room can be closed", ["Making"], ["Caterer"]),
        ("Drop the agency, we need a photographer instead", ["Agency"], ["Photographer"]),
        ("add a designer and remove the retail partner", ["Retail partner"], ["Designer"]),
        ("Add a photographer, a DJ and a lawyer", [], ["Photographer", "DJ", "Lawyer"]),
        ("Stop the press and the agency", ["Agency", "Press"], []),
        ("We no longer need the retail partner, we need to save money", ["Retail partner"], []),
        ("Close the press, we have found another one", ["Press"], []),
    ],
)
async def test_each_part_of_a_message_is_done(said: str, closed: list[str], opened: list[str]) -> None:
    made, names = await later(WISH, said)
    assert sorted(names[each] for each in made.closing) == closed
    assert [channel.name for channel in made.channels] == opened
    keys = [channel.key for channel in made.channels]
    assert len(set(keys)) == len(keys), "or only the first would be made"


async def test_it_is_done_in_chinese_too() -> None:
    made, names = await later(WISH_ZH, "不需要媒体了，再加一个摄影师和一位设计师")
    assert [names[each] for each in made.closing] == ["媒体"]
    assert [channel.name for channel in made.channels] == ["摄影师", "设计师"]


async def test_what_else_is_said_counts_beside_what_is_ended() -> None:
    made, names = await later(WISH, "Drop the press and make it two weeks later")
    assert [names[each] for each in made.closing] == ["Press"]
    assert made.aims["date"] == "26 March"
    assert "ch_product_launch-press" not in {told.channel_id for told in made.telling}
    made, names = await later(WISH, "Cancel everything and plan a party for 30 guests")
    assert len(made.closing) == len(names)
    assert "Venue" in {channel.name for channel in made.channels}


@pytest.mark.parametrize(
    ("wish", "title"),
    [
        (WISH, "Launch: Kestrel lamp"),
        ("Plan the Kestrel launch", "Launch: Kestrel"),
        ("Organize a product launch for our new tea on 3 May", "Launch: tea"),
        ("Plan a product launch", "Launch: product"),
        ("plan the relaunch of our website", "Building: website"),
        ("Plan the opening of our bakery in Graz", "Bakery"),
        ("Plan the sale of our old van", "Selling old van"),
        ("策划新品台灯的发布", "发布：新品台灯"),
    ],
)
async def test_what_is_done_is_said_once(wish: str, title: str) -> None:
    """Nobody plans the launch of a launch."""
    plan = await OfflineMind().plan(PlanRequest(wish=wish, today=TODAY))
    assert plan.title == title
    briefs = " ".join(channel.brief for channel in plan.channels).casefold()
    assert "launch of the product launch" not in briefs
    assert "的发布的发布" not in briefs
