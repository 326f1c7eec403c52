"""Postings of many rows, word by word."""

from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from functools import partial

from prime.brain.recall.blocks.block import Parts, Row, is_part, part_in, posting, words_in

Said = defaultdict[int, list[int]]  # by word, its postings
# The same in a fifth of the memory, for very many of them.
Packed = defaultdict[int, "array[int]"]


def nowhere() -> Said:
    return defaultdict(list)


def packed_nowhere() -> Packed:
    return defaultdict(_no_postings)


def _no_postings() -> "array[int]":
    return array("q")


def add_all(said: Said, words: Iterable[int], postings: Iterable[int]) -> None:
    """Add to each of the words the posting beside it; without a step of Python, for there are very many."""
    deque(map(list[int].append, map(said.__getitem__, words), postings), maxlen=0)


def gather_fresh(said: Said | Packed, fresh: Iterable[Sequence[object]]) -> None:
    """Add the postings of messages that are kept one by one."""
    for place, terms, weights in fresh:
        assert isinstance(place, int)
        assert isinstance(terms, bytes)
        assert isinstance(weights, bytes)
        for word, one in zip(memoryview(terms).cast("I"), map(partial(posting, place), weights), strict=True):
            said[word].append(one)


def gather(said: Said | Packed, rows: Iterable[Row]) -> None:
    """Add the postings of these rows, of which a word's parts come right after the row that tells of them."""
    of_part: dict[int, int] = {}
    for row, data in rows:
        if is_part(row):
            said[of_part[row]].extend(part_in(data))
            continue
        of_part.clear()
        for word, postings in words_in(data):
            if isinstance(postings, Parts):
                first = row + postings.first
                of_part.update(dict.fromkeys(range(first, first + len(postings.firsts)), word))
            else:
                said[word].extend(postings)
