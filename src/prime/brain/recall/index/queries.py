"""The fold of the log into recall's tables."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import cast

from sqlalchemy import Connection, Table, bindparam, func, insert, select, update

from prime.brain.recall import tables
from prime.brain.recall.blocks.queries import Heard, keep
from prime.brain.recall.index.said import marks_of, said, spoken
from prime.brain.recall.index.stream import Stream
from prime.brain.recall.index.vocabulary import END, LAST_WORD, Vocabulary
from prime.rooms.views import visible_from
from prime.store.bulk import insert_columns, insert_rows
from prime.store.message import Message
from prime.store.tables import cursor
from prime.store.upsert import put_row

RECALL = "recall"

_CHUNK = 500
_VOCABULARY = "prime_recall_vocabulary"  # of `connection.info`

_t, _s = tables.term, tables.stream
_LAST_STREAM = select(func.coalesce(func.max(_s.c.id), 0))
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
    version = 5
    tables: Sequence[Table] = tables.DERIVED

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        if messages:
            heard = self._heard(connection, spoken(messages))
            keep(connection, messages[0].seq - 1, messages[-1].seq, heard)

    def _heard(self, connection: Connection, heard: Sequence[Message]) -> list[Heard]:
        """Take the messages apart, and give each its place."""
        if not heard:
            return []
        vocabulary = _vocabulary(connection)
        words: Iterable[list[str]] = map(said, heard)
        if not vocabulary.is_whole:
            words = list(words)
            _look_up(connection, vocabulary, words)
        streams = _Streams(connection, heard)
        kept: list[Heard] = []
        # All of it at once: message by message, looking up was measured to take twice as long.
        numbers = vocabulary.numbers(words)
        begin = 0
        for message in heard:
            end = numbers.index(END, begin)
            length = end - begin - marks_of(message)
            kept.append(Heard(streams.take(message, length), message.seq, length, numbers[begin:end]))
            begin = end + 1
        if new := vocabulary.take_new():
            insert_rows(connection, tables.term, new)
            put_row(connection, tables.term, {"text": LAST_WORD, "id": vocabulary.last})
        # In the order of places, so that neighbours in the table are written together.
        places, seqs, lengths, _ = zip(*sorted(kept), strict=True)
        insert_columns(connection, tables.document, (places, seqs, lengths))
        streams.write()
        return kept


class _Streams:
    """The streams of one batch: read once, written once."""

    def __init__(self, connection: Connection, messages: Sequence[Message]) -> None:
        self._connection = connection
        self._next = connection.execute(_LAST_STREAM).scalar_one() + 1
        self._streams: dict[tuple[str, bool], Stream] = {}
        for channels in _chunks(sorted({message.channel_id for message in messages})):
            for row in connection.execute(_STREAMS_OF, {"channels": channels}):
                self._streams[row.channel_id, row.open] = Stream(
                    row.id, row.documents, row.length, row.position, row.seq, row.ts, stored=True
                )

    def take(self, message: Message, length: int) -> int:
        key = message.channel_id, visible_from(message.channel_id, message)
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = Stream(self._next)
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


def _vocabulary(connection: Connection) -> Vocabulary:
    settled = connection.execute(_SETTLED).scalar_one_or_none()
    known = cast("Vocabulary | None", connection.info.get(_VOCABULARY))
    asked = [LAST_WORD, (known and known.last_word) or LAST_WORD]
    numbers = {row.text: row.id for row in connection.execute(_TERM_IDS, {"texts": asked})}
    last = numbers.get(LAST_WORD, 0)
    if known is None or settled is None or known.settled != settled or known.is_full or not known.agrees_with(numbers):
        known = connection.info[_VOCABULARY] = Vocabulary(settled, is_whole=last == 0)
    if last != known.last:  # another replica has met more
        known.last, known.last_word = last, None
        known.is_whole = False
    return known


def _look_up(connection: Connection, vocabulary: Vocabulary, said: Iterable[Sequence[str]]) -> None:
    for words in _chunks(vocabulary.unknown(said)):
        vocabulary.learn(tuple(row) for row in connection.execute(_TERM_IDS, {"texts": words}))


def _chunks(values: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(values)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk
