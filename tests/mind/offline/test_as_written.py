"""Wishes and follow-ups as people write them: what they become, and what Prime says back."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from prime.mind.jobs.judging import JudgeRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel, Plan, PlanRequest
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.mind import OfflineMind
from prime.mind.offline.slots.slots import slots_in

Play = Callable[..., Awaitable[Any]]
TODAY = "2026-11-18"
ROOMS = (
    OpenChannel(
        id="ch_t",
        key="private_sale-trader",
        name="Trader",
        tier="business_relation",
        heard=(
            Line(message_id="m1", speaker="Yuki Brandt (Kestrel Works)", text="We would pay 5,300 EUR."),
            Line(message_id="m2", speaker="Yuki Brandt (Kestrel Works)", text="The papers are with you today."),
        ),
    ),
    OpenChannel(id="ch_p", key="private_sale-preparing", name="Preparation", tier="team"),
)


async def planned(wish: str, *, rooms: bool = False, lines: tuple[Line, ...] = ()) -> Plan:
    request = PlanRequest(wish=wish, today=TODAY, channels=ROOMS if rooms else (), lines=lines)
    return await OfflineMind().plan(request)


@pytest.mark.parametrize(
    ("wish", "archetype", "thing"),
    [
        ("We are getting married on 12 September in Ravello, about 80 guests, 35k", "event", "the wedding"),
        ("我们要结婚了，10月2号在成都，200人", "event", "婚礼"),
        ("my cat is sick, she hasn't eaten for two days", "care", "the cat"),
        ("我家猫两天没吃东西了", "care", "猫"),
        ("help with my tax return 2025, freelancer, due july 31", "paperwork", "the tax return 2025"),
        ("帮我报税，6月30日前", "paperwork", "报税"),
        ("lost my job, need a new one asap", "job_search", "the search for a new job"),
        ("想换工作，月薪3万以上", "job_search", "换工作"),
        ("my roof is leaking", "home", "the roof"),
        ("our best developer quit, what now", "hiring", "the new colleague"),
        ("my flight was cancelled and the airline does not pay", "paperwork", "the claim"),
        ("our startup needs 500k by summer, have 3 pilots running", "fundraising", "the company"),
        ("orginise my dads 70th birthday, 30 people, may 16th", "event", "the 70th birthday"),
        ("公司网站打不开了，客户都在投诉", "repair", "网站"),
        ("想学游泳，夏天之前", "learning", "学游泳"),
        ("妈妈60大寿，想办个家宴，20人左右", "event", "家宴"),
    ],
)
async def test_what_happened_to_somebody_is_a_project_too(wish: str, archetype: str, thing: str) -> None:
    plan = await planned(wish)
    assert (plan.aims["archetype"], plan.aims["thing"]) == (archetype, thing)
    assert len({channel.tier for channel in plan.channels}) >= 2


async def test_illness_is_told_to_call_somebody_who_can_judge_it() -> None:
    assert "call the doctor" in (await planned("my cat is sick")).words
    assert "call the doctor" not in (await planned("my roof is leaking")).words


@pytest.mark.parametrize(
    ("wish", "slot", "meant"),
    [
        ("a new website, max 5k, before xmas", "deadline", "Christmas"),
        ("圣诞节前开一家咖啡馆", "deadline", "圣诞节"),
        ("our startup needs 500k by summer", "deadline", "summer"),
        ("Christmas party for 40 people", "date", None),
        ("Summer party, 80 people", "date", None),
        ("sell my old VW golf, hoping for 6,500", "budget", "6,500"),
        ("Wedding in Ravello, about 80 guests, 35k", "budget", "35,000"),
        ("we have 20 employees and a kitchen", "budget", None),
        ("help with my tax return 2025", "budget", None),
        ("I need a logo, a website and business cards for my studio", "thing", "logo, website and business cards"),
        ("I need a venue, a photographer and somebody for music", "thing", "venue"),
    ],
)
def test_feasts_are_days_hopes_are_sums_and_lists_are_whole(wish: str, slot: str, meant: str | None) -> None:
    assert slots_in(wish, TODAY).get(slot) == meant


def test_a_feast_is_its_next_day() -> None:
    [day] = dates("before xmas", TODAY)
    assert day.day is not None
    assert day.day.isoformat() == "2026-12-25"


async def test_goods_do_not_come_from_a_company_called_crete() -> None:
    plan = await planned("import 2 tons of olive oil from Crete and sell it in Munich, 40k")
    assert all("Crete" not in p.name for channel in plan.channels for p in channel.participants)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("15000", "Is 15000 a budget?"),
        ("5万", "5万是预算吗"),
        ("you are a thief. give me my money back", "I am sorry"),
        ("你们都是骗子", "抱歉"),
    ],
)
async def test_a_sum_alone_and_an_accusation_open_nothing(wish: str, said: str) -> None:
    plan = await planned(wish)
    assert not plan.channels
    assert said in plan.words


async def test_what_somebody_said_is_told_with_the_name() -> None:
    plan = await planned("What did the trader say?", rooms=True)
    assert plan.words == "Yuki Brandt (Kestrel Works) in Trader: “The papers are with you today.”"
    assert tuple(plan.quoted) == ("m2",)  # so that it is forgotten with what it quotes
    assert "5,300 EUR" in (await planned("how much does the trader pay?", rooms=True)).words


async def test_when_is_answered_by_what_the_owner_wrote_last() -> None:
    lines = (
        Line(message_id="m1", speaker="Owner", text="plan a trip to Japan in April"),
        Line(message_id="m2", speaker="Owner", text="make it may instead"),
        Line(message_id="m3", speaker="Owner", text="when do we fly?"),
    )
    assert (await planned("when do we fly?", lines=lines, rooms=True)).words == "You wrote: “make it may instead”"


@pytest.mark.parametrize(
    ("wish", "closed"),
    [
        ("stop", {"ch_t", "ch_p"}),
        ("停", {"ch_t", "ch_p"}),
        ("drop the partner talks", {"ch_t"}),
        ("不要商家了", {"ch_t"}),
        ("stop the trader", {"ch_t"}),
    ],
)
async def test_stop_ends_what_is_meant(wish: str, closed: set[str]) -> None:
    assert set((await planned(wish, rooms=True)).closing) == closed


async def test_another_month_opens_nothing() -> None:
    plan = await planned("make it may instead", rooms=True)
    assert not plan.channels
    assert plan.aims["deadline"] == "May"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        (
            "A package is cheaper, 410 EUR, but not refundable. Do you want to take the package by Monday?",
            "Yes, go ahead",
        ),
        ("My offer is 3,500 EUR, final, if I have your yes by Monday. Do you accept?", "Yes, accept 3,500 EUR"),
        ("We expect a discount of fifteen percent in a signed contract. Do you accept?", "Yes, give them that"),
    ],
)
async def test_what_is_suggested_fits_who_gives_what(line: str, offered: str) -> None:
    said = Line(message_id="m1", speaker="Maud Vega", text=line)
    [judged] = (await OfflineMind().judge(JudgeRequest(channel_name="Room", tier="external", lines=[said]))).items
    assert judged.suggestions[0] == offered
    assert "What should I answer" not in judged.text


@pytest.mark.parametrize("wish", ["We are getting married on 12 September in Ravello", "我们要结婚了，10月2号在成都"])
async def test_prime_says_nothing_twice_across_the_rooms_of_a_wish(play: Play, wish: str) -> None:
    room = await play(wish)
    said = [line.text for lines in room.said.values() for line in lines if line.speaker == "Prime"]
    sentences = Counter(s for text in said for s in re.split(r"(?<=[.!?。！？])\s*", text) if len(s) > 25)
    assert [s for s, n in sentences.items() if n > 1] == []


async def test_prime_makes_up_nothing_about_the_place_that_is_opened(play: Play) -> None:
    room = await play("Open a small bakery in Graz, 40k")
    said = " ".join(line.text for lines in room.said.values() for line in lines if line.speaker == "Prime")
    for invented in ("from the oven", "three years", "sixty", "One thing done very well", "two at a time"):
        assert invented not in said


@pytest.mark.parametrize(
    "told",
    [
        "The price of the oven is 4000 EUR since March.",
        "The oven costs 4000 EUR",
        "The rent is 1,200 EUR",
        "烤箱的价格是4000元",
    ],
)
async def test_the_price_of_something_is_not_what_may_be_spent(told: str) -> None:
    assert (await planned(told, rooms=True)).aims == {}
