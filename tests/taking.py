"""What another replica does when this one stands still for longer than its leases last."""

from sqlalchemy import update

from prime.store import tables
from prime.store.store import Store


async def take_all(store: Store) -> None:
    """All that this process holds is another's from here on."""
    lease = tables.lease
    taken = update(lease).where(lease.c.holder == store.leases.holder).values(holder="another", epoch=lease.c.epoch + 1)
    await store.database.write(lambda connection: connection.execute(taken))
