"""A job that one process does at a time: replicas of a database take turns by lease."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from prime.store.leases import Lease
from prime.store.store import Store

LEASE_MS = 120_000  # longer than the longest single step: reading a file, asking a mind


class Alone:
    """`lease` goes with every append, so that a process that was cut off cannot write late."""

    def __init__(self, store: Store, lease: Lease) -> None:
        self._store = store
        self.lease = lease

    async def go_on(self) -> None:
        """Hold it for another step."""
        await self._store.leases.renew(self.lease, LEASE_MS)


@asynccontextmanager
async def alone(store: Store, job: str) -> AsyncGenerator[Alone | None]:
    """None when another process is at it."""
    lease = await store.leases.acquire(f"brain:{job}", LEASE_MS)
    if lease is None:
        yield None
        return
    try:
        yield Alone(store, lease)
    finally:
        await store.leases.release(lease)
