"""Weights: how much a word found in or near a message says. Pure functions of what the asker may see.

Every figure depends on the scope's own messages only, and sums are always taken in the same order, so that the same
messages give the same scores to the last bit, whatever else the log holds.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from prime.brain.recall.analysis import PACKED, unpack
from prime.brain.recall.places import WINDOW

Totals = defaultdict[int, float]
Posting = tuple[int, int, int]  # word, place, packed weight
_Shares = tuple[float, float, float, float, float]

SATURATION = 0.8  # a second mention of a word says less than the first
LENGTH = 0.4  # how much a long message has to say more to count the same
# What a word gives to the message two before, one before, its own, one after and two after. What follows gets a little
# more: answers come after questions.
CONTEXT: _Shares = (0.25, 0.5, 1.0, 0.65, 0.35)

EACH_MORE = 0.5  # added for each further word of a list of words that a message itself holds

_APART = 2 * WINDOW + 1
_ALL_THE_SAME = [1.0] * len(PACKED)


def rarity(documents: int, holding: int) -> float:
    """The weight of a word that `holding` of the scope's `documents` hold."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A word of a search and where it is said, in order."""

    factor: float
    postings: Sequence[Posting]
    # Only its own messages count, not those around them, and all the same.
    is_mark: bool
    # A message that holds several such words itself is worth more.
    is_own: bool


class Weights:
    """What a posting gives to its message and to the neighbours, before the word's own weight."""

    def __init__(self, average_length: float) -> None:
        self._plain = [_plain(*unpack(packed), average_length) for packed in PACKED]
        # Most words stand alone: what they give is worked out once for each weight.
        self._alone = [_shares(plain) for plain in self._plain]
        self._own = [shares[WINDOW] for shares in self._alone]

    def totals(self, words: Sequence[Said], most: int | None = None) -> dict[int, float]:
        """What the words, always taken in this order, give to each place.

        With `most`, places that are surely not among so many of the best may be missing.
        """
        boosts = _boosts([word.postings for word in words if word.is_own])
        left = [word.postings for word in words]
        if most is not None and sum(map(len, left)) > most:
            hopeful = self._hopeful(words, boosts, most)
            left = [[posting for posting in postings if posting[1] in hopeful] for postings in left]
        totals: Totals = defaultdict(float)
        for word, postings in zip(words, left, strict=True):
            if word.is_mark:
                for _, place, _ in postings:
                    totals[place] += word.factor
            else:
                self._add(totals, postings, word.factor)
        for place in boosts.keys() & totals.keys():
            totals[place] *= boosts[place]
        return totals

    def _hopeful(self, words: Sequence[Said], boosts: Mapping[int, float], most: int) -> set[int]:
        """Places that are not beaten by `most` others, for a message gets at least what is said in it.

        Known of those with no other near: what they give around is less than they get.
        """
        own: dict[int, float] = {}
        get = own.get
        for word in words:
            factor, here = word.factor, _ALL_THE_SAME if word.is_mark else self._own
            for _, place, packed in word.postings:
                own[place] = get(place, 0.0) + factor * here[packed]
        for place, boost in boosts.items():
            own[place] *= boost
        if len(own) <= most:
            return set(own)
        least = sorted(own.values())[-most]
        near = [(one, next_) for one, next_ in pairwise(sorted(own)) if next_ - one < _APART]
        return {place for place, score in own.items() if score >= least}.union(*near)

    def _add(self, totals: Totals, postings: Sequence[Posting], factor: float) -> None:
        """Add one word, whose postings are in order, to the totals."""
        alone = self._given(factor, {packed for _, _, packed in postings})
        crowd: list[Posting] = []
        last = -_APART
        for at, posting in enumerate(postings, 1):
            _, place, packed = posting
            if place - last >= _APART and (at == len(postings) or postings[at][1] - place >= _APART):
                before2, before1, here, after1, after2 = alone[packed]
                totals[place - 2] += before2
                totals[place - 1] += before1
                totals[place] += here
                totals[place + 1] += after1
                totals[place + 2] += after2
            else:
                crowd.append(posting)
            last = place
        self._add_crowd(totals, crowd, factor)

    def _given(self, factor: float, weights: set[int]) -> dict[int, list[float]]:
        return {packed: [factor * share for share in self._alone[packed]] for packed in weights}

    def _add_crowd(self, totals: Totals, postings: Sequence[Posting], factor: float) -> None:
        """Words that stand near others of their kind: what reaches a message is put together, then saturated."""
        reached: Totals = defaultdict(float)
        for _, place, packed in postings:
            plain = self._plain[packed]
            for at, share in enumerate(CONTEXT, place - WINDOW):
                reached[at] += share * plain
        for place, amount in reached.items():
            totals[place] += factor * _saturated(amount)


@dataclass(frozen=True, slots=True)
class Weighing:
    """What was found, and how it is weighed."""

    weights: Weights
    words: Sequence[Said]

    def totals(self, most: int | None = None) -> dict[int, float]:
        """What is found for each place; with `most`, those that are surely not among so many of the best may be missing."""
        return self.weights.totals(self.words, most)


@lru_cache(64)
def weights_for(average_length: float) -> Weights:
    """The weights on a ground whose messages are so long on average."""
    return Weights(average_length)


def _boosts(words: Sequence[Sequence[Posting]]) -> dict[int, float]:
    """What a place is worth more that holds several words itself."""
    boosts: dict[int, float] = {}
    seen: set[int] = set()
    for postings in words if len(words) > 1 else ():
        places = [place for _, place, _ in postings]
        for place in seen.intersection(places):
            boosts[place] = boosts.get(place, 1.0) + EACH_MORE
        seen.update(places)
    return boosts


def _plain(often: int, length: int, average: float) -> float:
    return often / (1 - LENGTH + LENGTH * length / average)


def _saturated(amount: float) -> float:
    return amount * (1 + SATURATION) / (amount + SATURATION)


def _shares(plain: float) -> tuple[float, ...]:
    return tuple(_saturated(share * plain) for share in CONTEXT)


def best_places(totals: dict[int, float], most: int) -> list[int]:
    """The best places, and all those that share the last score among them."""
    if len(totals) <= most:
        return list(totals)
    least = sorted(totals.values())[-most]
    return [place for place, score in totals.items() if score >= least]
