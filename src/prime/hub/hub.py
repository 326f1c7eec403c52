"""The hub: the owner speaks here, and Prime answers.

What a mind says is logged like everything else; the request that led to it is not repeated after a crash, because the
answer's idempotency key names the message that it answers.
"""

import asyncio
from collections.abc import Sequence

from prime.core.errors import PrimeError
from prime.hub import queries
from prime.hub.feed import FeedItem
from prime.hub.queries import FEED
from prime.mind.protocol import Line, Mind, ReplyRequest
from prime.rooms.records import HUB, OWNER, PRIME
from prime.rooms.rooms import Rooms
from prime.rooms.views import View
from prime.store.message import Message, NewMessage
from prime.store.store import Store

LINES = 40


class Hub:
    def __init__(self, store: Store, rooms: Rooms, mind: Mind) -> None:
        self._store = store
        self._rooms = rooms
        self.mind = mind
        self._answering: set[asyncio.Task[None]] = set()

    async def say(
        self, text: str, *, idempotency_key: str | None = None, attachment_ids: Sequence[str] = ()
    ) -> Message:
        """The owner's words in the hub's room; Prime's answer follows by itself."""
        said = await self._rooms.say(HUB, OWNER, text, idempotency_key=idempotency_key, attachment_ids=attachment_ids)
        task = asyncio.create_task(self._answer(said), name="prime-answer")
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)
        return said

    async def feed(self, *, before: int | None = None, limit: int = 50) -> list[tuple[int, FeedItem]]:
        """Cards, newest first, each with its place for the next page."""
        return await self._store.projector.read(lambda c: queries.read_feed(c, before=before, limit=limit), FEED)

    async def resume(self) -> None:
        """Answer what was said last and not answered, because the process ended in between."""
        lines = [m for m in await self._store.log.page(HUB, limit=LINES) if m.kind == "text"]
        if lines and lines[-1].actor_id == OWNER:
            await self._answer(lines[-1])

    async def stop(self) -> None:
        await asyncio.gather(*self._answering, return_exceptions=True)

    async def _answer(self, said: Message) -> None:
        try:
            view = await View.of(self._store, HUB)
            messages = [m for m in await view.messages(limit=LINES) if m.kind == "text" and m.seq <= said.seq]
            reply = await self.mind.reply(
                ReplyRequest(
                    speaker="Prime",
                    channel_name=view.channel.name,
                    tier=view.channel.tier,
                    brief="",
                    lines=[_line(m) for m in messages],
                )
            )
            kind, text = "text", reply.text
        except PrimeError as error:
            kind, text = "system", str(error)
        if text:
            await self._store.log.append(
                NewMessage(
                    channel_id=HUB,
                    actor_id=PRIME,
                    kind=kind,
                    text=text,
                    sources=(said.id,),
                    idempotency_key=f"answer/{said.id}",
                )
            )


def _line(message: Message) -> Line:
    speaker = "You" if message.actor_id == OWNER else "Prime"
    return Line(message_id=message.id, speaker=speaker, text=message.text, own=message.actor_id == PRIME)
