"""First messages as strangers type them: dates and sums in every notation, troubles told instead of wishes, kinds of work."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from prime.core.errors import InvalidInput
from prime.mind.jobs.judging import Judgement, RuleRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.figures.income import comes_in
from prime.mind.offline.heard.decisions import polarity_of
from prime.mind.offline.library.archetypes import parse_archetype
from prime.mind.offline.slots.slots import names_in, slots_in
from prime.mind.offline.talk.talk import words_for
from prime.mind.offline.words.templates import filled

Play = Callable[..., Awaitable[Any]]
MIND = OfflineMind()
TODAY = "2026-11-18"


async def planned(wish: str) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today=TODAY))


@pytest.mark.parametrize(
    ("wish", "slot", "meant"),
    [
        ("kick off mid-March, go live before the summer holidays", "date", "mid-March"),
        ("kick off mid-March, go live before the summer holidays", "deadline", "the summer holidays"),
        ("a wedding in late May next year near Como", "date", "late May next year"),
        ("the flea market on the second Saturday in June", "date", "the second Saturday in June"),
        ("translate it by 3/2", "deadline", "3/2"),
        ("5000 signatures by 30.04.", "deadline", "30.04"),
        ("a quarter is 1/4 of it", "date", None),
        ("play the ukulele by xmas so i can surprise her", "deadline", "Christmas"),
        ("Q3 offsite, first half of September", "date", "the first half of September"),
        ("the podcast starts on International Women's Day", "date", "International Women's Day"),
        ("start after 6 January, done in 4 weeks", "deadline", "3 February"),
        ("flight cancelled on 2 Nov, I want my money", "date", None),
        ("tickets for 28 and 29 November", "date", "28 and 29 November"),
        ("打算五一带父母自驾", "date", "五一"),
        ("国庆晚会需要主持人", "date", None),
        ("把ERP换掉，Q3切换", "date", "Q3"),
        ("奶奶大寿，腊月二十六", "date", "腊月二十六"),
        ("3月的最后一个周末搬家", "date", "3月的最后一个周末"),
        ("最好年前到岗", "deadline", "年前"),
        ("三年前买的", "date", None),
        ("毕业聚会，明年五一", "date", "明年五一"),
        ("三个月粉丝到1万", "budget", None),
        ("拍广告片，预算8到10万", "budget", "10万元"),
        ("手里有二十来万，想开猫咖", "budget", "20万元"),
        ("翻新老家，15w以内", "budget", "15万元"),
        ("婚礼 80人 20万封顶", "budget", "20万元"),
        ("找小提琴老师，一次不超过300块", "budget", None),
        ("找小提琴老师，一次不超过300块", "constraints", "一次不超过300块"),
        ("采购300台电脑，单台不超过4500元", "budget", "135万元"),
        ("3 cooks, 14 quid an hour", "constraints", "up to 14 GBP an hour"),
        ("solar panels, budget USD 180k", "budget", "180,000 USD"),
        ("a flight for 2 people, around 700 total", "budget", "700"),
        ("a dinner for 8 on New Year's Eve", "count", "8 people"),
        ("No investors from oil please.", "constraints", "No investors from oil"),
        ("a grant of £40,000 must be spent by March", "constraints", "must be spent by March"),
        ("a dashboard with 3 user roles", "count", None),
        ("护照丢在曼谷了", "place", "曼谷"),
        ("捐一批图书，贵州毕节", "place", "贵州毕节"),
        ("组织30个人去体检", "place", None),
    ],
)
def test_every_notation_is_understood(wish: str, slot: str, meant: str | None) -> None:
    assert slots_in(wish, TODAY).get(slot) == meant


@pytest.mark.parametrize(
    ("wish", "archetype", "thing"),
    [
        (
            "ok so basically my sister gets married in late May near Lake Como, around 70 guests, can't go over 35k",
            "event",
            "the wedding",
        ),
        ("Our dog is 14 and the vet says dialysis. I don't know what to do.", "care", "the dog"),
        ("I inherited a farmhouse in Umbria with my two brothers and we can't agree", "dispute", "the farmhouse"),
        ("We want to raise £750k pre-seed for Tidemark, closing by end of Q2", "fundraising", "Tidemark"),
        ("Digitise 6,000 family slides, some mouldy", "general", "6,000 family slides"),
        ("Replace our coffee supplier, under 18 a kilo", "supplier_search", "the coffee"),
        ("need 3 line cooks asap for my restaurant in Leeds", "hiring", "3 line cooks"),
        ("Find someone to translate a 40-page patent", "translation", "the 40-page patent"),
        ("plan my 40th, 30-35 friends, rooftop", "event", "the event"),
        ("I need to find a wedding photographer in Porto", "general", "a wedding photographer"),
        ("Train for a half marathon, race on 12 April", "learning", "the half marathon"),
        ("I want to 学中文 for my new job", "learning", "learning Chinese"),
        ("房东不退押金，4800块，我该怎么办", "dispute", "押金"),
        ("下个月底公司年会，120人左右，想在三亚，老板不喜欢唱歌", "event", "年会"),
        ("帮忙把我的小红书账号做起来", "media", "小红书账号"),
        ("组织公司30个人去体检", "general", "体检"),
        ("开发票的那个系统老是报错，今天能搞定吗？", "repair", "系统"),
        ("策划新书签售会，南京先锋书店，200人", "event", "新书签售会"),
        ("帮我 organise 一个 team building，20人，budget 1万，下周五", "event", "team building"),
        ("年底前减掉15斤，不想去健身房", "learning", "减重15斤"),
        ("明天下午三点前把合同发给王总", "general", "把合同发给王总"),
    ],
)
async def test_what_is_told_is_taken_for_what_it_is(wish: str, archetype: str, thing: str) -> None:
    aims = (await planned(wish)).aims
    assert (aims["archetype"], aims["thing"]) == (archetype, thing)


@pytest.mark.parametrize(
    ("words", "answered"),
    [
        ("cancel everything", "Nothing is running"),
        ("停", "不用停"),
        ("你好呀", "想"),
        ("good evening, anyone there?", "get"),
        ("This is useless, you didn't do anything", "sorry"),
        ("怎么收费的？", "不花钱"),
        ("what's your name", "You talk to me"),
    ],
)
async def test_small_talk_is_answered_and_opens_nothing(words: str, answered: str) -> None:
    plan = await planned(words)
    assert not plan.channels
    assert answered in plan.words


async def test_no_sum_of_the_owners_is_in_what_outsiders_are_told() -> None:
    plan = await planned("We want to raise £750k pre-seed for Tidemark, closing by end of Q2")
    assert all("750" not in f"{c.name} {c.brief} {c.facts}" for c in plan.channels if c.tier != "team")


def test_who_owes_us_and_where_one_comes_from_is_no_adviser() -> None:
    assert names_in("Get me a refund from AirLuma, 642 EUR") == []
    assert names_in("Move my mother from Bremen into a care home in Ulm") == []
    assert names_in("Negotiate with our landlord, Hartmann Immobilien: rent goes up") == ["Hartmann Immobilien"]
    assert names_in("跟供应商明达五金谈降价") == ["明达五金"]


async def test_whom_one_deals_with_already_is_not_looked_for() -> None:
    plan = await planned("Negotiate with our landlord, Hartmann Immobilien: rent goes up 18% on 1 April")
    [landlord] = [c for c in plan.channels if c.name == "Landlord"]
    assert "look for" not in landlord.brief
    assert "deal already" in landlord.brief


@pytest.mark.parametrize(
    ("template", "day", "said"),
    [
        ("Plan it in {date}.", "the second Saturday in June", "Plan it on the second Saturday in June."),
        ("Plan it on {date}.", "mid-March", "Plan it in mid-March."),
        ("Plan it on {date}.", "the summer holidays", "Plan it in the summer holidays."),
        ("Plan it on {date}.", "early October", "Plan it in early October."),
        ("Plan it in {date}.", "30.04", "Plan it on 30.04."),
    ],
)
def test_each_day_has_its_preposition(template: str, day: str, said: str) -> None:
    assert filled(template, {"date": day}) == said


@pytest.mark.parametrize(
    "answer",
    ["why so expensive?", "hm, not sure, what would you do?", "I don't know", "你觉得呢？", "先等等", "为什么这么贵？"],
)
async def test_an_answer_that_asks_back_decides_nothing(play: Play, answer: str) -> None:
    assert polarity_of(answer) == "open"
    request = RuleRequest(question="Should we pay Ann a deposit of 340 EUR?", answer=answer)
    assert not (await MIND.distill_rule(request)).text
    wish = "Plan a summer party for 60 guests in Graz on 12 July, budget 9,000 EUR"

    def given(_: Judgement) -> str:
        return answer

    room = await play(wish if answer.isascii() else "策划60人的夏日派对，7月12日，预算9万元", answer=given)
    asked = {judged.text for judged in room.asked}
    assert asked
    said = " ".join(line.text for line in room.lines)
    assert answer.rstrip("?？") in said, "it is passed on as it was said"
    for agreed in ("it is agreed", "is booked", "that is a deal", "说定了", "归您", "已登记在您名下"):
        assert agreed not in said


async def test_yes_and_a_question_is_a_yes() -> None:
    assert [polarity_of(each) for each in ("Yes, why not?", "可以", "Rent them", "不行")] == [
        "yes",
        "yes",
        "words",
        "no",
    ]


async def test_a_rule_says_the_sum_that_was_agreed() -> None:
    request = RuleRequest(question="Should we pay Ann a deposit of 960 EUR?", answer="Yes")
    assert (await MIND.distill_rule(request)).text == "Spend up to 960 EUR on deposits without asking."


@pytest.mark.parametrize(
    ("text", "incoming"),
    [
        ("We'd buy all forty chairs for 3,200 EUR. Deal?", True),
        ("Our board approved 5,000 EUR for the project. Do you accept?", True),
        ("For 2,000 EUR we want our name on the poster. Agreed?", True),
        ("I can offer 2,000 EUR for the whole job.", False),
        ("Our offer is 2,000 EUR, packed; delivery two weeks after your order.", False),
        ("I have to fix the order of things by Tuesday. Shall I fix it?", False),
        ("Should we pay 900 EUR up front?", False),
        ("我方愿意投200万，要一个董事席位，同意吗？", True),
        ("500元我马上买，行吗？", True),
        ("要不要我付500元定金？", False),
    ],
)
def test_who_pays_is_read_from_who_does_what(text: str, incoming: bool) -> None:
    assert comes_in(text) is incoming


@pytest.mark.parametrize("question", ["灯笼三月多少钱", "how much does a lantern cost in March?"])
def test_the_price_of_what_was_never_spoken_of_is_not_known(question: str) -> None:
    said = [
        Line(message_id="1", speaker="Owner", text="打算三月去青海湖，预算1万2"),
        Line(message_id="2", speaker="Owner", text="The trip in March costs 12,000 EUR."),
        Line(message_id="3", speaker="Owner", text=question),
    ]
    language = "en" if question.isascii() else "zh"
    assert "“" not in words_for("question", question, said, language)


GARDEN = """name: garden
title: {en: "Garden"}
thing: {en: "the garden"}
project: {en: "{thing}"}
words:
  en: {garden: 4}
scale: {amount: 4000}
roles:
  gardener:
    like: supplier
    tier: external
    channel: {en: "Gardener"}
    role: {en: "gardener"}
    item: {en: "the planting"}
    brief: {en: "We renew {thing}[ in {place}]."}
"""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            ("    brief: {", "    breif: {"),
            "garden.yaml:15: roles.gardener.breif: “breif” is no key here; did you mean “brief”?",
        ),
        (("roles:", "rolls:"), "garden.yaml:8: rolls: “rolls” is no key here; did you mean “roles”?"),
        (("tier: external", "tier: friends"), "garden.yaml:11: roles.gardener.tier: it must be one of external,"),
        (("[ in {place}]", "[ in {place}"), "garden.yaml:15: roles.gardener.brief: a “[” is not closed"),
        (("{place}", "{plaice}"), "garden.yaml:15: roles.gardener.brief: {plaice} is no slot; there are"),
        (('    role: {en: "gardener"}\n', ""), "garden.yaml:9: roles.gardener.role: “role” is missing."),
        (("  gardener:", "  Gardener Two:"), "garden.yaml:9: roles.Gardener Two: a name has small letters"),
    ],
)
def test_a_faulty_file_is_told_with_its_line_and_what_is_right(change: tuple[str, str], told: str) -> None:
    broken = GARDEN.replace(*change)
    assert broken != GARDEN
    with pytest.raises(InvalidInput) as caught:
        parse_archetype(broken, "garden.yaml")
    assert told in str(caught.value)
