"""Recall's tables into memory. Only of SQLite, whose one process sees every append."""

from collections.abc import Iterator, Sequence
from typing import cast

from sqlalchemy import Connection

from prime.brain.recall import tables
from prime.brain.recall.ground.queries import driven
from prime.brain.recall.index.queries import RECALL
from prime.brain.recall.index.stream import Stream
from prime.brain.recall.memory.index import Index, News, news_of
from prime.brain.recall.memory.posted import Posted
from prime.brain.recall.places import stream_range
from prime.brain.recall.queries import Candidate
from prime.store.rows import read_after
from prime.store.tables import cursor
from prime.store.tables import message as message_table

# Of one word or stream a row: handing every posting to Python by itself would take it ten times as long, and everybody
# else with it, for the database's own work needs no interpreter.
_POSTED = (
    "SELECT term, group_concat(place), group_concat(weight) FROM "  # noqa: S608
    f"(SELECT term, place, weight FROM {tables.posting.fullname} ORDER BY term, place) GROUP BY term"
)
_STOOD = (
    "SELECT group_concat(place), group_concat(seq) FROM "  # noqa: S608
    f"(SELECT place, seq FROM {tables.document.fullname} WHERE place BETWEEN ? AND ? ORDER BY place)"
)
_STREAMS = "SELECT channel_id, open, id, documents, length, position, seq, ts FROM " + tables.stream.fullname  # noqa: S608
_WORDS = "SELECT text, id FROM " + tables.term.fullname + " WHERE text != ''"  # noqa: S608
_REACHED = "SELECT seq FROM " + cursor.fullname + " WHERE projection = ?"  # noqa: S608
_FIELDS = "SELECT seq, id, channel_id, actor_id, ts, kind, text, body FROM "
_TOLD = _FIELDS + message_table.fullname + " WHERE seq IN ({many})"


def load(connection: Connection, most_words: int) -> Index | None:
    """The index as the tables have it; None when it has more words than that."""
    [(seq,)] = driven(connection, _REACHED, (RECALL,))
    streams = [
        (channel_id, bool(is_open), Stream(*counts))
        for channel_id, is_open, *counts in driven(connection, _STREAMS, ())
    ]
    if sum(stream.length + stream.documents for _, _, stream in streams) > most_words:
        return None
    index = Index(seq)
    for channel_id, is_open, stream in streams:
        index.load_stream(channel_id, is_open, stream, _stood(connection, stream))
    index.load_words(cast("Sequence[tuple[str, int]]", driven(connection, _WORDS, ())))
    read = connection.connection.cursor()
    read.execute(_POSTED, ())
    while row := read.fetchone():
        number, places, weights = row
        index.load_posted(number, Posted(_numbers(places), bytes(_numbers(weights))))
    read.close()
    return index


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
