"""What owners really write, and what is made of it: their own words, put rightly."""

import itertools
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from prime.mind.jobs.judging import JudgeRequest, RuleRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.rooms.requested import requested
from prime.mind.offline.slots.slots import names_in, slots_in

Play = Callable[..., Awaitable[Any]]
MIND = OfflineMind()

LAUNCH = (
    "We launch our new oat milk, Hafergold, in Graz and Vienna on 3 March; budget 40,000 EUR. "
    "Find a PR agency and two supermarkets."
)
LAUNCH_ZH = "我们要在6月15日在上海发布新款智能手表“星辰”，预算30万元，找一家公关公司和两家零售商。"
HIRE = "Hire a senior Rust developer for our Berlin office, salary up to 95,000 EUR, start in April."
HIRE_ZH = "帮我招一名高级后端工程师，年薪不超过45万，4月入职，杭州办公。"
WEDDING = (
    "Plan my sister Anna's wedding in Salzburg on 14 June, about 80 guests. No fireworks, and two guests are vegan."
)
MOVE = "I'm moving from Munich to Lyon at the end of August with a piano and two cats."
MOVE_ZH = "我们8月底从北京搬到成都，有一架钢琴和两只猫。"
MUGS = "Find a supplier for 500 ceramic mugs with our logo, delivered to Hamburg by 20 May, max 6 EUR each"
THESIS = "I need to finish my master's thesis on urban heat islands by 30 September; my supervisor is Prof. Keller"
THESIS_ZH = "我的硕士论文写城市热岛，9月30日前要交，导师是王教授。"
BUG = "The login page throws a 500 when the password contains a quote. Fix it before Friday's release."
BUG_ZH = "登录页面密码里有引号时报500错误，周五发布前修好。"


async def planned(wish: str) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today="2026-01-20"))


@pytest.mark.parametrize(
    ("wish", "archetype", "thing"),
    [
        (LAUNCH, "product_launch", "the oat milk Hafergold"),
        (LAUNCH_ZH, "product_launch", "新款智能手表“星辰”"),
        (HIRE, "hiring", "a senior Rust developer"),
        (WEDDING, "event", "Anna's wedding"),
        ("给我妈妈办六十大寿，10月2日，在苏州，40位客人，预算2万元", "event", "六十大寿"),
        (MOVE, "moving", "the move from Munich to Lyon"),
        (MOVE_ZH, "moving", "从北京到成都的搬家"),
        (MUGS, "supplier_search", "500 ceramic mugs with a logo"),
        (THESIS, "writing", "the master's thesis on urban heat islands"),
        (THESIS_ZH, "writing", "关于城市热岛的硕士论文"),
        (BUG, "repair", "the login page"),
        (BUG_ZH, "repair", "这个故障"),
        ("Fix the garden fence before winter", "home", "the garden fence"),
        ("Restore my grandfather's wooden boat before the summer", "general", None),
        ("Book a hotel in Rome for two nights in May", "travel", None),
    ],
)
async def test_the_room_is_about_what_was_written(wish: str, archetype: str, thing: str | None) -> None:
    plan = await planned(wish)
    assert plan.aims["archetype"] == archetype
    assert thing is None or plan.aims["thing"] == thing


@pytest.mark.parametrize(
    ("wish", "slot", "meant"),
    [
        (LAUNCH, "place", "Graz and Vienna"),
        (HIRE, "place", "Berlin"),
        (HIRE_ZH, "place", "杭州"),
        (WEDDING, "constraints", "No fireworks and two guests are vegan"),
        (MOVE, "place", "Lyon"),
        (MOVE, "along", "a piano and two cats"),
        (MOVE_ZH, "along", "一架钢琴和两只猫"),
        (MOVE_ZH, "count", None),
        (MUGS, "destination", "Hamburg"),
        (MUGS, "place", None),
        ("Meet in Paris and March on", "place", "Paris"),
    ],
)
def test_slots_hold_what_was_meant(wish: str, slot: str, meant: str | None) -> None:
    assert slots_in(wish, "2026-01-20").get(slot) == meant


def test_people_are_who_the_owner_says_they_are() -> None:
    assert names_in(THESIS) == ["Prof. Keller"]
    assert names_in(THESIS_ZH) == ["王教授"]


async def test_a_named_supervisor_is_spoken_to_by_name() -> None:
    supervisor = next(c for c in (await planned(THESIS)).channels if c.name == "Supervisor")
    assert supervisor.participants[0].name == "Prof. Keller"
    assert supervisor.facts["first"] == "Prof. Keller"


async def test_who_is_asked_for_gets_one_room_under_the_name_that_was_written() -> None:
    assert requested(LAUNCH) == ["PR agency"]
    assert requested(LAUNCH_ZH) == ["公关公司", "零售商"]
    assert [c.name for c in (await planned(LAUNCH)).channels].count("Agency") == 1
    for wish in (LAUNCH, LAUNCH_ZH):
        names = [c.name for c in (await planned(wish)).channels]
        assert len(names) == 5, names
    names = [c.name for c in (await planned("Plan a party in Rome on 3 May. We need a DJ and a bakery.")).channels]
    assert {"DJ", "Bakery"} <= set(names)


async def test_houses_have_names_of_their_own() -> None:
    for wish in (LAUNCH, LAUNCH_ZH, MUGS):
        firms = [c.facts["company"] for c in (await planned(wish)).channels if "company" in c.facts]
        assert len({firm.split()[0][:2] for firm in firms}) == len(firms) >= 2


async def test_nobody_works_two_days_for_the_price_of_a_lunch() -> None:
    other = next(c for c in (await planned(MUGS)).channels if c.tier == "external")
    assert int(other.facts["extra"].split()[0].replace(",", "")) >= 100


@pytest.mark.parametrize(
    "text",
    [
        "I get forty announcements a day; why should I read the one about the oat milk?",
        "What is fixed already, and where may I propose something of my own?",
        "From which year on should I look, and in which languages?",
        "有人已经试用过新款智能手表“星辰”吗？他们的话比我们的更有说服力。",
    ],
)
async def test_a_question_that_wants_to_know_something_is_no_decision(text: str) -> None:
    lines = [Line(message_id="m", speaker="Bram", text=text)]
    judged = await MIND.judge(JudgeRequest(channel_name="Press", tier="external", lines=lines))
    assert [item.decision for item in judged.items] == ["silent"]


@pytest.mark.parametrize(
    "text",
    [
        "Which one should I take, the red or the blue? Both cost 900 EUR, not refundable.",
        "What a view! Shall I sign the contract by Friday?",
    ],
)
async def test_a_choice_is_one_whatever_stands_before_it(text: str) -> None:
    lines = [Line(message_id="m", speaker="Bram", text=text)]
    judged = await MIND.judge(JudgeRequest(channel_name="Hall", tier="team", lines=lines))
    assert [item.decision for item in judged.items] == ["ask"]


async def test_a_day_alone_is_no_offer() -> None:
    text = "On it: I take the running order for Anna's wedding, with 14 June in mind."
    lines = [Line(message_id="m", speaker="Leila", text=text)]
    judged = await MIND.judge(JudgeRequest(channel_name="Run of show", tier="team", lines=lines))
    assert [item.decision for item in judged.items] == ["silent"]


async def test_what_is_settled_says_nothing_of_how_far_the_owner_would_go() -> None:
    lines = [Line(message_id="m", speaker="Ines", text="A deeper look would be 55 EUR. Should I do it?")]
    request = JudgeRequest(channel_name="Outside view", tier="external", lines=lines)
    [judged] = (await MIND.judge(request)).items
    assert judged.self_answer == "Yes, please go ahead."
    assert "55 EUR, with no budget to compare" in judged.reason


@pytest.mark.parametrize(
    ("wish", "pays"),
    [
        ("My landlord keeps my deposit of 1,800 euros and I want it back", True),
        ("公司拖欠三个月工资，要讨回来", True),
        ("My landlord wants to raise the rent by 20%, help me push back", False),
        ("Neighbour's dog barks all night, talking did not help", False),
    ],
)
async def test_the_other_side_offers_a_sum_only_where_it_has_money_of_ours(play: Play, wish: str, pays: bool) -> None:
    room = await play(wish)
    [other] = [key for key in room.said if key.startswith(("dispute-other", "dispute-opponent"))]
    theirs = " ".join(line.text for line in room.said[other] if line.speaker not in {"Prime", "Brief"})
    assert bool(amounts(theirs)) is pays, theirs


async def test_nobody_comes_down_to_a_sum_that_they_named_already(play: Play) -> None:
    for wish in ("Plan our summer party, budget 3,000 EUR", "Paint the fence, budget 900 EUR", "Print 300 posters"):
        for key, lines in (await play(wish)).said.items():
            named: set[str] = set()
            for line in lines:
                down = re.findall(r"(?:come down to|bring it to) (\S+ \S+?)[.,]", line.text)
                assert not named & set(down), (wish, key, line.text)
                if line.speaker not in {"Prime", "Brief"}:
                    named |= {money.text for money in amounts(line.text)}


async def test_a_rule_names_no_person() -> None:
    made = await MIND.distill_rule(
        RuleRequest(question="Should Hanna Vega fix the order now?", answer="No, too early.")
    )
    assert "vega" not in made.text.casefold()
    assert "hanna" not in made.text.casefold()


@pytest.mark.parametrize("wish", ["help", "Help me, please!", "帮忙", "帮帮我"])
async def test_a_bare_cry_for_help_opens_nothing_and_says_how_it_works(wish: str) -> None:
    plan = await planned(wish)
    assert not plan.channels
    assert len(plan.words) > 80


async def test_prime_answers_the_very_question_it_was_asked(play: Play) -> None:
    pairs = {
        "what would I actually work on?": "from those who do it",
        "What is the team like?": "You should meet them",
        "Who would I report to": "from the person who decides",
        "How many days would I be expected on site": "agreed with whoever comes",
    }
    seen = 0
    for name in ("Rust", "Go", "Java", "Haskell"):
        room = await play(f"Hire a senior {name} developer in Berlin by April")
        lines = room.said["hiring-candidate"]
        for line, then in itertools.pairwise(lines):
            for asked, answer in pairs.items():
                if asked in line.text:
                    seen += 1
                    assert answer in then.text
    assert seen >= 6
