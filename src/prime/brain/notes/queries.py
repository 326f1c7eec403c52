"""The fold of messages with attachments, and reads over it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection, Table, select, update

from prime.brain.notes import tables
from prime.store.message import Audience, Message
from prime.store.upsert import add_row

NOTES = "notes"

_a = tables.attached


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """An attachment in a channel, without a note as yet."""

    attachment_id: str
    channel_id: str
    message_id: str
    audience: Audience


class NotesProjection:
    """Attachments by channel, and their notes."""

    name = NOTES
    version = 1
    tables: Sequence[Table] = tables.DERIVED

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        for message in messages:
            if message.kind == "note":
                _fold_note(connection, message)
            elif message.body:
                _fold_attached(connection, message)


def _fold_attached(connection: Connection, message: Message) -> None:
    listed = message.body.get("attachmentIds")
    for attachment_id in cast("list[object]", listed) if isinstance(listed, list) else []:
        if isinstance(attachment_id, str) and message.kind != "erased":
            row = {
                "attachment_id": attachment_id,
                "channel_id": message.channel_id,
                "message_id": message.id,
                "seq": message.seq,
                "audience": message.audience,
                "note_id": None,
            }
            add_row(connection, _a, row)


def _fold_note(connection: Connection, message: Message) -> None:
    attachment_id = message.body.get("attachmentId")
    if isinstance(attachment_id, str):
        connection.execute(
            update(_a)
            .where(
                _a.c.attachment_id == attachment_id,
                _a.c.channel_id == message.channel_id,
                _a.c.note_id.is_(None),
            )
            .values(note_id=message.id)
        )


def read_without_note(connection: Connection, limit: int) -> list[Attached]:
    """The oldest attachments that have no note yet."""
    query = select(_a.c.attachment_id, _a.c.channel_id, _a.c.message_id, _a.c.audience).where(_a.c.note_id.is_(None))
    return [
        Attached(attachment_id=a, channel_id=c, message_id=m, audience=cast("Audience", who))
        for a, c, m, who in connection.execute(query.order_by(_a.c.seq, _a.c.attachment_id).limit(limit))
    ]


def read_note_of(connection: Connection, attachment_id: str) -> str | None:
    """The first note of an attachment, in whichever channel it is."""
    query = select(_a.c.note_id).where(_a.c.attachment_id == attachment_id, _a.c.note_id.is_not(None))
    return connection.execute(query.order_by(_a.c.seq).limit(1)).scalar_one_or_none()
