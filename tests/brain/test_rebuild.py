"""`prime rebuild brain` gives the brain that was there: for every cut into batches, after crashes, on both engines."""

import random
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Table, create_engine, delete, event, insert, select

from prime.brain import BRAIN
from prime.brain.facts.queries import FactsProjection
from prime.brain.notes.queries import NotesProjection
from prime.brain.recall.index.queries import RecallProjection
from prime.brain.state.queries import StateProjection
from prime.core.canonical import canonical_json
from prime.store import tables
from prime.store.folding import Projection
from prime.store.message import Kind, Message
from prime.store.projector import Projector
from prime.store.store import Store
from prime.store.tables import DERIVED_SCHEMA

PROJECTIONS: tuple[Projection, ...] = (RecallProjection(), NotesProjection(), FactsProjection(), StateProjection())
TABLES: tuple[Table, ...] = tuple(table for projection in PROJECTIONS for table in projection.tables)
KINDS: tuple[Kind, ...] = ("text", "text", "note", "extraction", "extraction", "state", "decision", "erased")

Rows = list[list[tuple[object, ...]]]


def random_log(seed: int, size: int) -> list[Message]:
    """Everything that the brain folds, in any order, well-formed or not."""
    chance = random.Random(seed)
    ts = 1_767_225_600_000
    log: list[Message] = []
    for seq in range(1, size + 1):
        ts += chance.choice((0, 1000, 9 * 3_600_000))
        kind = chance.choice(KINDS)
        channel = chance.choice(("ch_a", "ch_b", "ch_hub"))
        earlier = [m.id for m in log if m.kind in {"text", "note", "extraction", "state"}]
        sources = tuple(chance.sample(earlier, min(len(earlier), chance.randint(0, 4))))
        log.append(
            Message(
                seq=seq, id=f"msg_{seq}", channel_id=channel, actor_id=chance.choice(("act_ann", "act_owner", "act_prime")),
                ts=ts, kind=kind, audience=chance.choice(("room", "room", "hub")), course=1, payload_hash="",
                text=chance.choice(("the price is 4", "预算 40 万", "", "Kyoto hotel")) if kind != "extraction" else "",
                body=_body(chance, kind, sources), source_tag=chance.choice((None, None, "priming_script")),
                sources=sources,
            )
        )  # fmt: skip
    return log


def _body(chance: random.Random, kind: Kind, sources: Sequence[str]) -> dict[str, object]:
    attachment = f"att_{chance.randint(1, 3)}"
    if kind == "note":
        return {"attachmentId": attachment, "content": "the figure"}
    if kind == "erased":
        return {"messageIds": list(sources)}
    if kind != "extraction":
        return {"attachmentIds": [attachment]} if chance.random() < 0.3 else {}
    if chance.random() < 0.1:
        return {}
    stated = [
        {"subject": chance.choice(("price", "The price", "team")), "predicate": chance.choice(("is", "was", "costs")),
         "object": str(chance.randint(1, 3)), "source": source, "many": chance.random() < 0.2}
        for source in sources
    ]  # fmt: skip
    return {"statements": stated}


def put(connection: Connection, log: Sequence[Message]) -> None:
    rows = [
        {
            "seq": m.seq, "id": m.id, "channel_id": m.channel_id, "actor_id": m.actor_id, "ts": m.ts, "kind": m.kind,
            "audience": m.audience, "text": m.text, "body": canonical_json(m.body), "course": 1,
            "source_tag": m.source_tag, "sources": canonical_json(list(m.sources)), "payload_hash": "",
        }
        for m in log
    ]  # fmt: skip
    if rows:
        connection.execute(insert(tables.message), rows)


def read_rows(connection: Connection) -> Rows:
    return [sorted((tuple(row) for row in connection.execute(select(table))), key=repr) for table in TABLES]


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://")

    def attach(raw: sqlite3.Connection, _record: object) -> None:
        raw.execute(f"ATTACH DATABASE ':memory:' AS {DERIVED_SCHEMA}")

    event.listen(engine, "connect", attach)
    with engine.connect() as opened, opened.begin():
        tables.message.create(opened)
        for table in (*TABLES, tables.cursor):
            table.create(opened)
        yield opened
    engine.dispose()


def folded(connection: Connection, log: Sequence[Message], cuts: Sequence[int]) -> Rows:
    for table in TABLES:
        connection.execute(delete(table))
    bounds = [0, *sorted(cut % (len(log) + 1) for cut in cuts), len(log)]
    for projection in PROJECTIONS:
        for begin, end in pairwise(bounds):
            projection.apply(connection, log[begin:end])
    return read_rows(connection)


@pytest.mark.holds("D-BRAIN-2")
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(seed=st.integers(0, 10_000), size=st.integers(0, 40), cuts=st.lists(st.integers(0, 60), max_size=5))
def test_every_cut_gives_the_same_brain(connection: Connection, seed: int, size: int, cuts: list[int]) -> None:
    log = random_log(seed, size)
    connection.execute(delete(tables.message))
    put(connection, log)
    assert folded(connection, log, cuts) == folded(connection, log, [])


@pytest.mark.holds("D-BRAIN-2")
async def test_rebuilding_gives_what_was_there_on_either_engine(
    open_store: Callable[..., Awaitable[Store]], connection: Connection
) -> None:
    log = random_log(7, 300)  # more than one stretch of recall takes
    put(connection, log)
    expected = folded(connection, log, [])
    store = await open_store(projections=PROJECTIONS)
    for begin in range(0, len(log), 17):  # as it grows
        part = log[begin : begin + 17]
        await store.database.write(lambda c, part=part: put(c, part))
        store.heads.announce(part[-1].seq)
        await store.projector.read(lambda _: None, *BRAIN)
    grown = await store.projector.read(read_rows, *BRAIN)
    assert sum(map(len, grown)) > 200
    for name in BRAIN:
        assert await store.projector.rebuild(name) == []  # nothing was otherwise than the log says
    assert await store.projector.read(read_rows, *BRAIN) == grown == expected


@pytest.mark.holds("D-BRAIN-2")
@pytest.mark.parametrize("seed", range(4))
async def test_a_crash_in_the_middle_of_a_fold_leaves_no_trace(
    open_store: Callable[..., Awaitable[Store]], seed: int
) -> None:
    """The projector dies at a random message, again and again; what comes out is what an undisturbed one makes."""
    log = random_log(seed, 60)
    chance = random.Random(seed)
    crashes: list[str] = []

    class Crash(Exception):
        pass

    class Crashing:
        """Folds, and dies before the batch is written down."""

        def __init__(self, inner: Projection) -> None:
            self.name, self.version, self.tables = inner.name, inner.version, inner.tables
            self._inner = inner

        def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
            self._inner.apply(connection, messages)
            if chance.random() < 0.5:
                crashes.append(self.name)
                raise Crash

    store = await open_store()
    dying = Projector(store.database, store.log, store.heads, [Crashing(p) for p in PROJECTIONS], batch=7)
    await dying.start()
    await dying.stop()  # it follows nobody: each read below folds for itself
    await store.database.write(lambda c: put(c, log))
    store.heads.announce(log[-1].seq)
    for name in BRAIN:
        while True:
            try:
                await dying.read(lambda _: None, name)
                break
            except Crash:
                continue
    assert set(crashes) == set(BRAIN)
    after = await dying.read(read_rows, *BRAIN)
    calm = Projector(store.database, store.log, store.heads, PROJECTIONS)
    await calm.rebuild()
    assert await calm.read(read_rows, *BRAIN) == after
