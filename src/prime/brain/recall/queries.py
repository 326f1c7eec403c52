"""Reads over recall's tables, each within a ground: the ranges of places that the asker may see."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, bindparam, false, select

from prime.brain.recall import tables
from prime.brain.recall.analysis import indexed_row
from prime.brain.recall.blocks.block import columns
from prime.brain.recall.ground.queries import (
    Ground,
    StreamRow,
    channels_called,
    driven,
    padded,
    read_ground,
    read_streams,
)
from prime.brain.recall.names import People
from prime.brain.recall.places import EVERYWHERE, stream_range
from prime.brain.recall.records import Scope
from prime.brain.recall.scoring import Postings
from prime.brain.recall.words.queries import Words
from prime.rooms.queries import read_names
from prime.rooms.views import VISIBLE
from prime.store.database import Job
from prime.store.message import Kind
from prime.store.tables import message as message_table

_CHUNK = 1000
_TOGETHER = 50  # streams that one statement reads
LEAST_PER_STREAM = 64  # read of one stream, when a word is said more often than can be read

_t, _d, _m = tables.term, tables.document, message_table

T = TypeVar("T")


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


_BEGUN = (
    select(_t.c.text)
    .where(_t.c.text > bindparam("after"), _t.c.text > bindparam("prefix"), _t.c.text < bindparam("beyond"))
    .order_by(_t.c.text)
    .limit(bindparam("most"))
)
# Run by the driver itself, which keeps them prepared: a search reads hundreds of rows, and what SQLAlchemy does for
# each statement and each row was measured at half of a search. `{many}` stands for a list of values.
_DOCUMENTS, _MESSAGES = _d.fullname, _m.fullname
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
        self._words = Words(connection)
        self.ground = ground

    def _rows(self, statement: str, *values: int, many: Sequence[int]) -> list[tuple[Any, ...]]:
        """Rows as the driver gives them."""
        listed = padded(many)
        return driven(self._connection, statement, (*values, *listed), len(listed))

    # --- words ---

    def held(self, texts: Collection[str], most: int) -> list[Held]:
        """Those of the words that are said here, each counted no further than `most`."""
        if not texts or not self.ground.ranges:
            return []
        found = self._words.find(sorted(texts))
        counts = self._words.counts([term for _, term in found], self.ground.ranges, most)
        return [Held(text, term, counts[term]) for text, term in found if counts[term]]

    def begun(self, prefix: str, most: int) -> list[str]:
        """The first words of the alphabet that begin so and are said here."""
        found: list[str] = []
        after, some = prefix, most
        while len(found) < most and self.ground.ranges:
            values = {"prefix": prefix, "after": after, "beyond": f"{prefix}\U0010ffff", "most": some}
            words = self._connection.execute(_BEGUN, values).scalars().all()
            if self.ground.ranges == (EVERYWHERE,):
                return list(words)  # every word is said somewhere
            found += [held.text for held in self.held(words, 1)]
            if len(words) < some:
                break
            after, some = words[-1], 2 * some
        return found[:most]

    def postings(self, terms: Sequence[int]) -> dict[int, Postings]:
        """Where each of the words, which were found to be held, is said, in order."""
        return self._words.between(terms, self.ground.ranges)

    def postings_at(self, terms: Sequence[int], places: Sequence[int]) -> dict[int, Postings]:
        """At which of these places of the ground each of the words is said, in order."""
        return self._words.at(terms, places)

    def newest_postings(self, term: int, most: int) -> Postings:
        """Where a word is said that is said more often: the latest of each stream, the liveliest streams first."""
        streams = self._streams()
        each = max(LEAST_PER_STREAM, most // max(len(streams), 1))
        found: list[int] = []
        at = 0
        while at < len(streams) and len(found) < most:
            part = streams[at : at + min(_TOGETHER, -(-(most - len(found)) // each))]
            at += len(part)
            spans = [(stream_range(stream.id)[0], self._end(stream.id)) for stream in part]
            newest = self._words.newest(term, spans, each)
            found += chain.from_iterable(map(reversed, newest))
        return columns(sorted(found[:most]))

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


def read_within(scope: Scope, channels: Collection[str], moment: int | None, use: Callable[[Reading], T]) -> Job[T]:
    """A job that reads on the scope's ground; `channels` are names that narrow it, if there are any."""

    def job(connection: Connection) -> T:
        called = channels_called(connection, channels, scope) if channels else None
        return use(Reading(connection, read_ground(connection, scope, called, moment)))

    return job
