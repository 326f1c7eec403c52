"""First messages of people who know nothing of how Prime reads: hurried, vague, told first and wished later."""

import re

import pytest

from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel, Plan, PlanRequest
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.figures.shifting import moved, shift_in
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.words.shorthand import written_out
from prime.mind.offline.words.templates import filled

MIND = OfflineMind()
TODAY = "2026-11-18"
ROOMS = (
    OpenChannel(id="ch_1", key="event-venue", name="Venue", tier="business_relation"),
    OpenChannel(id="ch_2", key="event-plan", name="Run of show", tier="team"),
)


async def planned(wish: str, **more: object) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today=TODAY, **more))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("wish", "archetype", "thing"),
    [
        ("help me with my thesis on bees, due 3 May", "writing", "the thesis on bees"),
        ("need sb to fix teh dishwasher, its leaking, tmrw if possible", "home", "the dishwasher"),
        ("grandma turns 90 in august. big family, 45 ppl, she hates loud music", "event", "the birthday"),
        ("I want to stop smoking", "learning", "stopping smoking"),
        ("find a home for 3 kittens", "general", "a home for 3 kittens"),
        ("get rid of the wasps in the attic before friday", "home", "getting rid of the wasps in the attic"),
        (
            "Translate my grandfather's war diary (220 pages, old handwriting) into English",
            "translation",
            "the war diary",
        ),
        ("we're relaunching our online shop on 1 March, need photos and ads", "product_launch", "the online shop"),
        ("organise hackathon 120 students 2 days Zurich sponsors needed", "event", "the hackathon"),
        ("my landlord wants to kick me out, what do i do", "general", "the trouble with the landlord"),
        (
            "Get my son into a bilingual kindergarten in Hamburg from August",
            "general",
            "getting the son into a bilingual kindergarten",
        ),
        ("I'd like to record an EP with 5 songs, out by June", "media", "recording an EP with 5 songs"),
        ("do something about our energy bill, 430 a month is crazy", "general", "the energy bill"),
        ("hire 2 nurses and a receptionist for our practice in Graz", "hiring", "2 nurses and a receptionist"),
        (
            "move our office from Lyon to Marseille, server room, no downtime",
            "moving",
            "the move from Lyon to Marseille",
        ),
        ("open source our internal scheduler before 9 June", "software_build", "the internal scheduler"),
        ("i need new glasses", "general", "new glasses"),
        ("reduce food waste in our canteen by 30%", "general", "the food waste"),
        ("clean up my inbox, 14,000 unread mails", "general", "the inbox"),
        ("find the best way to sell old roof tiles", "general", "selling old roof tiles"),
        ("teach my parents to use their phones", "general", "teaching the parents to use their phones"),
        ("get a patent for a folding bicycle helmet", "paperwork", "a patent for a folding bicycle helmet"),
        ("negotiate a raise with my boss, at least 10%", "general", "the raise"),
        ("Find out who my great-grandmother was, born near Brno", "research", "who the great-grandmother was"),
        ("plan 5 days in Iceland with my two boys, first week of July", "travel", "the trip"),
        ("looking for an investor, 300k, 10% equity", "fundraising", "the company"),
        ("🎉🎉 party!!! 🎉🎉 sat nite 15 ppl my place", "event", "the party"),
        ("hire a nanny in Leeds", "household", "a nanny"),
        (
            "I run a small bakery and our oven died; we need a replacement before Saturday, maybe from a wholesaler",
            "supplier_search",
            "the replacement for the oven",
        ),
        ("我家猫不吃饭", "care", "猫"),
        ("手机屏幕碎了，今天能修吗", "general", "手机屏幕"),
        ("帮我妈找个靠谱的保姆，每周五天，月薪不超过6000", "household", "保姆"),
        ("公司官网太旧了，想重新做，两个月内上线", "software_build", "官网"),
        ("考雅思7分，明年3月前", "learning", "雅思"),
        ("写一篇关于垃圾分类的硕士论文，6月1日交", "writing", "关于垃圾分类的硕士论文"),
        ("找500个定制帆布袋的厂家，单价8块以内", "supplier_search", "定制帆布袋"),
        ("申请日本旅游签证，8月出发", "paperwork", "日本旅游签证"),
    ],
)
async def test_what_it_is_about(wish: str, archetype: str, thing: str) -> None:
    aims = (await planned(wish)).aims
    assert (aims["archetype"], aims["thing"]) == (archetype, thing)


@pytest.mark.parametrize(
    ("wish", "slot", "meant"),
    [
        ("Company retreat. 30 people. October. 45k. No hiking!!", "date", "October"),
        ("in July 15 people come over", "date", "July"),
        ("the Q3 board meeting (22 Oct, Vienna)", "date", "22 Oct"),
        ("the Q3 board meeting (22 Oct, Vienna)", "place", "Vienna"),
        ("a treehouse in the first week of July", "date", "the first week of July"),
        ("sell the apples this week", "date", "this week"),
        ("a party near Salzburg. 4000 is all we have", "budget", "4,000"),
        ("5 days in Iceland, not above 6000", "budget", "6,000"),
        ("relaunch the shop, 15k marketing budget", "budget", "15,000"),
        ("Dog walking, 15 EUR per walk", "budget", None),
        ("Dog walking, 15 EUR per walk", "constraints", "up to 15 EUR a walk"),
        ("a website for dad, he has no idea about computers", "constraints", None),
        ("build a treehouse with the kids this summer", "deliverables", None),
        ("hackathon 120 students 2 days Zurich sponsors needed", "place", "Zurich"),
        ("找个保姆，每周五天", "date", None),
        ("开发小程序，三个月上线", "date", "三个月内"),
        ("修阳台，别超过3000", "budget", "3,000元"),
        ("给女儿办生日派对，20个小朋友", "count", "20个小朋友"),
        ("开健身房，地点苏州园区", "place", "苏州园区"),
    ],
)
def test_what_was_written_in_passing_is_found(wish: str, slot: str, meant: str | None) -> None:
    assert slots_in(wish, TODAY).get(slot) == meant


def test_shorthand_is_written_out_and_names_are_left_alone() -> None:
    assert (
        written_out("pls find sb 4 two ppl b4 sat nite") == "please find somebody for two people before Saturday night"
    )
    assert written_out("a flight 2 Rome 4 us, thx") == "a flight to Rome for us, thanks"
    assert written_out("We sat down with SB Holding") == "We sat down with SB Holding"


@pytest.mark.parametrize(
    ("template", "day", "said"),
    [
        ("Plan it on {date}.", "next week", "Plan it next week."),
        ("Plan it on {date}.", "summer", "Plan it in summer."),
        ("Plan it in {date}.", "Easter", "Plan it at Easter."),
        ("Plan it in {date}.", "Friday", "Plan it on Friday."),
        ("Plan it on {date}.", "the first week of July", "Plan it in the first week of July."),
    ],
)
def test_each_sort_of_day_has_its_preposition(template: str, day: str, said: str) -> None:
    assert filled(template, {"date": day}) == said


async def test_a_list_in_one_line_is_as_many_wishes() -> None:
    plan = await planned("1. renew passport 2. book dentist 3. gift for Tom (max 40)")
    assert {"Papers", "Dentist", "Gift"} <= {channel.name for channel in plan.channels}
    assert plan.aims["thing"] == "the passport"


@pytest.mark.parametrize("keys", ["asdf qwer zxcv", "sdfghjkl", "xkcdvbn wrtpsdf"])
async def test_rows_of_keys_open_no_room(keys: str) -> None:
    plan = await planned(keys)
    assert not plan.channels
    assert (await planned("html and css course for kids")).channels


async def test_somebody_sought_is_spoken_of_as_sought() -> None:
    plan = await planned("帮我妈找个靠谱的保姆，每周五天")
    assert plan.title == "找保姆"
    assert all("找保姆" in each.brief for each in plan.channels)


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("make it 2 days later", "3 May", "5 May"),
        ("a week earlier, please", "21 June 2027", "14 June 2027"),
        ("bring it forward by two weeks", "20 January", "6 January"),
        ("推迟两天", "1月20号", "1月22日"),
        ("提前一周", "5月3日", "4月26日"),
        ("make it 2 days later", "August", ""),
        ("make it 2 days later", "the first week of July", ""),
    ],
)
def test_a_day_is_moved_by_so_much(words: str, before: str, after: str) -> None:
    by = shift_in(words)
    assert by is not None
    assert moved(before, by, TODAY, "en" if words.isascii() else "zh") == after


async def test_what_changes_is_told_to_the_rooms_that_may_know_it() -> None:
    aims = {"thing": "the wedding", "deadline": "3 May", "date": "3 May"}
    plan = await planned("make it 2 days later", channels=ROOMS, aims=aims)
    assert plan.aims == {"date": "5 May", "deadline": "5 May"}
    assert [told.channel_id for told in plan.telling] == ["ch_1", "ch_2"]
    assert all("5 May" in told.text and told.facts["date"] == "5 May" for told in plan.telling)
    plan = await planned("raise the budget to 7,000 EUR", channels=ROOMS, aims=aims)
    assert [told.channel_id for told in plan.telling] == ["ch_2"], "what may be spent is the team's to know"
    plan = await planned("I was in Paris on 3 April", channels=ROOMS, aims=aims)
    assert not plan.telling


async def test_what_cannot_be_counted_from_is_asked() -> None:
    plan = await planned("make it 2 days later", channels=ROOMS, aims={"deadline": "August"})
    assert "August; which day" in plan.words
    assert not plan.aims


@pytest.mark.parametrize(
    ("wish", "thing", "brief"),
    [
        ("also find a photographer", "the wedding", "For the wedding in Ghent (3 May) we look for a photographer."),
        ("再找个摄影师", "婚礼", "为婚礼寻找摄影师"),
    ],
)
async def test_somebody_more_comes_for_what_is_under_way(wish: str, thing: str, brief: str) -> None:
    aims = {"thing": thing, "place": "Ghent", "date": "3 May", "deadline": "3 May"}
    [channel] = (await planned(wish, channels=ROOMS, aims=aims)).channels
    assert channel.brief.startswith(brief)


async def test_a_change_is_passed_on_and_decides_nothing() -> None:
    """Who waits for a yes is not given one by another date."""
    said = [
        Line(message_id="m1", speaker="Prime", text="Hello Ann, may we talk about the hall?"),
        Line(message_id="m2", speaker="Ann", text="Gladly."),
        Line(message_id="m3", speaker="Brief", text="Changed: the date is now 5 May."),
    ]
    facts = {"archetype": "event", "role": "venue", "thing": "the wedding", "me": "Ann", "company": "Linden House"}
    facts |= {"deposit": "300 EUR", "quote": "1,000 EUR", "low": "850 EUR", "soon": "Monday", "date": "5 May"}

    async def says(speaker: str, role: str, lines: list[Line]) -> str:
        own = [
            Line(message_id=each.message_id, speaker=each.speaker, text=each.text, own=each.speaker == speaker)
            for each in lines
        ]
        request = ReplyRequest(
            speaker=speaker, role=role, channel_name="Venue", tier="business_relation", brief="A hall.", lines=own,
            facts=facts, seed="Venue",
        )  # fmt: skip
        return (await MIND.reply(request)).text

    told = await says("Prime", "prime", said)
    assert "the date is now 5 May" in told
    said.append(Line(message_id="m4", speaker="Prime", text=told))
    answer = await says("Ann", "venue", said)
    assert "the date is now 5 May" in answer
    assert not re.search(r"\bdeposit|is yours|agreed\b", answer)
    quicker = [*said[:3], Line(message_id="m4", speaker="Ann", text="Understood: the date is now 5 May. How many?")]
    assert "the date is now" not in await says("Prime", "prime", quicker), "nobody is told what they have just said"
