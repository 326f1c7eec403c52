"""The rows of a stretch: words by number, and where each of them is said.

A *posting* is a place and, in the lowest byte, a weight, so that postings in order are places in order. A row is the
postings of its words, one word after the other, then the numbers of these words, then where the postings of each end,
then how many words there are. A word that is said very often in a stretch has rows of its own, the *parts*, of postings
alone; in its place stands how often it is said, then the number of the first part, then the first posting of each.

Of postings the lowest bytes stand together, then the next, and so on; those that are all zero are left out, and the last
byte of the row tells which. That is three bytes of eight, or more, and no step of Python for each posting.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain
from struct import unpack_from
from typing import NamedTuple

from prime.brain.recall.blocks.layout import ROW_STEP, Stretch
from prime.brain.recall.places import Range
from prime.brain.recall.scoring import NOWHERE, Postings

WEIGHT_BITS = 8
PART = 256  # postings of one part
WEIGHT = (1 << WEIGHT_BITS) - 1
_EACH = 8  # bytes of a posting
_HEAD = 4  # bytes of another number
_IN_PARTS = 1 << 31  # added to the number of a word that has parts
_BYTES_OF = [tuple(at for at in range(_EACH) if told >> at & 1) for told in range(256)]

Row = tuple[int, bytes]


class Parts(NamedTuple):
    """A word with rows of its own in a stretch."""

    often: int
    first: int  # the number of the first part, counted from the row that tells of it
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
                postings[number] = [count, 1 + len(parts), *(part[0] for part in cut)]
                counts[number] = len(postings[number])
                terms[number] += _IN_PARTS
                parts += cut
    head = array("I", [*terms, *accumulate(counts), len(terms)]).tobytes()
    yield row, _written(list(chain.from_iterable(postings)), head)
    for number, part in enumerate(parts, row + 1):
        yield number, _written(part)


def _written(postings: list[int], head: bytes = b"") -> bytes:
    raw, none = array("q", postings).tobytes(), bytes(len(postings))
    by_byte = [raw[at::_EACH] for at in range(_EACH)]
    told = sum(1 << at for at, some in enumerate(by_byte) if some != none)
    return b"".join([*(by_byte[at] for at in _BYTES_OF[told]), head, bytes([told])])


def _read(data: bytes, begin: int, end: int, count: int) -> "array[int]":
    """Some of the postings that a row begins with, of which there are so many."""
    raw = bytearray(_EACH * (end - begin))
    for at in _BYTES_OF[data[-1]]:
        raw[at::_EACH] = data[begin:end]
        begin, end = begin + count, end + count
    read = array("q")
    read.frombytes(raw)
    return read


def _in_order(postings: "list[int] | array[int]") -> list[int]:
    if not isinstance(postings, list):
        return sorted(postings)
    postings.sort()
    return postings


def is_part(row: int) -> bool:
    return row % ROW_STEP != 0


def words_in(data: bytes) -> "Iterator[tuple[int, array[int] | Parts]]":
    """All words of a row, which is no part, in order."""
    begin, ends, count = _head(data)
    head = memoryview(data)[begin : ends + _HEAD * count].cast("I").tolist()
    postings = _read(data, 0, head[-1], head[-1])
    at = 0
    for term, end in zip(head[:count], head[count:], strict=True):
        said = postings[at:end]
        yield (term, said) if term < _IN_PARTS else (term - _IN_PARTS, _parts(said))
        at = end


def word_in(data: bytes, term: int) -> "array[int] | Parts | None":
    """Where one of the words of a row is said."""
    begin, ends, count = _head(data)
    at, read = _number_in(data, term, begin, ends), _alone
    if at is None:
        at, read = _number_in(data, term + _IN_PARTS, begin, ends), _parts
    if at is None:
        return None
    low, high = unpack_from("<II", data, ends + _HEAD * (at - 1)) if at else (0, *unpack_from("<I", data, ends))
    [total] = unpack_from("<I", data, ends + _HEAD * (count - 1))
    return read(_read(data, low, high, total))


def _head(data: bytes) -> tuple[int, int, int]:
    """Where the numbers of the words begin, where the ends of their postings do, and how many words there are."""
    [count] = unpack_from("<I", data, len(data) - 1 - _HEAD)
    ends = len(data) - 1 - _HEAD * (count + 1)
    return ends - _HEAD * count, ends, count


def _number_in(data: bytes, sought: int, begin: int, end: int) -> int | None:
    """Which of the numbers between these bytes is the one that is sought: found without a step of Python for each."""
    written = sought.to_bytes(_HEAD, "little")
    at = data.find(written, begin, end)
    while at >= 0 and (at - begin) % _HEAD:
        at = data.find(written, at + 1, end)
    return (at - begin) // _HEAD if at >= 0 else None


def _alone(said: "array[int]") -> "array[int]":
    return said


def _parts(said: "array[int]") -> Parts:
    return Parts(said[0], said[1], said[2:])


def part_in(data: bytes) -> "array[int]":
    """The postings of a part."""
    count = (len(data) - 1) // max(len(_BYTES_OF[data[-1]]), 1)
    return _read(data, 0, count, count)
