import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from sqlalchemy import text

from prime.core.clock import FakeClock, SystemClock
from prime.core.errors import Unavailable
from prime.store.folder import DataFolder
from prime.store.leases import Lease, Leases, StaleLease
from prime.store.message import NewMessage
from prime.store.store import Store

MESSAGE = NewMessage(channel_id="ch_a", actor_id="act_prime", kind="text", text="driven")


async def test_one_holder_at_a_time_and_the_next_has_a_higher_epoch(store: Store) -> None:
    first, second = Leases(store.database), Leases(store.database)
    lease = await first.acquire("channel/a", 60_000)
    assert lease is not None
    assert await second.acquire("channel/a", 60_000) is None
    assert await first.acquire("channel/a", 60_000) == lease
    await first.release(lease)
    taken = await second.acquire("channel/a", 60_000)
    assert taken is not None
    assert taken.epoch == lease.epoch + 1
    assert not await first.renew(lease, 60_000)


async def test_a_stale_epoch_cannot_append(store: Store) -> None:
    first, second = Leases(store.database), Leases(store.database)
    lease = await first.acquire("channel/a", 60_000)
    assert lease is not None
    await store.log.append(MESSAGE, lease=lease)
    await first.release(lease)
    await second.acquire("channel/a", 60_000)
    with pytest.raises(StaleLease):
        await store.log.append(
            NewMessage(channel_id="ch_a", actor_id="act_prime", kind="text", text="late"), lease=lease
        )
    assert len(await store.log.page("ch_a")) == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_lease_runs_out_by_the_databases_clock(store: Store, clock: FakeClock) -> None:
    first, second = Leases(store.database), Leases(store.database)
    assert await first.acquire("r", 5_000)
    clock.advance(4.9)
    assert await second.acquire("r", 5_000) is None
    clock.advance(0.2)
    taken = await second.acquire("r", 5_000)
    assert taken is not None
    assert taken.epoch == 2


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_lease_that_is_held_is_renewed_also_after_a_failure(store: Store, clock: FakeClock) -> None:
    class Failing(Leases):
        tries = 0

        async def renew(self, lease: Lease, ttl_ms: int) -> bool:
            self.tries += 1
            if self.tries == 1:
                raise Unavailable("The database does not answer.")
            return await super().renew(lease, ttl_ms)

    first, second = Failing(store.database), Leases(store.database)
    async with first.held("r", 6_000, clock) as lease:
        assert lease is not None
        for _ in range(4):
            before = first.tries
            while first.tries == before:  # whoever renews must be asleep before the clock can wake it
                clock.advance(0.5)
                await asyncio.sleep(0.01)
        async with second.held("r", 6_000, clock) as other:
            assert other is None
    async with second.held("r", 6_000, clock) as other:
        assert other is not None
        assert other.epoch == lease.epoch + 1


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_lease_runs_out_by_the_servers_clock(store: Store, clock: FakeClock) -> None:
    first, second = Leases(store.database), Leases(store.database)
    lease = await first.acquire("r", 300)
    assert lease is not None
    clock.advance(3600)  # a replica whose own clock is wrong does not take over early
    assert await second.acquire("r", 5_000) is None
    await store.database.read(lambda c: c.execute(text("SELECT pg_sleep(0.4)")))
    taken = await second.acquire("r", 5_000)
    assert taken is not None
    assert taken.epoch == 2
    with pytest.raises(StaleLease):
        await store.log.append(MESSAGE, lease=lease)


async def test_many_who_want_it_at_once(store: Store) -> None:
    contenders = [Leases(store.database) for _ in range(12)]
    taken = await asyncio.gather(*(leases.acquire("one", 60_000) for leases in contenders))
    assert sum(lease is not None for lease in taken) == 1


async def test_replicas_that_take_the_same_in_another_order_do_not_wait_for_each_other(
    postgresql_url: str, tmp_path: Path
) -> None:
    """Leases and appends of many jobs share a transaction; what two of them lock must never make a circle."""
    names = [f"channel/{number}" for number in range(12)]
    folder = DataFolder(tmp_path / "data")
    async with AsyncExitStack() as stack:
        stores: list[Store] = []
        for _ in range(3):
            store = await Store.open(folder, postgresql_url, SystemClock(), projections=(), migrations=())
            stack.push_async_callback(store.close)
            stores.append(store)

        async def drive(store: Store, order: list[str]) -> None:
            leases = Leases(store.database)  # of its own: those of one holder give each other's leases back
            for name in order:
                lease = await leases.acquire(name, 60_000)
                if lease is None:
                    continue
                said = NewMessage(channel_id=name, actor_id="act_prime", kind="text", text=leases.holder)
                await store.log.append(said, lease=lease)
                assert await leases.renew(lease, 60_000)
                await leases.release(lease)

        orders = [names, names[::-1], names[6:] + names[:6], names[::2] + names[1::2]]
        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            for store in stores:
                for order in orders * 5:
                    group.create_task(drive(store, order))
