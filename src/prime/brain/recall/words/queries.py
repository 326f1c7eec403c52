"""The words of recall's tables, as one read transaction sees them."""

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, chain, repeat
from typing import NamedTuple, cast

from sqlalchemy import Connection

from prime.brain.recall import tables
from prime.brain.recall.blocks.block import PART, WEIGHT_BITS, columns, part_in, posting, word_in
from prime.brain.recall.blocks.layout import FRESH, ROW_STEP, Stretch, layout, stretch_of
from prime.brain.recall.ground.queries import driven, padded
from prime.brain.recall.places import Range
from prime.brain.recall.scoring import Postings
from prime.brain.recall.words.run import Run, Whole, run_of
from prime.store.tables import cursor

_CHUNK = 1000
_TAIL = "prime_recall_tail"  # of `connection.info`
_MANY_STRETCHES = 4  # stretches are listed up to a multiple of it

_BLOCKS, _TERMS, _DOCUMENTS = (table.fullname for table in (tables.block, tables.term, tables.document))
_REACHED = "SELECT seq, settled FROM " + cursor.fullname + " WHERE projection = 'recall'"  # noqa: S608
_FRESH = "SELECT place, terms, weights FROM " + tables.fresh.fullname  # noqa: S608
# Words and their rows in each stretch, of which is given: its number, its first row, and its width.
_STRETCH = "(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))"
_WORDS = (
    "SELECT t.text, t.id, s.column1, b.data FROM "  # noqa: S608
    + (_TERMS + " AS t CROSS JOIN (VALUES {stretches}) AS s LEFT JOIN " + _BLOCKS + " AS b")
    + (f" ON b.id = s.column2 + (t.id / s.column3) * {ROW_STEP}" + " WHERE t.text IN ({many})")
)
_NO_STRETCH = (-1, -(1 << 62), 1)  # no row has its number
_PARTS = "SELECT id, data FROM " + _BLOCKS + " WHERE id IN ({many})"  # noqa: S608
_STOOD = "SELECT place, seq FROM " + _DOCUMENTS + " WHERE place IN ({many})"  # noqa: S608


class Words:
    """What was read of them is kept until the transaction ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._terms: dict[str, int | None] = {}
        # By word and by the number of the stretch.
        self._runs: dict[int, dict[int, Run]] = {}
        self._read: dict[int, array[int]] = {}
        # Postings that were told, by the number of their stretch.
        self._seen: list[tuple[int, Sequence[int]]] = []
        self._tail: _Tail | None = None

    def find(self, texts: Collection[str]) -> list[tuple[str, int]]:
        """Those of the words that anybody ever said, and their numbers."""
        self._look_up([text for text in texts if text not in self._terms])
        return [(text, term) for text in texts if (term := self._terms[text]) is not None]

    def counts(self, terms: Iterable[int], ranges: Sequence[Range], most: int) -> dict[int, int]:
        """How often each is said in these ranges, counted no further than `most`."""
        counts = {term: self._at_least(term, ranges) for term in terms}
        edges = {term: self._edges(term, ranges) for term, count in counts.items() if count < most}
        self._read_parts(chain.from_iterable(edges.values()))
        for term in (term for term, rows in edges.items() if rows):
            counts[term] = sum(run.count(one, self._read) for run in self._of(term) for one in ranges)
        return {term: min(count, most) for term, count in counts.items()}

    def _at_least(self, term: int, ranges: Sequence[Range]) -> int:
        return sum(run.at_least(one) for run in self._of(term) for one in ranges)

    def _edges(self, term: int, ranges: Sequence[Range]) -> list[int]:
        return [row for run in self._of(term) for one in ranges for row in run.edges(one)]

    def between(self, terms: Sequence[int], ranges: Sequence[Range]) -> dict[int, Postings]:
        """Where each is said in these ranges, in order."""
        self._read_parts(row for term in terms for run in self._of(term) for one in ranges for row in run.parts(one))
        return {term: columns(self._between(term, ranges)) for term in terms}

    def _between(self, term: int, ranges: Sequence[Range]) -> list[int]:
        parts = [(number, run.between(one, self._read)) for number, run in self._runs[term].items() for one in ranges]
        self._seen += parts
        return sorted(chain.from_iterable(postings for _, postings in parts))

    def at(self, terms: Sequence[int], places: Sequence[int]) -> dict[int, Postings]:
        """At which of these places, where messages stand, each is said, in order."""
        stretches = self._stretches_of(places)
        asked = [
            (term, run, there)
            for term in terms
            for number, there in stretches.items()
            if (run := self._runs[term].get(number)) is not None
        ]
        self._read_parts(row for _, run, there in asked for row in run.parts_at(there))
        found: dict[int, list[int]] = {term: [] for term in terms}
        for term, run, there in asked:
            found[term] += run.at(there, self._read)
        return {term: columns(sorted(postings)) for term, postings in found.items()}

    def newest(self, term: int, ranges: Sequence[Range], each: int) -> list[list[int]]:
        """The last postings of each range, no more than so many, in order. A stream's later ones stand in later stretches."""
        found: list[list[int]] = [[] for _ in ranges]
        runs = self._runs[term]
        for number in sorted(runs, reverse=True):
            run = runs[number]
            open_ = [at for at, postings in enumerate(found) if len(postings) < each]
            if not open_:
                break
            self._read_parts(row for at in open_ for row in run.parts(ranges[at])[-_parts_of(each) :])
            for at in open_:
                left = each - len(found[at])
                last = run.between(ranges[at], self._read)[-left:]
                self._seen.append((number, last))
                found[at] = [*last, *found[at]]
        return found

    # --- reading ---

    def _of(self, term: int) -> Iterable[Run]:
        return self._runs[term].values()

    def _layout(self) -> "tuple[list[Stretch], _Fresh]":
        """How the log is cut, and what of it is fresh, as the connection knows it until the log has moved."""
        if self._tail is None:
            reached = next(iter(driven(self._connection, _REACHED, ())), (0, 0))
            known = cast("_Tail | None", self._connection.info.get(_TAIL))
            if known is None or known.reached != reached:
                rows = driven(self._connection, _FRESH, ())
                known = self._connection.info[_TAIL] = _Tail(reached, layout(reached[0]), _Fresh(rows))
            self._tail = known
        return self._tail.stretches, self._tail.fresh

    def _look_up(self, texts: Sequence[str]) -> None:
        stretches, fresh = self._layout()
        self._terms.update(dict.fromkeys(texts))
        listed = [(number, one.first_row, one.width) for number, one in enumerate(stretches)]
        listed += repeat(_NO_STRETCH, -len(listed) % _MANY_STRETCHES or (0 if listed else _MANY_STRETCHES))
        statement = _WORDS.replace("{stretches}", ",".join([_STRETCH] * len(listed)))
        given = tuple(chain.from_iterable(listed))
        for begin in range(0, len(texts), _CHUNK):
            some = padded(texts[begin : begin + _CHUNK])
            for text, term, number, data in driven(self._connection, statement, (*given, *some), len(some)):
                if self._terms[text] is None:
                    self._terms[text] = term
                    self._runs[term] = fresh.runs_of(term)
                if data is not None and (said := word_in(data, term)) is not None:
                    self._runs[term][number] = run_of(said, stretches[int(number)].row_of(term))

    def _read_parts(self, rows: Iterable[int]) -> None:
        missing = sorted({row for row in rows if row not in self._read})
        for begin in range(0, len(missing), _CHUNK):
            some = padded(missing[begin : begin + _CHUNK])
            read = driven(self._connection, _PARTS, tuple(some), len(some))
            self._read.update((row, part_in(data)) for row, data in read)

    def _stretches_of(self, places: Sequence[int]) -> Mapping[int, list[int]]:
        """By the number of the stretch, those of the places whose messages stand in it."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        left = set(places)
        for number, postings in self._seen:  # as a rule they were found by words that were read
            here = left.intersection([one >> WEIGHT_BITS for one in postings])
            if here:
                found[number] += here
                left -= here
        asked = list(left)
        stretches, _ = self._layout()
        for begin in range(0, len(asked), _CHUNK):
            some = padded(asked[begin : begin + _CHUNK])
            for place, seq in driven(self._connection, _STOOD, tuple(some), len(some)):
                found[stretch_of(stretches, seq)].append(place)
        return found


class _Fresh:
    """What was said lately, message by message: its place, the numbers of its words, and their weights."""

    def __init__(self, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
        places, terms, weights = zip(*rows, strict=True) if rows else ((), (), ())
        self._places: Sequence[int] = places
        # The highest byte first: it is the last that `find` looks at first, and the highest are all alike.
        numbers = array("I", b"".join(terms))
        numbers.byteswap()
        self._terms = numbers.tobytes()
        self._weights = b"".join(weights)
        self._ends = list(accumulate(map(len, weights)))

    def runs_of(self, term: int) -> dict[int, Run]:
        """Where a word is said in it, if it is."""
        sought = term.to_bytes(4, "big")
        found: list[int] = []
        begin = self._terms.find(sought)
        while begin >= 0:
            number, beside = divmod(begin, len(sought))
            if not beside:
                found.append(posting(self._places[bisect_right(self._ends, number)], self._weights[number]))
            begin = self._terms.find(sought, begin + 1)
        return {FRESH: Whole(array("q", sorted(found)))} if found else {}


class _Tail(NamedTuple):
    """The end of the log, as the fold had reached it."""

    reached: tuple[int, int]  # and from where it was begun anew
    stretches: list[Stretch]
    fresh: _Fresh


def _parts_of(most: int) -> int:
    """How many of the last parts of a range hold so many postings, if there are as many."""
    return -(-most // PART) + 1
