"""A house with recall, and short ways to talk in it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest
from sqlalchemy import Connection, select

from prime.brain.recall import Found, recall, recall_from, tables
from prime.brain.recall.index.queries import RECALL, RecallProjection
from prime.core.clock import FakeClock
from prime.rooms.queries import RoomsProjection
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.rooms.views import View
from prime.store.message import NewMessage
from prime.store.store import Store


@dataclass
class Talk:
    """Channels and people by name, made when first spoken of."""

    store: Store
    clock: FakeClock

    async def say(self, text: str, *, channel: str = "ch_a", actor: str = "act_ann", **fields: object) -> str:
        message = NewMessage(channel_id=channel, actor_id=actor, kind="text", text=text)
        for name, value in fields.items():
            object.__setattr__(message, name, value)
        return (await self.store.log.append(message))[0].id

    async def pause(self, hours: float = 24) -> None:
        self.clock.advance(hours * 3600)

    async def person(self, actor_id: str, name: str) -> None:
        await Rooms(self.store).add_actor(name, "human", "echo", actor_id=actor_id)

    async def room(self, channel_id: str, name: str, *members: str) -> None:
        await Rooms(self.store).create_channel(name, tier="team", members=members, channel_id=channel_id)

    async def find(self, query: str, *, limit: int = 20, cursor: int | None = None) -> Found:
        return await recall(self.store, query, limit=limit, cursor=cursor)

    async def find_from(self, channel_id: str, query: str, *, limit: int = 20, cursor: int | None = None) -> Found:
        return await recall_from(await View.of(self.store, channel_id), query, limit=limit, cursor=cursor)

    async def texts(self, query: str, *, limit: int = 20) -> list[str]:
        """The texts that are found, best first."""
        found = await self.find(query, limit=limit)
        return [(await self.store.log.get(hit.message_id)).text for hit in found.hits]


@pytest.fixture
async def talk(open_store: Callable[..., Awaitable[Store]], clock: FakeClock) -> Talk:
    store = await open_store(projections=[RoomsProjection(), RecallProjection()], migrations=ROOMS_MIGRATIONS)
    await Rooms(store).open()
    return Talk(store, clock)


@pytest.fixture
def store_rows() -> Callable[[Store], Awaitable[object]]:
    """All rows of recall's tables, as text that can be compared."""

    async def read(store: Store) -> object:
        def job(connection: Connection) -> object:
            return [sorted(tuple(row) for row in connection.execute(select(table))) for table in tables.DERIVED]

        return await store.projector.read(job, RECALL)

    return read
