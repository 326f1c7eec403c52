"""What somebody sees who writes one sentence: the right kind of room, sums that were meant, sentences that can be read."""

import re
from pathlib import Path

import pytest

from prime.mind.jobs.judging import JudgeRequest, KnownRule
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.library.archetypes import Library
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.words.numbers import han_number
from prime.mind.offline.words.templates import filled

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
    "plan my mum's 60th birthday in Lisbon for 20 people, budget 3k": "event",
    "plz hlep me oragnize a smal weding in may for 40 poeple, max 8000 euros": "event",
    "find out why our website is slow": "repair",
    "sell my car": "private_sale",
    "卖掉我的车，别太麻烦": "private_sale",
    "learn Spanish before my trip to Madrid in June": "learning",
    "can you help me lose 5 kg until summer": "learning",
    "三个月内减肥10斤": "learning",
    "get 100 beta users for my note-taking app": "product_launch",
    "搬家到上海，下个月底，家具不多": "moving",
    "五月在里斯本办一个 25 人、两天的工作坊，预算 12,000": "event",
    "帮我 book 一个 Tokyo 的 trip，五月份去 7 天，两个人，budget 2万人民币": "travel",
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
        ("I want to learn to sail this summer", "thing", "learning to sail"),
        ("帮我在三周内招一名前端工程师，预算月薪3万", "thing", "前端工程师"),
        ("搬家到上海，下个月底", "thing", "到上海的搬家"),
        ("帮我 book 一个 Tokyo 的 trip，五月份去 7 天", "place", "Tokyo"),
        ("I need a lawyer for a rent dispute with my landlord", "thing", "rent dispute"),
        ("I need a lawyer for a rent dispute with my landlord", "deliverables", None),
        (
            "Find a bookkeeper. Write the advert, collect candidates, ask each of them twice",
            "deliverables",
            "the advert",
        ),
        ("organize a wedding in may for 40 people", "date", "May"),
        ("Build a web app that may cost under 50 EUR a month to run", "budget", None),
        ("Hire a cook, 3,000 EUR a month", "budget", "3,000 EUR"),
        ("We need a small web app for booking tennis courts", "deliverables", None),
    ],
)
def test_what_was_meant_is_found(wish: str, slot: str, meant: str | None) -> None:
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


def _rooms(*names: str) -> list[OpenChannel]:
    return [OpenChannel(id=f"ch_{name}", key=f"event-{name}", name=name, tier="team") for name in names]


@pytest.mark.parametrize(
    "words", ["call it off, close everything", "Cancel the whole project", "算了，不办了", "把频道都关了"]
)
async def test_a_project_can_be_called_off_in_plain_words(words: str) -> None:
    plan = await OfflineMind().plan(PlanRequest(wish=words, channels=_rooms("Venue", "Guests")))
    assert plan.closing == ("ch_Venue", "ch_Guests")


async def test_a_budget_needs_no_currency_to_be_compared_with() -> None:
    line = Line(message_id="m1", speaker="Ana", text="The deposit is 540 EUR, not refundable. Shall I reserve it?")
    request = JudgeRequest(channel_name="Venue", tier="business_relation", lines=[line], aims={"budget": "3,000"})
    [judged] = (await OfflineMind().judge(request)).items
    assert "540 EUR is 18% of the budget" in judged.reason


async def test_who_applies_a_rule_does_not_say_how_far_it_goes() -> None:
    line = Line(message_id="m1", speaker="Ana", text="The deposit is 300 EUR. Shall I reserve it?")
    rule = KnownRule(id="r1", text="Spend up to 600 EUR on deposits without asking.")
    request = JudgeRequest(channel_name="Venue", tier="business_relation", lines=[line], rules=[rule])
    [judged] = (await OfflineMind().judge(request)).items
    assert judged.rule_id == "r1"
    assert judged.self_answer
    assert "600" not in judged.self_answer


@pytest.mark.parametrize("wish", ["fix the login bug in our app", "sell my car"])
async def test_what_needs_no_budget_is_not_asked_for_one(wish: str) -> None:
    assert "budget" not in (await OfflineMind().plan(PlanRequest(wish=wish))).words


async def test_every_role_has_a_brief_and_a_first_word_however_little_was_written() -> None:
    """A room where nobody can open his mouth stays silent for ever."""
    library = Library()
    for archetype in library.archetypes.values():
        for key, role in archetype.roles.items():
            for language in ("en", "zh"):
                slots = {"thing": "it", "thing_cap": "It", "project": "it", "item": "it", "item_cap": "It", "me": "Ana"}
                slots |= {"first": "Ana", "report": "It fails."} | ({"company": "Ana & Co."} if role.firm else {})
                assert filled(role.brief.of(language), slots), (archetype.name, key, language)
                opening = [*library.beat(role, "open").of(language), *library.voices[role.like].open.of(language)]
                assert any(filled(each, slots) for each in opening), (archetype.name, key, language)


@pytest.mark.parametrize(
    ("elsewhere", "conflicts"),
    [
        ("The venue is free on 9 March.", True),
        ("Everything I named is included. The deposit for the band is due on 9 March.", False),
        ("The venue is free on 3 March.", False),
    ],
)
async def test_only_who_speaks_of_the_same_contradicts(elsewhere: str, conflicts: bool) -> None:
    line = Line(message_id="m1", speaker="Ann", text="The venue is free on 3 March. Shall we book it?", own=False)
    other = Line(message_id="m2", speaker="Ben", text=elsewhere, own=False)
    request = JudgeRequest(channel_name="Venue", tier="team", lines=[line], elsewhere=[other])
    [judged] = (await OfflineMind().judge(request)).items
    assert ("conflict" in judged.reason) is conflicts
    assert ("Ben said “The venue is free on 9 March.”" in judged.reason) is conflicts


@pytest.mark.parametrize(
    ("language", "places", "things"),
    [
        ("en", ["Germany", "Lisbon", "Graz"], ["espresso machine", "workshop", "bookkeeper"]),
        ("zh", ["德国", "里斯本", "成都"], ["家用意式咖啡机", "工作坊", "兼职会计"]),
    ],
)
async def test_the_examples_of_an_empty_hub_are_understood(language: str, places: list[str], things: list[str]) -> None:
    words = (Path(__file__).parents[3] / "web" / "src" / "words" / f"{language}.ts").read_text()
    examples = re.findall(r'^      text: "(.+)",$', words, re.MULTILINE)
    plans = [await OfflineMind().plan(PlanRequest(wish=wish, today="2026-11-16")) for wish in examples]
    assert [plan.aims["archetype"] for plan in plans] == ["product_launch", "event", "hiring"]
    assert [plan.aims.get("place") for plan in plans] == places
    assert all({"budget", "date"} <= plan.aims.keys() for plan in plans)
    assert all(thing in plan.aims["thing"] for plan, thing in zip(plans, things, strict=True))
