"""What was on its way when a process died: found, and shown as uncertain. Never sent again by itself. What it had received
and not answered is answered by another."""

import asyncio
import contextlib
import logging

from prime.core.clock import Clock
from prime.hub.gate import queries
from prime.hub.gate.queries import GATE
from prime.hub.gate.replies import Replies
from prime.hub.gate.sending import Sending
from prime.store.store import Store

log = logging.getLogger(__name__)

LEASE_MS = 60_000
BEAT_SECONDS = 20.0
# Longer than a mind takes to draft: what has waited for so long waits for nobody.
LEFT_MS = 120_000
LOST = "Prime stopped while it was being sent"


class Recovery:
    """Holds a lease that says that this process lives, and looks after the drafts of those that do not."""

    def __init__(self, store: Store, sending: Sending, replies: Replies, clock: Clock) -> None:
        self._store = store
        self._sending = sending
        self._replies = replies
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self._alive()
        await self.sweep()
        self._task = asyncio.create_task(self._loop(), name="prime-gate-recovery")

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def beat(self) -> None:
        """Say that this process lives, and take up what others left."""
        await self._alive()
        await self.sweep()
        await self._sending.settle_left()
        await self._replies.resume(left_for_ms=LEFT_MS)

    async def sweep(self) -> None:
        """Mark what belongs to a process that is gone."""
        mine = self._store.leases.holder
        sending = await self._store.projector.read(
            lambda c: queries.read_drafts(c, status="sending", before=None, limit=1000), GATE
        )
        for _, draft in sending:
            if draft.holder != mine and await self._gone(draft.holder or ""):
                await self._sending.mark_lost(draft, LOST)

    async def _gone(self, holder: str) -> bool:
        if self._store.database.engine_name == "sqlite":
            return True  # the data folder has one owner, and it is this process
        return await self._store.leases.acquire(_resource(holder), 1) is not None

    async def _alive(self) -> None:
        await self._store.leases.acquire(_resource(self._store.leases.holder), LEASE_MS)

    async def _loop(self) -> None:
        while True:
            await self._clock.sleep(BEAT_SECONDS)
            try:
                await self.beat()
            except Exception:  # the database may be away for a moment
                log.exception("drafts on their way could not be looked after; trying again")


def _resource(holder: str) -> str:
    return f"gate/{holder}"
