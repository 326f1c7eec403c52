"""Trades: whom a project of no kind of its own calls for, as data."""

import re
from collections.abc import Awaitable, Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from prime.core.errors import InvalidInput
from prime.mind.jobs.judging import JudgeRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel, Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.judging.features import INFORMATION, weigh
from prime.mind.offline.library.trades import parse_trades, parts
from prime.mind.offline.rooms.calling import called_for
from prime.mind.offline.words.language import language_of

Play = Callable[..., Awaitable[Any]]

MIND = OfflineMind()
TODAY = "2026-11-19"
BLOCKS = re.findall(
    r"```yaml\n(.*?)```", (Path(__file__).parents[3] / "docs/archetypes.md").read_text("utf-8"), re.DOTALL
)
WEAVER = next(block for block in BLOCKS if "weaver" in block)


async def planned(wish: str, mind: OfflineMind = MIND) -> Plan:
    return await mind.plan(PlanRequest(wish=wish, today=TODAY))


def called(wish: str, thing: str = "") -> set[str]:
    return {each.key for each in called_for(wish, thing, language_of(wish), MIND.library.trades)}


@pytest.mark.parametrize(
    ("wish", "trades"),
    [
        ("Our village wants a fitness trail along the brook, the county subsidises it", {"landscaper", "council"}),
        ("A repair café at the library, once a month", {"library", "repair_volunteers", "toolshed"}),
        ("The espresso machine in our café is broken", {"machine_engineer", "machine_dealer"}),
        ("Turn my thesis on mosses into an exhibition", {"museum", "exhibition_designer"}),
        ("Record our choir's Christmas programme on a CD", {"recording_studio", "sound_engineer"}),
        ("Move eleven beehives to the school roof", {"beekeeper", "school"}),
        ("A mural on the wall of our primary school", {"muralist", "school"}),
        ("we'd love a bat census on the castle ruin next summer", {"wildlife_expert", "heritage_office"}),
        ("我们村想修一条健身步道，县里补贴10万", {"landscaper", "council"}),
        ("这批耳机会发烫，要召回，通知客户退换", {"customers", "product_safety"}),
        ("合唱团想录一张专辑", {"recording_studio", "sound_engineer"}),
        ("爷爷留下一屋子皮影，想修好以后展出", {"conservator", "museum"}),
    ],
)
def test_a_wish_calls_for_those_whom_it_needs(wish: str, trades: set[str]) -> None:
    assert trades <= called(wish)


@pytest.mark.parametrize(
    ("wish", "nobody"),
    [
        ("We're a choir school and want a sauna in the boathouse", "choir"),
        ("A night for 26 kids, no hotel please", "hotel"),
        ("Clean the statue before the concert", "concert_hall"),
        ("我们是一家幼儿园，想修屋顶漏水", "kindergarten"),
    ],
)
def test_who_wants_it_when_and_without_whom_calls_for_nobody(wish: str, nobody: str) -> None:
    assert nobody not in called(wish)


def test_a_word_calls_in_all_its_forms_and_not_by_its_beginning() -> None:
    assert "muralist" in called("murals for the underpass")
    assert "carpenter" in called("we are rebuilding the shelves")
    assert "beekeeper" not in called("we have been there")
    assert "interior_designer" not in called("a hall")


async def test_the_rooms_of_a_wish_are_those_it_calls_for_beside_who_plans() -> None:
    plan = await planned("A mural on the wall of our primary school")
    names = [channel.name for channel in plan.channels]
    assert names[0] == "Planning"
    assert {"Mural artist", "School"} <= set(names)
    assert {"Specialist", "Groundwork"}.isdisjoint(names)


async def test_an_office_asks_for_papers_and_for_no_deposit() -> None:
    role = MIND.library.role("general", "trade-council-2")
    assert role
    said = [each for beat in role.beats.values() for each in beat.of("en")]
    assert any("form" in each for each in said)
    assert not any("deposit" in each for each in said)


def test_all_that_is_said_by_a_part_is_said_in_both_languages() -> None:
    for name, part in parts().items():
        for kind, beat in part.beats.items():
            assert len(beat.en) == len(beat.zh), (name, kind)
            if beat.prime:
                assert len(beat.prime.en) == len(beat.prime.zh) == len(beat.en), (name, kind)
    for key, trade in MIND.library.trades.items():
        assert trade.name.zh, key
        assert trade.item.zh, key


def test_nobody_outside_the_team_is_told_what_is_internal() -> None:
    for key in MIND.library.trades:
        role = MIND.library.trade_role(key)
        told = f"{role.brief.en} {role.brief.zh}"
        assert role.tier == "team" or not re.search(r"\{(?:budget|constraints|report)\}", told), key


async def test_budgets_stay_in_the_team() -> None:
    plan = await planned("A mural on the wall of our school, we have 3,700 EUR and it must be finished by June")
    for channel in plan.channels:
        if channel.tier != "team":
            told = [channel.brief, *channel.facts.values()]
            assert not any(money.value == 3700 for text in told for money in amounts(text))


async def test_a_trade_of_the_owners_is_an_entry_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "trades").mkdir()
    (tmp_path / "trades" / "mine.yaml").write_text(WEAVER, "utf-8")
    plan = await planned("A new tapestry and a loom of our own", OfflineMind(tmp_path))
    [weaver] = [channel for channel in plan.channels if channel.name == "Weaver"]
    assert weaver.key.startswith("general-trade-weaver-")
    assert "a weaver" in weaver.brief


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("part: work", "part: play"), "trades.weaver.part"),
        (("calls:", "call:"), "did you mean “calls”"),
        (("en: [loom, tapestry, weave, rug + new]\n      zh: [织布, 挂毯, 毯 + 织]", "en: []"), "no word calls for it"),
        (("asks: {en", "brief: {en: '{budget}'}\n    asks: {en"), "cannot hold {budget}"),
        (("How wide is it", "How {wide} is it"), "is no slot"),
    ],
)
async def test_a_fault_in_a_file_of_trades_is_named(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    broken = WEAVER.replace(*change)
    assert broken != WEAVER
    with pytest.raises(InvalidInput, match=re.escape(told)):
        parse_trades(broken, "mine.yaml")
    (tmp_path / "trades").mkdir()
    (tmp_path / "trades" / "mine.yaml").write_text(broken, "utf-8")
    mind = OfflineMind(tmp_path)
    plan = await planned("A mural on the wall of our school", mind)
    assert "mine.yaml" in plan.words
    assert plan.channels


UNUSUAL = [
    "A mural on the wall of our primary school, painted with the fourth graders",
    "Teach thirty taxi drivers some sign language, budget 900 EUR",
    "I want a bench in the park for my late wife, with a small plaque",
    "Find a new home for our parrot by 1 March",
    "两箱蜜蜂要从苏州运到黄山，预算两千",
    "楼下的桂花树没了，我们想请物业补种一棵",
    "给村口那棵老槐树办个身份证，让修路的别砍它",
]


@pytest.mark.parametrize("wish", UNUSUAL)
async def test_such_a_room_asks_little_repeats_nothing_and_ends(play: Play, wish: str) -> None:
    room = await play(wish)
    assert any("trade-" in channel.key for channel in room.plan.channels)
    assert 1 <= len(room.asked) <= 4, [each.text for each in room.asked]
    assert room.surfaced
    said = [
        sentence
        for lines in room.said.values()
        for line in lines
        if line.speaker != "Brief"
        for sentence in re.split(r"(?<=[.!?。！？])\s*", line.text)
        if len(sentence) > (50 if sentence.isascii() else 18)
    ]
    assert len(set(said)) == len(said)
    assert len((await play(f"{wish} ", rules=room.rules)).asked) < len(room.asked)


def test_what_a_part_leaves_to_the_owner_is_a_decision_and_what_it_wants_to_know_is_none() -> None:
    for name, part in parts().items():
        for kind, beat in part.beats.items():
            for text in (*beat.en, *beat.zh):
                line = Line(message_id="m", speaker="Mia", text=text)
                weighed = weigh(line, JudgeRequest(channel_name=name, tier=part.tier, lines=[line]), None)
                if kind == "conflict":
                    assert weighed.decides, (name, text)
                elif kind in {"open", "ask", "offer"}:
                    assert not weighed.decides, (name, text)
                if kind == "ask":
                    assert INFORMATION.search(text) or "请" in text or "先说" in text, (name, text)


async def test_sums_are_of_the_size_of_the_trade_where_no_budget_was_named() -> None:
    plan = await planned("I want a bench in the park for my late wife, with a small plaque")
    sums = {channel.name: amounts(channel.facts["quote"])[0].value for channel in plan.channels}
    assert 700 < sums["Carpenter"] < 1200
    assert sums["Municipal office"] < 100


@pytest.mark.parametrize(
    ("wish", "room", "said"),
    [("Add an electrician", "Electrician", "the wiring"), ("再找一位律师", "律师", "法律问题")],
)
async def test_who_comes_later_is_of_their_trade(wish: str, room: str, said: str) -> None:
    there = OpenChannel(id="ch", key="general-plan", name="Planning", tier="team")
    plan = await MIND.plan(PlanRequest(wish=wish, today=TODAY, channels=[there], aims={"thing": "the barn"}))
    [channel] = plan.channels
    assert channel.name == room
    assert channel.facts["item"] == said


async def test_a_second_wish_in_the_message_has_somebody_of_a_trade() -> None:
    plan = await planned("Restore the mural in the underpass, and find a vet for our goats")
    assert "Vet" in {channel.name.partition(" (")[0] for channel in plan.channels}


def test_every_trade_stands_in_one_file_only() -> None:
    files = [f for f in resources.files("prime.mind").joinpath("trades").iterdir() if f.name != "parts.yaml"]
    keys = [key for f in files if f.name.endswith(".yaml") for key in parse_trades(f.read_text("utf-8"), f.name)]
    assert sorted(keys) == sorted(set(keys)), "of two with one key the second would hide the first"
