"""The job that settles summaries: when somebody asks for it, or a minute after the last word."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from prime.brain.alone import alone
from prime.brain.lines import KINDS, digest_of, said, teaches
from prime.brain.state.queries import STATE, State, read_channel_states, read_held, read_state, read_unsettled
from prime.brain.thinking import Said, Thinker
from prime.core.clock import Clock, is_due
from prime.rooms.queries import ROOMS, read_actors, read_channel
from prime.rooms.records import HUB, PRIME
from prime.store.erasing import Forgotten, refuse_forgotten
from prime.store.leases import Lease
from prime.store.message import Message, NewMessage
from prime.store.rows import read_messages
from prime.store.store import Store

QUIET_MS = 60_000
MOST_LINES = 200
MOST_TEXT = 12_000  # characters of a summary; a living one does not only grow


class Consolidation:
    def __init__(self, store: Store, clock: Clock, thinker: Thinker) -> None:
        self._store = store
        self._clock = clock
        self._thinker = thinker
        self._lock = asyncio.Lock()

    async def catch_up(self) -> int | None:
        """Settle every channel that has been quiet for a minute; milliseconds until the next is, None when all are."""
        waits: list[int] = []
        for channel_id, said_at in await self._store.projector.read(read_unsettled, STATE):
            now, quiet_at = self._clock.now_ms(), said_at + QUIET_MS
            if is_due(quiet_at, now, QUIET_MS):
                await self.consolidate(channel_id)
            else:
                waits.append(quiet_at - now)
        return min(waits, default=None)

    async def consolidate(self, channel_id: str) -> State | None:
        """Take what was said since into the channel's summary; the summary as it is then, None when there is none."""
        async with self._lock, alone(self._store, "state") as turn:
            while turn is not None and await self._settle(channel_id, turn.lease):  # else another replica is at it
                await turn.go_on()
        return await self._store.projector.read(lambda c: read_state(c, channel_id), STATE)

    async def _settle(self, channel_id: str, lease: Lease) -> bool:
        """Take in the next lines; False when there were none."""
        held = await self._store.projector.read(lambda c: read_held(c, channel_id), STATE)
        new = await self._store.log.page(channel_id, after=held, limit=MOST_LINES, kinds=KINDS)
        lines = [message for message in new if teaches(message)]
        summaries = await self._summaries(held) if channel_id == HUB else []
        if not lines and not summaries:
            return False
        latest = await self._store.projector.read(lambda c: read_state(c, channel_id), STATE)
        shown = [*await self._said(lines), *await self._told(summaries)]
        text = await self._thinker.consolidate(shown, before=_shortened(latest.text) if latest else "")
        if not text.strip():
            return False
        sources = [message.id for message in sorted([*lines, *summaries], key=lambda m: m.seq)]
        before = [latest.message_id] if latest else []
        with suppress(Forgotten):  # erased while a mind read it: the rest is taken in anew
            return await self._append(channel_id, _shortened(text), sources, before, lease)
        return True

    async def _summaries(self, after: int) -> list[Message]:
        ids = await self._store.projector.read(lambda c: read_channel_states(c, after, MOST_LINES), STATE)
        return await self._store.database.read(lambda c: read_messages(c, ids)) if ids else []

    async def _said(self, lines: Sequence[Message]) -> list[Said]:
        actors = await self._store.projector.read(read_actors, ROOMS)
        return said(lines, {actor.id: actor.name for actor in actors})

    async def _told(self, summaries: Sequence[Message]) -> list[Said]:
        """Summaries of channels, as if each channel had spoken; of several of one channel, the newest."""
        newest = {message.channel_id: message for message in summaries}
        told: list[Said] = []
        for message in newest.values():
            channel = await self._store.projector.read(lambda c, m=message: read_channel(c, m.channel_id), ROOMS)
            name = channel.name if channel else message.channel_id
            told.append(Said(message_id=message.id, speaker=name, text=message.text, ts=message.ts, quoted=True))
        return told

    async def _append(
        self, channel_id: str, text: str, sources: Sequence[str], before: Sequence[str], lease: Lease
    ) -> bool:
        """Whether it is there now. `before`: the summary that this one goes on from."""
        settled = NewMessage(
            channel_id=channel_id,
            actor_id=PRIME,
            kind="state",
            audience="hub",
            text=text,
            sources=sources,
            idempotency_key=f"state/{digest_of([*before, *sources])}",
        )
        forgotten = partial(refuse_forgotten, sources=[*sources, *before])
        [there] = await self._store.log.append(settled, lease=lease, also=forgotten)
        return bool(there.text)  # else it was settled so before, and erased by itself


def _shortened(text: str) -> str:
    """The newest part of a text, from the beginning of a line on."""
    text = text.strip()
    if len(text) <= MOST_TEXT:
        return text
    rest = text[-MOST_TEXT:]
    return rest[rest.find("\n") + 1 :]
