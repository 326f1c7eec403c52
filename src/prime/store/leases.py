"""What one process must do alone is held by a lease row: resource, holder, epoch, expiry by the database's clock.

The epoch grows with every change of holder. Whatever is done under a lease checks the epoch in the transaction that
records it, so a process that was stopped or cut off cannot act late.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Executable, bindparam, case, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from prime.core.clock import Clock
from prime.core.errors import Conflict
from prime.core.ids import new_id
from prime.store import tables
from prime.store.database import Database

log = logging.getLogger(__name__)

_lease = tables.lease


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
    return connection.exec_driver_sql(f"SELECT {_NOW[connection.dialect.name]}").scalar_one()


_NOW = {
    "sqlite": "now_ms()",
    "postgresql": "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)",
}


def check_lease(connection: Connection, lease: Lease) -> None:
    """Refuse when the lease has passed to another; the row stays locked until the transaction ends."""
    if connection.execute(_EPOCH, {"of": lease.resource}).scalar_one_or_none() != lease.epoch:
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

    @asynccontextmanager
    async def held(self, resource: str, ttl_ms: int, clock: Clock) -> AsyncGenerator[Lease | None]:
        """Hold it for as long as what is done within takes; None when somebody else has it."""
        lease = await self.acquire(resource, ttl_ms)
        if lease is None:
            yield None
            return
        renewing = asyncio.create_task(self._keep(lease, ttl_ms, clock))
        try:
            yield lease
        finally:
            renewing.cancel()
            await self.release(lease)

    async def holder_of(self, resource: str) -> str | None:
        """Who has it now; None where it is free."""

        def job(connection: Connection) -> str | None:
            held = (_lease.c.resource == resource) & (_lease.c.expires_at > database_now(connection))
            return connection.execute(select(_lease.c.holder).where(held)).scalar_one_or_none()

        return await self._database.read(job)

    async def take_over(self) -> None:
        """Free what former processes held. Only for the owner of a data folder, who knows that none of them lives."""
        others = update(_lease).where(_lease.c.holder != self.holder).values(expires_at=0)
        await self._database.write(lambda c: c.execute(others))

    async def _keep(self, lease: Lease, ttl_ms: int, clock: Clock) -> None:
        while True:
            await clock.sleep(ttl_ms / 3000)  # a third of its time: twice may fail
            try:
                if not await self.renew(lease, ttl_ms):
                    return  # it has passed to another, which whoever works under it will find
            except Exception:
                log.exception("the lease of %s could not be renewed; trying again", lease.resource)

    def _take(self, connection: Connection, resource: str, ttl_ms: int) -> Lease | None:
        given = {"resource": resource, "holder": self.holder, "ttl": ttl_ms}
        epoch = connection.execute(_TAKE[connection.dialect.name], given).scalar_one_or_none()
        return None if epoch is None else Lease(resource, self.holder, epoch)


def _extend(connection: Connection, lease: Lease, ttl_ms: int) -> bool:
    given = {"of": lease.resource, "by": lease.holder, "at": lease.epoch, "ttl": ttl_ms}
    return connection.execute(_EXTEND[connection.dialect.name], given).rowcount == 1


# One statement each, built once: a turn takes, checks and gives back a lease, all of it while others wait to write.


def _taking(now: str, insert: type[sqlite.Insert] | type[postgresql.Insert]) -> Executable:
    """Free, expired or ours: it is ours from now on. Of two replicas that see no row at the same moment, one wins."""
    statement = insert(_lease).values(
        resource=bindparam("resource"), holder=bindparam("holder"), epoch=1, expires_at=text(f"{now} + :ttl")
    )
    given = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=[_lease.c.resource],
        set_={
            "holder": given.holder,
            "epoch": _lease.c.epoch + case((_lease.c.holder == given.holder, 0), else_=1),
            "expires_at": given.expires_at,
        },
        where=(_lease.c.holder == given.holder) | (_lease.c.expires_at <= text(now)),
    ).returning(_lease.c.epoch)


def _extending(now: str) -> Executable:
    held = (
        (_lease.c.resource == bindparam("of"))
        & (_lease.c.holder == bindparam("by"))
        & (_lease.c.epoch == bindparam("at"))
    )
    return update(_lease).where(held).values(expires_at=text(f"{now} + :ttl"))


_EPOCH = select(_lease.c.epoch).where(_lease.c.resource == bindparam("of")).with_for_update(read=True)
_TAKE = {"sqlite": _taking(_NOW["sqlite"], sqlite.Insert), "postgresql": _taking(_NOW["postgresql"], postgresql.Insert)}
_EXTEND = {name: _extending(now) for name, now in _NOW.items()}
