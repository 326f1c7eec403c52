"""The fold of extractions into statements, and reads over them."""

from collections.abc import Mapping, Sequence
from typing import cast

from sqlalchemy import Connection, Row, Table, func, insert, select, tuple_, update

from prime.brain.facts import tables
from prime.brain.facts.keys import (
    asked_words,
    fact_id,
    object_key,
    parse_span,
    predicate_key,
    subject_key,
    words_of,
)
from prime.brain.facts.records import Statement
from prime.brain.lines import made_within, teaches
from prime.brain.recall.dates import parse_moment
from prime.core.clock import END_OF_TIME
from prime.store.message import Message
from prime.store.rows import read_messages
from prime.store.upsert import add_row, put_rows

FACTS = "facts"
MAX_PART = 500  # characters of a subject, predicate or object

_s, _w, _p = tables.statement, tables.word, tables.progress


class FactsProjection:
    """Statements that a mind read out of messages, each tied to the message that makes it."""

    name = FACTS
    version = 5
    tables: Sequence[Table] = tables.DERIVED

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        heard: dict[str, Message] = {}
        for message in messages:
            if teaches(message):
                heard[message.channel_id] = message
            elif message.kind == "extraction":
                _write_heard(connection, heard)
                _fold_extraction(connection, message)
            elif message.kind == "erased":
                _write_heard(connection, heard)
                _fold_erased(connection, message)
        _write_heard(connection, heard)


def _write_heard(connection: Connection, heard: dict[str, Message]) -> None:
    rows = [{"channel_id": c, "said_seq": m.seq, "said_at": m.ts, "read_seq": 0} for c, m in heard.items()]
    put_rows(connection, _p, rows, changing=("said_seq", "said_at"))
    heard.clear()


def _fold_extraction(connection: Connection, message: Message) -> None:
    sources = {source.id: source for source in read_messages(connection, message.sources)}
    if not made_within(message, sources.values()):
        return
    listed = message.body.get("statements")
    for given in cast("list[object]", listed) if isinstance(listed, list) else []:
        if isinstance(given, dict):
            _fold_statement(connection, cast("Mapping[str, object]", given), sources)
    reached = max(source.seq for source in sources.values())
    progress = update(_p).where(_p.c.channel_id == message.channel_id, _p.c.read_seq < reached)
    connection.execute(progress.values(read_seq=reached))


def _fold_erased(connection: Connection, message: Message) -> None:
    """An extraction that was erased with one of its sources: the others are to be read again."""
    listed = message.body.get("messageIds")
    ids = [i for i in cast("list[object]", listed) if isinstance(i, str)] if isinstance(listed, list) else []
    for erased in read_messages(connection, ids):
        if erased.kind == "extraction" and erased.sources:
            first = min((source.seq for source in read_messages(connection, erased.sources)), default=1)
            progress = update(_p).where(_p.c.channel_id == erased.channel_id, _p.c.read_seq >= first)
            connection.execute(progress.values(read_seq=first - 1))


def _fold_statement(connection: Connection, given: Mapping[str, object], sources: Mapping[str, Message]) -> None:
    """A statement counts if it names a message that was read for it and still says something."""
    parts = [given.get(name) for name in ("subject", "predicate", "object")]
    source = sources.get(str(given.get("source")))
    if source is None or not teaches(source) or not all(isinstance(p, str) and p.strip() for p in parts):
        return
    subject, predicate, thing = (" ".join(str(part).split())[:MAX_PART] for part in parts)
    begin, end, dated = _window(given.get("validFrom"), given.get("validTo"), source.ts)
    keys = subject_key(subject), predicate_key(predicate), object_key(thing)
    row = {
        "id": fact_id(source.id, *keys),
        "channel_id": source.channel_id,
        "subject": subject,
        "predicate": predicate,
        "object": thing,
        "subject_key": keys[0],
        "predicate_key": keys[1],
        "object_key": keys[2],
        "many": given.get("many") is True,
        "source_id": source.id,
        "source_seq": source.seq,
        "actor_id": source.actor_id,
        "said_at": source.ts,
        "valid_from": begin,
        "valid_to": end,
        "dated": dated,
    }
    if all(keys) and add_row(connection, _s, row):
        words = dict.fromkeys([*words_of(subject), *words_of(predicate), *words_of(thing), *keys[:2]])
        connection.execute(insert(_w), [{"word": word, "statement": row["id"]} for word in words])


def _window(since: object, until: object, said_at: int) -> tuple[int, int | None, bool]:
    """From when to when it holds, and whether a time was said. An end before the beginning is not believed."""
    begin, last = _moment(since), _moment(until)
    end = _end(until)
    if begin is None and last is not None and end is not None and end <= said_at:
        return last, end, True  # “until March”, when that is over: it was so then; since when, nobody said
    start = said_at if begin is None else begin
    return start, end if end is not None and end > start else None, begin is not None


def _moment(value: object) -> int | None:
    return parse_moment(value) if isinstance(value, str) else None


def _end(value: object) -> int | None:
    """Until March means: to the end of it."""
    if not isinstance(value, str) or parse_moment(value) is None:
        return None
    end = parse_span(value, "validTo").end + 1
    return end if end < END_OF_TIME else None


# --- reads ---


def read_statements(
    connection: Connection, *, channel_id: str | None, subject: str, as_of: int | None, limit: int
) -> list[Statement]:
    """What is said of a subject (of all when it is empty), newest first; in one channel as its members see it, or in all.

    Where a statement has all the words, whatever is said of the same thing comes with it: it may have ended that one.
    """
    seen = [_s.c.channel_id == channel_id] if channel_id is not None else []
    if as_of is not None:
        seen.append(_s.c.said_at <= as_of)
    query = select(_s).where(*seen)
    if words := asked_words(subject):
        holding = select(_w.c.statement).where(_w.c.word.in_(sorted(words))).group_by(_w.c.statement)
        meant = _s.c.id.in_(holding.having(func.count() == len(words)))
        same = tuple_(_s.c.subject_key, _s.c.predicate_key)
        query = query.where(same.in_(select(_s.c.subject_key, _s.c.predicate_key).where(meant, *seen)))
    rows = connection.execute(query.order_by(_s.c.source_seq.desc(), _s.c.id).limit(limit))
    return [_statement(row) for row in rows]


def _statement(row: Row[tuple[object, ...]]) -> Statement:
    return Statement(
        id=row.id,
        channel_id=row.channel_id,
        subject=row.subject,
        predicate=row.predicate,
        object=row.object,
        subject_key=row.subject_key,
        predicate_key=row.predicate_key,
        object_key=row.object_key,
        many=row.many,
        source_id=row.source_id,
        source_seq=row.source_seq,
        actor_id=row.actor_id,
        said_at=row.said_at,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        dated=row.dated,
    )


def read_waiting(connection: Connection) -> list[tuple[str, int, int]]:
    """Channels where something was said that has not been read for facts: id, last place read, time of the last word."""
    query = select(_p.c.channel_id, _p.c.read_seq, _p.c.said_at).where(_p.c.said_seq > _p.c.read_seq)
    return [(channel, seq, at) for channel, seq, at in connection.execute(query.order_by(_p.c.said_seq))]
