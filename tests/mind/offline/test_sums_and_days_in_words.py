"""What Prime says of the sums and days of a wish: kept as what they are, and never missing where they were written."""

import pytest

from prime.mind.jobs.planning import PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.slots.slots import slots_in

TODAY = "2026-11-19"


async def words_for(wish: str) -> str:
    return (await OfflineMind().plan(PlanRequest(wish=wish, today=TODAY))).words


@pytest.mark.parametrize(
    ("wish", "unsaid"),
    [
        ("Organise a quilting weekend for our club when the lambs are weaned, date to follow.", "a date"),
        ("Organise a lantern walk for 40 neighbours, the parish pays part of it.", "a budget"),
        ("想给社区办一场灯会，经费还在谈，等放假再说", "没看到预算"),
    ],
)
async def test_what_the_text_has_a_word_for_is_not_said_to_be_missing(wish: str, unsaid: str) -> None:
    words = await words_for(wish)
    assert unsaid not in words


async def test_what_was_not_written_is_still_asked_for() -> None:
    assert "I did not find a budget or a date" in await words_for("Organise a lantern walk for 40 neighbours.")


async def test_a_gap_is_hoped_for_and_a_buyers_limit_is_not() -> None:
    assert "期望3.2万元" in await words_for("给村小捐一座篮球架，还差三万二")
    words = await words_for("Buy a used cargo bike in Utrecht, I can go to 1,800 but not a cent more.")
    assert "1,800 as the budget" in words
    assert "hope" not in words


async def test_how_soon_is_no_date_and_needs_no_preposition() -> None:
    plan = await OfflineMind().plan(
        PlanRequest(wish="We need 250 linen napkins asap, and no plastic wrapping.", today=TODAY)
    )
    assert "“as soon as possible”" in plan.words
    assert "by as soon" not in " ".join(channel.brief for channel in plan.channels)


@pytest.mark.parametrize(
    ("wish", "slot"),
    [
        ("Send our wooden anchor (2.4 m) to the sailors' chapel.", "budget"),
        ("Our mascot suit (2.1m, blue) should go to the stadium.", "budget"),
        ("Our 1911 pipe organs wheeze.", "count"),
        ("Our reading group reads 20 books a year and wants an author to visit.", "count"),
        ("We need a supplier of beeswax, volume 2,000 a year.", "constraints"),
        ("We look for someone who can run it, a bakery in Cork.", "constraints"),
        ("A donkey stands on the runway and nobody can catch him.", "constraints"),
        ("Our drummer sold my amplifier without asking me and keeps the money.", "constraints"),
        ("A veil in Belgian lace for my sister.", "place"),
        ("带孩子们去湿地观鸟", "place"),
    ],
)
def test_nothing_is_read_where_nothing_was_written(wish: str, slot: str) -> None:
    assert slot not in slots_in(wish, TODAY)


@pytest.mark.parametrize(
    ("wish", "slot", "value"),
    [
        ("A picnic for between 30 and 40 people in Bath.", "count", "30–40 people"),
        ("A dinner for 30-40 guests, 40 euros a head.", "budget", "1,600 EUR"),
        ("三十到四十人的读书会", "count", "三十到四十人"),
        ("I can give eight weeks to finding out who once lived in our house.", "deadline", "within eight weeks"),
        ("Ready over the next six weeks, please build our fence.", "deadline", "within six weeks"),
        ("每个星期三晚上教老人用手机，23号之前开始", "deadline", "23号"),
    ],
)
def test_spans_are_read_whole(wish: str, slot: str, value: str) -> None:
    assert slots_in(wish, TODAY).get(slot) == value
