"""Kinds of projects by example: wishes that no example has, those kept back from learning, and what opens nothing."""

import time
from functools import partial
from pathlib import Path

import pytest

from prime.core.errors import InvalidInput
from prime.mind.jobs.planning import Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.library.archetypes import GENERAL, parse_archetype
from prime.mind.offline.library.wording import weighed
from prime.mind.offline.wishes import openings
from prime.mind.offline.words.language import Language, language_of
from prime.mind.offline.words.likeness import Likeness

MIND = OfflineMind()
ARCHETYPES = MIND.library.archetypes
FOLDS = 5
OWN = """\
name: garden
title: {en: "Garden: {thing}"}
thing: {en: "the garden"}
project: {en: "the work on {thing}"}
words: {}
scale: {amount: 4000}
roles:
  gardener:
    like: supplier
    tier: business_relation
    channel: {en: "Gardener"}
    role: {en: "gardener"}
    item: {en: "the planting"}
    brief: {en: "We want to renew {thing}."}
"""


async def planned(wish: str) -> Plan:
    return await MIND.plan(PlanRequest(wish=wish, today="2026-11-19"))


@pytest.mark.parametrize(
    ("wish", "archetype"),
    [
        ("I promised my sister a surprise 40th in Porto, 18 people", "event"),
        ("The espresso machine in our café is broken, we need somebody who mends it this week", GENERAL),
        ("Start a repair café at the library, first Saturday of the month", GENERAL),
        ("Turn my thesis on river songs into an exhibition at the town hall", GENERAL),
        ("我们村想修一条健身步道，县里补贴10万", GENERAL),
        ("The hem of my wedding dress is torn, find a seamstress near Bath", GENERAL),
        ("the bookshop on our corner has to close, we neighbours want to keep it", GENERAL),
        ("The architect says our barn is too damp for guests. Get it dry before the season", "home"),
        ("after my divorce I need two rooms with a balcony in Aarhus, 9,000 a month", "renting"),
        ("公司仓库漏雨，把纸箱都泡了，想把屋顶修好", "home"),
    ],
)
async def test_what_is_wanted_is_known_by_likeness(wish: str, archetype: str) -> None:
    assert (await planned(wish)).aims.get("archetype") == archetype


@pytest.mark.parametrize(
    "told",
    [
        "The choir sang well last night",
        "My cousin's daughter plays the tuba in Bern",
        "I already found a photographer, so never mind.",
        "Our bakery was full this morning",
        "What does a notary do all day?",
        "表姐的儿子数学很好",
        "昨晚的演出很精彩",
    ],
)
async def test_what_only_is_so_opens_nothing(told: str) -> None:
    assert not (await planned(told)).channels


@pytest.mark.parametrize("language", ["en", "zh"])
def test_examples_kept_back_are_seldom_taken_for_another_kind(language: Language) -> None:
    """A fifth of the examples is read by what the others teach: a wrong kind is worse than the general one."""
    taught = {
        a.name: [*(e for n, e in enumerate(a.written_in(language)) if n % FOLDS), *a.words.loud(language)]
        for a in ARCHETYPES.values()
    }
    likeness = Likeness(taught, partial(weighed, language=language))
    right = wrong = kept = 0
    for archetype in ARCHETYPES.values():
        for example in archetype.written_in(language)[::FOLDS]:
            scores = dict(likeness.scores(example))
            general = scores.pop(GENERAL)
            first, second = sorted(scores, key=scores.__getitem__)[:-3:-1]
            clear = scores[first] - general >= 1.2 and scores[first] - scores[second] >= 0.6
            taken = first if clear else GENERAL
            kept += 1
            right += taken == archetype.name
            wrong += taken not in {archetype.name, GENERAL}
    assert right > 0.55 * kept
    assert wrong < 0.13 * kept


@pytest.mark.parametrize("language", ["en", "zh"])
def test_messages_kept_back_are_told_from_wishes(language: Language) -> None:
    wishes = [e for a in ARCHETYPES.values() for e in a.written_in(language)]
    others = [text for text in openings.without_a_wish() if language_of(text) == language]
    likeness = Likeness(
        {
            "wish": [w for n, w in enumerate(wishes) if n % FOLDS],
            "other": [o for n, o in enumerate(others) if n % FOLDS],
        },
        partial(openings.turns, language=language),
    )

    def wants(text: str) -> bool:
        scores = likeness.scores(text)
        return scores["wish"] > scores["other"]

    missed = sum(not wants(wish) for wish in wishes[::FOLDS])
    taken = sum(map(wants, others[::FOLDS]))
    assert missed < 0.15 * len(wishes[::FOLDS])
    assert taken < 0.3 * len(others[::FOLDS])


async def test_an_archetype_of_the_owner_is_known_by_its_examples_alone(tmp_path: Path) -> None:
    examples = ["Prune the old apple trees", "New beds for our vegetables", "the roses look sad, what now"]
    text = OWN + "examples: |\n" + "".join(f"  {line}\n" for line in examples)
    (tmp_path / "garden.yaml").write_text(text, "utf-8")
    plan = await OfflineMind(tmp_path).plan(PlanRequest(wish="Prune the apple trees and the roses before winter"))
    assert plan.aims["archetype"] == "garden"


@pytest.mark.parametrize("written", ["examples: [Prune the trees]", "examples: {one: two}", "examples: 3"])
def test_examples_that_are_no_lines_are_told_with_their_line(written: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_archetype(f"{OWN}{written}\n", "garden.yaml")
    assert f"garden.yaml:{len(OWN.splitlines()) + 1}: examples" in str(caught.value)
    assert "one example to a line" in str(caught.value)


async def test_what_is_learned_costs_the_first_plan_little_and_a_long_message_no_more() -> None:
    library = OfflineMind().library
    assert library.archetypes
    began = time.process_time()
    library.likeness("en")
    openings.wants_something("Plan a wedding", library)
    assert time.process_time() - began < 0.4  # about a tenth of it alone on the machine
    began = time.process_time()
    await planned("plan the wedding of the baker and sell the old oven " * 20_000)
    assert time.process_time() - began < 3.0
