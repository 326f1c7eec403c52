"""What must reach the outside is written down first, in the transaction that decided it, and sent from here.

Delivery is at least once: the same id goes with every try, so that the receiver can tell a repetition. A topic that
cannot bear repetition says `repeats=False`; what was in flight when a process died, or failed in a way that does not
tell whether it arrived, is then left as `uncertain`.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from sqlalchemy import Connection, insert, select, update

from prime.core.canonical import canonical_json
from prime.core.clock import Clock
from prime.core.errors import PrimeError
from prime.core.ids import new_id
from prime.store import tables
from prime.store.database import Database
from prime.store.leases import database_now

log = logging.getLogger(__name__)

Status = Literal["waiting", "sending", "done", "failed", "uncertain"]

FIRST_RETRY_MS = 1_000
LONGEST_RETRY_MS = 5 * 60_000
MAX_ATTEMPTS = 12
# A try that has not ended by then belonged to a process that is gone.
SENDING_MS = 60_000
SEND_SECONDS = 45.0
CLAIM = 16
IDLE_SECONDS = 1.0

_outbox = tables.outbox


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to deliver; `id` stays the same over all tries."""

    id: str
    topic: str
    payload: Mapping[str, object]
    attempts: int
    epoch: int


class Undeliverable(PrimeError):
    """Raised by a deliverer when trying again cannot help."""

    code = "undeliverable"


class NotSent(PrimeError):
    """Raised by a deliverer that knows that nothing went out: the item may be tried again, whatever its topic bears."""

    code = "not_sent"


@dataclass(frozen=True, slots=True)
class Deliverer:
    """How the items of one topic are sent."""

    send: Callable[[Item], Awaitable[None]]
    repeats: bool = True


def enqueue(connection: Connection, topic: str, payload: Mapping[str, object], *, delay_ms: int = 0) -> str:
    """Add an item in the caller's transaction; its id."""
    now = database_now(connection)
    item_id = new_id("out")
    connection.execute(
        insert(_outbox).values(
            id=item_id,
            topic=topic,
            payload=canonical_json(payload),
            status="waiting",
            attempts=0,
            due_at=now + delay_ms,
            created_at=now,
            epoch=0,
        )
    )
    return item_id


class Outbox:
    """Sends what is due. Any number of replicas may run one; an item is claimed by one of them at a time."""

    def __init__(self, database: Database, clock: Clock, deliverers: Mapping[str, Deliverer]) -> None:
        self._database = database
        self._clock = clock
        self._deliverers = deliverers
        self._task: asyncio.Task[None] | None = None

    async def enqueue(self, topic: str, payload: Mapping[str, object], *, delay_ms: int = 0) -> str:
        return await self._database.write(lambda c: enqueue(c, topic, payload, delay_ms=delay_ms))

    def start(self) -> None:
        self._task = asyncio.create_task(self._loop(), name="prime-outbox")

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def deliver_due(self) -> int:
        """Send what is due now; how many were tried."""
        await self._database.write(self._release_abandoned)
        items = await self._database.write(self._claim)
        await asyncio.gather(*(self._deliver(item) for item in items))
        return len(items)

    async def status(self, item_id: str) -> Status | None:
        query = select(_outbox.c.status).where(_outbox.c.id == item_id)
        return cast("Status | None", await self._database.read(lambda c: c.execute(query).scalar_one_or_none()))

    async def _loop(self) -> None:
        while True:
            try:
                tried = await self.deliver_due()
            except Exception:  # the database may be away for a moment; what waits is safe in it
                log.exception("the outbox could not be worked; trying again")
                tried = 0
            if tried < CLAIM:
                await self._clock.sleep(IDLE_SECONDS)

    def _claim(self, connection: Connection) -> list[Item]:
        if not self._deliverers:
            return []
        now = database_now(connection)
        rows = connection.execute(
            select(_outbox.c.id, _outbox.c.topic, _outbox.c.payload, _outbox.c.attempts, _outbox.c.epoch)
            .where(_outbox.c.status == "waiting", _outbox.c.due_at <= now, _outbox.c.topic.in_(list(self._deliverers)))
            .order_by(_outbox.c.due_at, _outbox.c.id)
            .limit(CLAIM)
            .with_for_update(skip_locked=True)
        )
        items = [Item(i, topic, json.loads(payload), tries + 1, epoch + 1) for i, topic, payload, tries, epoch in rows]
        for item in items:
            connection.execute(
                update(_outbox)
                .where(_outbox.c.id == item.id)
                .values(status="sending", attempts=item.attempts, epoch=item.epoch, due_at=now + SENDING_MS)
            )
        return items

    def _release_abandoned(self, connection: Connection) -> None:
        once = [topic for topic, deliverer in self._deliverers.items() if not deliverer.repeats]
        again = [topic for topic in self._deliverers if topic not in once]
        # Only topics that are known here: of others, nobody can say here whether they bear repetition.
        lost = (_outbox.c.status == "sending") & (_outbox.c.due_at <= database_now(connection))
        connection.execute(update(_outbox).where(lost, _outbox.c.topic.in_(once)).values(status="uncertain"))
        connection.execute(update(_outbox).where(lost, _outbox.c.topic.in_(again)).values(status="waiting"))

    async def _deliver(self, item: Item) -> None:
        deliverer = self._deliverers[item.topic]
        try:
            await asyncio.wait_for(deliverer.send(item), SEND_SECONDS)
        except Exception as error:  # noqa: BLE001  (whatever went wrong outside, it is written down with the item)
            await self._settle(item, _after_failure(item, deliverer, error), f"{type(error).__name__}: {error}")
        else:
            await self._settle(item, "done", None)

    async def _settle(self, item: Item, status: Status, error: str | None) -> None:
        back_off = min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (item.attempts - 1))

        def job(connection: Connection) -> None:
            # The epoch: a try that outlived its claim must not overrule the one that followed it.
            connection.execute(
                update(_outbox)
                .where(_outbox.c.id == item.id, _outbox.c.epoch == item.epoch)
                .values(status=status, due_at=database_now(connection) + back_off, last_error=error)
            )

        await self._database.write(job)


def _after_failure(item: Item, deliverer: Deliverer, error: Exception) -> Status:
    if isinstance(error, Undeliverable):
        return "failed"
    if not deliverer.repeats and not isinstance(error, NotSent):
        return "uncertain"
    return "waiting" if item.attempts < MAX_ATTEMPTS else "failed"
