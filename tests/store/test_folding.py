"""Who reads after a burst waits for what it reads, not for what takes long and is not asked for."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sqlalchemy import Connection, Table

from prime.rooms.records import HUB, OWNER
from prime.store.message import Message, NewMessage
from prime.store.projector import SHORT_BATCH, Projector
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]
BURST = 3 * SHORT_BATCH
# Batches of what takes long that may go by before whoever reads has a turn: the one under way and one in the queue.
AT_HAND = 2


@dataclass
class Folded:
    """A projection that notes which messages it was given, a batch at a time."""

    name: str
    version: int = 1
    tables: Sequence[Table] = ()
    batches: list[int] = field(default_factory=list[int])
    order: list[str] = field(default_factory=list[str])  # of several
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        self.batches.append(len(messages))
        self.order.append(self.name)
        self.loop.call_soon_threadsafe(self.begun.set)


@asynccontextmanager
async def following(store: Store, *folded: Folded, **options: int) -> AsyncGenerator[Projector]:
    projector = Projector(store.database, store.log, store.heads, folded, last=["slow"], **options)
    await projector.start()
    yield projector
    await projector.stop()


async def say(store: Store, count: int) -> None:
    for begin in range(0, count, 1000):
        words = [NewMessage(channel_id=HUB, actor_id=OWNER, kind="text", text="word") for _ in range(begin, count)]
        await store.log.append(*words[:1000])


async def test_what_takes_long_is_folded_after_the_others(open_store: OpenStore) -> None:
    """And whoever comes meanwhile goes in between."""
    store = await open_store()
    quick, slow = Folded("quick"), Folded("slow")
    order = quick.order = slow.order
    await say(store, BURST)
    async with following(store, quick, slow, batch=20) as projector:
        await asyncio.wait_for(slow.begun.wait(), 20)
        assert sum(quick.batches) == BURST
        await say(store, 1)
        order.append("asked")
        await projector.read(lambda _: None, "quick")
        order.append("answered")
        assert sum(quick.batches) == BURST + 1
        await projector.read(lambda _: None, "slow")
        assert sum(slow.batches) == BURST + 1
    assert order[order.index("asked") : order.index("answered")].count("slow") <= AT_HAND


async def test_while_somebody_waits_what_takes_long_takes_small_steps(open_store: OpenStore) -> None:
    store = await open_store()
    alone, attended = Folded("slow"), Folded("slow")
    await say(store, BURST)
    async with following(store, alone) as projector:
        await projector.read(lambda _: None, "slow")
        assert alone.batches == [BURST], "nobody reads anything else"
    await say(store, BURST)
    async with following(store, Folded("quick"), attended) as projector:
        await projector.read(lambda _: None, "quick", "slow")
        assert attended.batches == [SHORT_BATCH] * (BURST // SHORT_BATCH)


async def test_a_few_messages_are_folded_into_all_at_once(open_store: OpenStore) -> None:
    store = await open_store()
    quick, slow = Folded("quick"), Folded("slow")
    async with following(store, quick, slow):
        await say(store, 3)
        await asyncio.wait_for(slow.begun.wait(), 20)
        assert (quick.batches, slow.batches) == ([3], [3])
