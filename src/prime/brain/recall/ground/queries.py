"""A scope as it stood at a moment: what the asker may see, and nothing else that is in recall's tables."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from typing import Any, NamedTuple, TypeVar, cast

from sqlalchemy import Connection, func, select

from prime.brain.recall import tables
from prime.brain.recall.names import is_called
from prime.brain.recall.places import EVERYWHERE, Range, stream_range
from prime.brain.recall.records import Scope
from prime.rooms.queries import read_channels

_MOST_CHANNELS = 1_000_000
_PADDED = 8  # lists of values are as long as a multiple of it

V = TypeVar("V")

_d, _s = tables.document, tables.stream

_STREAMS = "SELECT id, channel_id, documents, length, seq, position FROM " + _s.fullname  # noqa: S608
_STREAMS_OF = _STREAMS + " WHERE open AND channel_id = ?"
_SUMS = (
    "SELECT coalesce(sum(documents), 0), coalesce(sum(length), 0), coalesce(max(seq), 0) FROM "  # noqa: S608
    + _s.fullname
)


class StreamRow(NamedTuple):
    id: int
    channel_id: str
    documents: int
    length: int
    seq: int
    position: int  # of its last message


_NOWHERE = StreamRow(0, "", 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Ground:
    """A scope as it stood at a moment: its ranges of places, and the only statistics that ranking knows."""

    scope: Scope
    channels: frozenset[str] | None
    ranges: tuple[Range, ...]
    # Last places of those streams that have gone on since.
    ends: Mapping[int, int]
    # Where something was said last comes first; None where only the sums were read.
    streams: tuple[StreamRow, ...] | None
    documents: int
    length: int
    seq: int  # of the last message seen


def read_ground(connection: Connection, scope: Scope, channels: frozenset[str] | None, moment: int | None) -> Ground:
    """The scope, narrowed to `channels` if given, without what was said after a moment that `moment_of` told."""
    until = moment if moment is None or scope.channel_id is None else _seq_at(connection, scope, moment)
    everywhere = scope.channel_id is None and channels is None
    if everywhere and until is None:
        [(documents, length, seq)] = driven(connection, _SUMS, ())
        return Ground(scope, None, (EVERYWHERE,), {}, None, int(documents), int(length), seq)
    there = [row for row in read_streams(connection, scope) if channels is None or row.channel_id in channels]
    cuts = {row.id: _cut(connection, row, until) for row in there if until is not None and row.seq > until}
    streams = sorted((cuts[row.id][0] if row.id in cuts else row for row in there), key=lambda row: -row.seq)
    ends = {stream_id: last for stream_id, (_, last) in cuts.items()}
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


def _seq_at(connection: Connection, scope: Scope, position: int) -> int:
    """The message that stood last in the scope's conversation at that position of it."""
    for stream in read_streams(connection, scope):
        low, high = stream_range(stream.id)
        stood = select(_d.c.seq).where(_d.c.place.between(low, min(low + position, high)))
        return connection.execute(stood.order_by(_d.c.place.desc()).limit(1)).scalar_one_or_none() or 0
    return 0


def read_streams(connection: Connection, scope: Scope) -> list[StreamRow]:
    if scope.channel_id is None:
        return [StreamRow._make(row) for row in driven(connection, _STREAMS, ())]
    return [StreamRow._make(row) for row in driven(connection, _STREAMS_OF, (scope.channel_id,))]


def channels_called(connection: Connection, names: Collection[str], scope: Scope) -> frozenset[str]:
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
    then = stream._replace(
        documents=stream.documents - count, length=stream.length - int(length), seq=seq, position=place - low
    )
    return then, place


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


def moment_of(ground: Ground) -> int:
    """The moment that the ground was read at.

    In a channel it is a position of its own conversation: a place in the log would tell how much is said elsewhere.
    """
    if ground.scope.channel_id is None:
        return ground.seq
    return max(ground.streams or (), default=_NOWHERE).position


def driven(connection: Connection, statement: str, values: Sequence[object], many: int = 0) -> list[tuple[Any, ...]]:
    cursor = connection.connection.cursor()
    try:
        cursor.execute(_asdriven(statement, many, connection.dialect.paramstyle), tuple(values))
        return cast("list[tuple[Any, ...]]", cursor.fetchall())
    finally:
        cursor.close()


def padded(values: Sequence[V]) -> Sequence[V]:
    """Values of a list as a statement takes them: lists of about the same length share one, the last value is repeated."""
    return (*values, *repeat(values[-1], -len(values) % _PADDED)) if values else ()


@lru_cache(1024)
def _asdriven(statement: str, many: int, style: str) -> str:
    """A statement with so many values in its list, and parameters as the driver writes them."""
    whole = statement.format(many=",".join("?" * many))
    if style == "qmark":
        return whole
    parts = whole.split("?")
    return "".join(chain.from_iterable((f"${n}" if n else "", part) for n, part in enumerate(parts)))
