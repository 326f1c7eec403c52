"""Of several replicas one may be connected: what the owner approves at another is carried out by that one.

Who can send says so with a lease per connector. An approval names the process that is to send; that process finds it in
the log and begins, once, as if the click had come to itself. When it dies before that, the draft is its to lose: it is
shown as uncertain like everything else that was on its way.
"""

import asyncio
import contextlib
import logging

from prime.core.clock import Clock
from prime.hub.gate import queries
from prime.hub.gate.queries import GATE
from prime.hub.gate.senders import Senders
from prime.hub.gate.sending import Sending
from prime.store.leases import Lease
from prime.store.store import Store

log = logging.getLogger(__name__)

LEASE_MS = 60_000
BEAT_SECONDS = 20.0


class Carrying:
    """Nothing to do where a data folder has one owner."""

    def __init__(self, store: Store, senders: Senders, sending: Sending, clock: Clock) -> None:
        self._store = store
        self._senders = senders
        self._sending = sending
        self._clock = clock
        self._leases: dict[str, Lease] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        if self._store.database.engine_name != "sqlite":
            self._tasks = [
                asyncio.create_task(self._announcing(), name="prime-gate-senders"),
                asyncio.create_task(self._watching(), name="prime-gate-carrying"),
            ]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for lease in self._leases.values():
            with contextlib.suppress(Exception):  # it ends by itself
                await self._store.leases.release(lease)

    async def holder(self, connector: str) -> str | None:
        """Another process that can send by this connector now."""
        found = await self._store.leases.holder_of(_resource(connector))
        return found if found != self._store.leases.holder else None

    async def announce(self) -> None:
        """Say what this process can send, and no longer what it cannot."""
        names = self._senders.names
        for name in self._leases.keys() - names:
            await self._store.leases.release(self._leases.pop(name))
        for name in names:
            lease = await self._store.leases.acquire(_resource(name), LEASE_MS)
            if lease:
                self._leases[name] = lease
            else:
                self._leases.pop(name, None)

    async def adopt(self) -> None:
        """Begin what was approved elsewhere and is this process's to send."""
        # Asked with every burst of the log, of which most has to do with no draft.
        sending = await self._store.projector.read_kept(
            "drafts on their way",
            lambda c: queries.read_drafts(c, status="sending", before=None, limit=1000),
            GATE,
            kinds=frozenset({"gate"}),
        )
        for _, draft in sending:
            if draft.holder == self._store.leases.holder:
                self._sending.begin(draft)

    async def _announcing(self) -> None:
        while True:
            self._senders.changed.clear()
            try:
                await self.announce()
            except Exception:  # the database may be away for a moment
                log.exception("what can be sent here could not be announced; trying again")
            waits = {
                asyncio.ensure_future(self._senders.changed.wait()),
                asyncio.ensure_future(self._clock.sleep(BEAT_SECONDS)),
            }
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in waits:
                    each.cancel()

    async def _watching(self) -> None:
        seen = self._store.heads.head
        while True:
            seen = await self._store.heads.past_burst(seen)
            try:
                if self._senders.names:
                    await self.adopt()
            except Exception:  # the database may be away for a moment; the next message is looked at again
                log.exception("approvals of other replicas could not be looked at")


def _resource(connector: str) -> str:
    return f"sender/{connector}"
