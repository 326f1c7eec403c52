"""The rows of a stretch: words by number, and where each of them is said.

A *posting* is a place and, in the lowest byte, a weight, so that postings in order are places in order. A row is the
postings of its words, one word after the other, then the numbers of these words, then where the postings of each end,
then how many words there are. A word that is said very often in a stretch has rows of its own, the *parts*; in its place
stands how often it is said, less than zero, then the number of the first part, then the first posting of each.

Numbers are written as the machine has them, the lowest byte first.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from prime.brain.recall.blocks.layout import ROW_STEP, Stretch
from prime.brain.recall.places import Range
from prime.brain.recall.scoring import NOWHERE, Postings

WEIGHT_BITS = 8
PART = 256  # postings of one part
WEIGHT = (1 << WEIGHT_BITS) - 1
_EACH = 8  # bytes of a posting
_HEAD = 4  # bytes of another number

Row = tuple[int, bytes]


class Parts(NamedTuple):
    """A word with rows of its own in a stretch."""

    often: int
    row: int  # the number of the first part
    firsts: "array[int]"


def posting(place: int, weight: int) -> int:
    return place << WEIGHT_BITS | weight


def bounds(within: Range) -> Range:
    """The least and the greatest posting of a range of places."""
    return within[0] << WEIGHT_BITS, within[1] << WEIGHT_BITS | WEIGHT


def columns(postings: Sequence[int]) -> Postings:
    """Postings in order, as places and weights."""
    if not postings:
        return NOWHERE
    return Postings([one >> WEIGHT_BITS for one in postings], bytes([one & WEIGHT for one in postings]))


def rows_of(stretch: Stretch, said: "Mapping[int, list[int]] | Mapping[int, array[int]]") -> Iterator[Row]:
    """What a stretch is kept as: of each word, by number, its postings, which are put in order."""
    terms, width = sorted(said), stretch.width
    begin = 0
    while begin < len(terms):
        beyond = (terms[begin] // width + 1) * width
        end = bisect_left(terms, beyond, begin, min(begin + width, len(terms)))
        some = terms[begin:end]
        yield from _rows(stretch.row_of(some[0]), some, [_in_order(said[term]) for term in some])
        begin = end


def _rows(row: int, terms: list[int], postings: list[list[int]]) -> Iterator[Row]:
    counts = list(map(len, postings))
    parts: list[list[int]] = []
    if max(counts) > PART:
        for number, count in enumerate(counts):
            if count > PART:
                cut = [postings[number][at : at + PART] for at in range(0, count, PART)]
                postings[number] = [-count, row + 1 + len(parts), *(part[0] for part in cut)]
                counts[number] = len(postings[number])
                parts += cut
    written = array("q", list(chain.from_iterable(postings))).tobytes()
    yield row, written + array("I", [*terms, *accumulate(counts), len(terms)]).tobytes()
    for number, part in enumerate(parts, row + 1):
        yield number, array("q", part).tobytes()


def _in_order(postings: "list[int] | array[int]") -> list[int]:
    if not isinstance(postings, list):
        return sorted(postings)
    postings.sort()
    return postings


def is_part(row: int) -> bool:
    return row % ROW_STEP != 0


def words_in(data: bytes) -> "Iterator[tuple[int, array[int] | Parts]]":
    """All words of a row, which is no part, in order."""
    terms, ends = _head(data)
    postings = numbers(data[: ends[-1] * _EACH])
    begin = 0
    for term, end in zip(terms.tolist(), ends.tolist(), strict=True):
        said = postings[begin:end]
        yield term, said if said[0] >= 0 else _parts(said)
        begin = end


def word_in(data: bytes, term: int) -> "array[int] | Parts | None":
    """Where one of the words of a row is said."""
    terms, ends = _head(data)
    at = bisect_left(terms, term)
    if at == len(terms) or terms[at] != term:
        return None
    return _said(data, ends[at - 1] if at else 0, ends[at])


def _head(data: bytes) -> "tuple[memoryview[int], memoryview[int]]":
    count = int.from_bytes(data[-_HEAD:], "little")
    head = memoryview(data)[-_HEAD * (2 * count + 1) : -_HEAD].cast("I")
    return head[:count], head[count:]


def _said(data: bytes, begin: int, end: int) -> "array[int] | Parts":
    said = numbers(data[begin * _EACH : end * _EACH])
    return said if said[0] >= 0 else _parts(said)


def _parts(said: "array[int]") -> Parts:
    return Parts(-said[0], said[1], said[2:])


def numbers(data: bytes) -> "array[int]":
    """The postings of a part."""
    read = array("q")
    read.frombytes(data)
    return read
