"""Backups by the clock, and the word that goes out after each."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import cast

from prime.core.canonical import JSON
from prime.core.clock import Clock, is_due
from prime.core.errors import PrimeError
from prime.core.http import GuardedClient, NetworkPolicy
from prime.core.tasks import end
from prime.store.backup import Backup, Backups
from prime.store.outbox import Deliverer, Item, NotSent, Outbox, Undeliverable
from prime.store.store import Store
from prime.store.tuning import Tuning

log = logging.getLogger(__name__)

RESOURCE = "backup"
LEASE_MS = 10 * 60_000
LOOK_SECONDS = 60.0
TOPIC = "backup_webhook"


class BackupTimer:
    """Takes a backup whenever the newest is older than the interval; of several replicas, one does it. With a passphrase
    all are full ones, sealed with it."""

    def __init__(
        self,
        store: Store,
        backups: Backups,
        tuning: Tuning,
        clock: Clock,
        client: GuardedClient,
        passphrase: str | None = None,
    ) -> None:
        self._store = store
        self._backups = backups
        self._tuning = tuning
        self._clock = clock
        self._client = client
        self._passphrase = passphrase
        self._task: asyncio.Task[None] | None = None
        self._outbox = Outbox(store.database, clock, {TOPIC: Deliverer(self._deliver)})

    def start(self) -> None:
        self._outbox.start()
        self._task = asyncio.create_task(self._run(), name="prime-backups")

    async def stop(self) -> None:
        await end(self._task)
        await self._outbox.stop()

    async def take(self, *, full: bool = False, passphrase: str | None = None) -> Backup:
        """Take one now; who is to be told is told."""
        settings = await self._tuning.now()
        sealed_with = passphrase or self._passphrase
        made = await self._backups.create(full=full, passphrase=sealed_with, keep=settings.backup_keep)
        if settings.backup_webhook:
            told = {"event": "backup", "name": made.name, "size": made.size, "createdAt": made.created_at}
            await self._outbox.enqueue(TOPIC, {"url": settings.backup_webhook, "body": told})
        return made

    async def take_if_due(self) -> Backup | None:
        interval = (await self._tuning.now()).backup_interval_ms
        newest = self._backups.newest_at()
        due_at = (newest or await self._first_at()) + interval
        if interval <= 0 or not is_due(due_at, self._clock.now_ms(), interval):
            return None
        lease = await self._store.leases.acquire(RESOURCE, LEASE_MS)
        return await self.take() if lease else None

    async def _first_at(self) -> int:
        """Where none was taken yet, the first is due so long after the first words: one that is started anew every day is
        not new every day."""
        first = await self._store.log.after(0, 1)
        return first[0].ts if first else self._clock.now_ms()

    async def _run(self) -> None:
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            try:
                await self.take_if_due()
            except (PrimeError, OSError) as error:
                log.exception("the backup failed")
                await self._say_failed(error)
            except Exception:  # the database may be away for a moment
                log.exception("the backup failed")

    async def _say_failed(self, error: Exception) -> None:
        """Where the owner looks; once a day is enough."""
        day = self._clock.now_ms() // 86_400_000
        said = self._tuning.said("system", f"The backup failed: {error}", {"op": "backup_failed"})
        await self._store.log.append(replace(said, idempotency_key=f"backup-failed/{day}"))

    async def _deliver(self, item: Item) -> None:
        try:
            answer = await self._client.request("POST", str(item.payload["url"]), json=_body(item))
        except PrimeError as error:
            raise NotSent(f"The webhook cannot be reached: {error.message}") from error
        if 400 <= answer.status < 500 and answer.status not in {408, 429}:
            raise Undeliverable(f"The webhook answered {answer.status}.")
        if not answer.status < 300:
            raise NotSent(f"The webhook answered {answer.status}.")


@dataclass(frozen=True, slots=True)
class Keeping:
    """The backups of an instance, and what takes them by the clock."""

    backups: Backups
    timer: BackupTimer


@asynccontextmanager
async def open_backups(
    store: Store,
    backups: Backups,
    tuning: Tuning,
    clock: Clock,
    policy: NetworkPolicy,
    passphrase: str | None = None,
) -> AsyncGenerator[Keeping]:
    async with GuardedClient(policy, clock=clock) as client:
        timer = BackupTimer(store, backups, tuning, clock, client, passphrase)
        timer.start()
        try:
            yield Keeping(backups, timer)
        finally:
            await timer.stop()


def _body(item: Item) -> dict[str, JSON]:
    return {**cast("dict[str, JSON]", item.payload["body"]), "id": item.id}
