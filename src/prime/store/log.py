"""The log: one append-only sequence of messages, and everything that writes it."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol, TypeVar, cast

from sqlalchemy import Connection, Row, and_, func, insert, or_, select, text, update

from prime.core.canonical import canonical_json
from prime.core.clock import Clock
from prime.core.errors import Conflict, InvalidInput, NotFound, TooLarge
from prime.store import tables
from prime.store.database import HEAD_CHANNEL, Database, Job, pending
from prime.store.heads import Heads
from prime.store.leases import Lease, check_lease
from prime.store.message import Kind, Message, NewMessage, payload_hash

MAX_TEXT_BYTES = 64 * 1024
MAX_BODY_BYTES = 1024 * 1024
EXCERPT_CHARACTERS = 2000

# Erasing these would pull the floor from under others: channels are closed and members leave instead.
_STRUCTURAL: frozenset[Kind] = frozenset({"channel", "membership", "erased", "policy"})

# Written from other messages and repeating what they say: these are forgotten together with them.
_REPEATING: tuple[Kind, ...] = (
    "note",
    "extraction",
    "state",
    "plan",
    "brief",
    "question",
    "decision",
    "channel",
    "membership",
)
# The tags of words that answer or sum up others.
REPEATING_TAGS = ("answer", "update")

_columns = tables.message.c

T = TypeVar("T")


class Overflow(Protocol):
    """Takes a text that is too long for a message and gives back an attachment's id."""

    async def keep_text(self, name: str, content: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Erasure:
    """What `erase` did: the messages blanked, and the attachments that went with them."""

    notice: Message
    message_ids: tuple[str, ...]
    attachment_ids: tuple[str, ...]


class Log:
    def __init__(self, database: Database, clock: Clock, heads: Heads, overflow: Overflow) -> None:
        self._database = database
        self._clock = clock
        self._heads = heads
        self._overflow = overflow

    # --- writing ---

    async def append(
        self, *new: NewMessage, lease: Lease | None = None, also: Job[object] | None = None
    ) -> list[Message]:
        """Append the messages, all or none; returns them, in their places, when they are durable.

        With `lease`, nothing is appended unless it still holds. `also` runs in the same transaction.
        """
        cleaned = [message.cleaned() for message in new]
        ready = [m if _fits(m) else await self._fitted(m) for m in cleaned]
        appended = await self._announced(_Append(ready, self._clock, lease, also))
        if appended:
            self._heads.announce(max(m.seq for m in appended))
        return appended

    async def erase(self, message_ids: Sequence[str], *, by: str) -> Erasure:
        """Blank the payload of these messages for good; their headers and payload hashes stay, and a notice says so."""
        if not message_ids:
            raise InvalidInput("Name at least one message to erase.")

        def job(connection: Connection) -> Erasure:
            return _erase(connection, tuple(dict.fromkeys(message_ids)), by, self._clock.now_ms())

        erasure = await self._announced(job)
        self._heads.announce(erasure.notice.seq)
        return erasure

    async def _announced(self, job: Job[T]) -> T:
        try:
            return await self._database.write(job)
        except asyncio.CancelledError:
            # It is on its way to the disk all the same, and whoever follows the log must hear of it.
            late = asyncio.ensure_future(self._database.write(read_head))
            late.add_done_callback(self._announce_late)
            raise

    def _announce_late(self, head: "asyncio.Future[int]") -> None:
        if not head.cancelled() and head.exception() is None:
            self._heads.announce(head.result())

    async def _fitted(self, message: NewMessage) -> NewMessage:
        if message.body and len(canonical_json(message.body)) > MAX_BODY_BYTES:
            raise TooLarge(
                f"A message's body may have {MAX_BODY_BYTES} bytes.", hint="Send what is larger as an attachment."
            )
        if len(message.text) * 4 <= MAX_TEXT_BYTES or len(message.text.encode()) <= MAX_TEXT_BYTES:
            return message
        attachment_id = await self._overflow.keep_text(f"{message.id}.txt", message.text)
        excerpt = f"{message.text[:EXCERPT_CHARACTERS]}…"
        return replace(message, text=excerpt, body={**message.body, "fullTextAttachmentId": attachment_id})

    # --- reading ---

    async def head(self) -> int:
        """The highest `seq` committed by anyone."""
        if self._database.engine_name == "sqlite":
            return self._heads.head  # nobody else writes this file
        return await self._database.read(read_head)

    async def get(self, message_id: str) -> Message:
        def job(connection: Connection) -> Message | None:
            row = connection.execute(select(tables.message).where(_columns.id == message_id)).one_or_none()
            return _message(row) if row else None

        found = await self._database.read(job)
        if found is None:
            raise NotFound(f"There is no message {message_id}.", messageId=message_id)
        return found

    async def after(self, seq: int, limit: int = 500) -> list[Message]:
        """Messages of all channels beyond `seq`, in order."""
        return await self._database.read(lambda connection: read_after(connection, seq, limit))

    async def at(self, places: Sequence[int]) -> list[Message]:
        """The messages in these places, in order."""
        query = select(tables.message).where(_columns.seq.in_(places)).order_by(_columns.seq)
        return await self._database.read(lambda c: [_message(row) for row in c.execute(query)]) if places else []

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
        conditions = [_columns.channel_id == channel_id]
        if before is not None:
            conditions.append(_columns.seq < before)
        if after is not None:
            conditions.append(_columns.seq > after)
        if kinds is not None:
            conditions.append(_columns.kind.in_(list(kinds)))
        if audience == "room":
            conditions.append(_columns.audience == "room")
        order = _columns.seq.asc() if after is not None else _columns.seq.desc()

        def job(connection: Connection) -> list[Message]:
            rows = connection.execute(select(tables.message).where(and_(*conditions)).order_by(order).limit(limit))
            return sorted((_message(row) for row in rows), key=lambda m: m.seq)

        return await self._database.read(job)


# Built once: making a statement costs more than running it.
_HEAD = select(func.coalesce(func.max(_columns.seq), 0))


def read_head(connection: Connection) -> int:
    return connection.execute(_HEAD).scalar_one()


def read_messages(connection: Connection, ids: Sequence[str]) -> list[Message]:
    """The messages with these ids, in order; ids that nobody has are left out."""
    rows = connection.execute(select(tables.message).where(_columns.id.in_(ids)).order_by(_columns.seq))
    return [_message(row) for row in rows]


def read_after(connection: Connection, seq: int, limit: int) -> list[Message]:
    rows = connection.execute(select(tables.message).where(_columns.seq > seq).order_by(_columns.seq).limit(limit))
    return [_message(row) for row in rows]


def _fits(message: NewMessage) -> bool:
    """Whether a message is so small that nothing needs to be measured."""
    return not message.body and len(message.text) * 4 <= MAX_TEXT_BYTES


@dataclass(frozen=True, slots=True)
class _Append:
    """The job behind `Log.append`."""

    messages: Sequence[NewMessage]
    clock: Clock
    lease: Lease | None
    also: Job[object] | None

    defers_rows: ClassVar[bool] = True

    @property
    def rows_only(self) -> bool:
        # A key that was used before makes the insert fail, and the job is run again in full.
        return self.lease is None and self.also is None

    def placed(self, head: int) -> tuple[list[Message], list[tuple[object, ...]]]:
        now_ms = self.clock.now_ms()
        pairs = [_placed(message, seq, now_ms) for seq, message in enumerate(self.messages, head + 1)]
        return [message for message, _ in pairs], [row for _, row in pairs]

    def __call__(self, connection: Connection) -> list[Message]:
        if self.lease:
            check_lease(connection, self.lease)
        appended = _insert(connection, self.messages, self.clock.now_ms())
        if self.also:
            pending(connection).flushed(connection)
            self.also(connection)
        return appended


def _insert(connection: Connection, new: Sequence[NewMessage], now_ms: int) -> list[Message]:
    """Give the messages their places. The log's lock is held, so the head moves by nobody else until the commit."""
    waiting = pending(connection)
    waiting.flush = _write_rows  # first: a key that is looked up must find the rows before it
    seq = read_head(connection) if waiting.head is None else waiting.head
    appended: list[Message] = []
    for message in new:
        earlier = _earlier(connection, message)
        if earlier is None:
            seq += 1
            earlier, row = _placed(message, seq, now_ms)
            waiting.rows.append(row)
        appended.append(earlier)
    waiting.head = seq
    return appended


def _write_rows(connection: Connection, rows: list[tuple[object, ...]]) -> None:
    statement = tables.message_insert(connection.dialect)
    connection.exec_driver_sql(statement, rows if len(rows) > 1 else rows[0])
    if connection.dialect.name == "postgresql":
        connection.execute(_NOTIFY, {"channel": HEAD_CHANNEL, "seq": str(rows[-1][0])})


_NOTIFY = text("SELECT pg_notify(:channel, :seq)")


def _earlier(connection: Connection, message: NewMessage) -> Message | None:
    if message.idempotency_key is None:
        return None
    pending(connection).flushed(connection)
    row = connection.execute(
        select(tables.message).where(
            _columns.channel_id == message.channel_id,
            _columns.actor_id == message.actor_id,
            _columns.idempotency_key == message.idempotency_key,
        )
    ).one_or_none()
    return _message(row) if row else None


def _placed(message: NewMessage, seq: int, now_ms: int) -> tuple[Message, tuple[object, ...]]:
    """The message in its place, and the row that holds it."""
    body = canonical_json(message.body) if message.body else "{}"
    placed = Message(
        seq=seq,
        id=message.id,
        channel_id=message.channel_id,
        actor_id=message.actor_id,
        ts=now_ms,
        kind=message.kind,
        audience=message.audience,
        text=message.text,
        body=message.body,
        course=message.course,
        source_tag=message.source_tag,
        sources=tuple(message.sources),
        payload_hash=payload_hash(message.text, body),
    )
    row = (
        seq,
        placed.id,
        placed.channel_id,
        placed.actor_id,
        now_ms,
        placed.kind,
        placed.audience,
        placed.text,
        body,
        placed.course,
        placed.source_tag,
        canonical_json(list(placed.sources)) if placed.sources else "[]",
        placed.payload_hash,
        message.idempotency_key,
    )
    return placed, row


def _message(row: Row[tuple[object, ...]]) -> Message:
    # Columns stand in the table's order; going by position spares a name look-up per field and row.
    seq, id_, channel, actor, ts, kind, audience, text_, body, course, tag, sources, digest, _key = cast(
        "tuple[int, str, str, str, int, Kind, Literal['room', 'hub'], str, str, int, str | None, str, str, str]", row
    )
    return Message(
        seq=seq,
        id=id_,
        channel_id=channel,
        actor_id=actor,
        ts=ts,
        kind=kind,
        audience=audience,
        text=text_,
        body={} if body == "{}" else json.loads(body),
        course=course,
        source_tag=tag,
        sources=() if sources == "[]" else tuple(json.loads(sources)),
        payload_hash=digest,
    )


def _erase(connection: Connection, ids: tuple[str, ...], by: str, now_ms: int) -> Erasure:
    rows = connection.execute(select(tables.message).where(_columns.id.in_(ids))).all()
    found = {message.id: message for message in map(_message, rows)}
    for wanted in ids:
        _check_erasable(wanted, found.get(wanted))
    found |= _made_of(connection, ids)
    ids = tuple(found)
    already = set(
        connection.execute(select(tables.erasure.c.message_id).where(tables.erasure.c.message_id.in_(ids))).scalars()
    )
    fresh = tuple(i for i in ids if i not in already)
    if not fresh:
        raise Conflict("These messages are erased already.", messageIds=list(ids))
    connection.execute(insert(tables.erasure), [{"message_id": i} for i in fresh])
    connection.execute(update(tables.message).where(_columns.id.in_(fresh)).values(text="", body="{}"))
    attachments = _orphaned_attachments(found[i] for i in fresh)
    notice = NewMessage(
        channel_id=found[fresh[0]].channel_id,
        actor_id=by,
        kind="erased",
        audience="hub",
        body={"messageIds": list(fresh), "attachmentIds": list(attachments)},
        sources=fresh,
    )
    return Erasure(_insert(connection, [notice], now_ms)[0], fresh, attachments)


def _made_of(connection: Connection, ids: Sequence[str]) -> dict[str, Message]:
    """What was written from these messages and repeats their words: notes, facts, plans, briefs, questions, names, summaries,
    and what is made of those."""
    made: dict[str, Message] = {}
    names = list(ids)
    while names:
        repeats = or_(*(_columns.sources.contains(f'"{name}"', autoescape=True) for name in names))
        kinds = or_(_columns.kind.in_(_REPEATING), _columns.source_tag.in_(REPEATING_TAGS))
        rows = connection.execute(select(tables.message).where(kinds, repeats))
        new = {m.id: m for m in map(_message, rows) if m.id not in made and m.id not in ids and _repeats(m)}
        made |= new
        names = list(new)
    return made


def _repeats(message: Message) -> bool:
    """How far somebody has read says nothing of what they read; that they joined or left neither."""
    if message.kind == "decision":
        return "upTo" not in message.body
    return message.kind not in ("channel", "membership") or message.body.get("op") in ("renamed", "actor")


def _check_erasable(message_id: str, message: Message | None) -> None:
    if message is None:
        raise NotFound(f"There is no message {message_id}.", messageId=message_id)
    if message.kind in _STRUCTURAL:
        raise InvalidInput(
            f"A message of kind {message.kind} cannot be erased.",
            hint="Close the channel or remove the member instead.",
            messageId=message_id,
        )


def _orphaned_attachments(messages: Iterable[Message]) -> tuple[str, ...]:
    named: dict[str, None] = {}
    for message in messages:
        listed = message.body.get("attachmentIds")
        if isinstance(listed, list):
            named.update({str(i): None for i in cast("list[object]", listed)})
        fetched = message.body.get("attachmentId") if "referenceId" in message.body else None
        if isinstance(fetched, str):
            named[fetched] = None
        overflow = message.body.get("fullTextAttachmentId")
        if isinstance(overflow, str):
            named[overflow] = None
    return tuple(named)
