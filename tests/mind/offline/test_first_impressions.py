"""What somebody sees who writes one sentence: the right kind of room, sums that were meant, sentences that can be read."""

import re

import pytest

from prime.mind.offline import OfflineMind
from prime.mind.offline.amounts import han_number
from prime.mind.offline.slots import slots_in
from prime.mind.protocol import JudgeRequest, Line, PlanRequest

WISHES = {
    "I'm opening a small espresso bar in Lisbon in May, budget 40,000 EUR": "opening",
    "Hire a product designer for our team of six by the end of March": "hiring",
    "Plan our wedding for 80 guests in Tuscany on 12 September, around 25,000 euros": "event",
    "Start a weekly podcast about urban gardening": "media",
    "Find a cheap supplier for 500 mugs with our logo, under 3 EUR each": "supplier_search",
    "Plan a trip to Kyoto for two in April, 5 days, 3000 EUR": "travel",
    "Organise a school fundraiser for new playground equipment, goal 10,000 USD": "charity",
    "Build an app for dog walkers to find customers nearby": "software_build",
    "Raise a seed round of 500k from angel investors": "fundraising",
    "我想五月份在成都开一家小咖啡馆，预算三十万元": "opening",
    "帮我招一名产品设计师，三月底前到岗": "hiring",
    "筹备我们九月十二日在苏州的婚礼，八十位客人，预算二十万": "event",
    "找一家便宜的供应商做500个印logo的马克杯，单价不超过20元": "supplier_search",
    "四月两个人去京都玩五天，预算两万元": "travel",
    "做一档关于城市园艺的播客": "media",
    "为学校操场办一次义卖募捐": "charity",
}


@pytest.mark.parametrize(("wish", "archetype"), WISHES.items())
async def test_one_sentence_raises_a_room_of_its_kind(wish: str, archetype: str) -> None:
    plan = await OfflineMind().plan(PlanRequest(wish=wish, today="2026-11-16"))
    assert plan.aims["archetype"] == archetype
    assert 3 <= len(plan.channels) <= 6
    texts = [plan.words, plan.title, *(c.brief for c in plan.channels), *(c.name for c in plan.channels)]
    for text in texts:
        assert not re.search(r"[{}\[\]]|\.\.|\s[,.;]|\b(\w{3,}) \1\b", text), text


@pytest.mark.parametrize(
    ("wish", "slot", "meant"),
    [
        ("Find a cheap supplier for 500 mugs with our logo, under 3 EUR each", "budget", "1,500 EUR"),
        ("Find a cheap supplier for 500 mugs with our logo, under 3 EUR each", "count", "500 mugs"),
        ("找一家便宜的供应商做500个印logo的马克杯，单价不超过20元", "budget", "1万元"),
        ("找一家便宜的供应商做500个印logo的马克杯，单价不超过20元", "count", "500个"),
        ("我想五月份在成都开一家小咖啡馆，预算三十万元", "budget", "30万元"),
        ("Hire a product designer by the end of March", "deadline", "the end of March"),
        ("帮我招一名产品设计师，三月底前到岗", "deadline", "三月底"),
        ("I want to learn to sail this summer", "thing", "plan to learn to sail"),
    ],
)
def test_what_was_meant_is_found(wish: str, slot: str, meant: str) -> None:
    assert slots_in(wish, "2026-11-16").get(slot) == meant


@pytest.mark.parametrize(("text", "value"), [("三十万", 300_000), ("两万", 20_000), ("一百二十", 120), ("十五", 15)])
def test_numbers_in_chinese_characters(text: str, value: int) -> None:
    assert han_number(text) == value


async def test_whom_one_looks_for_is_not_also_asked_for_an_offer() -> None:
    for wish in ("Hire a product designer by March", "Find a cheap supplier for 500 mugs"):
        plan = await OfflineMind().plan(PlanRequest(wish=wish))
        names = [channel.name.casefold() for channel in plan.channels]
        assert "product designer" not in names
        assert "cheap supplier" not in names


async def test_who_wants_a_discount_is_not_asked_for_a_lower_price() -> None:
    line = Line(
        message_id="m1",
        speaker="Ana",
        text="We would take 40 units at 9,000 EUR. Would you agree to a discount of 15%?",
    )
    [judged] = (
        await OfflineMind().judge(JudgeRequest(channel_name="Buyer", tier="business_relation", lines=[line]))
    ).items
    assert judged.decision == "ask"
    assert not any("lower price" in each for each in judged.suggestions)
    assert any("halfway" in each for each in judged.suggestions)
