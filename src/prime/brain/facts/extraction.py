"""The job that reads messages for facts: in batches, through a mind, and logged, so that nothing is asked twice."""

import asyncio
import logging
from collections.abc import Sequence
from itertools import groupby

from prime.brain.alone import LEASE_MS, Alone, alone
from prime.brain.facts.queries import FACTS, read_waiting
from prime.brain.lines import KINDS, digest_of, said, teaches
from prime.brain.thinking import Stated, Thinker
from prime.core.clock import Clock, is_due, iso
from prime.rooms.queries import ROOMS, read_actors
from prime.rooms.records import PRIME
from prime.store.erasing import Forgotten, refuse_forgotten
from prime.store.leases import Lease
from prime.store.message import Message, NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

BATCH = 40
QUIET_MS = 60_000  # a mind that costs something is asked when a conversation pauses, or a batch is full


class Extraction:
    def __init__(self, store: Store, clock: Clock, thinker: Thinker) -> None:
        self._store = store
        self._clock = clock
        self._thinker = thinker
        # Read without finding anything, by a mind that costs nothing: not worth a message of its own.
        self._seen: dict[str, tuple[int, int]] = {}
        self._lock = asyncio.Lock()

    async def catch_up(self, *, everything: bool = False) -> int | None:
        """Read what is due; milliseconds until more will be, None when nothing waits. `everything` waits for no pause."""
        async with self._lock, alone(self._store, "facts") as turn:
            if turn is None:
                return LEASE_MS
            waits = [await self._channel(*waiting, turn, everything=everything) for waiting in await self._waiting()]
        return min((wait for wait in waits if wait), default=None)

    async def _waiting(self) -> list[tuple[str, int, int]]:
        return await self._store.projector.read(read_waiting, FACTS)

    async def _channel(self, channel_id: str, seq: int, said_at: int, turn: Alone, *, everything: bool) -> int:
        """Read one channel; milliseconds until it should be looked at again, 0 when it is done."""
        base, seen = self._seen.get(channel_id, (0, 0))
        after = max(seq, seen if base <= seq else 0)  # what was erased is the reason to go back
        while batch := await self._store.log.page(channel_id, after=after, limit=BATCH, kinds=KINDS):
            now, quiet_at = self._clock.now_ms(), said_at + QUIET_MS
            soon = not (everything or self._thinker.free or is_due(quiet_at, now, QUIET_MS))
            if soon and len(batch) < BATCH:
                return quiet_at - now
            after = batch[-1].seq
            if not await self._read(channel_id, batch, turn.lease):
                self._seen[channel_id] = (seq, after)
            await turn.go_on()
        return 0

    async def _read(self, channel_id: str, batch: Sequence[Message], lease: Lease) -> bool:
        """Whether the log says that it was read."""
        lines = [message for message in batch if teaches(message)]
        stated = await self._stated(lines) if lines else ()
        if not lines or (not stated and self._thinker.free and len(batch) < BATCH):
            return False
        try:
            await self._append(channel_id, lines, stated, lease)
        except Forgotten:  # erased while a mind read it: the rest is read anew
            return await self._read(channel_id, await self._store.log.at([line.seq for line in batch]), lease)
        return True

    async def _stated(self, lines: Sequence[Message]) -> Sequence[Stated]:
        actors = await self._store.projector.read(read_actors, ROOMS)
        names = {actor.id: actor.name for actor in actors}
        known = {line.id for line in lines}
        # “Last year” is meant as of the day it was said on. One question for all where each costs.
        days = groupby(lines, key=_day) if self._thinker.free else [(_day(lines[-1]), lines)]
        found = [await self._thinker.extract(said(part, names), today=day) for day, part in days]
        return [stated for part in found for stated in part if stated.source in known]

    async def _append(self, channel_id: str, lines: Sequence[Message], stated: Sequence[Stated], lease: Lease) -> None:
        read = NewMessage(
            channel_id=channel_id,
            actor_id=PRIME,
            kind="extraction",
            audience="hub",
            body={"statements": [_statement(one) for one in stated]},
            sources=[line.id for line in lines],
            idempotency_key=f"extraction/{digest_of(line.id for line in lines)}",
        )
        await self._store.log.append(read, lease=lease, also=lambda c: refuse_forgotten(c, read.sources))


def _day(message: Message) -> str:
    return iso(message.ts)[:10]


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
