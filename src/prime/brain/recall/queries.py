"""Reads over recall's tables, each within a ground: the ranges of places that the asker may see."""

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, bindparam, false, select

from prime.brain.recall import tables
from prime.brain.recall.analysis import indexed_row
from prime.brain.recall.ground.queries import (
    Ground,
    StreamRow,
    channels_called,
    driven,
    read_ground,
    read_streams,
)
from prime.brain.recall.names import People
from prime.brain.recall.places import BITS, stream_range
from prime.brain.recall.records import Scope
from prime.brain.recall.scoring import NOWHERE, Postings
from prime.rooms.queries import read_names
from prime.rooms.views import VISIBLE
from prime.store.database import Job
from prime.store.message import Kind
from prime.store.tables import message as message_table

_CHUNK = 1000
_PADDED = 8  # lists of values are as long as a multiple of it
_MOST_CHANNELS = 1_000_000
_TOGETHER = 50  # streams that one statement reads
LEAST_PER_STREAM = 64  # read of one stream, when a word is said more often than can be read

_t, _p, _d, _s, _m = tables.term, tables.posting, tables.document, tables.stream, message_table

T = TypeVar("T")
_Row = tuple[Any, ...]


class Held(NamedTuple):
    """A word that is said on the ground, and in how many messages, counted no further than was asked."""

    text: str
    term: int
    holding: int


# --- messages ---


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the database itself can tell about a message."""

    actors: frozenset[str] | None = None
    not_actors: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    not_kinds: frozenset[str] = frozenset()
    not_channels: frozenset[str] = frozenset()
    after: int | None = None
    before: int | None = None

    @property
    def are_none(self) -> bool:
        return self is ANYTHING

    def clauses(self) -> list[ColumnElement[bool]]:
        made: list[ColumnElement[bool]] = []
        if self.actors is not None:
            made.append(_m.c.actor_id.in_(sorted(self.actors)) if self.actors else false())
        if self.not_actors:
            made.append(_m.c.actor_id.not_in(sorted(self.not_actors)))
        if self.kinds:
            made.append(_m.c.kind.in_(sorted(self.kinds)))
        if self.not_kinds:
            made.append(_m.c.kind.not_in(sorted(self.not_kinds)))
        if self.not_channels:
            made.append(_m.c.channel_id.not_in(sorted(self.not_channels)))
        if self.after is not None:
            made.append(_m.c.ts >= self.after)
        if self.before is not None:
            made.append(_m.c.ts < self.before)
        return made


ANYTHING = Conditions()


class Candidate(NamedTuple):
    """A message that may be an answer."""

    place: int
    seq: int
    id: str
    channel_id: str
    actor_id: str
    ts: int
    kind: Kind
    text: str
    body: str

    @property
    def indexed(self) -> str:
        return indexed_row(self.text, self.body)

    @property
    def is_feed_item(self) -> bool:
        """Whether it is a decision that the owner sees as a card; most decisions are silent."""
        return self.kind == "decision" and json.loads(self.body).get("outcome") in ("surfaced", "auto_resolved")


_IN_RANGE = _p.c.place.between(bindparam("low"), bindparam("high"))
_IS_SAID = select(_p.c.term).where(_p.c.term == _t.c.id, _IN_RANGE).correlate(_t).exists()
_BEGUN = (
    select(_t.c.text)
    .where(_t.c.text > bindparam("prefix"), _t.c.text < bindparam("beyond"), _IS_SAID)
    .order_by(_t.c.text)
    .limit(bindparam("most"))
)
# Run by the driver itself, which keeps them prepared: a search reads thousands of rows, and what SQLAlchemy does for
# each statement and each row was measured at half of a search. `{many}` stands for a list of values.
_POSTINGS, _DOCUMENTS, _MESSAGES = _p.fullname, _d.fullname, _m.fullname
_SAID_HERE = " FROM " + _POSTINGS + " AS p WHERE p.term = t.id AND p.place BETWEEN ? AND ?"
_HELD = (
    "SELECT t.text, t.id, (SELECT count(*) FROM (SELECT 1"  # noqa: S608
    + (_SAID_HERE + " LIMIT ?) AS said) FROM " + _t.fullname + " AS t WHERE t.text IN ({many})")
)
_OF = "SELECT term, place, weight FROM " + _POSTINGS  # noqa: S608
_READ = _OF + " WHERE place BETWEEN ? AND ? AND term IN ({many}) ORDER BY term, place"
_AT_PLACES = _OF + " WHERE term IN ({few}) AND place IN ({many}) ORDER BY term, place"
_NEWEST = "SELECT * FROM (" + _OF + " WHERE term = ? AND place BETWEEN ? AND ? ORDER BY place DESC LIMIT ?) AS newest"  # noqa: S608
_SEQS = "SELECT place, seq FROM " + _DOCUMENTS + " WHERE seq <= ? AND place IN ({many})"  # noqa: S608

_FIELDS = (_m.c.seq, _m.c.id, _m.c.channel_id, _m.c.actor_id, _m.c.ts, _m.c.kind, _m.c.text, _m.c.body)
_AT = select(_d.c.place, *_FIELDS).join_from(_d, _m, _d.c.seq == _m.c.seq)
_PLACES = _d.c.place.in_(bindparam("places", expanding=True))
# Without conditions, as most searches are.
_PLAIN = (
    "SELECT d.place, m.seq, m.id, m.channel_id, m.actor_id, m.ts, m.kind, m.text, m.body FROM "  # noqa: S608
    + (_DOCUMENTS + " AS d JOIN " + _MESSAGES + " AS m ON m.seq = d.seq")
    + " WHERE m.seq <= ? AND d.place IN ({many})"
)


class Reading:
    """One read transaction, seen from one ground."""

    def __init__(self, connection: Connection, ground: Ground) -> None:
        self._connection = connection
        self.ground = ground

    def _rows(self, statement: str, *values: int, many: Sequence[int | str] = ()) -> list[tuple[Any, ...]]:
        """Rows as the driver gives them."""
        # Lists of about the same length share a statement: the last value is repeated.
        listed = (*many, *repeat(many[-1], -len(many) % _PADDED)) if many else ()
        return driven(self._connection, statement, (*values, *listed), len(listed))

    # --- words ---

    def held(self, texts: Collection[str], most: int) -> list[Held]:
        """Those of the words that are said here, each counted no further than `most`."""
        found: dict[str, Held] = {}
        asked = sorted(texts)
        for low, high in self.ground.ranges if asked else ():
            for text, term, count in self._rows(_HELD, low, high, most, many=asked):
                before = found[text].holding if text in found else 0
                found[text] = Held(text, term, min(before + count, most))
        return sorted(held for held in found.values() if held.holding)

    def begun(self, prefix: str, most: int) -> list[str]:
        """The first words of the alphabet that begin so and are said here."""
        found: set[str] = set()
        for low, high in self.ground.ranges:
            values = {"prefix": prefix, "beyond": f"{prefix}\U0010ffff", "low": low, "high": high, "most": most}
            found.update(self._connection.execute(_BEGUN, values).scalars())
        return sorted(found)[:most]

    def postings(self, terms: Sequence[int]) -> dict[int, Postings]:
        """Where each of the words is said, in order; one statement, because each is a journey on a network."""
        ranges = sorted(self.ground.ranges) if terms else ()
        return _by_term(terms, (self._rows(_READ, low, high, many=terms) for low, high in ranges))

    def postings_at(self, terms: Sequence[int], places: Sequence[int]) -> dict[int, Postings]:
        """At which of these places of the ground each of the words is said, in order."""
        statement = _AT_PLACES.replace("{few}", ",".join("?" * len(terms)))
        read = self._rows(statement, *terms, many=places) if places else []
        return _by_term(terms, [read])

    def newest_postings(self, term: int, most: int) -> Postings:
        """Where a word is said that is said more often: the latest of each stream, the liveliest streams first."""
        streams = self._streams()
        each = max(LEAST_PER_STREAM, most // max(len(streams), 1))
        found: list[_Row] = []
        at = 0
        while at < len(streams) and len(found) < most:
            part = streams[at : at + min(_TOGETHER, -(-(most - len(found)) // each))]
            at += len(part)
            spans = ((term, stream_range(stream.id)[0], self._end(stream.id), each) for stream in part)
            # Each part is in order already, but nobody promises that of the whole.
            places = {stream.id: number for number, stream in enumerate(part)}
            newest = self._rows(" UNION ALL ".join([_NEWEST] * len(part)), *chain.from_iterable(spans))
            found += sorted(newest, key=lambda row: (places[row[1] >> BITS], -row[1]))
        return _columns(sorted(found[:most]))

    def _streams(self) -> Sequence[StreamRow]:
        if self.ground.streams is not None:
            return self.ground.streams
        return sorted(read_streams(self._connection, self.ground.scope), key=lambda row: -row.seq)

    def _end(self, stream_id: int) -> int:
        return self.ground.ends.get(stream_id, stream_range(stream_id)[1])

    # --- messages ---

    def candidates(self, places: Sequence[int], conditions: Conditions) -> list[Candidate]:
        """The messages at these places for which the conditions hold; at some places there is none."""
        # Next to the last message of a page there may stand a newer one by now.
        if conditions is ANYTHING and places:
            return [Candidate._make(row) for row in self._rows(_PLAIN, self.ground.seq, many=places)]
        query = _AT.where(_PLACES, _m.c.seq <= self.ground.seq, *conditions.clauses())
        return [Candidate._make(row) for row in self._connection.execute(query, {"places": list(places)}).all()]

    def seqs(self, places: Sequence[int]) -> dict[int, int]:
        """The messages' order in the log."""
        parts = (places[at : at + _CHUNK] for at in range(0, len(places), _CHUNK))
        rows = (self._rows(_SEQS, self.ground.seq, many=part) for part in parts)
        return dict(chain.from_iterable(rows))

    def latest(self, conditions: Conditions, *, before: int, limit: int) -> list[Candidate]:
        """The last messages before a place of the log, newest first; where else they stand does not matter."""
        ground = self.ground
        query = select(*_FIELDS).where(_m.c.seq < before, _m.c.seq <= ground.seq, _m.c.text != "")
        if ground.scope.channel_id is not None:
            query = query.where(
                _m.c.channel_id == ground.scope.channel_id, _m.c.audience == "room", _m.c.kind.in_(sorted(VISIBLE))
            )
        if ground.channels is not None:
            query = query.where(_m.c.channel_id.in_(sorted(ground.channels)))
        rows = self._connection.execute(query.where(*conditions.clauses()).order_by(_m.c.seq.desc()).limit(limit))
        return [Candidate._make((0, *row)) for row in rows]

    # --- names ---

    def people(self) -> People:
        return People(read_names(self._connection))

    def channels_called(self, names: Collection[str]) -> frozenset[str]:
        return channels_called(self._connection, names, self.ground.scope) if names else frozenset()


def _by_term(terms: Sequence[int], parts: Iterable[list[_Row]]) -> dict[int, Postings]:
    """Rows in the order of words and places, cut where one word ends and the next begins."""
    found = dict.fromkeys(terms, NOWHERE)
    for rows in parts:
        at = 0
        while at < len(rows):
            term = rows[at][0]
            end = bisect_right(rows, term, lo=at, key=_term)
            before, more = found[term], _columns(rows[at:end])
            found[term] = (
                more if before is NOWHERE else Postings([*before.places, *more.places], before.weights + more.weights)
            )
            at = end
    return found


def _columns(rows: Sequence[_Row]) -> Postings:
    if not rows:
        return NOWHERE
    _, places, weights = zip(*rows, strict=True)
    return Postings(places, bytes(weights))


_term = itemgetter(0)


def read_within(scope: Scope, channels: Collection[str], moment: int | None, use: Callable[[Reading], T]) -> Job[T]:
    """A job that reads on the scope's ground; `channels` are names that narrow it, if there are any."""

    def job(connection: Connection) -> T:
        called = channels_called(connection, channels, scope) if channels else None
        return use(Reading(connection, read_ground(connection, scope, called, moment)))

    return job
