"""A whole war room with the offline engine: pleasant to watch, two or three good questions, quieter every time."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from prime.mind.jobs.judging import Judgement, KnownRule
from prime.mind.offline import OfflineMind
from prime.mind.offline.library.archetypes import Library

Play = Callable[..., Awaitable[Any]]

WISHES = [
    "Launch our ceramic lamp in Berlin in March 2027 with a budget of 20,000 EUR. It must be plastic-free.",
    "我想三月在上海发布一款陶瓷台灯，预算5万元，必须环保",
    "Restore my grandfather's wooden boat before the summer, budget 8,000 EUR",
    "Write a cookbook",
    "Organise a summer party for 80 people in Lisbon on 12 June, budget 6k€, vegan food only",
    "Hire two backend engineers by the end of March, remote, up to 90k EUR each",
    "Raise a seed round of $1.5M for our climate startup by Q2 2027",
    "Build a booking app for dentists. I need a landing page and an API by May 3. Budget 30,000 EUR",
    "Research the market for e-bikes in France, budget 4000 EUR",
    "Sell our tea subscription to offices in Hamburg, budget 3,000 EUR",
    "Find a supplier for 5,000 glass bottles, budget 4,000 EUR",
    "Plan a trip from Berlin to Tokyo in April for two people, under $4000",
    "为我们的气候公司融资500万元，第二季度前",
    "开发一个牙科预约小程序，预算20万元，5月3日前",
    "调研法国电动车市场，预算3万元",
    "销售我们的茶叶订阅，预算2万元",
    "找一家玻璃瓶供应商，5000个，预算3万元",
    "四月去东京旅行，两个人，预算3万元",
    "组织一场80人的年会，12月20日，在杭州，预算8万",
    "帮我招聘两名后端工程师，年薪不超过40万",
    "修复外婆留下的老钢琴，预算2万元",
    "I'm moving from Munich to Lyon at the end of August with a piano and two cats.",
    "我们8月底从北京搬到成都，有一架钢琴和两只猫。",
    "I need to finish my master's thesis on urban heat islands by 30 September; my supervisor is Prof. Keller",
    "我的硕士论文写城市热岛，9月30日前要交，导师是王教授。",
    "The login page throws a 500 when the password contains a quote. Fix it before Friday's release.",
    "登录页面密码里有引号时报500错误，周五发布前修好。",
    "We want to buy a house in Ghent, 3 bedrooms, up to 420k, move in before September",
    "My landlord keeps my deposit of 1,800 euros and I want it back",
    "我们想在杭州买一套两居室，首付不超过120万，明年6月前住进去",
]


@pytest.mark.parametrize("wish", WISHES)
async def test_a_room_asks_two_or_three_questions_settles_some_itself_and_ends(play: Play, wish: str) -> None:
    room = await play(wish)
    assert 2 <= len(room.asked) <= 4, [j.text for j in room.asked]
    assert room.resolved
    assert room.surfaced
    assert room.silent > len(room.asked) + len(room.resolved)
    tiers = {channel.tier for channel in room.plan.channels}
    assert 4 <= len(room.plan.channels) <= 6
    assert tiers == {"team", "business_relation", "external"}


@pytest.mark.parametrize("wish", WISHES)
async def test_it_grows_quieter_as_rules_are_learned(play: Play, wish: str) -> None:
    first = await play(wish)
    second = await play(f"{wish} ", rules=first.rules)
    assert len(second.asked) < len(first.asked)
    assert second.ruled
    assert {j.rule_id for j in second.ruled} <= {rule.id for rule in first.rules}


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("prime_first", [True, False])
async def test_nobody_repeats_themselves_and_nobody_talks_for_ever(play: Play, wish: str, prime_first: bool) -> None:
    room = await play(wish, prime_first=prime_first)
    everywhere = [
        each
        for lines in room.said.values()
        for line in lines
        if line.speaker != "Brief"
        for each in re.split(r"(?<=[.!?。！？])\s*", line.text)
        if len(each) > (50 if each.isascii() else 18)
    ]
    assert len(set(everywhere)) == len(everywhere), "rooms of one project do not say the same"
    for lines in room.said.values():
        spoken = [(line.speaker, line.text) for line in lines if line.speaker != "Brief"]
        assert len(set(spoken)) == len(spoken)
        sentences = [
            (who, each) for who, text in spoken for each in re.split(r"(?<=[.!?。！？])\s*", text) if len(each) > 30
        ]
        assert len(set(sentences)) == len(sentences)
        assert 10 <= len(spoken) <= 16


async def test_the_same_wish_plays_the_same_room_and_another_plays_another(play: Play) -> None:
    first, again, other = [await play(wish) for wish in (WISHES[0], WISHES[0], WISHES[0].replace("lamp", "vase"))]
    assert first.said == again.said
    assert first.plan == again.plan
    assert [c.participants[0].name for c in first.plan.channels] != [
        c.participants[0].name for c in other.plan.channels
    ]


async def test_a_rule_settles_the_next_matter_of_its_kind_in_the_same_project(play: Play) -> None:
    room = await play("Plan our summer party for 60 people on 12 June in Ghent, budget 5,000 EUR")
    assert [judgement.text for judgement in room.ruled if "deposit of 80 EUR" in judgement.text]
    first, second = (each.necessity for each in (*room.asked[:1], *room.ruled[:1]))
    assert second < first


@pytest.mark.parametrize(
    ("at", "said", "unsaid"),
    [
        (1, "nothing due", "Then it is agreed"),
        (2, "“only if it can be refunded”", "Then it is agreed"),
    ],
)
async def test_a_no_and_a_condition_are_not_played_as_a_yes(play: Play, at: int, said: str, unsaid: str) -> None:
    def suggested(judgement: Judgement) -> str:
        return judgement.suggestions[min(at, len(judgement.suggestions) - 1)]

    room = await play("Plan our summer party for 60 people on 12 June in Ghent, budget 5,000 EUR", answer=suggested)
    venue = " ".join(line.text for line in room.said["event-venue"])
    assert said in venue
    assert unsaid not in venue


async def test_who_is_asked_for_time_hands_nothing_over(play: Play) -> None:
    def not_yet(judgement: Judgement) -> str:
        return "Not yet"

    room = await play("Plan our summer party for 60 people on 12 June in Ghent, budget 5,000 EUR", answer=not_yet)
    catering = [line.text for line in room.said["event-food"]]
    assert "nothing is booked until then" in " ".join(catering)
    assert not any("Our side is done" in text or "is ready on paper" in text for text in catering)
    assert not any(rule.text for rule in room.rules), "what was put off is no rule"


async def test_an_answer_changes_what_is_said_next(play: Play) -> None:
    def refuse(judgement: Judgement) -> str:
        return "No, we cannot do that"

    agreed, refused = await play(WISHES[0]), await play(WISHES[0], answer=refuse)
    for key in ("product_launch-agency", "product_launch-retail"):
        yes, no = ([line.text for line in room.said[key]] for room in (agreed, refused))
        brief = next(n for n, line in enumerate(refused.said[key]) if line.speaker == "Brief")
        assert yes[:brief] == no[:brief]
        assert yes[brief + 1] != no[brief + 1]
        assert yes[-2] or no[-2]


@pytest.mark.parametrize("wish", WISHES)
async def test_a_question_is_phrased_for_the_owner_and_explains_itself(play: Play, wish: str) -> None:
    room = await play(wish)
    texts = {line.message_id: line.text for line in room.lines}
    for judgement in (*room.asked, *room.resolved):
        assert judgement.text != texts[judgement.message_id]
        assert judgement.title
        assert judgement.self_answer
        assert 2 <= len(judgement.suggestions) <= 4
        assert judgement.necessity == pytest.approx(min(1.0, sum(f.weight for f in judgement.features)), abs=0.01)
        assert all(f.because for f in judgement.features)


@pytest.mark.parametrize("wish", WISHES)
async def test_nobody_outside_is_told_the_budget(play: Play, wish: str) -> None:
    room = await play(wish)
    budget = room.plan.aims.get("budget")
    for channel in room.plan.channels:
        if channel.tier == "team" or not budget:
            continue
        told = [channel.brief, *channel.facts.values(), *(line.text for line in room.said[channel.key])]
        assert not [text for text in told if re.search(rf"(?<![\d.,]){re.escape(budget)}", text)]
        assert "budget" not in channel.facts
        assert "constraints" not in channel.facts


async def test_a_standing_rule_over_a_limit_does_not_settle_more_than_it_says(play: Play) -> None:
    rules = [KnownRule(id="r", text="Spend up to 10 EUR on deposits without asking.")]
    room = await play(WISHES[0], rules=rules)
    assert "r" not in {judgement.rule_id for judgement in room.ruled}


def test_every_archetype_is_complete_in_both_languages() -> None:
    library: Library = OfflineMind().library
    assert not library.problems
    for archetype in library.archetypes.values():
        assert archetype.title.zh
        assert archetype.thing.zh
        for key, role in archetype.roles.items():
            assert role.brief.zh, (archetype.name, key)
            assert all(beat.zh for beat in role.beats.values()), (archetype.name, key)
