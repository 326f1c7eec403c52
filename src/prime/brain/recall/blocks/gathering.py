"""Postings of many rows, word by word."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence

from prime.brain.recall.blocks.block import Parts, Row, is_part, numbers, posting, words_in

Said = defaultdict[int, "array[int]"]  # by word, its postings


def nowhere() -> Said:
    return defaultdict(_no_postings)


def _no_postings() -> "array[int]":
    return array("q")


def gather_fresh(said: Said, fresh: Iterable[Sequence[object]]) -> None:
    for place, terms, weights in fresh:
        assert isinstance(place, int)
        assert isinstance(terms, bytes)
        assert isinstance(weights, bytes)
        for word, weight in zip(memoryview(terms).cast("I"), weights, strict=True):
            said[word].append(posting(place, weight))


def gather(said: Said, rows: Iterable[Row]) -> None:
    """Add the postings of these rows, of which a word's parts come right after the row that tells of them."""
    of_part: dict[int, int] = {}
    for row, data in rows:
        if is_part(row):
            said[of_part[row]].extend(numbers(data))
            continue
        of_part.clear()
        for word, postings in words_in(data):
            if isinstance(postings, Parts):
                of_part.update(dict.fromkeys(range(postings.row, postings.row + len(postings.firsts)), word))
            else:
                said[word].extend(postings)
