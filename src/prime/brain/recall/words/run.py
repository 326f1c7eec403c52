"""Where a word is said in one stretch of the log: all of it at hand, or in parts that are read when they are needed."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from prime.brain.recall.blocks.block import PART, WEIGHT, WEIGHT_BITS, Parts, bounds
from prime.brain.recall.places import EVERYWHERE, Range

Read = Mapping[int, "array[int]"]  # parts that were read, by their rows


class Run(Protocol):
    def at_least(self, within: Range) -> int:
        """How many postings of a range there are, as far as it can be told without reading parts."""
        ...

    def edges(self, within: Range) -> Iterable[int]:
        """Parts to be read to count those of a range."""
        ...

    def parts(self, within: Range) -> Sequence[int]:
        """Parts that hold all those of a range, in order."""
        ...

    def count(self, within: Range, read: Read) -> int: ...

    def between(self, within: Range, read: Read) -> Sequence[int]:
        """The postings of a range, in order, as far as their parts were read."""
        ...

    def parts_at(self, places: Sequence[int]) -> Iterable[int]:
        """Parts in which these places stand, if it is said there."""
        ...

    def at(self, places: Sequence[int], read: Read) -> list[int]:
        """The postings of those of these places where it is said."""
        ...


class Whole:
    """A word that is said a few times there."""

    __slots__ = ("_postings",)

    def __init__(self, postings: "array[int]") -> None:
        self._postings = postings

    def at_least(self, within: Range) -> int:
        return self.count(within, {})

    def edges(self, within: Range) -> Iterable[int]:
        return ()

    def parts(self, within: Range) -> Sequence[int]:
        return ()

    def count(self, within: Range, read: Read) -> int:
        begin, end = _stretch(self._postings, within)
        return end - begin

    def between(self, within: Range, read: Read) -> Sequence[int]:
        begin, end = _stretch(self._postings, within)
        return self._postings[begin:end]

    def parts_at(self, places: Sequence[int]) -> Iterable[int]:
        return ()

    def at(self, places: Sequence[int], read: Read) -> list[int]:
        found = (_at(self._postings, place) for place in places)
        return [one for one in found if one is not None]


class InParts:
    """A word that is said so often there that it has rows of its own."""

    __slots__ = ("_first", "_parts")

    def __init__(self, parts: Parts, row: int) -> None:
        self._parts = parts
        self._first = row + parts.first

    def at_least(self, within: Range) -> int:
        if within is EVERYWHERE:
            return self._parts.often
        return max(len(self._span(within)) - 2, 0) * PART

    def edges(self, within: Range) -> Iterable[int]:
        parts = self.parts(within)
        return {parts[0], parts[-1]} if parts and within is not EVERYWHERE else ()

    def parts(self, within: Range) -> Sequence[int]:
        span = self._span(within)
        return range(self._first + span.start, self._first + span.stop)

    def count(self, within: Range, read: Read) -> int:
        edges = (_stretch(read[row], within) for row in self.edges(within))
        return self.at_least(within) + sum(end - begin for begin, end in edges)

    def between(self, within: Range, read: Read) -> Sequence[int]:
        found = array("q")
        for row in self.parts(within):
            if row in read:
                begin, end = _stretch(read[row], within)
                found += read[row][begin:end]
        return found

    def parts_at(self, places: Sequence[int]) -> Iterable[int]:
        parts = (self._part_at(place) for place in places)
        return {part for part in parts if part is not None}

    def at(self, places: Sequence[int], read: Read) -> list[int]:
        parts = ((self._part_at(place), place) for place in places)
        found = (_at(read[part], place) for part, place in parts if part is not None)
        return [one for one in found if one is not None]

    def _part_at(self, place: int) -> int | None:
        number = bisect_right(self._parts.firsts, place << WEIGHT_BITS | WEIGHT) - 1
        return self._first + number if number >= 0 else None

    def _span(self, within: Range) -> range:
        low, high = bounds(within)
        begin = max(bisect_right(self._parts.firsts, low) - 1, 0)
        return range(begin, max(bisect_right(self._parts.firsts, high), begin))


def _stretch(postings: "array[int]", within: Range) -> tuple[int, int]:
    if within is EVERYWHERE:
        return 0, len(postings)
    low, high = bounds(within)
    begin = bisect_left(postings, low)
    return begin, bisect_right(postings, high, begin)


def _at(postings: "array[int]", place: int) -> int | None:
    at = bisect_left(postings, place << WEIGHT_BITS)
    return postings[at] if at < len(postings) and postings[at] >> WEIGHT_BITS == place else None


def run_of(said: "array[int] | Parts", row: int) -> Run:
    """What a row says of one of its words."""
    return InParts(said, row) if isinstance(said, Parts) else Whole(said)
