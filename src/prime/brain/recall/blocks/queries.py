"""Blocks as the fold keeps them: what is fresh becomes a stretch, and short stretches become longer ones."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, select

from prime.brain.recall import tables
from prime.brain.recall.analysis import pack
from prime.brain.recall.blocks.block import Row, posting, rows_of
from prime.brain.recall.blocks.gathering import Said, add_all, gather, gather_fresh, nowhere, packed_nowhere
from prime.brain.recall.blocks.layout import LARGEST_AT_ONCE as LARGEST
from prime.brain.recall.blocks.layout import SIZES, Stretch, completed, fresh_from, layout_at_once, windows
from prime.store.bulk import insert_rows

_TOGETHER = 32  # rows of each stretch that are merged at a time: so much of a long one is in memory

_b, _f = tables.block, tables.fresh
_ROWS = select(_b.c.id, _b.c.data).where(_b.c.id >= bindparam("low"), _b.c.id < bindparam("high")).order_by(_b.c.id)
_DROP_ROWS = delete(_b).where(_b.c.id >= bindparam("low"), _b.c.id < bindparam("high"))
_FRESH = select(_f.c.place, _f.c.terms, _f.c.weights).order_by(_f.c.seq)
_DROP_FRESH = delete(_f)
_LAST = select(_b.c.id).where(_b.c.id < bindparam("beyond")).order_by(_b.c.id.desc()).limit(1)


class Heard(NamedTuple):
    """A message taken apart: where it stands, and the numbers of its words."""

    place: int
    seq: int
    length: int
    words: list[int]

    def counted(self) -> Iterator[tuple[int, int]]:
        """Each of the words once, with the weight that it has here."""
        return ((word, pack(often, self.length)) for word, often in Counter(self.words).items())


def keep(connection: Connection, before: int, after: int, heard: Sequence[Heard]) -> None:
    """Add what the log says behind `before` until `after`."""
    last = fresh_from(after)
    at = 0
    for low, high in windows(before, last) if last > before else ():
        end = at
        while end < len(heard) and heard[end].seq <= high:
            end += 1
        _close(connection, low, high, heard[at:end])
        at = end
    if fresh := heard[at:]:
        insert_rows(connection, _f, [_fresh(one) for one in fresh])


def _close(connection: Connection, before: int, after: int, heard: Sequence[Heard]) -> None:
    """Put what is fresh, and what is heard next, into stretches, the last of which ends there."""
    start = before // SIZES[LARGEST] * SIZES[LARGEST]
    old, new = layout_at_once(start, before), layout_at_once(start, after)
    gone = [stretch for stretch in old if stretch not in new]
    for stretch in (stretch for stretch in new if stretch not in old):
        said = nowhere()
        for shorter in gone:
            if stretch.start <= shorter.start < stretch.end:
                gather(said, _rows(connection, shorter.first_row, shorter.beyond))
        if stretch.start <= fresh_from(before) < stretch.end:
            gather_fresh(said, connection.execute(_FRESH).all())
        _gather_heard(said, [one for one in heard if stretch.start < one.seq <= stretch.end])
        insert_rows(connection, _b, list(rows_of(stretch, said)))
    _drop(connection, gone)
    connection.execute(_DROP_FRESH)
    for stretch in completed(after):
        _complete(connection, stretch)


def _fresh(heard: Heard) -> tuple[int, int, bytes, bytes]:
    words, weights = zip(*heard.counted(), strict=True)
    return heard.seq, heard.place, array("I", words).tobytes(), bytes(weights)


def _gather_heard(said: Said, heard: Iterable[Heard]) -> None:
    words: list[Iterable[int]] = []
    postings: list[Iterable[int]] = []
    for one in sorted(heard):
        if len(set(one.words)) == len(one.words):  # as in most messages
            words.append(one.words)
            postings.append(repeat(posting(one.place, pack(1, one.length)), len(one.words)))
        else:
            often = dict(one.counted())
            words.append(often)
            postings.append([posting(one.place, weight) for weight in often.values()])
    add_all(said, chain.from_iterable(words), chain.from_iterable(postings))


def _rows(connection: Connection, low: int, high: int) -> list[Row]:
    return [(row, data) for row, data in connection.execute(_ROWS, {"low": low, "high": high}).all()]


def _complete(connection: Connection, stretch: Stretch) -> None:
    """Make it of four shorter ones, a few of their rows at a time."""
    size = SIZES[stretch.level - 1]
    shorter = [Stretch(start, stretch.level - 1) for start in range(stretch.start, stretch.end, size)]
    step = shorter[0].row_of(_TOGETHER * shorter[0].width) - shorter[0].first_row
    for at in range(0, max(_length(connection, one) for one in shorter), step):
        said = packed_nowhere()
        for one in shorter:
            gather(said, _rows(connection, one.first_row + at, one.first_row + at + step))
        insert_rows(connection, _b, list(rows_of(stretch, said)))
    _drop(connection, shorter)


def _length(connection: Connection, stretch: Stretch) -> int:
    """How far its rows go."""
    last = connection.execute(_LAST, {"beyond": stretch.beyond}).scalar_one_or_none() or 0
    return max(last + 1 - stretch.first_row, 0)


def _drop(connection: Connection, gone: Iterable[Stretch]) -> None:
    for stretch in gone:
        connection.execute(_DROP_ROWS, {"low": stretch.first_row, "high": stretch.beyond})
