"""Recall's tables into memory. Only of SQLite, whose one process sees every append."""

from array import array
from collections.abc import Iterator, Sequence
from typing import cast

from sqlalchemy import Connection

from prime.brain.recall import tables
from prime.brain.recall.blocks.gathering import gather, gather_fresh, packed_nowhere
from prime.brain.recall.ground.queries import driven
from prime.brain.recall.index.queries import RECALL
from prime.brain.recall.index.stream import Stream
from prime.brain.recall.memory.index import Index, News, news_of
from prime.brain.recall.memory.messages import BESIDE, LARGEST, MOST_BYTES, SEPARATOR, Messages
from prime.brain.recall.memory.posted import Posted
from prime.brain.recall.places import stream_range
from prime.brain.recall.queries import Candidate
from prime.store.rows import read_after
from prime.store.tables import cursor
from prime.store.tables import message as message_table

_BLOCKS = "SELECT id, data FROM " + tables.block.fullname + " ORDER BY id"  # noqa: S608
_FRESH = "SELECT place, terms, weights FROM " + tables.fresh.fullname  # noqa: S608
# Of one stream a row: handing every message to Python by itself would take it ten times as long, and everybody else with
# it, for the database's own work needs no interpreter.
_STOOD = (
    "SELECT group_concat(place), group_concat(seq) FROM "  # noqa: S608
    f"(SELECT place, seq FROM {tables.document.fullname} WHERE place BETWEEN ? AND ? ORDER BY place)"
)
_STREAMS = "SELECT channel_id, open, id, documents, length, position, seq, ts FROM " + tables.stream.fullname  # noqa: S608
_WORDS = "SELECT text, id FROM " + tables.term.fullname + " WHERE text != ''"  # noqa: S608
_AT_ONCE = 1000  # messages read at once
_REACHED = "SELECT seq FROM " + cursor.fullname + " WHERE projection = ?"  # noqa: S608
# Messages as `Messages` has them, in one row for the same reason.
_SEPARATOR = f"char({ord(SEPARATOR)})"
_PACKED = f" || {_SEPARATOR} || ".join(("id", "channel_id", "actor_id", "ts", "kind", "body", "text"))
_SAID = (
    "SELECT group_concat(seq), group_concat(length(CAST(said AS BLOB))), CAST(group_concat(said, '') AS BLOB) "  # noqa: S608
    f"FROM (SELECT seq, {_PACKED} AS said FROM {message_table.fullname} WHERE seq > ? AND seq <= ? AND text != '' "
    f"AND length(text) + length(body) <= {LARGEST} AND instr(id || channel_id || actor_id, {_SEPARATOR}) = 0 ORDER BY seq)"
)
_FIELDS = "SELECT seq, id, channel_id, actor_id, ts, kind, text, body FROM "
_TOLD = _FIELDS + message_table.fullname + " WHERE seq IN ({many})"


def load(connection: Connection, most_words: int) -> tuple[Index, Messages] | None:
    """The index as the tables have it, and the messages until there; None when it has more words than that."""
    [(seq,)] = driven(connection, _REACHED, (RECALL,))
    streams = [
        (channel_id, bool(is_open), Stream(*counts))
        for channel_id, is_open, *counts in driven(connection, _STREAMS, ())
    ]
    if sum(stream.length + stream.documents for _, _, stream in streams) > most_words:
        return None
    index = Index(seq, max((stream.position for _, _, stream in streams), default=0))
    for channel_id, is_open, stream in streams:
        index.load_stream(channel_id, is_open, stream, _stood(connection, stream))
    index.load_words(cast("Sequence[tuple[str, int]]", driven(connection, _WORDS, ())))
    for number, postings in _said_anywhere(connection).items():
        index.load_posted(number, Posted.unpacked(postings, index.bits))
    return index, _messages(connection, seq)


def _said_anywhere(connection: Connection) -> "dict[int, array[int]]":
    """Of each word its postings, in any order."""
    said = packed_nowhere()
    read = connection.connection.cursor()
    read.execute(_BLOCKS)
    gather(said, iter(read.fetchone, None))
    read.close()
    gather_fresh(said, driven(connection, _FRESH, ()))
    return said


def _messages(connection: Connection, until: int) -> Messages:
    """The last of them, as many as there may be."""
    parts: list[list[bytes]] = []
    left = MOST_BYTES * 7 // 8  # so that there is room for what comes
    after = until
    while after > 0 and left > 0:
        first = max(after - _AT_ONCE, 0)
        parts.append(_said(connection, first, after))
        left -= sum(map(len, parts[-1])) + BESIDE * (after - first)
        after = first
    return Messages(after, [said for part in reversed(parts) for said in part])


def _said(connection: Connection, after: int, until: int) -> list[bytes]:
    """One for each number, empty for those that say nothing."""
    [(seqs, lengths, whole)] = driven(connection, _SAID, (after, until))
    said = [b""] * (until - after)
    at = 0
    for seq, length in zip(_numbers(seqs), _numbers(lengths), strict=True):
        said[seq - after - 1] = whole[at : at + length]
        at += length
    return said


def _stood(connection: Connection, stream: Stream) -> Iterator[tuple[int, int]]:
    low, high = stream_range(stream.id)
    [(places, seqs)] = driven(connection, _STOOD, (low, high))
    return zip((place - low for place in _numbers(places)), _numbers(seqs), strict=True)


def _numbers(listed: str | None) -> Iterator[int]:
    return map(int, listed.split(",")) if listed else iter(())


def news(connection: Connection, after: int, most: int) -> News:
    """What was appended since."""
    return news_of(read_after(connection, after, most))


def told(connection: Connection, places: dict[int, int]) -> list[Candidate]:
    """Messages by number, each with its place."""
    rows = driven(connection, _TOLD, tuple(places), len(places))
    return [Candidate(places[row[0]], *row) for row in rows]
