"""Answers are kept until a message of the kinds they depend on comes, here or in another process."""

from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import Connection

from prime.core.errors import Conflict
from prime.rooms.queries import OF_PLACES, ROOMS, RoomsProjection, read_channel
from prime.rooms.records import OWNER, Channel
from prime.rooms.rooms import Rooms
from prime.store.message import NewMessage
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]


class Counted:
    """A read that counts how often it was made."""

    def __init__(self, channel_id: str) -> None:
        self.channel_id = channel_id
        self.reads = 0

    def __call__(self, connection: Connection) -> Channel | None:
        self.reads += 1
        return read_channel(connection, self.channel_id)


def words(channel_id: str, key: str | None = None) -> NewMessage:
    return NewMessage(channel_id=channel_id, actor_id=OWNER, kind="text", text="hello", idempotency_key=key)


async def test_words_leave_an_answer_and_what_concerns_it_does_not(open_store: OpenStore) -> None:
    store = await open_store([RoomsProjection()])
    rooms = Rooms(store)
    await rooms.open()
    made = await rooms.create_channel("A", tier="team")
    read = Counted(made.id)
    for _ in range(5):
        await store.log.append(words(made.id))
        assert await store.projector.read_kept("a", read, ROOMS, kinds=OF_PLACES) == made
    assert read.reads == 1
    await rooms.rename_channel(made.id, "B")
    found = await store.projector.read_kept("a", read, ROOMS, kinds=OF_PLACES)
    assert found is not None
    assert (found.name, read.reads) == ("B", 2)
    await store.projector.rebuild()
    await store.projector.read_kept("a", read, ROOMS, kinds=OF_PLACES)
    assert read.reads == 3


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_what_another_process_changed_is_seen_at_once(open_store: OpenStore) -> None:
    here, there = await open_store([RoomsProjection()]), await open_store([RoomsProjection()])
    await Rooms(there).open()
    for number in range(5):
        made = await Rooms(there).create_channel(f"C{number}", tier="team")
        await Rooms(here).say(made.id, OWNER, "hello")
        await Rooms(there).close_channel(made.id)
        with pytest.raises(Conflict):
            await Rooms(here).say(made.id, OWNER, "hello?")


async def test_a_key_that_was_used_before_fails_nobody_who_appends_beside_it(open_store: OpenStore) -> None:
    store = await open_store()
    [first] = await store.log.append(words("ch_a", "k"))
    again, other = await store.log.append(words("ch_a", "k"), words("ch_a"))
    assert again == first
    assert other.seq == first.seq + 1
    assert [m.id for m in await store.log.after(0)] == [first.id, other.id]
