"""Which stretches of the log have blocks of their own: it follows from how far the log has come, and from nothing else.

A stretch is as long as one of `SIZES` and begins at a multiple of it. The log is cut from its beginning into the longest
that fit, so that four of a size become one of the next; what is left at its end, shorter than any, is fresh.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

SIZES = (256, 1024, 4096, 16_384, 65_536, 262_144)
# Longer ones are made of shorter ones, never of messages: so much of the log may be in memory at once.
LARGEST_AT_ONCE = 3

_PART_BITS = 11
_BUCKET_BITS = 27
_LEVEL_BITS = 3
# A row of a long stretch holds few words, one of a short stretch many: on average each holds about as much.
_WIDTHS = tuple(SIZES[-1] // size for size in SIZES)


class Stretch(NamedTuple):
    """So many messages of the log, from the one behind `start` on."""

    start: int
    level: int

    @property
    def end(self) -> int:
        return self.start + SIZES[self.level]

    @property
    def width(self) -> int:
        """How many words, by number, share a row."""
        return _WIDTHS[self.level]

    @property
    def first_row(self) -> int:
        """The number of its first row: all numbers of a stretch are neighbours."""
        return (self.start // SIZES[0] << _LEVEL_BITS | self.level) << _BUCKET_BITS + _PART_BITS

    @property
    def beyond(self) -> int:
        """The number behind that of its last row."""
        return self.first_row + (1 << _BUCKET_BITS + _PART_BITS)

    def row_of(self, term: int) -> int:
        """The number of the row in which a word stands."""
        return self.first_row + (term // self.width << _PART_BITS)


FRESH = 1 << 30  # what is fresh has this number: it comes after all of them
ROW_STEP = 1 << _PART_BITS  # between the rows of neighbouring words lie the numbers of their parts


def fresh_from(head: int) -> int:
    """The last message that stands in a stretch, when the log has come so far."""
    return head // SIZES[0] * SIZES[0]


def layout(head: int) -> list[Stretch]:
    """The stretches of a log that has come so far, in order."""
    return _cut(0, head, len(SIZES) - 1)


def layout_at_once(start: int, head: int) -> list[Stretch]:
    """The same of what lies behind `start`, a multiple of the longest that is made at once."""
    return _cut(start, head, LARGEST_AT_ONCE)


def _cut(start: int, head: int, level: int) -> list[Stretch]:
    found: list[Stretch] = []
    for smaller in range(level, -1, -1):
        while start + SIZES[smaller] <= head:
            found.append(Stretch(start, smaller))
            start += SIZES[smaller]
    return found


def windows(before: int, after: int) -> list[tuple[int, int]]:
    """The way from one head to another in steps, none of which crosses a multiple of the longest that is made at once."""
    size = SIZES[LARGEST_AT_ONCE]
    bounds = [before, *range((before // size + 1) * size, after, size), after]
    return [(low, high) for low, high in pairwise(bounds) if high > low]


def completed(head: int) -> list[Stretch]:
    """The stretches that are made of four shorter ones when the log has come just so far, the shortest first."""
    levels = range(LARGEST_AT_ONCE + 1, len(SIZES))
    return [Stretch(head - SIZES[level], level) for level in levels if head % SIZES[level] == 0]


def stretch_of(stretches: Sequence[Stretch], seq: int) -> int:
    """The number of the stretch of a layout that a message stands in."""
    number = bisect_right(stretches, seq - 1, key=_start) - 1
    return number if number >= 0 and seq <= stretches[number].end else FRESH


def _start(stretch: Stretch) -> int:
    return stretch.start
