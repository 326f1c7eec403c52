"""Forgetting for good: the payload of messages is blanked, and of those that were written from them and repeat their words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection, insert, or_, select, update

from prime.core.errors import Conflict, InvalidInput, NotFound
from prime.store import tables
from prime.store.message import Kind, Message, NewMessage
from prime.store.rows import insert_messages, message_of

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


class Forgotten(Conflict):
    """What this was made of has been erased meanwhile: nothing of it is written."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """What `erase` did: the messages blanked, and the attachments that went with them."""

    notice: Message
    message_ids: tuple[str, ...]
    attachment_ids: tuple[str, ...]


def refuse_forgotten(connection: Connection, sources: Sequence[str]) -> None:
    """For whoever writes down, in the same transaction, what they made of messages that they read a while ago."""
    gone = select(tables.erasure.c.message_id).where(tables.erasure.c.message_id.in_(sources)).limit(1)
    if connection.execute(gone).first() is not None:
        raise Forgotten("What this is made of was erased meanwhile.", messageIds=list(sources))


def erase_messages(connection: Connection, ids: tuple[str, ...], by: str, now_ms: int) -> Erasure:
    rows = connection.execute(select(tables.message).where(_columns.id.in_(ids))).all()
    found = {message.id: message for message in map(message_of, rows)}
    for wanted in ids:
        _check_erasable(wanted, found.get(wanted))
    found |= _going_on_from(connection, found.values())
    found |= _made_of(connection, tuple(found))
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
    return Erasure(insert_messages(connection, [notice], now_ms)[0], fresh, attachments)


def _made_of(connection: Connection, ids: Sequence[str]) -> dict[str, Message]:
    """What was written from these messages and repeats their words: notes, facts, plans, briefs, questions, names, summaries,
    and what is made of those."""
    made: dict[str, Message] = {}
    names = list(ids)
    while names:
        repeats = or_(*(_columns.sources.contains(f'"{name}"', autoescape=True) for name in names))
        kinds = or_(_columns.kind.in_(_REPEATING), _columns.source_tag.in_(_REPEATING_TAGS))
        rows = connection.execute(select(tables.message).where(kinds, repeats))
        found = {m.id: m for m in map(message_of, rows) if _repeats(m)}
        found |= _going_on_from(connection, found.values())
        new = {name: message for name, message in found.items() if name not in made and name not in ids}
        made |= new
        names = list(new)
    return made


def _going_on_from(connection: Connection, messages: Iterable[Message]) -> dict[str, Message]:
    """A channel's summary takes over the words of the one before it: all that follow one of these."""
    first: dict[str, int] = {}
    for message in messages:
        if message.kind == "state" and message.text:  # after one that is erased already they begin anew
            first[message.channel_id] = min(message.seq, first.get(message.channel_id, message.seq))
    later: dict[str, Message] = {}
    for channel_id, seq in first.items():
        of_channel = (_columns.channel_id == channel_id) & (_columns.seq > seq) & (_columns.kind == "state")
        later |= {m.id: m for m in map(message_of, connection.execute(select(tables.message).where(of_channel)))}
    return later


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
