"""Reads over recall's tables, each within a ground: the ranges of places that the asker may see."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar, cast

from sqlalchemy import ColumnElement, Connection, bindparam, false, func, select

from prime.brain.recall import tables
from prime.brain.recall.analysis import indexed_row
from prime.brain.recall.names import is_called
from prime.brain.recall.places import EVERYWHERE, Range, stream_range
from prime.brain.recall.records import Scope
from prime.rooms.queries import read_actors, read_channels
from prime.rooms.records import Actor
from prime.rooms.views import VISIBLE
from prime.store.database import Job
from prime.store.message import Kind
from prime.store.tables import message as message_table

_CHUNK = 1000
_MOST_CHANNELS = 1_000_000
_LEAST_PER_STREAM = 64  # read of one stream, when a word is said more often than can be read

_t, _p, _d, _s, _m = tables.term, tables.posting, tables.document, tables.stream, message_table

T = TypeVar("T")

Posting = tuple[int, int]  # place, packed weight


class StreamRow(NamedTuple):
    id: int
    channel_id: str
    documents: int
    length: int
    seq: int


@dataclass(frozen=True, slots=True)
class Ground:
    """A scope as it stood at a moment: its ranges of places, and the only statistics that ranking knows."""

    scope: Scope
    channels: frozenset[str] | None
    ranges: tuple[Range, ...]
    # Last places of those streams that have gone on since.
    ends: Mapping[int, int]
    # Where something was said last comes first.
    streams: tuple[StreamRow, ...]
    documents: int
    length: int
    # The last message seen: the next page is searched on the same ground.
    seq: int


def _read_ground(connection: Connection, scope: Scope, channels: frozenset[str] | None, until: int | None) -> Ground:
    """The scope, narrowed to `channels` if given, without what was said after message `until`."""
    query = select(_s.c.id, _s.c.channel_id, _s.c.documents, _s.c.length, _s.c.seq)
    if scope.channel_id is not None:
        query = query.where(_s.c.channel_id == scope.channel_id, _s.c.open)
    rows = [StreamRow._make(row) for row in connection.execute(query).all()]
    there = [row for row in rows if channels is None or row.channel_id in channels]
    cuts = {row.id: _cut(connection, row, until) for row in there if until is not None and row.seq > until}
    streams = sorted((cuts[row.id][0] if row.id in cuts else row for row in there), key=lambda row: -row.seq)
    ends = {stream_id: last for stream_id, (_, last) in cuts.items()}
    everywhere = scope.channel_id is None and channels is None
    return Ground(
        scope=scope,
        channels=channels,
        ranges=tuple(_gaps(ends) if everywhere else _ends((row.id for row in streams), ends)),
        ends=ends,
        streams=tuple(streams),
        documents=sum(row.documents for row in streams),
        length=sum(row.length for row in streams),
        seq=streams[0].seq if streams else 0,
    )


def _channels_called(connection: Connection, names: Collection[str], scope: Scope) -> frozenset[str]:
    """The channels of the scope that are called so: by id, by name, or by a word of it."""
    known = read_channels(connection, after=0, limit=_MOST_CHANNELS, with_closed=True)
    return frozenset(
        channel.id
        for _, channel in known
        if scope.channel_id in {None, channel.id} and any(is_called(name, channel.id, channel.name) for name in names)
    )


def _cut(connection: Connection, stream: StreamRow, until: int) -> tuple[StreamRow, int]:
    """The stream as it stood at message `until`, and its last place then."""
    low, high = stream_range(stream.id)
    last = connection.execute(
        select(_d.c.place, _d.c.seq)
        .where(_d.c.place.between(low, high), _d.c.seq <= until)
        .order_by(_d.c.place.desc())
        .limit(1)
    ).one_or_none()
    place, seq = (last.place, last.seq) if last else (low, 0)
    newer = select(func.count(), func.coalesce(func.sum(_d.c.length), 0)).where(_d.c.place > place, _d.c.place <= high)
    count, length = connection.execute(newer).one()
    return stream._replace(documents=stream.documents - count, length=stream.length - int(length), seq=seq), place


def _gaps(ends: dict[int, int]) -> Iterator[Range]:
    """Everywhere, but for what lies beyond the ends of these streams."""
    low = EVERYWHERE[0]
    for stream_id, end in sorted(ends.items()):
        yield low, end
        low = stream_range(stream_id)[1] + 1
    yield low, EVERYWHERE[1]


def _ends(stream_ids: Iterable[int], ends: dict[int, int]) -> Iterator[Range]:
    for stream_id in stream_ids:
        low, high = stream_range(stream_id)
        yield low, ends.get(stream_id, high)


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


_IDS = select(_t.c.text, _t.c.id).where(_t.c.text.in_(bindparam("texts", expanding=True)))
# Run as they stand, with whole numbers in them: a search reads thousands of rows, and what SQLAlchemy does for each
# statement and each row was measured at half of a search.
_POSTINGS, _DOCUMENTS, _MESSAGES = _p.fullname, _d.fullname, _m.fullname
_WHERE = " WHERE term = {term} AND place BETWEEN {low} AND {high} "
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM " + _POSTINGS + _WHERE + "LIMIT {most}) AS counted"  # noqa: S608
_READ = "SELECT place, weight FROM " + _POSTINGS + _WHERE + "ORDER BY place LIMIT {most}"  # noqa: S608
_NEWEST = "SELECT place, weight FROM " + _POSTINGS + _WHERE + "ORDER BY place DESC LIMIT {most}"  # noqa: S608
_SEQS = "SELECT place, seq FROM " + _DOCUMENTS + " WHERE seq <= {until} AND place IN ({places})"  # noqa: S608

_FIELDS = (_m.c.seq, _m.c.id, _m.c.channel_id, _m.c.actor_id, _m.c.ts, _m.c.kind, _m.c.text, _m.c.body)
_AT = select(_d.c.place, *_FIELDS).join_from(_d, _m, _d.c.seq == _m.c.seq)
_PLACES = _d.c.place.in_(bindparam("places", expanding=True))
# Without conditions, as most searches are.
_PLAIN = (
    "SELECT d.place, m.seq, m.id, m.channel_id, m.actor_id, m.ts, m.kind, m.text, m.body FROM "  # noqa: S608
    + (_DOCUMENTS + " AS d JOIN " + _MESSAGES + " AS m ON m.seq = d.seq")
    + " WHERE m.seq <= {until} AND d.place IN ({places})"
)


class Reading:
    """One read transaction, seen from one ground."""

    def __init__(self, connection: Connection, ground: Ground) -> None:
        self._connection = connection
        self.ground = ground

    @property
    def is_everywhere(self) -> bool:
        return self.ground.ranges == (EVERYWHERE,)

    def _rows(self, statement: str, **values: int | str) -> list[tuple[Any, ...]]:
        """Rows as the driver gives them. The values are whole numbers, or lists of them that were made here."""
        result = self._connection.exec_driver_sql(statement.format_map(values))
        rows = cast("list[tuple[Any, ...]]", result.cursor.fetchall()) if result.cursor else []
        result.close()
        return rows

    # --- words ---

    def term_ids(self, texts: Collection[str]) -> dict[str, int]:
        return dict(self._connection.execute(_IDS, {"texts": list(texts)}).all()) if texts else {}

    def prefixed(self, prefix: str, most: int) -> list[int]:
        """Words of this ground that begin so, in the order of the alphabet."""
        query = select(_t.c.id).where(_t.c.text > prefix, _t.c.text < f"{prefix}\U0010ffff").order_by(_t.c.text)
        if self.is_everywhere:
            return list(self._connection.execute(query.limit(most)).scalars())
        # Words that are said elsewhere only must not use up the places.
        ids = self._connection.execute(query).scalars().all()
        return list(islice((term for term in ids if self.count(term, 1)), most))

    def count(self, term: int, most: int) -> int:
        """In how many messages the word is, counted no further than `most`."""
        count = 0
        for low, high in self.ground.ranges:
            if count < most:
                [(found,)] = self._rows(_COUNT, term=term, low=low, high=high, most=most - count)
                count += found
        return count

    def postings(self, term: int, most: int) -> list[Posting]:
        """Where the word is said, in order, in no more than `most` messages."""
        found: list[Posting] = []
        for low, high in self.ground.ranges:
            found += self._rows(_READ, term=term, low=low, high=high, most=most - len(found))
            if len(found) >= most:
                break
        return sorted(found) if len(self.ground.ranges) > 1 else found

    def newest_postings(self, term: int, most: int) -> list[Posting]:
        """The same, of a word that is said more often: the latest of each stream, the liveliest streams first."""
        each = max(_LEAST_PER_STREAM, most // max(len(self.ground.streams), 1))
        ends = self.ground.ends
        found: list[Posting] = []
        for stream in self.ground.streams:
            low, high = stream_range(stream.id)
            end = ends.get(stream.id, high)
            found += self._rows(_NEWEST, term=term, low=low, high=end, most=min(each, most - len(found)))
            if len(found) >= most:
                break
        return sorted(found)

    # --- messages ---

    def candidates(self, places: Sequence[int], conditions: Conditions) -> list[Candidate]:
        """The messages at these places for which the conditions hold; at some places there is none."""
        # Next to the last message of a page there may stand a newer one by now.
        if conditions == Conditions() and places:
            listed = ",".join(map(str, places))
            return [Candidate._make(row) for row in self._rows(_PLAIN, until=self.ground.seq, places=listed)]
        query = _AT.where(_PLACES, _m.c.seq <= self.ground.seq, *conditions.clauses())
        return [Candidate._make(row) for row in self._connection.execute(query, {"places": list(places)}).all()]

    def seqs(self, places: Sequence[int]) -> dict[int, int]:
        """The messages' order in the log."""
        parts = (places[at : at + _CHUNK] for at in range(0, len(places), _CHUNK))
        rows = (self._rows(_SEQS, until=self.ground.seq, places=",".join(map(str, part))) for part in parts)
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

    def actors(self) -> list[Actor]:
        return read_actors(self._connection)

    def channels_called(self, names: Collection[str]) -> frozenset[str]:
        return _channels_called(self._connection, names, self.ground.scope) if names else frozenset()


def read_within(scope: Scope, channels: Collection[str], until: int | None, use: Callable[[Reading], T]) -> Job[T]:
    """A job that reads on the scope's ground; `channels` are names that narrow it, if there are any."""

    def job(connection: Connection) -> T:
        called = _channels_called(connection, channels, scope) if channels else None
        return use(Reading(connection, _read_ground(connection, scope, called, until)))

    return job
