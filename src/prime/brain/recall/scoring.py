"""Weights: how much a word found in or near a message says. Pure functions of what the asker may see.

Every figure depends on the scope's own messages only, and sums are always taken in the same order, so that the same
messages give the same scores to the last bit, whatever else the log holds.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

from prime.brain.recall.analysis import PACKED, unpack
from prime.brain.recall.places import WINDOW

Totals = defaultdict[int, float]
_Shares = tuple[float, float, float, float, float]

SATURATION = 0.8  # a second mention of a word says less than the first
LENGTH = 0.4  # how much a long message has to say more to count the same
# What a word gives to the message two before, one before, its own, one after and two after. What follows gets a little
# more: answers come after questions.
CONTEXT: _Shares = (0.25, 0.5, 1.0, 0.65, 0.35)

_APART = 2 * WINDOW + 1


def rarity(documents: int, holding: int) -> float:
    """The weight of a word that `holding` of the scope's `documents` hold."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


class Weights:
    """What a posting gives to its message and to the neighbours, before the word's own weight."""

    def __init__(self, average_length: float) -> None:
        self._plain = [_plain(*unpack(packed), average_length) for packed in PACKED]
        # Most words stand alone: what they give is worked out once for each weight that occurs.
        self._alone: dict[int, tuple[float, ...]] = {}

    def add(self, totals: Totals, postings: Sequence[tuple[int, int]], factor: float) -> None:
        """Add one word, whose postings are in order, to the totals."""
        alone = self._given(factor, {packed for _, packed in postings})
        crowd: list[tuple[int, int]] = []
        last = -_APART
        for at, (place, packed) in enumerate(postings, 1):
            if place - last >= _APART and (at == len(postings) or postings[at][0] - place >= _APART):
                before2, before1, here, after1, after2 = alone[packed]
                totals[place - 2] += before2
                totals[place - 1] += before1
                totals[place] += here
                totals[place + 1] += after1
                totals[place + 2] += after2
            else:
                crowd.append((place, packed))
            last = place
        self._add_crowd(totals, crowd, factor)

    def _given(self, factor: float, weights: set[int]) -> dict[int, list[float]]:
        for packed in weights - self._alone.keys():
            self._alone[packed] = _shares(self._plain[packed])
        return {packed: [factor * share for share in self._alone[packed]] for packed in weights}

    def _add_crowd(self, totals: Totals, postings: Sequence[tuple[int, int]], factor: float) -> None:
        """Words that stand near others of their kind: what reaches a message is put together, then saturated."""
        reached: Totals = defaultdict(float)
        for place, packed in postings:
            plain = self._plain[packed]
            for at, share in enumerate(CONTEXT, place - WINDOW):
                reached[at] += share * plain
        for place, amount in reached.items():
            totals[place] += factor * _saturated(amount)


def _plain(often: int, length: int, average: float) -> float:
    return often / (1 - LENGTH + LENGTH * length / average)


def _saturated(amount: float) -> float:
    return amount * (1 + SATURATION) / (amount + SATURATION)


def _shares(plain: float) -> tuple[float, ...]:
    return tuple(_saturated(share * plain) for share in CONTEXT)


def split_best(totals: dict[int, float], most: int) -> tuple[list[int], list[int]]:
    """The best places, and those that share the last score among them, of which not all may fit."""
    if len(totals) <= most:
        return list(totals), []
    least = sorted(totals.values())[-most]
    best = [(place, score) for place, score in totals.items() if score >= least]
    return [p for p, score in best if score > least], [p for p, score in best if score == least]
