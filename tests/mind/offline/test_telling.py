"""What people write first: what only tells opens nothing, and nothing is called by half a sentence."""

import pytest

from prime.mind.jobs.judging import JudgeRequest, KnownQuestion, KnownRule, RuleRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.slots.slots import slots_in

MIND = OfflineMind()
TODAY = "2026-11-18"


async def planned(wish: str) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today=TODAY))


@pytest.mark.parametrize(
    "told",
    [
        "We have two suppliers: A and B",
        "We pay Acme 400 EUR a month",
        "Invoice 77 from Brightline over 1,240 EUR is due on 4 March",
        "The launch is on 12 June",
        "I'm allergic to nuts",
        "I have a dog",
        "Anna called, she can't come on Thursday",
        "Peter will take over from Maria as head of sales in July",
        "I think the blue one looks better",
        "Prices went up 4%",
        "tell Maria that I agree",
        "Budget is 5,000 EUR",
        "Our budget is around 1.5 million dollars.",
        "Could you remind me to call Tom?",
        "Thanks for yesterday",
        "no idea what to write here",
        "会议改到五月三日",
        "小李下周三请假",
        "房租每月5500",
        "预算是5000元",
        "合同下个月到期",
        "我对海鲜过敏",
        "王经理说价格可以再谈",
        "今天天气怎么样",
    ],
)
async def test_what_is_told_asked_or_kept_opens_nothing(told: str) -> None:
    plan = await planned(told)
    assert not plan.channels
    assert plan.words


@pytest.mark.parametrize(
    ("wish", "archetype", "thing"),
    [
        ("The rent is 1,200 EUR, I want to bring it down to 1,000", "general", "the rent"),
        ("Our website is slow as hell, customers complain. Fix it", "repair", "the website"),
        ("My boss wants a market study on heat pumps in Poland", "research", "the market study on heat pumps"),
        ("my sister gets married and i promised to organise the hen party, 12 girls", "event", "the hen party"),
        ("I'd like to get rid of 200 old office chairs", "private_sale", "200 old office chairs"),
        ("Can you sort out my taxes for 2025? I have two flats I rent out", "paperwork", "the taxes"),
        ("book club trip to Edinburgh, 9 of us, may 2-5, around 400 pp", "travel", "the book club trip"),
        ("I need 3 quotes for solar panels on a 120 m2 roof in Graz", "home", "the solar panels"),
        ("The board meets on 5 May; I need a presentation on hiring", "talk", "a presentation on hiring"),
        ("Make a plan for my half marathon in Vienna in April", "learning", "the half marathon"),
        ("We are 6 people and want to go skiing in Austria in February", "travel", "the skiing trip"),
        ("wedding 12 june 2027 tuscany 60 guests 25k", "event", "the wedding"),
        ("Find out whether we should switch to a 4 day week", "research", "the question"),
        ("Podcast about local history, 8 episodes, start in october", "media", "the podcast on local history"),
        ("ACME GmbH owes us 14,500 EUR since January. Get the money.", "dispute", "the money"),
        ("there is a hole in our roof", "home", "the roof"),
        ("i wanna learn guitar", "learning", "learning guitar"),
        ("I want to be a better cook", "general", "the project"),
        ("Childrens book, 1500 usd", "book", "the childrens book"),
        ("年底前招5个销售，底薪8千", "hiring", "销售"),
        ("找一家做包装盒的工厂，5000个", "supplier_search", "包装盒"),
        ("帮我妈妈找个好一点的养老院，杭州", "general", "养老院"),
        ("我妈住院了，需要找护工", "care", "病人"),
        ("老客户流失严重，帮我想想办法", "sales", "我们的产品"),
        ("我想把客厅重新刷一遍，周末前", "home", "客厅"),
    ],
)
async def test_what_is_wanted_has_a_name_of_its_own(wish: str, archetype: str, thing: str) -> None:
    aims = (await planned(wish)).aims
    assert (aims["archetype"], aims["thing"]) == (archetype, thing)


@pytest.mark.parametrize(
    ("wish", "slot", "meant"),
    [
        ("I want to pay 35 for each bottle, 400 bottles", "budget", "14,000"),
        ("I want to pay 35", "budget", "35"),
        ("We need 5,000 boxes, 0.40 each max", "budget", "2,000"),
        ("9 of us, may 2-5, around 400 pp", "budget", "3,600"),
        ("9 of us, may 2-5", "date", "May 2-5"),
        ("9 of us, may 2-5", "count", "9 people"),
        ("raise 750k seed for our battery startup", "budget", "750,000"),
        ("hire two backend devs asap, remote ok, 70-80k", "budget", "80,000"),
        ("rent is 3,400 EUR and should be under 3,000 from July", "budget", "3,000"),
        ("ACME owes us 14,500 EUR", "budget", None),
        ("a hotel in Rome, 150 EUR a night", "budget", None),
        ("a hackathon on 14-15 november", "date", "14-15 November"),
        ("We must replace our CRM", "constraints", None),
        ("去云南玩7天，预算1万5", "budget", "1.5万元"),
        ("每小时150以内", "budget", None),
        ("下周五晚上订包间", "count", None),
    ],
)
def test_sums_days_and_numbers_as_people_write_them(wish: str, slot: str, meant: str | None) -> None:
    assert slots_in(wish, TODAY).get(slot) == meant


async def test_a_room_for_whom_one_asked_says_what_for() -> None:
    plan = await planned("我妈住院了，需要找护工")
    assert [channel.brief for channel in plan.channels if channel.name == "护工"] == [
        "为照顾病人寻找护工。了解内容、价格和时间。"
    ]


@pytest.mark.parametrize(
    ("question", "rule", "asked"),
    [
        (
            "The contract is 240 EUR and binding. Do we accept?",
            "Agree to contracts up to 240 EUR in the room “Freight” without asking.",
            "The contract is 200 EUR and binding. Do you accept?",
        ),
        (
            "The order is final once it is placed. Shall we place the order?",
            "Agree to final orders in the room “Freight” without asking.",
            "To keep the date I have to order now. Shall I place the order?",
        ),
        (
            "合同240元，签了就有约束力。同意吗？",
            "在频道“Freight”里，合同在240元以内不用问我，直接同意。",
            "合同200元，签了就有约束力。同意吗？",
        ),
    ],
)
async def test_a_rule_about_what_binds_is_kept_to_whom_it_was_said_to(question: str, rule: str, asked: str) -> None:
    answer = "可以，同意" if "同意" in question else "Yes, go ahead"
    made = await MIND.distill_rule(RuleRequest(question=question, answer=answer, place="Freight"))
    assert made.text == rule
    for room, settles in (("Freight", True), ("Freight (conference)", True), ("Venue", False)):
        line = Line(message_id="m", speaker="Ann", text=asked)
        known = [KnownRule(id="r", text=made.text)]
        request = JudgeRequest(channel_name=room, tier="business_relation", lines=[line], rules=known)
        [judged] = (await MIND.judge(request)).items
        assert (judged.rule_id == "r") == settles


@pytest.mark.parametrize(
    ("asked", "answer", "room", "carries"),
    [
        ("That order is final. Shall I go ahead?", "Yes, go ahead", "Venue", False),
        ("That order is final. Shall I go ahead?", "Yes, go ahead", "Catering (jubilee)", True),
        ("That order is final. Shall I go ahead?", "No, not yet", "Venue", True),
        ("Do you want the salad with nuts?", "Yes, go ahead", "Venue", True),
        ("下单后不能退。可以下单吗？", "可以，同意", "场地", False),
    ],
)
async def test_a_yes_that_binds_answers_nobody_else(asked: str, answer: str, room: str, carries: bool) -> None:
    settled = [KnownQuestion(id="q", text=f"Zofia: “{asked}”", answer=answer, place="Catering")]
    line = Line(message_id="m", speaker="Vera", text=asked)
    request = JudgeRequest(channel_name=room, tier="business_relation", lines=[line], settled=settled)
    [judged] = (await MIND.judge(request)).items
    assert any(feature.name == "settled before" for feature in judged.features) == carries
