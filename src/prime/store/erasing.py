"""Forgetting for good: the payload of messages is blanked, and of those that were written from them and repeat their words."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, Row, bindparam, case, insert, or_, select, update

from prime.core.errors import Conflict, InvalidInput, NotFound
from prime.store import tables
from prime.store.message import Kind, Message, NewMessage
from prime.store.rows import insert_messages, portions, read_messages

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
_REPEATING_TAGS = ("answer", "update")

_columns = tables.message.c
_erased_id = tables.erasure.c.message_id


class Forgotten(Conflict):
    """What this was made of has been erased meanwhile: nothing of it is written."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """What `erase` did: the messages blanked, the attachments that went with them, and when the oldest of it was said."""

    notice: Message
    message_ids: tuple[str, ...]
    attachment_ids: tuple[str, ...]
    oldest_ts: int


def refuse_forgotten(connection: Connection, sources: Sequence[str]) -> None:
    """For whoever writes down, in the same transaction, what they made of messages that they read a while ago."""
    gone = select(tables.erasure.c.message_id).where(tables.erasure.c.message_id.in_(sources)).limit(1)
    if connection.execute(gone).first() is not None:
        raise Forgotten("What this is made of was erased meanwhile.", messageIds=list(sources))


def erase_messages(connection: Connection, ids: Sequence[str], by: str, now_ms: int) -> Erasure:
    found = {message.id: message for message in read_messages(connection, ids)}
    for wanted in ids:
        _check_erasable(wanted, found.get(wanted))
    named = [found[wanted] for wanted in ids]
    all_ids = [*ids, *_made_of(connection, named)]
    already = {
        gone
        for some in portions(all_ids)
        for gone in connection.execute(select(_erased_id).where(_erased_id.in_(some))).scalars()
    }
    fresh = tuple(i for i in all_ids if i not in already)
    if not fresh:
        raise Conflict("These messages are erased already.", messageIds=list(ids))
    forgotten = {message.id: message for message in read_messages(connection, fresh)}
    connection.execute(insert(tables.erasure), [{"message_id": i} for i in fresh])
    for some in portions(fresh):
        connection.execute(update(tables.message).where(_columns.id.in_(some)).values(text="", body="{}"))
    attachments = _orphaned_attachments(forgotten[i] for i in fresh)
    notice = NewMessage(
        channel_id=forgotten[fresh[0]].channel_id,
        actor_id=by,
        kind="erased",
        audience="hub",
        body={"messageIds": list(fresh), "attachmentIds": list(attachments)},
        sources=fresh,
    )
    oldest = min(message.ts for message in forgotten.values())
    return Erasure(insert_messages(connection, [notice], now_ms)[0], fresh, attachments, oldest)


def _made_of(connection: Connection, named: Sequence[Message]) -> list[str]:
    """What was written from these messages and repeats their words: notes, facts, plans, briefs, questions, names, summaries,
    and what is made of those.

    Whatever a message is made of stands before it, so one look through all that follows finds every chain.
    """
    gone = {message.id for message in named}
    # A channel's summary takes over the words of the one before it; after one that is erased already they begin anew.
    summaries: dict[str, int] = {}
    for message in named:
        if message.kind == "state" and message.text:
            summaries[message.channel_id] = min(message.seq, summaries.get(message.channel_id, message.seq))
    made: list[str] = []
    for row in connection.execute(_FOLLOWING, {"after": min(message.seq for message in named)}):
        goes_on = row.kind == "state" and summaries.get(row.channel_id, row.seq) < row.seq
        if row.id in gone or not (goes_on or (not gone.isdisjoint(json.loads(row.sources)) and _repeats(row))):
            continue
        gone.add(row.id)
        made.append(row.id)
        if row.kind == "state" and row.has_text:
            summaries.setdefault(row.channel_id, row.seq)
    return made


# How far somebody has read says nothing of what they read; that they joined or left neither.
_TELLING: tuple[Kind, ...] = ("decision", "channel", "membership")


def _repeats(row: Row[*tuple[Any, ...]]) -> bool:
    if row.kind not in _TELLING:
        return True
    body = cast("dict[str, object]", json.loads(row.told))
    return "upTo" not in body if row.kind == "decision" else body.get("op") in ("renamed", "actor")


# Of what may repeat others only what is needed to see whether it does: there may be very many of them.
_FOLLOWING = (
    select(
        _columns.seq,
        _columns.id,
        _columns.channel_id,
        _columns.kind,
        _columns.sources,
        (_columns.text != "").label("has_text"),
        case((_columns.kind.in_(_TELLING), _columns.body), else_="").label("told"),
    )
    .where(
        _columns.seq > bindparam("after"),
        or_(_columns.kind.in_(_REPEATING), _columns.source_tag.in_(_REPEATING_TAGS)),
        or_(_columns.sources != "[]", _columns.kind == "state"),
    )
    .order_by(_columns.seq)
)


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
