"""Reads wait for what they depend on, and for nothing else."""

from collections.abc import Awaitable, Callable, Sequence

import pytest
from sqlalchemy import Connection, Table

from prime.core.errors import NotFound
from prime.rooms.queries import OF_ACTORS, OF_PLACES, ROOMS, RoomsProjection, read_actors, read_channel
from prime.rooms.records import OWNER, Actor
from prime.rooms.rooms import Rooms, actor_message
from prime.store.database import Job
from prime.store.message import Message, NewMessage
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]


class Stuck(RoomsProjection):
    """Folds nothing while it is told not to."""

    def __init__(self) -> None:
        self.stuck = False
        self.tables: Sequence[Table] = RoomsProjection.tables

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        if self.stuck:
            raise ArithmeticError
        super().apply(connection, messages)


def words(channel_id: str, text: str = "hello") -> NewMessage:
    return NewMessage(channel_id=channel_id, actor_id="act_x", kind="text", text=text)


def channel(channel_id: str) -> Job[object]:
    return lambda connection: read_channel(connection, channel_id)


async def test_words_do_not_hold_up_who_asks_for_the_channel(open_store: OpenStore) -> None:
    projection = Stuck()
    store = await open_store([projection])
    rooms = Rooms(store)
    await rooms.open()
    made = await rooms.create_channel("A", tier="team")
    projection.stuck = True
    await store.log.append(*(words(made.id) for _ in range(3)))
    found = await store.projector.read(channel(made.id), ROOMS, kinds=OF_PLACES)
    assert found == made
    with pytest.raises(ArithmeticError):
        await store.projector.read(channel(made.id), ROOMS)
    await rooms.say(made.id, OWNER, "and who speaks is not held up either")


async def test_what_the_answer_depends_on_is_waited_for(open_store: OpenStore) -> None:
    projection = Stuck()
    store = await open_store([projection])
    await Rooms(store).open()
    await store.projector.read(read_actors, ROOMS)
    projection.stuck = True
    newcomer = Actor(id="act_new", name="New", kind="agent", connector="x")
    await store.log.append(words("ch_a"), actor_message(newcomer), words("ch_a"))
    with pytest.raises(ArithmeticError):
        await store.projector.read(read_actors, ROOMS, kinds=OF_ACTORS)
    assert await store.projector.read(channel("ch_a"), ROOMS, kinds=frozenset({"channel"})) is None
    projection.stuck = False
    assert "act_new" in {actor.id for actor in await store.projector.read(read_actors, ROOMS, kinds=OF_ACTORS)}


async def test_what_was_erased_is_waited_for_by_all(open_store: OpenStore) -> None:
    projection = Stuck()
    store = await open_store([projection])
    await Rooms(store).open()
    [said] = await store.log.append(words("ch_a"))
    await store.projector.read(read_actors, ROOMS)
    projection.stuck = True
    await store.log.erase([said.id], by=OWNER)
    with pytest.raises(ArithmeticError):
        await store.projector.read(read_actors, ROOMS, kinds=OF_ACTORS)


async def test_a_channel_that_was_just_made_can_be_spoken_in_and_one_just_closed_cannot(open_store: OpenStore) -> None:
    store = await open_store([RoomsProjection()])
    rooms = Rooms(store)
    await rooms.open()
    for number in range(20):
        made = await rooms.create_channel(f"C{number}", tier="team")
        await rooms.say(made.id, OWNER, "hello")
        await rooms.close_channel(made.id)
        with pytest.raises(Exception, match="is closed"):
            await rooms.say(made.id, OWNER, "hello?")
    with pytest.raises(NotFound):
        await rooms.say("ch_nowhere", OWNER, "hello")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_what_another_process_wrote_is_there_also_before_its_notice(open_store: OpenStore) -> None:
    here, there = await open_store([RoomsProjection()]), await open_store([RoomsProjection()])
    await Rooms(there).open()
    for number in range(10):
        made = await Rooms(there).create_channel(f"C{number}", tier="team")
        assert await here.projector.read(channel(made.id), ROOMS, kinds=OF_PLACES) == made
        await there.log.append(words(made.id))
        assert (await Rooms(here).channel(made.id)).said == 1
