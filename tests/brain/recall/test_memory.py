"""What is found in memory is what the tables say, whatever was said, erased and made anew in between."""

import gc
import json
import random
import re
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.brain.recall import Found, recall, recall_from
from prime.brain.recall.index.queries import RECALL, RecallProjection
from prime.brain.recall.memory.memory import Memory
from prime.brain.recall.memory.messages import MOST_CHARACTERS, Messages, packed
from prime.brain.recall.memory.posted import Posted
from prime.brain.recall.queries import Candidate
from prime.core.clock import FakeClock
from prime.rooms.queries import RoomsProjection
from prime.rooms.records import HUB
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.rooms.views import View
from prime.store.folder import DataFolder
from prime.store.message import Kind, Message, NewMessage
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]

CHANNELS = ("ch_a", "ch_b", HUB)
WORDS = re.findall(
    r"\S+",
    "apple banana budget Budget contract deadline elephant figure hotel invoice Kyoto launch margin office price prices "
    "quarter musician music went go 图书馆 図書 München the what Ann: when? tomorrow deck",
)
KINDS: tuple[Kind, ...] = ("text", "text", "text", "text", "note", "thought", "decision", "edit", "state", "system")
QUERIES = (
    "what is the price of the launch?", "margin price ", "lau", "ann", "图书", "what did Ann say of the musicians?",
    "when did Bob go to Kyoto?", "that deck", "the", "price", "nobodysaidthis", "budget hotel invoice apple office",
)  # fmt: skip


def parts() -> dict[str, Any]:
    return {"projections": [RoomsProjection(), RecallProjection()], "migrations": ROOMS_MIGRATIONS}


async def found(store: Store, *, limit: int = 4) -> list[Found]:
    view = await View.of(store, "ch_a")
    answers = [await recall(store, query, limit=limit) for query in QUERIES]
    for query in QUERIES:
        page = await recall_from(view, query, limit=limit)
        answers.append(page)
        if page.next_cursor is not None:
            answers.append(await recall_from(view, query, limit=limit, cursor=page.next_cursor))
    return answers


async def settle(store: Store) -> None:
    await Rooms(store).open()
    await Rooms(store).add_actor("Ann Lee", "human", "echo", actor_id="act_ann")
    for channel in ("ch_a", "ch_b"):
        await Rooms(store).create_channel(channel, tier="team", channel_id=channel)


async def say(store: Store, clock: FakeClock, chance: random.Random, count: int) -> list[str]:
    said: list[str] = []
    for _ in range(count):
        clock.advance(chance.choice((1, 60, 20 * 3600)))
        message = NewMessage(
            channel_id=chance.choice(CHANNELS),
            actor_id=chance.choice(("act_ann", "act_bob")),
            kind=chance.choice(KINDS),
            text=" ".join(chance.choices(WORDS, k=chance.randint(0, 9))),
            audience=chance.choice(("room", "room", "hub")),
        )
        said += [kept.id for kept in await store.log.append(message)]
    return said


@pytest.fixture
async def alone(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Store]:
    """On a file, which no other process appends to."""
    store = await Store.open(DataFolder(tmp_path / "alone"), None, clock, **parts())
    await settle(store)
    yield store
    await store.close()


async def by_tables(open_store: OpenStore) -> list[Found]:
    """The answers of a process that has just begun, has nothing at hand and never will."""
    store = await open_store(**parts())
    store.projector.companion(RECALL, lambda: Memory(store.projector, most_words=0))
    answers = await found(store)
    await store.close()
    return answers


def at_once(answer: Coroutine[Any, Any, Found]) -> Found | None:
    """What it answers without waiting for anything; None when it waits."""
    try:
        answer.send(None)
    except StopIteration as done:
        return done.value
    answer.close()
    return None


@pytest.mark.holds("D-BRAIN-1")
@pytest.mark.parametrize("seed", range(2))
async def test_what_is_found_in_memory_is_what_a_new_process_finds_in_the_tables(
    open_store: OpenStore, clock: FakeClock, seed: int
) -> None:
    chance = random.Random(seed)
    store = await open_store(**parts())
    await settle(store)
    # Where a database may have several processes, another one appends as well.
    others = [store] if store.database.engine_name == "sqlite" else [store, await open_store(**parts())]
    said = await say(store, clock, chance, 40)
    for step in range(4):
        has_memory = await Memory.of(store.projector).ready()
        assert has_memory == store.projector.sees_every_append
        said += await say(chance.choice(others), clock, chance, (1, 7, 90, 3)[step])
        if step == 1:
            await chance.choice(others).erase([chance.choice(said)], by="act_owner")
        elif step == 2:
            await chance.choice(others).projector.rebuild("recall")
        answers = await found(store)
        if has_memory:
            assert await Memory.of(store.projector).ready()
            assert answers == await found(store)
        assert answers == await by_tables(open_store)


async def test_a_search_of_what_is_at_hand_waits_for_nothing(alone: Store, clock: FakeClock) -> None:
    store = alone
    await say(store, clock, random.Random(9), 60)
    assert await Memory.of(store.projector).ready()
    await recall(store, "nobodysaidthis")  # from here on the names are at hand, too
    for query in ("price of the launch", "what did Ann say?", "musician"):
        found = at_once(recall(store, query))
        assert found is not None
        assert found.hits
        assert found == await recall(store, query)


ODD = ("a\x1fb", "München", "图书馆 🎉", "two\nlines\r\n", " blank ", "x" * 9000, 'it\'s "so"', "", "\t")
BODIES: tuple[dict[str, object], ...] = ({}, {"name": "deck\x1f图.pdf", "content": "🎉"}, {"content": "y" * 9000})


async def test_every_message_is_at_hand_as_the_log_has_it(alone: Store) -> None:
    """What was loaded, and what came later. Very large ones are not, nor those that say nothing."""
    store = alone
    memory = Memory.of(store.projector)
    for _ in range(2):
        new = [
            NewMessage(channel_id=channel, actor_id="act_ann", kind="note", text=text, body=body)
            for text in ODD
            for body in BODIES
            for channel in ("ch_a", "ch_\x1f")
        ]
        await store.log.append(*new)
        assert await memory.ready()
    at_hand = 0
    for said in await store.log.after(0, limit=1000):
        for known in (found := memory.messages.find({7: said.seq})):
            at_hand += 1
            assert known == Candidate(
                7, said.seq, said.id, said.channel_id, said.actor_id, said.ts, said.kind, said.text, known.body
            )
            assert json.loads(known.body) == said.body
        if not found:
            assert (
                len(said.text) > 8000
                or said.body == BODIES[2]
                or said.text.isspace()
                or not said.text
                or said.channel_id != "ch_a"
            )
    assert at_hand >= 2 * 6 * 2


async def test_a_channel_that_outgrows_its_place_in_memory_is_loaded_anew(alone: Store, clock: FakeClock) -> None:
    store = alone
    memory = Memory.of(store.projector)
    [other] = await store.log.append(NewMessage(channel_id="ch_b", actor_id="act_ann", kind="text", text="apple"))
    first = await memory.index() if await memory.ready() else None
    said: list[Message] = []
    for number in range(1500):
        clock.advance(20 * 3600)  # after a pause a message lies far from the last
        text = f"banana {number}"
        said += await store.log.append(NewMessage(channel_id="ch_a", actor_id="act_ann", kind="text", text=text))
    await memory.ready()  # follows the log until there is no room
    assert await memory.ready()
    assert await memory.index() is not first
    assert [hit.message_id for hit in (await recall(store, "banana 1499 ", limit=1)).hits] == [said[-1].id]
    assert [hit.message_id for hit in (await recall(store, "apple ")).hits] == [other.id]


def test_the_latest_of_the_log_is_at_hand_within_a_bound() -> None:
    said = [
        Message(seq, f"msg_{seq}", "ch_a", "act_a", 0, "text", "room", "x" * 900, {}, 1, None, (), "")
        for seq in range(1, 1001)
    ]
    messages = Messages(most_bytes=100_000)
    for message in said:
        messages.follow(message.seq, [(message.seq, packed(message))] if message.seq % 2 else [])
    kept = [found.seq for found in messages.find({message.seq: message.seq for message in said})]
    assert 30 < len(kept) <= 100
    assert kept == [seq for seq in range(kept[0], 1000) if seq % 2]


async def test_what_is_erased_is_not_kept_in_memory(alone: Store) -> None:
    store = alone
    [secret] = await store.log.append(NewMessage(channel_id="ch_a", actor_id="act_ann", kind="text", text="sesame"))
    memory = Memory.of(store.projector)
    await memory.ready()
    assert (await recall(store, "sesame ")).hits
    kept = weakref.ref(memory.messages)
    await store.erase([secret.id], by="act_owner")
    gc.collect()
    assert kept() is None
    assert not (await recall(store, "sesame ")).hits
    await memory.ready()
    assert not (await recall(store, "sesame ")).hits


async def test_an_index_that_is_too_large_is_not_loaded(alone: Store, clock: FakeClock) -> None:
    store = alone
    await say(store, clock, random.Random(4), 30)
    memory = store.projector.companion(RECALL, lambda: Memory(store.projector, most_words=20))
    assert not await memory.ready()
    assert (await recall(store, "price launch margin budget")).hits


def test_messages_are_kept_within_a_bound() -> None:
    messages = Messages()
    for seq in range(1, 4000):
        messages.keep(Candidate(seq, seq, f"msg_{seq}", "ch_a", "act_a", 0, "text", "x" * 3000, "{}"))
    kept = messages.find({seq: seq for seq in range(4000)})
    assert 0 < sum(len(found.text) for found in kept) <= MOST_CHARACTERS
    assert messages.find({3999: 3999})
    assert not messages.keep(Candidate(1, 5000, "msg_5000", "ch_a", "act_a", 0, "text", "x" * 30_000, "{}"))


@given(
    old=st.dictionaries(st.integers(0, 60), st.integers(0, 127)),
    new=st.dictionaries(st.integers(61, 120), st.integers(0, 127)),
    within=st.tuples(st.integers(0, 120), st.integers(0, 120)).map(sorted),
    asked=st.sets(st.integers(0, 120)),
)
def test_where_a_word_is_said(old: dict[int, int], new: dict[int, int], within: list[int], asked: set[int]) -> None:
    posted = Posted(sorted(old), bytes(old[place] for place in sorted(old)))
    said = old | {place - 60 if place - 60 not in old else place: weight for place, weight in new.items()}
    added = [(place, weight) for place, weight in said.items() if place not in old]
    joined = posted.joined(added)
    low, high = within
    here = {place: weight for place, weight in said.items() if low <= place <= high}
    places, weights = joined.between(*joined.stretch((low, high)))
    assert dict(zip(places, weights, strict=True)) == here
    assert list(places) == sorted(here)
    places, weights = joined.at(sorted(asked), frozenset(asked))
    assert dict(zip(places, weights, strict=True)) == {p: w for p, w in said.items() if p in asked}
    assert len(posted) == len(old)
