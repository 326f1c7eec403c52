"""Wishes of people in a hurry: small letters, several in one, bought things, people to be found; each is put as it was meant."""

import pytest

from prime.mind.offline import OfflineMind
from prime.mind.offline.several import wishes_in
from prime.mind.offline.slots import slots_in
from prime.mind.offline.templates import filled
from prime.mind.protocol import Judgement, JudgeRequest, KnownRule, Line, OpenChannel, Plan, PlanRequest

MIND = OfflineMind()
SHIRTS = (
    "We need 300 branded t-shirts for the conference on 15 February in Munich, 8 EUR each max, and also find a printer "
    "for 50 posters"
)
THREE = "plan a trip to japan AND find someone to look after my cats AND renew my passport before march"
LEASE = "My lawyer has the lease ready: five years, binding, 3,600 EUR deposit, to be signed by Tuesday. Will you sign?"


async def planned(wish: str) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today="2026-11-18"))


async def judged(text: str, *rules: str, aims: dict[str, str] | None = None) -> Judgement:
    line = Line(message_id="m1", speaker="Sofia Walsh", text=text)
    known = [KnownRule(id=f"r{n}", text=rule) for n, rule in enumerate(rules)]
    request = JudgeRequest(
        channel_name="Landlord", tier="business_relation", lines=[line], rules=known, aims=aims or {}
    )
    return (await MIND.judge(request)).items[0]


@pytest.mark.parametrize(
    ("wish", "archetype", "thing"),
    [
        ("Buy a used van under 15k for our flower shop, must be electric", "general", "a used van"),
        (SHIRTS, "supplier_search", "300 branded t-shirts"),
        ("wedding photographer", "general", "a wedding photographer"),
        ("translate our company website to japanese, about 40 pages", "general", "the company website"),
        ("find someone to look after my cats in may", "general", "somebody to look after the cats"),
        ("Find a venue for our wedding on 5 June", "event", None),
    ],
)
async def test_what_is_wanted_counts_more_than_what_it_is_for(wish: str, archetype: str, thing: str | None) -> None:
    aims = (await planned(wish)).aims
    assert aims["archetype"] == archetype
    assert thing is None or aims["thing"] == thing


@pytest.mark.parametrize(
    ("wish", "slot", "meant"),
    [
        ("i want to open a bakery in lyon w/ my brother", "place", "Lyon"),
        ("need a nanny, max 1200 eur/month, berlin neukölln", "place", "Berlin Neukölln"),
        ("need a nanny, max 1200 eur/month, berlin neukölln", "constraints", "up to 1,200 EUR a month"),
        ("搞个团建，20个人，下个月，人均500", "budget", "1万元"),
        ("fly to new york in may", "place", "New York"),
    ],
)
async def test_places_in_small_letters_and_sums_by_head_or_month_are_found(wish: str, slot: str, meant: str) -> None:
    assert (await planned(wish)).aims[slot] == meant


async def test_several_wishes_share_a_war_room() -> None:
    assert len(wishes_in(THREE)) == 3
    plan = await planned(THREE)
    archetypes = {channel.facts["archetype"] for channel in plan.channels}
    assert archetypes == {"travel", "general", "paperwork"}
    assert len({channel.key for channel in plan.channels}) == len(plan.channels) <= 6
    assert len({channel.participants[0].name for channel in plan.channels}) == len(plan.channels)
    for piece in ("the trip", "the cats", "the passport"):
        assert piece in plan.words
    assert len((await planned("Organise a party in Rome on 3 May and book a DJ and a bakery")).channels) <= 6


async def test_another_project_is_more_than_one_more_room() -> None:
    there = [OpenChannel(id="ch_1", key="event-venue", name="Venue", tier="business_relation")]
    wish = "Also plan our Christmas party in Graz for 40 people on 18 December, budget 5,000 EUR"
    plan = await MIND.plan(PlanRequest(wish=wish, today="2026-11-18", channels=there))
    names = [channel.name for channel in plan.channels]
    assert len(names) >= 4
    assert "Venue (Christmas party)" in names
    one = await MIND.plan(PlanRequest(wish="Also find a photographer for 12 June", channels=there))
    assert len(one.channels) == 1


async def test_prices_follow_how_many_come() -> None:
    few = await planned("birthday party for my son on 3 dec, 12 kids")
    venue = next(channel for channel in few.channels if channel.name == "Venue")
    assert int(venue.facts["quote"].split()[0].replace(",", "")) < 1_000


def test_no_sentence_says_by_within() -> None:
    assert filled("Ready by {deadline}.", {"deadline": "within 2 weeks"}) == "Ready within 2 weeks."
    assert slots_in("Ready within 2 weeks", "2026-11-18")["deadline"] == "within 2 weeks"


async def test_a_rule_about_deposits_signs_no_lease() -> None:
    lease = await judged(LEASE, "Spend up to 4,000 EUR on deposits without asking.", "Spend under 5,000 EUR freely.")
    assert lease.decision == "ask"
    assert lease.rule_id is None
    assert "five years" in lease.text, "what is signed is said, not only the deposit in it"
    assert "Yes, sign" in lease.suggestions
    deposit = await judged(
        "The deposit is 300 EUR. Shall I reserve it?", "Spend up to 600 EUR on deposits without asking."
    )
    assert deposit.rule_id == "r0"


async def test_a_question_to_the_owner_says_what_is_decided() -> None:
    bare = await judged(
        "Somebody has to stand for it: the papers are to be signed by Tuesday and are binding. Shall I put your name down?"
    )
    assert "signed by Tuesday" in bare.text
    asked = await judged("May I bring two friends of yours along on the day?")
    assert asked.text.startswith("May Sofia Walsh bring")


async def test_an_offer_below_what_was_hoped_for_says_so() -> None:
    offer = await judged("My offer is 140 EUR, final. Do you accept?", aims={"budget": "300 EUR"})
    assert "47% of the 300 EUR you named" in offer.context
