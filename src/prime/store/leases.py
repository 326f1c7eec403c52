"""What one process must do alone is held by a lease row: resource, holder, epoch, expiry by the database's clock.

The epoch grows with every change of holder. Whatever is done under a lease checks the epoch in the transaction that
records it, so a process that was stopped or cut off cannot act late.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from prime.core.errors import Conflict
from prime.core.ids import new_id
from prime.store import tables
from prime.store.database import Database
from prime.store.upsert import add_row


class StaleLease(Conflict):
    """Somebody else holds the resource by now; what was about to be done must not be done here."""

    code = "stale_lease"


@dataclass(frozen=True, slots=True)
class Lease:
    resource: str
    holder: str
    epoch: int


def database_now(connection: Connection) -> int:
    """Milliseconds since 1970 by the clock that all holders share."""
    # Asked in nearly every transaction, so by the driver's own words: building a statement costs more than its answer.
    return connection.exec_driver_sql(_NOW[connection.dialect.name]).scalar_one()


_NOW = {
    "sqlite": "SELECT now_ms()",
    "postgresql": "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
}


def check_lease(connection: Connection, lease: Lease) -> None:
    """Refuse when the lease has passed to another; the row stays locked until the transaction ends."""
    query = select(tables.lease.c.epoch).where(tables.lease.c.resource == lease.resource).with_for_update(read=True)
    if connection.execute(query).scalar_one_or_none() != lease.epoch:
        raise StaleLease(f"{lease.resource} is held by another process now.", resource=lease.resource)


class Leases:
    """Leases of one process, under a name that is new at every start."""

    def __init__(self, database: Database, holder: str | None = None) -> None:
        self._database = database
        self.holder = holder or new_id("proc")

    async def acquire(self, resource: str, ttl_ms: int) -> Lease | None:
        """Take the resource if it is free, expired or ours; None when somebody else has it."""
        return await self._database.write(lambda connection: self._take(connection, resource, ttl_ms))

    async def renew(self, lease: Lease, ttl_ms: int) -> bool:
        """Hold it longer; False when it is no longer ours."""
        return await self._database.write(lambda connection: _extend(connection, lease, ttl_ms))

    async def release(self, lease: Lease) -> None:
        """Let the next one have it at once. The epoch stays, so the next one's is higher."""
        await self._database.write(lambda connection: _extend(connection, lease, 0))

    async def holder_of(self, resource: str) -> str | None:
        """Who has it now; None where it is free."""

        def job(connection: Connection) -> str | None:
            held = (tables.lease.c.resource == resource) & (tables.lease.c.expires_at > database_now(connection))
            return connection.execute(select(tables.lease.c.holder).where(held)).scalar_one_or_none()

        return await self._database.read(job)

    async def take_over(self) -> None:
        """Free what former processes held. Only for the owner of a data folder, who knows that none of them lives."""
        held = tables.lease.c.holder != self.holder
        await self._database.write(lambda c: c.execute(update(tables.lease).where(held).values(expires_at=0)))

    def _take(self, connection: Connection, resource: str, ttl_ms: int) -> Lease | None:
        now = database_now(connection)
        row = connection.execute(
            select(tables.lease).where(tables.lease.c.resource == resource).with_for_update()
        ).one_or_none()
        if row is None:
            return self._create(connection, resource, now + ttl_ms)
        if row.expires_at > now and row.holder != self.holder:
            return None
        epoch = row.epoch if row.holder == self.holder else row.epoch + 1
        connection.execute(
            update(tables.lease)
            .where(tables.lease.c.resource == resource)
            .values(holder=self.holder, epoch=epoch, expires_at=now + ttl_ms)
        )
        return Lease(resource, self.holder, epoch)

    def _create(self, connection: Connection, resource: str, expires_at: int) -> Lease | None:
        first = {"resource": resource, "holder": self.holder, "epoch": 1, "expires_at": expires_at}
        # Two replicas may see no row at the same moment; one insert wins.
        return Lease(resource, self.holder, 1) if add_row(connection, tables.lease, first) else None


def _extend(connection: Connection, lease: Lease, ttl_ms: int) -> bool:
    changed = connection.execute(
        update(tables.lease)
        .where(
            tables.lease.c.resource == lease.resource,
            tables.lease.c.holder == lease.holder,
            tables.lease.c.epoch == lease.epoch,
        )
        .values(expires_at=database_now(connection) + ttl_ms)
    )
    return changed.rowcount == 1
