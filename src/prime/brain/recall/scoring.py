"""Weights: how much a word found in or near a message says. Pure functions of what the asker may see.

Every figure depends on the scope's own messages only, and sums are always taken in the same order, so that the same
messages give the same scores to the last bit, whatever else the log holds.
"""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from prime.brain.recall.analysis import unpack
from prime.brain.recall.places import WINDOW

Totals = defaultdict[int, float]
_Shares = tuple[float, float, float, float, float]

SATURATION = 0.8  # a second mention of a word says less than the first
LENGTH = 0.4  # how much a long message has to say more to count the same
# What a word gives to the message two before, one before, its own, one after and two after. What follows gets a little
# more: answers come after questions.
CONTEXT: _Shares = (0.25, 0.5, 1.0, 0.65, 0.35)

EACH_MORE = 0.5  # added for each further word of a list of words that a message itself holds

_NEXT = CONTEXT.index(max(CONTEXT[:WINDOW] + CONTEXT[WINDOW + 1 :]))  # the neighbour that gets the most
_APART = 2 * WINDOW + 1
_BEYOND = 1 << 63  # no place is so far


def rarity(documents: int, holding: int) -> float:
    """The weight of a word that `holding` of the scope's `documents` hold."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


class Postings(NamedTuple):
    """Where a word is said, in order, and the packed weight of each: columns, of which most is done without a step of Python."""

    places: Sequence[int]
    weights: bytes


NOWHERE = Postings((), b"")


class Said(NamedTuple):
    """A word of a search and where it is said."""

    factor: float
    postings: Postings
    # Only its own messages count, not those around them, and all the same.
    is_mark: bool
    # A message that holds several such words itself is worth more.
    is_own: bool


class _Alone(dict[int, _Shares]):
    """What a word gives that stands alone, worked out once for each weight: with each message that is said the average
    is another, and a search meets a third of all weights."""

    def __init__(self, average_length: float) -> None:
        super().__init__()
        self._average = average_length

    def plain(self, packed: int) -> float:
        return _plain(*unpack(packed), self._average)

    def __missing__(self, packed: int) -> _Shares:
        shares = self[packed] = _shares(self.plain(packed))
        return shares


class Weights:
    """What a posting gives to its message and to the neighbours, before the word's own weight."""

    def __init__(self, average_length: float) -> None:
        self._alone = _Alone(average_length)

    def totals(self, words: Sequence[Said], most: int | None = None) -> dict[int, float]:
        """What the words, always taken in this order, give to each place.

        With `most`, places that are surely not among so many of the best may be missing.
        """
        left = [word.postings for word in words]
        totals: Totals = defaultdict(float)
        if most is not None and sum([len(places) for places, _ in left]) > most:
            left = self._add_hopeful(totals, words, most)
        for word, postings in zip(words, left, strict=True):
            if word.is_mark:
                for place in postings.places:
                    totals[place] += word.factor
            elif postings.places:
                self._add(totals, postings, word.factor)
        own = [kept.places for word, kept in zip(words, left, strict=True) if word.is_own]
        if len(own) > 1:
            boosts = _boosts(own)
            for place in boosts.keys() & totals.keys():
                totals[place] *= boosts[place]
        return totals

    def _add_hopeful(self, totals: Totals, words: Sequence[Said], most: int) -> list[Postings]:
        """Add the best of those places that have no other near; what is said at the others is still to be added.

        A place is hopeful unless `most` others get more by what is said in them alone. Where there is no other near, it
        gets no more than that, and its neighbours get less.
        """
        near, twice = _near(words)
        scored = [
            (word.factor * (1.0 if word.is_mark else self._alone[packed][WINDOW]), number, packed)
            for number, word in enumerate(words)
            for packed in set(word.postings.weights)
        ]
        scored.sort(reverse=True)
        least = _least(words, scored, most + twice)
        if least is None:
            return [word.postings for word in words]
        for score, number, packed in scored:
            if score < least:
                break
            word = words[number]
            around = [] if word.is_mark else self._around(word.factor, packed, least)
            for place in _weighing(word.postings, packed):
                if place not in near:
                    totals[place] = score
                    for at, given in around:
                        totals[place + at] = given
        return [_within(word.postings, near) for word in words]

    def _around(self, factor: float, packed: int, least: float) -> list[tuple[int, float]]:
        """What a posting gives to its neighbours, if it is so much."""
        shares = self._alone[packed]
        if factor * shares[_NEXT] < least:  # as most: no other neighbour gets more
            return []
        given = ((at, factor * share) for at, share in enumerate(shares, -WINDOW) if at)
        return [(at, amount) for at, amount in given if amount >= least]

    def _add(self, totals: Totals, postings: Postings, factor: float) -> None:
        """Add one word, whose postings are in order, to the totals."""
        places, weights = postings
        alone = self._alone
        crowd: list[tuple[int, int]] = []
        last = -_APART
        for place, packed, next_ in zip(places, weights, chain(places[1:], (_BEYOND,)), strict=True):
            if place - last >= _APART and next_ - place >= _APART:
                before2, before1, here, after1, after2 = alone[packed]
                totals[place - 2] += factor * before2
                totals[place - 1] += factor * before1
                totals[place] += factor * here
                totals[place + 1] += factor * after1
                totals[place + 2] += factor * after2
            else:
                crowd.append((place, packed))
            last = place
        if crowd:
            self._add_crowd(totals, crowd, factor)

    def _add_crowd(self, totals: Totals, postings: Sequence[tuple[int, int]], factor: float) -> None:
        """Words that stand near others of their kind: what reaches a message is put together, then saturated."""
        reached: Totals = defaultdict(float)
        for place, packed in postings:
            plain = self._alone.plain(packed)
            for at, share in enumerate(CONTEXT, place - WINDOW):
                reached[at] += share * plain
        for place, amount in reached.items():
            totals[place] += factor * _saturated(amount)


class Weighing(NamedTuple):
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


def _near(words: Sequence[Said]) -> tuple[set[int], int]:
    """Places that have another one near them, and how often one is named again."""
    places = sorted(chain.from_iterable([word.postings.places for word in words]))
    pairs = [(one, other) for one, other in pairwise(places) if other - one < _APART]
    return set(chain.from_iterable(pairs)), sum([one == other for one, other in pairs])


def _least(words: Sequence[Said], scored: Sequence[tuple[float, int, int]], wanted: int) -> float | None:
    """The score that so many postings have or more, of those of each word with a weight, the best first; None when all do."""
    for score, number, packed in scored:
        wanted -= words[number].postings.weights.count(packed)
        if wanted <= 0:
            return score
    return None


def _within(postings: Postings, near: set[int]) -> Postings:
    """Those postings that stand at one of these places."""
    places, weights = postings
    kept = sorted(near.intersection(places))
    if not kept:
        return NOWHERE
    return Postings(kept, bytes([weights[bisect_left(places, place)] for place in kept]))


def _weighing(postings: Postings, weight: int) -> Iterator[int]:
    """The places that have this weight."""
    places, weights = postings
    at = weights.find(weight)
    while at >= 0:
        yield places[at]
        at = weights.find(weight, at + 1)


def _boosts(words: Sequence[Sequence[int]]) -> dict[int, float]:
    """What a place is worth more that holds several words itself."""
    boosts: dict[int, float] = {}
    seen: set[int] = set()
    for places in words:
        for place in seen.intersection(places):
            boosts[place] = boosts.get(place, 1.0) + EACH_MORE
        seen.update(places)
    return boosts


def _plain(often: int, length: int, average: float) -> float:
    return often / (1 - LENGTH + LENGTH * length / average)


def _saturated(amount: float) -> float:
    return amount * (1 + SATURATION) / (amount + SATURATION)


def _shares(plain: float) -> _Shares:
    before2, before1, here, after1, after2 = CONTEXT
    return (
        _saturated(before2 * plain),
        _saturated(before1 * plain),
        _saturated(here * plain),
        _saturated(after1 * plain),
        _saturated(after2 * plain),
    )


def best_places(totals: dict[int, float], most: int) -> list[int]:
    """The best places, and all those that share the last score among them."""
    if len(totals) <= most:
        return list(totals)
    least = sorted(totals.values())[-most]
    return [place for place, score in totals.items() if score >= least]
