import asyncio
from collections.abc import Awaitable, Callable

import pytest

from prime.core.clock import FakeClock
from prime.mind.jobs.lines import Usage
from prime.mind.queries import Spent
from prime.mind.spend import Caps, SpendGuard, SpendStopped
from prime.mind.tables import MIND_MIGRATIONS
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]


@pytest.fixture
async def stores(open_store: OpenStore) -> list[Store]:
    """Two replicas on PostgreSQL; on SQLite, where there is one owner, the same store twice."""
    first = await open_store((), MIND_MIGRATIONS)
    return [first, first if first.database.engine_name == "sqlite" else await open_store((), MIND_MIGRATIONS)]


async def attempts(guards: list[SpendGuard], count: int) -> int:
    async def one(number: int) -> bool:
        try:
            await guards[number % len(guards)].allow_call()
        except SpendStopped:
            return False
        return True

    return sum(await asyncio.gather(*(one(n) for n in range(count))))


@pytest.mark.holds("D-HUB-13")
async def test_the_cap_is_exact_however_many_ask_at_once(stores: list[Store]) -> None:
    guards = [SpendGuard(store.database, Caps(calls=25, images=1)) for store in stores]
    assert await attempts(guards, 60) == 25
    assert (await guards[0].spent()).calls == 25


@pytest.mark.holds("D-HUB-13")
async def test_a_restart_does_not_reset_it(open_store: OpenStore) -> None:
    for allowed in (3, 2, 0):
        store = await open_store((), MIND_MIGRATIONS)
        assert await attempts([SpendGuard(store.database, Caps(calls=5, images=0))], 3) == allowed
        await store.close()
    store = await open_store((), MIND_MIGRATIONS)
    guard = SpendGuard(store.database, Caps(calls=5, images=0))
    await guard.reset()
    assert await attempts([guard], 9) == 5


async def test_each_cap_stops_its_own_kind_alone(stores: list[Store]) -> None:
    guard = SpendGuard(stores[0].database, Caps(calls=2, images=1))
    await guard.allow_image()
    with pytest.raises(SpendStopped, match="PRIME_MAX_IMAGES"):
        await guard.allow_image()
    await guard.allow_call()
    await guard.allow_call()
    lowered = SpendGuard(stores[0].database, Caps(calls=1, images=5))
    with pytest.raises(SpendStopped, match="PRIME_MAX_LLM_CALLS"):
        await lowered.allow_call()
    await lowered.allow_image()
    assert await guard.spent() == Spent(calls=2, images=2)


async def test_tokens_and_money_add_up(stores: list[Store]) -> None:
    guards = [SpendGuard(store.database, Caps(calls=0, images=0)) for store in stores]
    usage = Usage(input_tokens=10, output_tokens=3, micro_dollars=7)
    await asyncio.gather(*(guards[n % 2].record(usage) for n in range(20)))
    assert await guards[1].spent() == Spent(input_tokens=200, output_tokens=60, micro_dollars=140)


@pytest.mark.holds("D-HUB-13")
async def test_a_days_money_stops_every_request_until_the_next_day(stores: list[Store]) -> None:
    clock = FakeClock()
    guards = [SpendGuard(store.database, Caps(calls=100, images=9, dollars_per_day=0.5), clock) for store in stores]
    await guards[0].allow_call()
    await guards[0].record(Usage(micro_dollars=500_000))
    with pytest.raises(SpendStopped, match="PRIME_MAX_DOLLARS_PER_DAY"):
        await guards[1].allow_call()
    assert (await guards[1].spent()).calls == 1
    clock.advance(24 * 60 * 60)
    await guards[1].allow_call()
    await guards[1].record(Usage(micro_dollars=600_000))
    with pytest.raises(SpendStopped):
        await guards[0].allow_image()
    await guards[0].reset()
    await guards[0].allow_image()
