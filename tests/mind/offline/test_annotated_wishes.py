"""Wishes with what they say, in `wishes.yaml`: every slot that is read right stays right, and there are enough of them.

In the file, a slot lists what may stand in it, as a part of what is read (sums and counts as the number); `""` where nothing
may be found, too. Nothing is expected in a slot that is not there. `off` names the slots that are still read wrong.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias, cast

import pytest

from prime.core.yaml_text import read_mapping
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.words.numbers import number_at

TODAY = "2026-11-19"
Wish: TypeAlias = dict[str, list[str]]
_TEXT = Path(__file__).with_name("wishes.yaml").read_text("utf-8")
WISHES = cast("dict[str, Wish]", read_mapping(_TEXT, path="wishes.yaml").data["wishes"])
_NUMBERED = Path(__file__).with_name("numbered_wishes.yaml").read_text("utf-8")
NUMBERED = cast("dict[str, Wish]", read_mapping(_NUMBERED, path="numbered_wishes.yaml").data["wishes"])
# The share of the wishes in which a slot has to be right: found where it was written, and empty where it was not.
FLOORS = {"thing": 0.85, "budget": 0.97, "date": 0.95, "place": 0.94, "count": 0.97, "constraints": 0.95}


def _is_part(expected: str, found: str) -> bool:
    return expected.casefold() in found.casefold()


def _is_sum(expected: str, found: str) -> bool:
    wanted, read = (next(iter(amounts(text) or amounts(f"budget {text}")), None) for text in (expected, found))
    return wanted is not None and read is not None and wanted.value == read.value and wanted.fits(read)


def _is_number(expected: str, found: str) -> bool:
    bare = re.sub(r"^(?:about|around|some|up to|roughly|circa|ca\.|大约|约|近|最多)\s*", "", found)
    return number_at(bare) == float(expected)


_AGREES: dict[str, Callable[[str, str], bool]] = {"budget": _is_sum, "count": _is_number}


def _read(text: str) -> dict[str, str]:
    slots = slots_in(text, TODAY)
    both = {"date": ("date", "deadline"), "place": ("place", "destination")}
    return {slot: " ".join(slots[n] for n in both.get(slot, (slot,)) if n in slots) for slot in FLOORS}


def _is_right(slot: str, expected: Sequence[str], found: str) -> bool:
    if slot == "constraints":  # each of them, and none where none was written
        return all(_is_part(one, found.replace(",", "")) for one in expected) and (bool(expected) or not found)
    if not found:
        return not expected or "" in expected
    return any(one and _AGREES.get(slot, _is_part)(one, found) for one in expected)


def wrong_slots(text: str, wish: Wish) -> list[str]:
    read = _read(text)
    return [slot for slot in FLOORS if not _is_right(slot, wish.get(slot, []), read[slot])]


@pytest.mark.parametrize("text", WISHES)
def test_what_is_read_right_stays_right(text: str) -> None:
    wish = WISHES[text]
    assert set(wrong_slots(text, wish)) <= set(wish.get("off", []))


def test_enough_of_every_slot_is_read_right() -> None:
    wrong = Counter(slot for text, wish in WISHES.items() for slot in wrong_slots(text, wish))
    right = {slot: 1 - wrong[slot] / len(WISHES) for slot in FLOORS}
    assert {slot: share for slot, share in right.items() if share < FLOORS[slot]} == {}


@pytest.mark.parametrize("text", NUMBERED)
def test_what_is_counted_paid_dated_and_fixed_is_read_right(text: str) -> None:
    wish = NUMBERED[text]
    assert set(wrong_slots(text, wish)) - {"thing"} <= set(wish.get("off", []))
