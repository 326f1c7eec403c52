"""Nothing written is lost: what no slot takes is in the team's brief, and what only describes the thing in a partner's."""

import pytest

from prime.mind.jobs.planning import PlannedChannel, PlanRequest
from prime.mind.offline import OfflineMind
from prime.rooms.tier import Tier


async def _channels(wish: str) -> tuple[PlannedChannel, ...]:
    return (await OfflineMind().plan(PlanRequest(wish=wish, today="2026-11-19"))).channels


async def _told(wish: str, *tiers: Tier) -> str:
    return "\n".join(channel.brief for channel in await _channels(wish) if channel.tier in tiers)


@pytest.mark.parametrize(
    ("wish", "clauses"),
    [
        (
            "Find a dog sitter for Bruno from 3 to 10 August, he is 14 and needs his pills twice a day",
            ["he is 14 and needs his pills twice a day"],
        ),
        ("Our village hall roof leaks over the stage. Insurance wont pay, panto is Dec 12", ["Insurance wont pay"]),
        ("Renovate the scout hut: roof, new stove. Parents will do the painting.", ["Parents will do the painting"]),
        ("Airline lost my cello. LH 441 from Houston, insured for 38,000 USD.", ["LH 441", "insured for 38,000 USD"]),
        ("Find a violin teacher, Tuesdays after school, at most 40 EUR an hour", ["Tuesdays after school"]),
        (
            "My ex keeps cancelling the weekends. I don't want to go to court again.",
            ["I don't want to go to court again"],
        ),
        ("Hire a night nurse for my husband, he has ALS, we can pay up to 28 $/hour", ["he has ALS", "28 $/hour"]),
        ("Organise a litter day on 12 May, the city lends gloves and bags", ["the city lends gloves and bags"]),
        ("Get a hearing aid for my aunt, her insurance pays part of it", ["her insurance pays part of it"]),
        ("给奶奶请个护工，她住五楼没有电梯，耳朵不好", ["她住五楼没有电梯"]),
    ],
)
async def test_a_clause_that_no_slot_took_is_in_the_team_s_brief(wish: str, clauses: list[str]) -> None:
    told = await _told(wish, "team")
    assert [clause for clause in clauses if clause not in told] == []


@pytest.mark.parametrize(
    ("wish", "again"),
    [
        ("Plan a summer party in Lisbon on 3 July for 60 guests, budget 4,000 EUR", "60 guests"),
        ("Repair the boiler by Friday, at most 900 EUR, no noise", "no noise"),
    ],
)
async def test_what_a_brief_says_already_is_not_said_again(wish: str, again: str) -> None:
    assert [channel.name for channel in await _channels(wish) if channel.brief.count(again) > 1] == []


async def test_a_long_message_is_carried_up_to_a_clause() -> None:
    wish = "Restore the mill, " + ", ".join(f"beam number {n} is rotten at its northern end" for n in range(60))
    for channel in await _channels(wish):
        assert len(channel.brief) < 900
    assert "beam number 3 is rotten at its northern end" in await _told(wish, "team")


@pytest.mark.parametrize(
    ("wish", "described"),
    [
        ("Design a logo for our cidery, hand-drawn, two colours, 900 EUR tops", ["hand-drawn", "two colours"]),
        ("Get a new roof on the barn, slate, we can spend 45k", ["slate"]),
        ("Rent out the flat above the shop from January, 62 sqm", ["62 sqm"]),
        ("Commission a bronze bell for the new town hall, 320 kg", ["320 kg"]),
    ],
)
async def test_what_describes_the_thing_is_told_to_partners(wish: str, described: list[str]) -> None:
    told = await _told(wish, "business_relation")
    assert [clause for clause in described if clause not in told] == []


@pytest.mark.parametrize(
    "private",
    [
        "we can spend 45k",
        "our margin is 40 percent",
        "the bank is about to cancel the loan",
        "my wife must not know",
        "recently divorced",
        "no idea what it is worth",
        "because we are broke",
        "the other offer is 2,000 lower",
        "he has ALS",
        "urgent",
        "insolvent since May",
        "up to 1,800",
        "only two of us know",
        "paid by the insurance",
        "used to be rich",
        "used to live with a crook",
        "new girlfriend",
        "20 minutes late again",
        "black market goods",
        "debt-free",
    ],
)
async def test_nothing_private_leaves_the_team(private: str) -> None:
    for head in (
        "Find a flat near the station",
        "Repair the boiler",
        "Sell the delivery van",
        "Design a logo for the shop",
    ):
        told = await _told(f"{head}, {private}", "business_relation", "external")
        assert private not in told, head
        assert private in await _told(f"{head}, {private}", "team") or "45k" in private, head
