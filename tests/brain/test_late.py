"""A process that stood still while a mind read for it finds its work with another: what it comes back with is refused."""

from collections.abc import Awaitable, Callable, Sequence

import pytest
from tests.taking import take_all

from prime.brain.facts.extraction import Extraction
from prime.brain.facts.queries import FactsProjection
from prime.brain.notes.notes import Notes
from prime.brain.notes.queries import NotesProjection
from prime.brain.reading.reading import Reading
from prime.brain.state.consolidation import Consolidation
from prime.brain.state.queries import StateProjection
from prime.brain.thinking import File, Said, Stated
from prime.core.clock import FakeClock
from prime.rooms.queries import RoomsProjection
from prime.rooms.records import HUB, OWNER
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.store.leases import StaleLease
from prime.store.store import Store


class StandsStill:
    """While it reads, another process takes over all that this one holds."""

    free = False

    def __init__(self, store: Store) -> None:
        self._store = store

    async def extract(self, lines: Sequence[Said], *, today: str) -> Sequence[Stated]:
        await take_all(self._store)
        return [Stated(subject="price", predicate="is", object="40 EUR", source=lines[0].message_id)]

    async def consolidate(self, lines: Sequence[Said], *, before: str) -> str:
        await take_all(self._store)
        return "They agreed."

    async def describe(self, file: File) -> str:
        await take_all(self._store)
        return "A list."


class Reader:
    async def read(self, content: bytes) -> Reading:
        return Reading(family="document", text="a list")


async def read_facts(store: Store, clock: FakeClock) -> object:
    return await Extraction(store, clock, StandsStill(store)).catch_up(everything=True)


async def sum_up(store: Store, clock: FakeClock) -> object:
    return await Consolidation(store, clock, StandsStill(store)).consolidate(HUB)


async def write_notes(store: Store, _clock: FakeClock) -> object:
    return await Notes(store, Reader(), StandsStill(store)).catch_up()


@pytest.mark.parametrize("work", [read_facts, sum_up, write_notes])
async def test_what_was_read_is_not_written_late(
    open_store: Callable[..., Awaitable[Store]],
    clock: FakeClock,
    work: Callable[[Store, FakeClock], Awaitable[object]],
) -> None:
    parts = [RoomsProjection(), FactsProjection(), StateProjection(), NotesProjection()]
    store = await open_store(projections=parts, migrations=ROOMS_MIGRATIONS)
    rooms = Rooms(store)
    await rooms.open()
    attached = await store.attachments.put("list.txt", "text/plain", b"a list")
    await rooms.say(HUB, OWNER, "The price is 40 EUR.", attachment_ids=[attached.id])
    before = await store.log.head()
    with pytest.raises(StaleLease):
        await work(store, clock)
    assert await store.log.head() == before
