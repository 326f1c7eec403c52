"""Whom English wishes call, and who has no business in them: by what is asked for, its verb and its place."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from prime.core.yaml_text import read_mapping
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.library.archetypes import GENERAL
from prime.mind.offline.rooms.asking import asked_for
from prime.mind.offline.rooms.evidence import forms

MIND = OfflineMind()
CASES = cast(
    "list[Mapping[str, object]]",
    read_mapping(Path(__file__).with_name("called.yaml").read_text("utf-8"), path="called.yaml").data["cases"],
)


async def planned(wish: str) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today="2026-11-19"))


@pytest.mark.parametrize("case", CASES, ids=[str(case["wish"]) for case in CASES])
async def test_those_who_are_asked_for_have_rooms_and_nobody_else(case: Mapping[str, object]) -> None:
    plan = await planned(str(case["wish"]))
    names = [channel.name for channel in plan.channels]
    assert [name for name in cast("list[str]", case["rooms"]) if name not in names] == []
    assert [name for name in cast("list[str]", case["never"]) if name in names] == []
    assert len(names) == len(set(names))
    assert {channel.tier for channel in plan.channels} >= {"team"}
    assert plan.aims["archetype"] == case.get("kind", plan.aims["archetype"])


@pytest.mark.parametrize(
    ("wish", "heads", "places"),
    [
        ("Get the piano tuned before the recital", {"piano"}, set[str]()),
        ("Have forty chairs in the concert hall reupholstered", {"chairs"}, {"concert", "hall"}),
        ("A mural on the wall of our primary school", {"mural"}, {"wall", "primary", "school"}),
        ("we'd love a bat census on the castle ruin", {"bat", "census"}, {"castle", "ruin"}),
        ("Find my sister a room with a view", {"room"}, set[str]()),
        ("Our pipe organ is broken; fix it", {"organ"}, set[str]()),
        ("Three quotes for repainting the staircase", {"staircase"}, set[str]()),
        ("The van we bought from a dealer is broken", {"van"}, set[str]()),
        ("Book a marquee, a band and somebody to roast a pig", {"marquee", "band", "pig"}, set[str]()),
        ("Turn my thesis into an exhibition", {"exhibition"}, set[str]()),
    ],
)
def test_what_is_asked_for_is_known_from_what_is_told_and_where_it_is(
    wish: str, heads: set[str], places: set[str]
) -> None:
    said = [each for asking in asked_for(wish) for each in asking.words]
    small = {"the", "our", "a"}
    assert {each.text for each in said if each.place == "head"} >= heads
    assert {each.text for each in said if each.place == "place"} - small == places


def test_a_word_of_few_letters_has_no_other_word_for_a_form() -> None:
    assert not forms("moth").search("my mother")
    assert not forms("cat").search("a caterer")
    assert not forms("bee").search("is being bullied")
    assert forms("sew").search("sewing")
    assert forms("mouse trap").search("a mouse trap")


@pytest.mark.parametrize(
    "done",
    [
        "We repainted the fence last week",
        "I planted forty trees with the school",
        "I have written to the council about the rats",
        "We hired a new cook in May",
        "We have moved to Lyon",
    ],
)
async def test_what_is_done_already_opens_nothing(done: str) -> None:
    assert not (await planned(done)).channels


@pytest.mark.parametrize(
    "trouble",
    [
        "Our flat leaks and the landlord does nothing",
        "I've been accused of plagiarism and have a hearing on the 3rd",
        "We moved to Lyon and need a school for the girls",
        "Have my drone licence recognised in Norway",
    ],
)
async def test_a_trouble_and_what_others_are_to_do_open_rooms(trouble: str) -> None:
    assert (await planned(trouble)).channels


async def test_a_specialist_is_called_by_what_is_asked_for_and_by_no_piece_of_a_sentence() -> None:
    names = [channel.name for channel in (await planned("Find a rehearsal robot for the puppet opera")).channels]
    assert "Specialist for a rehearsal robot" in names or "Specialist for the rehearsal robot" in names
    names = [channel.name for channel in (await planned("reconcile with my brother")).channels]
    assert "Specialist" in names


@pytest.mark.parametrize("kind", [name for name in MIND.library.archetypes if name != GENERAL])
def test_what_shows_another_side_of_a_kind_is_no_evidence_for_it(kind: str) -> None:
    archetype = MIND.library.archetypes[kind]
    assert set(archetype.evidence).isdisjoint(archetype.against)
