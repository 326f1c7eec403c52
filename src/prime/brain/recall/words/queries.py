"""The words of recall's tables, as one read transaction sees them."""

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, chain, repeat

from sqlalchemy import Connection

from prime.brain.recall import tables
from prime.brain.recall.blocks.block import PART, columns, numbers, posting, word_in
from prime.brain.recall.blocks.layout import ROW_STEP, Stretch, layout, stretch_of
from prime.brain.recall.ground.queries import driven, padded
from prime.brain.recall.places import Range
from prime.brain.recall.scoring import Postings
from prime.brain.recall.words.run import Run, Whole, run_of
from prime.store.tables import cursor

_CHUNK = 1000
_MANY_STRETCHES = 8  # stretches are listed up to a multiple of it

_BLOCKS, _TERMS, _FRESH, _DOCUMENTS = (
    table.fullname for table in (tables.block, tables.term, tables.fresh, tables.document)
)
# How far the fold has come, and what of it is fresh.
_TAIL = (
    "SELECT c.seq, f.place, f.terms, f.weights FROM "  # noqa: S608
    + (cursor.fullname + " AS c LEFT JOIN " + _FRESH + " AS f ON true WHERE c.projection = 'recall'")
)
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

_FRESH_RUN = -1


class Words:
    """What was read of them is kept until the transaction ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._terms: dict[str, int | None] = {}
        # By word and by the number of the stretch.
        self._runs: dict[int, dict[int, Run]] = {}
        self._read: dict[int, array[int]] = {}
        self._stretches: list[Stretch] | None = None
        self._fresh = _Fresh(())

    def find(self, texts: Collection[str]) -> list[tuple[str, int]]:
        """Those of the words that anybody ever said, and their numbers."""
        self._look_up([text for text in texts if text not in self._terms])
        return [(text, term) for text in texts if (term := self._terms[text]) is not None]

    def counts(self, terms: Iterable[int], ranges: Sequence[Range], most: int) -> dict[int, int]:
        """How often each is said in these ranges, counted no further than `most`."""
        counts = {term: self._at_least(term, ranges) for term in terms}
        few = [term for term, count in counts.items() if count < most]
        self._read_parts(row for term in few for run in self._of(term) for one in ranges for row in run.edges(one))
        for term in few:
            counts[term] = sum(run.count(one, self._read) for run in self._of(term) for one in ranges)
        return {term: min(count, most) for term, count in counts.items()}

    def _at_least(self, term: int, ranges: Sequence[Range]) -> int:
        return sum(run.at_least(one) for run in self._of(term) for one in ranges)

    def between(self, terms: Sequence[int], ranges: Sequence[Range]) -> dict[int, Postings]:
        """Where each is said in these ranges, in order."""
        self._read_parts(row for term in terms for run in self._of(term) for one in ranges for row in run.parts(one))
        return {term: columns(self._between(self._of(term), ranges)) for term in terms}

    def _between(self, runs: Iterable[Run], ranges: Sequence[Range]) -> list[int]:
        return sorted(chain.from_iterable(run.between(one, self._read) for run in runs for one in ranges))

    def at(self, terms: Sequence[int], places: Sequence[int]) -> dict[int, Postings]:
        """At which of these places, where messages stand, each is said, in order."""
        asked: list[tuple[int, Run, Range]] = []
        for place, number in self._stretches_of(places).items():
            for term in terms:
                run = self._runs[term].get(number)
                if run is not None:
                    asked.append((term, run, (place, place)))
        self._read_parts(row for _, run, one in asked for row in run.parts(one))
        found: dict[int, list[int]] = {term: [] for term in terms}
        for term, run, one in asked:
            found[term].extend(run.between(one, self._read))
        return {term: columns(sorted(postings)) for term, postings in found.items()}

    def newest(self, term: int, ranges: Sequence[Range], each: int) -> list[list[int]]:
        """The last postings of each range, no more than so many, in order. A stream's later ones stand in later stretches."""
        found: list[list[int]] = [[] for _ in ranges]
        runs = self._runs[term]
        for number in sorted(runs, key=_later, reverse=True):
            run = runs[number]
            open_ = [at for at, postings in enumerate(found) if len(postings) < each]
            if not open_:
                break
            self._read_parts(row for at in open_ for row in run.parts(ranges[at])[-_parts_of(each) :])
            for at in open_:
                left = each - len(found[at])
                found[at] = [*run.between(ranges[at], self._read)[-left:], *found[at]]
        return found

    # --- reading ---

    def _of(self, term: int) -> Iterable[Run]:
        return self._runs[term].values()

    def _layout(self) -> list[Stretch]:
        if self._stretches is None:
            rows = driven(self._connection, _TAIL, ())
            self._stretches = layout(rows[0][0] if rows else 0)
            self._fresh = _Fresh([(place, terms, weights) for _, place, terms, weights in rows if terms is not None])
        return self._stretches

    def _look_up(self, texts: Sequence[str]) -> None:
        stretches = self._layout()
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
                    self._runs[term] = self._fresh.runs_of(term)
                if data is not None and (said := word_in(data, term)) is not None:
                    self._runs[term][number] = run_of(said)

    def _read_parts(self, rows: Iterable[int]) -> None:
        missing = sorted({row for row in rows if row not in self._read})
        for begin in range(0, len(missing), _CHUNK):
            some = padded(missing[begin : begin + _CHUNK])
            read = driven(self._connection, _PARTS, tuple(some), len(some))
            self._read.update((row, numbers(data)) for row, data in read)

    def _stretches_of(self, places: Sequence[int]) -> Mapping[int, int]:
        """In which stretch the message stands that stands at each of these places."""
        stretches = self._layout()
        found: dict[int, int] = {}
        for begin in range(0, len(places), _CHUNK):
            some = padded(places[begin : begin + _CHUNK])
            for place, seq in driven(self._connection, _STOOD, tuple(some), len(some)):
                number = stretch_of(stretches, seq)
                found[place] = _FRESH_RUN if number is None else number
        return found


class _Fresh:
    """What was said lately, message by message: its place, the numbers of its words, and their weights."""

    def __init__(self, rows: Iterable[tuple[int, bytes, bytes]]) -> None:
        listed = sorted(rows)
        self._places = [place for place, _, _ in listed]
        self._terms = b"".join(terms for _, terms, _ in listed)
        self._weights = b"".join(weights for _, _, weights in listed)
        self._ends = list(accumulate(len(weights) for _, _, weights in listed))

    def runs_of(self, term: int) -> dict[int, Run]:
        """Where a word is said in it, if it is."""
        sought = array("I", [term]).tobytes()
        found = array("q")
        begin = self._terms.find(sought)
        while begin >= 0:
            number, beside = divmod(begin, len(sought))
            if not beside:
                found.append(posting(self._places[bisect_right(self._ends, number)], self._weights[number]))
            begin = self._terms.find(sought, begin + 1)
        return {_FRESH_RUN: Whole(found)} if found else {}


def _later(number: int) -> float:
    return float("inf") if number == _FRESH_RUN else number


def _parts_of(most: int) -> int:
    """How many of the last parts of a range hold so many postings, if there are as many."""
    return -(-most // PART) + 1
