"""The log: one append-only sequence of messages, and everything that writes it."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, Protocol, TypeVar

from sqlalchemy import Connection, Select, and_, bindparam, select

from prime.core.clock import Clock
from prime.core.errors import InvalidInput, NotFound, TooLarge
from prime.store import tables
from prime.store.database import Database, DefersRows, Durability, Job
from prime.store.erasing import Erasure, erase_messages
from prime.store.heads import Heads
from prime.store.leases import Lease, check_lease
from prime.store.message import Kind, Message, NewMessage
from prime.store.pending import pending
from prime.store.rows import insert_messages, message_of, placed_message, read_after, read_head

MAX_TEXT_BYTES = 64 * 1024
MAX_BODY_BYTES = 1024 * 1024
EXCERPT_CHARACTERS = 2000

_columns = tables.message.c

T = TypeVar("T")


class Overflow(Protocol):
    """Takes a text that is too long for a message and gives back an attachment's id."""

    async def keep_text(self, name: str, content: str) -> str: ...


class Log:
    def __init__(self, database: Database, clock: Clock, heads: Heads, overflow: Overflow) -> None:
        self._database = database
        self._clock = clock
        self._heads = heads
        self._overflow = overflow

    # --- writing ---

    async def append(
        self,
        *new: NewMessage,
        lease: Lease | None = None,
        also: Job[object] | None = None,
        durability: Durability = "full",
    ) -> list[Message]:
        """Append the messages, all or none; returns them, in their places, when they are durable.

        With `lease`, nothing is appended unless it still holds. `also` runs in the same transaction.
        """
        ready = [message.cleaned() for message in new]
        if not all(map(_fits, ready)):
            ready = [await self._fitted(message) for message in ready]
        appended = await self._announced(_Append(ready, self._clock, lease, also), durability)
        self._heads.announce_all(appended)
        return appended

    async def erase(self, message_ids: Sequence[str], *, by: str) -> Erasure:
        """Blank the payload of these messages for good; their headers and payload hashes stay, and a notice says so."""
        if not message_ids:
            raise InvalidInput("Name at least one message to erase.")

        def job(connection: Connection) -> Erasure:
            return erase_messages(connection, tuple(dict.fromkeys(message_ids)), by, self._clock.now_ms())

        erasure = await self._announced(job)
        self._heads.announce_all([erasure.notice])
        return erasure

    async def _announced(self, job: Job[T], durability: Durability = "full") -> T:
        try:
            return await self._database.write(job, durability)
        except asyncio.CancelledError:
            # It is on its way to the disk all the same, and whoever follows the log must hear of it.
            late = asyncio.ensure_future(self._database.write(read_head))
            late.add_done_callback(self._announce_late)
            raise

    def _announce_late(self, head: "asyncio.Future[int]") -> None:
        if not head.cancelled() and head.exception() is None:
            self._heads.announce(head.result())

    async def _fitted(self, message: NewMessage) -> NewMessage:
        if len(message.written) > MAX_BODY_BYTES:
            raise TooLarge(
                f"A message's body may have {MAX_BODY_BYTES} bytes.", hint="Send what is larger as an attachment."
            )
        if len(message.text) * 4 <= MAX_TEXT_BYTES or len(message.text.encode()) <= MAX_TEXT_BYTES:
            return message
        attachment_id = await self._overflow.keep_text(f"{message.id}.txt", message.text)
        excerpt = f"{message.text[:EXCERPT_CHARACTERS]}…"
        body = {**message.body, "fullTextAttachmentId": attachment_id}
        return replace(message, text=excerpt, body=body, body_json=None)

    # --- reading ---

    async def head(self) -> int:
        """The highest `seq` committed by anyone."""
        if self._database.engine_name == "sqlite":
            return self._heads.head  # nobody else writes this file
        return await self._database.glance(read_head)

    async def get(self, message_id: str) -> Message:
        def job(connection: Connection) -> Message | None:
            row = connection.execute(select(tables.message).where(_columns.id == message_id)).one_or_none()
            return message_of(row) if row else None

        found = await self._database.glance(job)
        if found is None:
            raise NotFound(f"There is no message {message_id}.", messageId=message_id)
        return found

    async def after(self, seq: int, limit: int = 500) -> list[Message]:
        """Messages of all channels beyond `seq`, in order."""
        return await self._database.glance(lambda connection: read_after(connection, seq, limit))

    async def at(self, places: Sequence[int]) -> list[Message]:
        """The messages in these places, in order."""
        query = select(tables.message).where(_columns.seq.in_(places)).order_by(_columns.seq)
        return await self._database.glance(lambda c: [message_of(row) for row in c.execute(query)]) if places else []

    async def page(
        self,
        channel_id: str,
        *,
        before: int | None = None,
        after: int | None = None,
        limit: int = 50,
        kinds: Iterable[Kind] | None = None,
        audience: Literal["room", "hub"] = "hub",
    ) -> list[Message]:
        """A stretch of one channel in order: the last `limit` before a place, or the first `limit` after one.

        `audience="room"` leaves out what only the hub may see.
        """
        chosen = None if kinds is None else tuple(kinds)
        page = Page(channel_id, before=before, after=after, limit=limit, kinds=chosen, room=audience == "room")
        return await self._database.glance(page)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The job behind `Log.page`, for who reads more in the same moment."""

    channel_id: str = field(kw_only=False)
    before: int | None = None
    after: int | None = None
    limit: int = 50
    kinds: tuple[Kind, ...] | None = None
    room: bool = False

    def __call__(self, connection: Connection) -> list[Message]:
        query = _stretch(self.before is not None, self.after is not None, self.kinds, self.room)
        given = {"channel": self.channel_id, "before": self.before, "after": self.after, "most": self.limit}
        found = [message_of(row) for row in connection.execute(query, given)]
        return found if self.after is not None else found[::-1]


@lru_cache(maxsize=64)
def _stretch(before: bool, after: bool, kinds: tuple[Kind, ...] | None, room: bool) -> Select[*tuple[Any, ...]]:
    """The statement behind a page, kept: making one costs more than running it."""
    conditions = [_columns.channel_id == bindparam("channel")]
    if before:
        conditions.append(_columns.seq < bindparam("before"))
    if after:
        conditions.append(_columns.seq > bindparam("after"))
    if kinds is not None:
        conditions.append(_columns.kind.in_(kinds))
    if room:
        conditions.append(_columns.audience == "room")
    order = _columns.seq.asc() if after else _columns.seq.desc()
    return select(tables.message).where(and_(*conditions)).order_by(order).limit(bindparam("most"))


def _fits(message: NewMessage) -> bool:
    """Whether a message is so small that nothing needs to be measured."""
    return not message.body and len(message.text) * 4 <= MAX_TEXT_BYTES


@dataclass(frozen=True, slots=True)
class _Append(DefersRows):
    """The job behind `Log.append`."""

    clock: Clock
    lease: Lease | None
    also: Job[object] | None

    @property
    def rows_only(self) -> bool:
        # A key that was used before makes the insert fail, and the job is run again in full.
        return self.lease is None and self.also is None

    def placed(self, head: int) -> tuple[list[Message], list[tuple[object, ...]]]:
        now_ms = self.clock.now_ms()
        pairs = [placed_message(message, seq, now_ms) for seq, message in enumerate(self.messages, head + 1)]
        return [message for message, _ in pairs], [row for _, row in pairs]

    def __call__(self, connection: Connection) -> list[Message]:
        if self.lease:
            check_lease(connection, self.lease)
        appended = insert_messages(connection, self.messages, self.clock.now_ms())
        if self.also:
            pending(connection).flushed(connection)
            self.also(connection)
        return appended
