"""Rebuilding gives what incremental work gave: over random logs, crashes and batch cuts, on both databases."""

import asyncio
import contextlib
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast, get_args

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, Table, event, select

from prime.app import PROJECTIONS
from prime.core.clock import FakeClock
from prime.core.errors import PrimeError, Unavailable
from prime.rooms.queries import ROOMS, RoomsProjection
from prime.rooms.questions import Asking, Questions
from prime.rooms.records import HUB, OWNER, PRIME
from prime.rooms.rooms import Rooms
from prime.store.folder import DataFolder
from prime.store.folding import Projection
from prime.store.message import Kind, Message, NewMessage
from prime.store.projector import Projector, tolerating_stale
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]
NewDatabase = Callable[[], Awaitable[str]]

# --- random logs ---

CHANNELS = (HUB, "ch_a", "ch_b")
ACTORS = (OWNER, PRIME, "act_x")
QUESTIONS = ("q_1", "q_2")

_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2**40),
    st.sampled_from(["created", "joined", "left", "actor", "", "\x00é"]),
)
_junk = st.dictionaries(
    st.sampled_from(
        [
            "op",
            "name",
            "kind",
            "tier",
            "members",
            "closed",
            "course",
            "actor",
            "actorId",
            "questionId",
            "status",
            "until",
        ]
    ),
    st.one_of(_leaves, st.lists(_leaves, max_size=2), st.dictionaries(st.sampled_from(["id", "name"]), _leaves)),
    max_size=4,
)
_created = st.fixed_dictionaries(
    {
        "op": st.just("created"),
        "kind": st.sampled_from(["dm", "group"]),
        "name": st.sampled_from(["A", "B"]),
        "tier": st.sampled_from(["external", "team"]),
        "members": st.lists(st.sampled_from(ACTORS), max_size=3),
    }
)
_changed = st.one_of(
    st.fixed_dictionaries({"op": st.just("renamed"), "name": st.sampled_from(["C", "D"])}),
    st.just({"op": "closed", "closed": True}),
    st.fixed_dictionaries({"op": st.just("course"), "course": st.integers(1, 9)}),
)
_card = st.fixed_dictionaries(
    {
        "id": st.sampled_from(ACTORS),
        "name": st.sampled_from(["N", "M"]),
        "kind": st.just("agent"),
        "connector": st.just("echo"),
    }
)


def _introduced(card: dict[str, str]) -> dict[str, object]:
    return {"op": "actor", "actor": card}


_membership = st.one_of(
    st.fixed_dictionaries({"op": st.sampled_from(["joined", "left"]), "actorId": st.sampled_from(ACTORS)}),
    _card.map(_introduced),
)
_question = st.fixed_dictionaries(
    {"questionId": st.sampled_from(QUESTIONS), "kind": st.sampled_from(["decision", "approval"])},
    optional={"necessity": st.floats(0, 1), "suggestions": st.lists(st.sampled_from(["x", "y"]), max_size=2)},
)
_answer = st.fixed_dictionaries(
    {
        "questionId": st.sampled_from(QUESTIONS),
        "status": st.sampled_from(["answered", "snoozed", "expired", "pending"]),
    },
    optional={"answer": st.just({"text": "yes"}), "until": st.integers(1, 2**40)},
)
_bodies: Mapping[str, st.SearchStrategy[Mapping[str, object]]] = {
    "channel": st.one_of(_created, _changed, _junk),
    "membership": st.one_of(_membership, _junk),
    "question": st.one_of(_question, _junk),
    "answer": st.one_of(_answer, _junk),
}


@st.composite
def messages(draw: st.DrawFn) -> NewMessage:
    often = st.sampled_from([*_bodies, "text"])
    kind = cast("Kind", draw(st.one_of(often, often, st.sampled_from(get_args(Kind)))))
    return NewMessage(
        channel_id=draw(st.sampled_from(CHANNELS)),
        actor_id=draw(st.sampled_from(ACTORS)),
        kind=kind,
        audience=draw(st.sampled_from(["room", "hub"])),
        text=draw(st.sampled_from(["", "hello", "多"])),
        body=draw(_bodies.get(kind, _junk)),
    )


@dataclass(frozen=True)
class Step:
    """Append these; or erase an earlier one; or crash and come back with another size of batches."""

    do: Literal["append", "erase", "crash", "tear"]
    messages: Sequence[NewMessage] = field(default_factory=tuple[NewMessage, ...])
    number: int = 0


def _appended(given: list[NewMessage]) -> Step:
    return Step("append", given)


def _numbered(do: Literal["erase", "crash"]) -> Callable[[int], Step]:
    return lambda number: Step(do, number=number)


steps = st.lists(
    st.one_of(
        st.lists(messages(), min_size=1, max_size=6).map(_appended),
        st.lists(messages(), min_size=1, max_size=6).map(_appended),
        st.integers(0, 50).map(_numbered("erase")),
        st.sampled_from([1, 2, 3, 1000]).map(_numbered("crash")),
        st.just(Step("tear")),
    ),
    min_size=2,
    max_size=12,
)


class TornError(Exception):
    """The transaction died."""


class Torn:
    """A projection whose transaction dies after its rows were written, when it is told to."""

    def __init__(self, inner: Projection) -> None:
        self._inner = inner
        self.tear = False

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def version(self) -> int:
        return self._inner.version

    @property
    def tables(self) -> Sequence[Table]:
        return self._inner.tables

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        self._inner.apply(connection, messages)
        if self.tear:
            self.tear = False
            raise TornError


async def dump(store: Store, projections: Sequence[Projection]) -> dict[str, list[str]]:
    def job(connection: Connection) -> dict[str, list[str]]:
        tables = [table for projection in projections for table in projection.tables]
        return {t.name: sorted(repr(tuple(row)) for row in connection.execute(select(t))) for t in tables}

    return await store.database.read(job)


async def play(store: Store, log: Sequence[Step]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The rows after incremental work, and after a rebuild."""
    torn = [Torn(projection) for projection in PROJECTIONS]
    names = [projection.name for projection in PROJECTIONS]
    appended: list[str] = []
    async with AsyncExitStack() as stack:

        async def come_back(batch: int) -> Projector:
            projector = Projector(store.database, store.log, store.heads, torn, batch=batch)
            await projector.start()
            stack.push_async_callback(projector.stop)
            return projector

        projector = await come_back(2)
        for step in log:
            if step.do == "append":
                appended += [m.id for m in await store.log.append(*step.messages)]
            elif step.do == "erase" and appended:
                with contextlib.suppress(PrimeError):  # some kinds cannot be, some have been
                    await store.log.erase([appended[step.number % len(appended)]], by=OWNER)
            elif step.do == "tear":
                for projection in torn:
                    projection.tear = True
                with contextlib.suppress(TornError):
                    await projector.read(lambda _: None, *names)
            elif step.do == "crash":
                await projector.stop()
                projector = await come_back(step.number)
        for projection in torn:
            projection.tear = False
        await projector.read(lambda _: None, *names)
        incremental = await dump(store, PROJECTIONS)
        await projector.rebuild()
        return incremental, await dump(store, PROJECTIONS)


async def played(log: Sequence[Step], url: str | None) -> dict[str, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(DataFolder(Path(folder)), url, FakeClock())
        try:
            incremental, rebuilt = await play(store, log)
        finally:
            await store.close()
    assert incremental == rebuilt
    return rebuilt


@given(log=steps)
@settings(max_examples=25, deadline=None)
async def test_rebuild_equals_incremental_on_sqlite(log: list[Step]) -> None:
    await played(log, None)


@given(log=steps)
@settings(
    max_examples=4,
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_rebuild_equals_incremental_on_postgresql_and_both_agree(
    log: list[Step], new_postgresql_url: NewDatabase
) -> None:
    assert await played(log, await new_postgresql_url()) == await played(log, None)


# --- what the properties do not show ---


async def test_a_read_during_a_rebuild_never_sees_half_of_it(open_store: OpenStore) -> None:
    store = await open_store(PROJECTIONS)
    rooms = Rooms(store)
    await rooms.open()
    for number in range(5):
        await rooms.create_channel(f"C{number}", tier="team")
    seen: set[int] = set()
    done = asyncio.Event()

    async def read() -> None:
        while not done.is_set():
            seen.add(len(await rooms.channels()))

    readers = [asyncio.create_task(read()) for _ in range(4)]
    for _ in range(15):
        await store.projector.rebuild(ROOMS)
    done.set()
    await asyncio.gather(*readers)
    assert seen == {6}


async def test_several_are_rebuilt_in_one_look_through_the_log(open_store: OpenStore) -> None:
    store = await open_store(PROJECTIONS)
    rooms = Rooms(store)
    await rooms.open()
    await rooms.say(HUB, "act_x", "hello")
    await store.projector.read(lambda _: None, *store.projector.names)
    looks: list[str] = []

    def look(_c: object, _cursor: object, statement: str, *_: object) -> None:
        if "FROM message" in statement and "ORDER BY message.seq" in statement:
            looks.append(statement)

    event.listen(Engine, "before_cursor_execute", look)
    try:
        assert await store.projector.rebuild(*store.projector.names[:2]) == []
        assert len(looks) == 1
    finally:
        event.remove(Engine, "before_cursor_execute", look)


async def test_what_was_erased_is_in_no_row_and_in_no_file(open_store: OpenStore, tmp_path: Path) -> None:
    store = await open_store(PROJECTIONS)
    rooms, questions = Rooms(store), Questions(store, FakeClock())
    await rooms.open()
    secret = "the merger code name is Halcyon"
    attachment = await store.attachments.put("a.txt", "text/plain", secret.encode())
    said = await rooms.say(HUB, "act_x", secret, attachment_ids=[attachment.id])
    question = await questions.ask(Asking(text=f"{secret}?", context=secret))
    again = await rooms.say(HUB, "act_x", "the same file", attachment_ids=[attachment.id])
    asked = next(m for m in await store.log.after(0) if m.kind == "question")
    assert any(secret in row for rows in (await dump(store, PROJECTIONS)).values() for row in rows)

    erased = await store.erase([said.id, asked.id], by=OWNER)
    assert erased.attachment_ids == (attachment.id,)
    assert not any(secret in row for rows in (await dump(store, PROJECTIONS)).values() for row in rows)
    with pytest.raises(PrimeError, match="no question"):
        await questions.get(question.id)
    files = [p for p in (tmp_path / "data").rglob("*") if p.is_file()]
    assert not [p.name for p in files if secret.encode() in p.read_bytes()]
    # The file went with the first message; erasing the second one, which names it too, is no error.
    await store.erase([again.id], by=OWNER)


async def test_a_projection_whose_version_changed_is_made_anew(open_store: OpenStore) -> None:
    class Newer(Torn):
        @property
        def version(self) -> int:
            return super().version + 1

    store = await open_store(PROJECTIONS)
    await Rooms(store).open()
    await store.projector.read(lambda _: None, ROOMS)
    before = await dump(store, PROJECTIONS)
    await store.close()
    store = await open_store([Newer(p) for p in PROJECTIONS])
    await store.projector.read(lambda _: None, ROOMS)
    assert await dump(store, PROJECTIONS) == before


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_derived_tables_of_another_log_are_not_trusted(open_store: OpenStore, tmp_path: Path) -> None:
    """A derived file that is ahead of the log belongs to a log that is gone."""
    store = await open_store(PROJECTIONS)
    await Rooms(store).open()
    await Rooms(store).create_channel("Gone", tier="team")
    await store.close()
    (tmp_path / "data" / "prime.db").unlink()
    store = await open_store(PROJECTIONS)
    await Rooms(store).open()
    assert [c.name for _, c in await Rooms(store).channels()] == ["Prime"]


async def test_what_there_was_is_shown_only_to_who_asks_for_that_while_nothing_can_be_folded(
    open_store: OpenStore,
) -> None:
    class Full(RoomsProjection):
        disk_is_full = False

        def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
            if self.disk_is_full:
                raise Unavailable("The disk is full.")
            super().apply(connection, messages)

    folded = Full()
    store = await open_store([folded])
    rooms = Rooms(store)
    await rooms.open()
    await rooms.create_channel("Team", tier="team")
    folded.disk_is_full = True
    with tolerating_stale() as tolerance:
        assert (len(await rooms.channels()), tolerance.is_behind) == (2, False)
    new = NewMessage(channel_id=HUB, actor_id=OWNER, kind="text", text="one more")
    await store.log.append(new)
    with pytest.raises(Unavailable):
        await rooms.channels()
    with tolerating_stale() as tolerance:
        assert (len(await rooms.channels()), tolerance.is_behind) == (2, True)
    folded.disk_is_full = False
    with tolerating_stale() as tolerance:
        assert (len(await rooms.channels()), tolerance.is_behind) == (2, False)


async def test_batches_of_a_long_log_end_at_multiples_of_their_size(open_store: OpenStore) -> None:
    class Counting(RoomsProjection):
        def __init__(self) -> None:
            self.folded: list[tuple[int, int]] = []

        def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
            self.folded.append((messages[0].seq, messages[-1].seq))
            super().apply(connection, messages)

    store, counting = await open_store(), Counting()
    say = [NewMessage(channel_id=HUB, actor_id=OWNER, kind="text", text="word") for _ in range(11)]
    await store.log.append(*say[:3])
    projector = Projector(store.database, store.log, store.heads, [counting], batch=4)
    await projector.start()
    await projector.read(lambda _: None, ROOMS)
    await store.log.append(*say[3:])
    await projector.read(lambda _: None, ROOMS)
    await projector.stop()
    assert counting.folded == [(1, 3), (4, 4), (5, 8), (9, 11)]
