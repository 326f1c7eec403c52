"""Recall's tables are the same however the log was cut into batches, on either engine, and after an erasure."""

import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from itertools import pairwise
from typing import Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, delete, event, insert, select
from sqlalchemy.engine import Connection

from prime.brain.recall import tables
from prime.brain.recall.index.queries import RecallProjection
from prime.store.message import Kind, Message
from prime.store.store import Store
from prime.store.tables import DERIVED_SCHEMA, cursor


class Talk(Protocol):
    store: Store

    async def say(self, text: str, *, channel: str = "ch_a", actor: str = "act_ann", **fields: object) -> str: ...
    async def pause(self, hours: float = 24) -> None: ...


WORDS = [
    "apple",
    "apples",
    "budget",
    "Kyoto",
    "hotel",
    "the",
    "图书馆",
    "running",
    "ran",
    "C3PO",
    "ann@example.com",
    "",
]
KINDS: list[Kind] = ["text", "note", "thought", "decision", "system"]

messages = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
        st.sampled_from(["ch_a", "ch_b", "ch_hub"]),
        st.sampled_from(["act_a", "act_b"]),
        st.sampled_from(KINDS),
        st.sampled_from(["room", "hub"]),
        st.integers(0, 9 * 3600 * 1000),
    ),
    max_size=25,
)


Drawn = tuple[str, str, str, Kind, str, int]


def make(drawn: list[Drawn]) -> list[Message]:
    made: list[Message] = []
    ts = 1_700_000_000_000
    for seq, (text, channel, actor, kind, audience, pause) in enumerate(drawn, 1):
        ts += pause
        made.append(
            Message(
                seq=seq, id=f"msg_{seq}", channel_id=channel, actor_id=actor, ts=ts, kind=kind,
                audience="room" if audience == "room" else "hub", text=text, body={}, course=1, source_tag=None,
                sources=(), payload_hash="",
            )
        )  # fmt: skip
    return made


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://")

    def attach(raw: sqlite3.Connection, _record: object) -> None:
        raw.execute(f"ATTACH DATABASE ':memory:' AS {DERIVED_SCHEMA}")

    event.listen(engine, "connect", attach)
    with engine.connect() as opened, opened.begin():
        for table in (*tables.DERIVED, cursor):
            table.create(opened)
        # With a row of its own, the fold remembers words from one batch to the next.
        opened.execute(insert(cursor).values(projection="recall", version=1, seq=0, settled=0))
        yield opened
    engine.dispose()


def rows(connection: Connection) -> list[list[tuple[object, ...]]]:
    return [sorted(tuple(row) for row in connection.execute(select(table))) for table in tables.DERIVED]


def folded(connection: Connection, log: list[Message], cuts: list[int]) -> list[list[tuple[object, ...]]]:
    for table in tables.DERIVED:
        connection.execute(delete(table))
    bounds = [0, *sorted(cut % (len(log) + 1) for cut in cuts), len(log)]
    for begin, end in pairwise(bounds):
        RecallProjection().apply(connection, log[begin:end])
    return rows(connection)


@pytest.mark.holds("D-BRAIN-2")
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(drawn=messages, cuts=st.lists(st.integers(0, 100), max_size=5))
def test_every_cut_gives_the_same_rows(
    connection: Connection, drawn: list[tuple[str, str, str, Kind, str, int]], cuts: list[int]
) -> None:
    log = make(drawn)
    assert folded(connection, log, cuts) == folded(connection, log, [])


def test_words_of_a_fold_that_was_undone_are_written_again(connection: Connection) -> None:
    log = make(
        [("apple budget", "ch_a", "act_a", "text", "room", 0), ("budget hotel", "ch_a", "act_b", "text", "room", 0)]
    )
    wanted = folded(connection, log, [])
    for table in tables.DERIVED:
        connection.execute(delete(table))
    undone = connection.begin_nested()
    RecallProjection().apply(connection, log[:1])
    undone.rollback()
    assert folded(connection, log, [1]) == wanted


def test_words_of_a_fold_that_was_undone_are_forgotten_when_others_took_their_numbers(connection: Connection) -> None:
    """As when a message is erased between one replica's fold, which was undone, and another's."""
    first, second, third = make(
        [(text, "ch_a", "act_a", "text", "room", 0) for text in ("apple", "hotel kyoto", "apple")]
    )
    undone = connection.begin_nested()
    RecallProjection().apply(connection, [first])
    undone.rollback()
    remembered = connection.info.copy()
    connection.info.clear()  # another replica has a memory of its own
    RecallProjection().apply(connection, [second])
    connection.info.update(remembered)
    RecallProjection().apply(connection, [third])
    assert rows(connection) == folded(connection, [second, third], [])


@pytest.mark.holds("D-BRAIN-2")
async def test_a_rebuild_gives_what_was_there(talk: Talk, store_rows: Callable[[Store], Awaitable[object]]) -> None:
    for number in range(30):
        await talk.say(f"{WORDS[number % len(WORDS)]} and number {number}", channel=f"ch_{number % 3}")
        if number % 7 == 0:
            await talk.pause(number)
    store = talk.store
    before = await store_rows(store)
    await store.projector.rebuild("recall")
    assert await store_rows(store) == before


async def test_erasing_is_as_if_it_had_never_been_said(
    talk: Talk, store_rows: Callable[[Store], Awaitable[object]]
) -> None:
    for text in ("one", "two secrets", "three"):
        await talk.say(text)
    secret = await talk.say("the sesame opens")
    await talk.say("four")
    store = talk.store
    await store.log.erase([secret], by="act_owner")
    found = str(await store_rows(store))
    assert "sesam" not in found
    assert "four" in found
