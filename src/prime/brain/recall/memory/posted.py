"""Where one word is said: nine bytes for each message, of which a scope's stretch is found without unpacking the rest."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from prime.brain.recall.blocks.block import WEIGHT, WEIGHT_BITS
from prime.brain.recall.places import BITS, EVERYWHERE, Range
from prime.brain.recall.scoring import NOWHERE, Postings

_AS_QUICK = 10  # places are looked at one after the other in the time in which one is searched for


class Posted:
    """Places in order, and the packed weight of each. It is never changed."""

    __slots__ = ("_places", "_weights")

    def __init__(self, places: Iterable[int] = (), weights: bytes = b"") -> None:
        self._places = array("q", places)
        self._weights = weights

    @classmethod
    def unpacked(cls, postings: "array[int]", bits: int) -> "Posted":
        """Of postings as the tables have them, in any order; of its places so many bits are the position's."""
        in_order, within = sorted(postings), (1 << BITS) - 1
        places = [(one >> WEIGHT_BITS + BITS << bits) | (one >> WEIGHT_BITS & within) for one in in_order]
        return cls(places, bytes([one & WEIGHT for one in in_order]))

    def __len__(self) -> int:
        return len(self._weights)

    def stretch(self, within: Range) -> tuple[int, int]:
        """Where in it the postings of a range begin and end."""
        if within is EVERYWHERE:
            return 0, len(self._weights)
        begin = bisect_left(self._places, within[0])
        return begin, bisect_right(self._places, within[1], begin)

    def between(self, begin: int, end: int) -> Postings:
        if begin >= end:
            return NOWHERE
        return Postings(self._places[begin:end].tolist(), self._weights[begin:end])

    def at(self, places: Sequence[int], all_: frozenset[int]) -> Postings:
        """Those of these places, which are in order, where it is said."""
        known, end = self._places, len(self._places)
        begin = 0
        found: list[int] = []
        for place in sorted(all_.intersection(known)) if end < _AS_QUICK * len(places) else places:
            begin = bisect_left(known, place, begin)
            if begin == end:
                break
            if known[begin] == place:
                found.append(begin)
        if not found:
            return NOWHERE
        return Postings([known[at] for at in found], bytes([self._weights[at] for at in found]))

    def joined(self, more: Sequence[tuple[int, int]]) -> "Posted":
        """With these places and weights among them."""
        joined = Posted(self._places, self._weights)
        weights = bytearray(self._weights)
        for place, weight in more:
            at = bisect_left(joined._places, place)
            joined._places.insert(at, place)
            weights.insert(at, weight)
        joined._weights = bytes(weights)
        return joined
