"""What holds for every war room, whatever was wished for: of wishes put together by chance out of what people write."""

import re

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.words.language import language_of

MIND = OfflineMind()
TODAY = "2026-11-18"
STEPS = 16

EN = st.tuples(
    st.sampled_from(["", "hi, ", "please ", "we need to ", "can you "]),
    st.sampled_from([
        "plan a farewell dinner for 12 people", "find a welder", "renovate the attic",
        "launch our herb tea", "translate our menu",
        "hire two bakers", "sell my old tractor", "get a refund for the broken oven", "organise a chess tournament",
        "build a booking page", "move from Graz to Linz", "write a eulogy for my uncle", "learn Greek",
        "raise money for the choir",
        "find a supplier for 800 jars", "digitise 2,000 slides", "sort out the quarrel with our neighbour",
    ]),
    st.sampled_from(["", " in Ghent", " near Porto", " in my flat"]),
    st.sampled_from(["", " by mid-March", " before Easter", ", on the first Sunday in May", " by 30.04.",
                     " by the end of Q2", " in spring"]),
    st.sampled_from(["", ", budget 4,000 EUR", ", max 2k", ", not more than £900", ", 35 USD an hour", ", budget USD 12k"]),
    st.sampled_from(["", ", no plastic", ". It must be quiet", ", without an agency"]),
).map("".join)  # fmt: skip
ZH = st.tuples(
    st.sampled_from(["", "你好，", "帮我", "我们想", "麻烦"]),
    st.sampled_from([
        "办一场婚礼", "装修厨房", "招两名司机", "翻译一本说明书", "找一家做纸盒的工厂", "开一家面包店", "组织员工去体检",
        "卖掉旧钢琴",
        "写一篇论文", "退掉健身房的年卡", "去云南旅行", "开发一个预约小程序", "给山区学校捐书", "学小提琴", "找房东要回押金",
        "拍一条短片",
    ]),
    st.sampled_from(["", "，在苏州", "，地点成都", "，在家里"]),
    st.sampled_from(["", "，明年五一前", "，腊月二十六", "，3月的最后一个周末", "，双十二前", "，下个月底", "，Q3"]),
    st.sampled_from(["", "，预算5万", "，预算8到10万", "，不超过3000块", "，20万封顶", "，每次300块以内", "，手里有十几万"]),
    st.sampled_from(["", "，不要司仪", "，必须环保", "，最好周末"]),
).map("".join)  # fmt: skip


def plain(text: str) -> str:
    """Without names of our own, which may be in Latin letters anywhere."""
    return re.sub(r"Prime|Q[1-4]|ERP|APP", "", text)


async def played(plan: Plan) -> dict[str, list[str]]:
    """All rooms, both sides in turn, until nobody has anything to say."""
    said: dict[str, list[str]] = {}
    for channel in plan.channels:
        lines = [Line(message_id="b", speaker="Brief", text=channel.brief)]
        for step in range(STEPS):
            prime = step % 2 == 0
            speaker = "Prime" if prime else channel.participants[0].name
            shown = [
                Line(message_id=o.message_id, speaker=o.speaker, text=o.text, own=o.speaker == speaker) for o in lines
            ]
            reply = await MIND.reply(
                ReplyRequest(
                    speaker=speaker,
                    role="prime" if prime else channel.participants[0].role,
                    channel_name=channel.name,
                    tier=channel.tier,
                    brief=channel.brief,
                    lines=shown,
                    facts=channel.facts,
                )
            )
            if reply.text:
                lines.append(Line(message_id=f"m{step}", speaker=speaker, text=reply.text))
        said[channel.name] = [line.text for line in lines[1:]]
    return said


async def check(wish: str) -> None:
    plan = await MIND.plan(PlanRequest(wish=wish, today=TODAY))
    again = await MIND.plan(PlanRequest(wish=wish, today=TODAY))
    assert plan == again, "the same words make the same plan"
    assert plan.words
    for channel in plan.channels:
        assert channel.brief.strip(), channel.name
        assert channel.participants
    rooms = await played(plan)
    chinese = language_of(wish) == "zh"
    wished = {money.value for money in amounts(wish)}
    for channel in plan.channels:
        said = rooms[channel.name]
        own = {money.value for value in channel.facts.values() for money in amounts(value)}
        everything = [channel.name, channel.brief, *said]
        for text in everything:
            assert not re.search(r"[{}\[\]]", text), text
            assert not re.search(r"\b(?:the the|a an|an a|in in|by by|for for)\b|的的|，，|。。|\s,", text), text
            if chinese:
                assert not re.search(r"[A-Za-z]{3,}", plain(text)), text
            else:
                assert not re.search("[\u4e00-\u9fff]", text), text
        assert len(said) == len(set(said)), "nobody says the same twice"
        if channel.tier != "team":
            told = {money.value for text in everything for money in amounts(text)}
            assert told <= own | (own & wished), "no sum that is not the counterpart's own"


@pytest.mark.parametrize("wishes", [EN, ZH], ids=["en", "zh"])
def test_every_room_is_well_made(wishes: st.SearchStrategy[str]) -> None:
    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(wishes)
    def holds(wish: str) -> None:
        anyio.run(check, wish)

    holds()
