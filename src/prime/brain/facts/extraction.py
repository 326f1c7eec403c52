"""The job that reads messages for facts: in batches, through a mind, and logged, so that nothing is asked twice."""

import asyncio
import logging
from collections.abc import Sequence

from prime.brain.facts.queries import FACTS, read_waiting
from prime.brain.lines import KINDS, said, teaches
from prime.brain.thinking import Stated, Thinker
from prime.core.clock import Clock, iso
from prime.rooms.queries import ROOMS, read_actors
from prime.rooms.records import PRIME
from prime.store.leases import Lease, StaleLease
from prime.store.message import Message, NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

BATCH = 40
QUIET_MS = 60_000  # a mind that costs something is asked when a conversation pauses, or a batch is full
_LEASE = "brain:extraction"
_LEASE_MS = 180_000


class Extraction:
    def __init__(self, store: Store, clock: Clock, thinker: Thinker) -> None:
        self._store = store
        self._clock = clock
        self._thinker = thinker
        # Read without finding anything, by a mind that costs nothing: not worth a message of its own.
        self._seen: dict[str, int] = {}
        self._lock = asyncio.Lock()

    async def catch_up(self, *, everything: bool = False) -> int | None:
        """Read what is due; milliseconds until more will be, None when nothing waits. `everything` waits for no pause."""
        async with self._lock:
            return await self._catch_up(everything=everything)

    async def _catch_up(self, *, everything: bool) -> int | None:
        lease = await self._store.leases.acquire(_LEASE, _LEASE_MS)
        if lease is None:
            return QUIET_MS  # another replica does it
        try:
            waits = [await self._channel(*waiting, lease, everything=everything) for waiting in await self._waiting()]
            await self._store.leases.release(lease)
        except StaleLease:
            return QUIET_MS
        return min((wait for wait in waits if wait), default=None)

    async def _waiting(self) -> list[tuple[str, int, int]]:
        return await self._store.projector.read(read_waiting, FACTS)

    async def _channel(self, channel_id: str, seq: int, said_at: int, lease: Lease, *, everything: bool) -> int:
        """Read one channel; milliseconds until it should be looked at again, 0 when it is done."""
        after = max(seq, self._seen.get(channel_id, 0))
        while batch := await self._store.log.page(channel_id, after=after, limit=BATCH, kinds=KINDS):
            left = 0 if everything or self._thinker.free else said_at + QUIET_MS - self._clock.now_ms()
            if left > 0 and len(batch) < BATCH:
                return left
            after = batch[-1].seq
            await self._read(channel_id, batch, lease)
            await self._store.leases.renew(lease, _LEASE_MS)
        return 0

    async def _read(self, channel_id: str, batch: Sequence[Message], lease: Lease) -> None:
        lines = [message for message in batch if teaches(message)]
        if not lines:
            self._seen[channel_id] = batch[-1].seq
            return
        stated = await self._stated(lines)
        if stated or not self._thinker.free or len(batch) == BATCH:
            await self._append(channel_id, lines, stated, lease)
        self._seen[channel_id] = batch[-1].seq

    async def _stated(self, lines: Sequence[Message]) -> Sequence[Stated]:
        actors = await self._store.projector.read(read_actors, ROOMS)
        names = {actor.id: actor.name for actor in actors}
        found = await self._thinker.extract(said(lines, names), today=iso(self._clock.now_ms())[:10])
        known = {line.id for line in lines}
        return [stated for stated in found if stated.source in known]

    async def _append(self, channel_id: str, lines: Sequence[Message], stated: Sequence[Stated], lease: Lease) -> None:
        await self._store.log.append(
            NewMessage(
                channel_id=channel_id,
                actor_id=PRIME,
                kind="extraction",
                audience="hub",
                body={"statements": [_statement(one) for one in stated]},
                sources=[line.id for line in lines],
                idempotency_key=f"extraction/{lines[0].id}/{lines[-1].id}",
            ),
            lease=lease,
        )


def _statement(stated: Stated) -> dict[str, object]:
    given: dict[str, object] = {
        "subject": stated.subject,
        "predicate": stated.predicate,
        "object": stated.object,
        "source": stated.source,
    }
    if stated.valid_from:
        given["validFrom"] = stated.valid_from
    if stated.valid_to:
        given["validTo"] = stated.valid_to
    return given | {"many": True} if stated.many else given
