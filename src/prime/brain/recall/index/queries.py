"""The fold of the log into recall's tables."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import itemgetter
from typing import cast

from sqlalchemy import Connection, Table, bindparam, func, insert, select, update

from prime.brain.recall import tables
from prime.brain.recall.analysis import indexed_text, kind_term, pack, speaker_term, word_counts
from prime.brain.recall.places import FIRST, next_position, place_of
from prime.rooms.views import visible_from
from prime.store.bulk import insert_rows
from prime.store.message import Message
from prime.store.tables import cursor

RECALL = "recall"

_CHUNK = 500
_TERMS = "prime_recall_terms"  # of `connection.info`, see `_Terms`
_MOST_REMEMBERED = 100_000

_t, _s = tables.term, tables.stream
_LAST_STREAM = select(func.coalesce(func.max(_s.c.id), 0))
_LAST_TERM = select(_t.c.id, _t.c.text).order_by(_t.c.id.desc()).limit(1)
_WORD_AT = select(_t.c.text).where(_t.c.id == bindparam("id"))
_STREAMS_OF = select(_s).where(_s.c.channel_id.in_(bindparam("channels", expanding=True)))
_KEEP_STREAM = (
    update(_s)
    .where(_s.c.id == bindparam("stream"))
    .values(
        documents=bindparam("documents"),
        length=bindparam("length"),
        position=bindparam("position"),
        seq=bindparam("seq"),
        ts=bindparam("ts"),
    )
)
_SETTLED = select(cursor.c.settled).where(cursor.c.projection == RECALL)
_TERM_IDS = select(_t.c.text, _t.c.id).where(_t.c.text.in_(bindparam("texts", expanding=True)))


class RecallProjection:
    """Every word of every message, and where it was said."""

    name = RECALL
    version = 2
    tables: Sequence[Table] = tables.DERIVED

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        spoken = [message for message in messages if message.text and not message.text.isspace()]
        if not spoken:
            return
        said = [_said(message) for message in spoken]
        # Message by message, so that new words are numbered alike wherever the batch was cut.
        ids = _term_ids(connection, dict.fromkeys(chain.from_iterable(counts for counts, _ in said)))
        streams = _Streams(connection, spoken)
        postings: list[tuple[int, int, int]] = []
        documents: list[tuple[int, int, int]] = []
        for message, (counts, length) in zip(spoken, said, strict=True):
            place = streams.take(message, length)
            documents.append((place, message.seq, length))
            once = pack(1, length)  # as most words are said
            postings += [
                (ids[word], place, once if often == 1 else pack(often, length)) for word, often in counts.items()
            ]
        postings.sort(key=_term)  # neighbours in the table are written together
        insert_rows(connection, tables.posting, postings)
        insert_rows(connection, tables.document, documents)
        streams.write()


_term = itemgetter(0)


def _said(message: Message) -> tuple[Counter[str], int]:
    """The words of a message and how many they are; then who said it and, unless it is plain words, what it is."""
    counts = word_counts(indexed_text(message.text, message.body))
    length = counts.total()
    counts[speaker_term(message.actor_id)] = 1
    if message.kind != "text":
        counts[kind_term(message.kind)] = 1
    return counts, length


@dataclass(slots=True)
class _Stream:
    id: int
    documents: int = 0
    length: int = 0
    position: int = 0
    seq: int = 0
    ts: int = 0
    stored: bool = False

    def take(self, message: Message, length: int) -> int:
        """The place of the stream's next message."""
        self.position = next_position(self.position, message.ts - self.ts) if self.position else FIRST
        self.documents += 1
        self.length += length
        self.seq = message.seq
        self.ts = message.ts
        return place_of(self.id, self.position)

    def counts(self) -> dict[str, int]:
        return {
            "documents": self.documents,
            "length": self.length,
            "position": self.position,
            "seq": self.seq,
            "ts": self.ts,
        }


class _Streams:
    """The streams of one batch: read once, written once."""

    def __init__(self, connection: Connection, messages: Sequence[Message]) -> None:
        self._connection = connection
        self._next = connection.execute(_LAST_STREAM).scalar_one() + 1
        self._streams: dict[tuple[str, bool], _Stream] = {}
        for channels in _chunks(sorted({message.channel_id for message in messages})):
            for row in connection.execute(_STREAMS_OF, {"channels": channels}):
                self._streams[row.channel_id, row.open] = _Stream(
                    row.id, row.documents, row.length, row.position, row.seq, row.ts, stored=True
                )

    def take(self, message: Message, length: int) -> int:
        key = message.channel_id, visible_from(message.channel_id, message)
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = _Stream(self._next)
            self._next += 1
        return stream.take(message, length)

    def write(self) -> None:
        kept = [{"stream": s.id, **s.counts()} for s in self._streams.values() if s.stored]
        new = [
            {"id": stream.id, "channel_id": channel_id, "open": is_open, **stream.counts()}
            for (channel_id, is_open), stream in self._streams.items()
            if not stream.stored
        ]
        if kept:
            self._connection.execute(_KEEP_STREAM, kept)
        if new:
            self._connection.execute(insert(_s), new)


@dataclass(slots=True)
class _Terms:
    """Numbers of words that a connection has met: most words of a batch were said before.

    What a word's number is follows from the log and from where the fold was begun anew. So they stay true until it is
    begun anew again, or until the table no longer has the last one in its place: that was rolled back.
    """

    settled: int | None
    last: int = 0
    last_word: str | None = None
    ids: dict[str, int] = field(default_factory=dict[str, int])


def _term_ids(connection: Connection, words: Iterable[str]) -> Mapping[str, int]:
    """The number of each word; new ones are numbered in the order in which they were first said."""
    terms = _terms(connection)
    ids = terms.ids
    unknown = [word for word in words if word not in ids]
    for chunk in _chunks(unknown):
        ids.update(connection.execute(_TERM_IDS, {"texts": chunk}).all())
    new = [(number, word) for number, word in enumerate((w for w in unknown if w not in ids), terms.last + 1)]
    insert_rows(connection, tables.term, new)
    ids.update((word, number) for number, word in new)
    if new:
        terms.last, terms.last_word = new[-1]
    return ids


def _terms(connection: Connection) -> _Terms:
    settled = connection.execute(_SETTLED).scalar_one_or_none()
    known = cast("_Terms | None", connection.info.get(_TERMS))
    if known is None or not _still_hold(connection, known, settled):
        known = connection.info[_TERMS] = _Terms(settled)
    last = connection.execute(_LAST_TERM).one_or_none()
    if last is not None:  # another replica may have met more
        known.last, known.last_word = last
    return known


def _still_hold(connection: Connection, known: _Terms, settled: int | None) -> bool:
    if settled is None or known.settled != settled or len(known.ids) > _MOST_REMEMBERED:
        return False
    return known.last_word == connection.execute(_WORD_AT, {"id": known.last}).scalar_one_or_none()


def _chunks(values: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(values)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk
