"""The fold of messages with attachments, and reads over it."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection, Table, case, func, select, update

from prime.brain.notes import tables
from prime.rooms.records import OWNER
from prime.store.message import Audience, Message
from prime.store.tables import message as logged
from prime.store.upsert import add_row

NOTES = "notes"

_a = tables.attached
_m = logged.c


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """An attachment in a channel, without a note as yet. With a `url` it has still to be fetched."""

    attachment_id: str
    channel_id: str
    message_id: str
    audience: Audience
    url: str | None = None
    name: str = ""


class NotesProjection:
    """Attachments by channel, and their notes."""

    name = NOTES
    version = 2
    tables: Sequence[Table] = tables.DERIVED

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        for message in messages:
            if message.kind == "note":
                _fold_note(connection, message)
            elif message.body:
                _fold_attached(connection, message)


def _fold_attached(connection: Connection, message: Message) -> None:
    if message.kind == "erased":
        return
    for attachment_id in _listed(message, "attachmentIds"):
        if isinstance(attachment_id, str):
            add_row(connection, _a, _row(message, attachment_id))
    for given in _listed(message, "references"):
        reference: Mapping[str, object] = cast("Mapping[str, object]", given) if isinstance(given, dict) else {}
        url, name = reference.get("url"), reference.get("name")
        if isinstance(url, str) and url:
            named = {"url": url, "name": name if isinstance(name, str) else ""}
            add_row(connection, _a, _row(message, reference_id(message.id, url)) | named)


def reference_id(message_id: str, url: str) -> str:
    return f"ref_{hashlib.sha256(f'{message_id}/{url}'.encode()).hexdigest()[:24]}"


def _listed(message: Message, field: str) -> list[object]:
    listed = message.body.get(field)
    return cast("list[object]", listed) if isinstance(listed, list) else []


def _row(message: Message, attachment_id: str) -> dict[str, object]:
    return {
        "attachment_id": attachment_id,
        "channel_id": message.channel_id,
        "message_id": message.id,
        "seq": message.seq,
        "audience": message.audience,
        "note_id": None,
        "url": None,
        "name": None,
    }


def _fold_note(connection: Connection, message: Message) -> None:
    attachment_id, reference = message.body.get("attachmentId"), message.body.get("referenceId")
    if isinstance(reference, str) and isinstance(attachment_id, str):
        # It was fetched and is an attachment like others now.
        add_row(connection, _a, _row(message, attachment_id))
    for noted in (attachment_id, reference):
        _fold_noted(connection, message, noted)


def _fold_noted(connection: Connection, message: Message, attachment_id: object) -> None:
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


def read_next(connection: Connection, turns: Mapping[str, int]) -> Attached | None:
    """An attachment that has no note yet: one of the owner's first, then one of the channel whose turn was longest ago.

    Some take a minute each, and whoever brings a thousand of them has others wait for one. `turns` says when channels had theirs.
    """
    others = case((_m.actor_id == OWNER, 0), else_=1).label("others")
    place = func.row_number().over(partition_by=_a.c.channel_id, order_by=(others, _a.c.seq, _a.c.attachment_id))
    missing = (
        select(_a, others, place.label("place"))
        .outerjoin(logged, _m.id == _a.c.message_id)
        .where(_a.c.note_id.is_(None))
        .subquery()
    )
    firsts = connection.execute(select(missing).where(missing.c.place == 1)).all()
    row = min(firsts, key=lambda row: (row.others, turns.get(row.channel_id, 0), row.seq), default=None)
    if row is None:
        return None
    return Attached(
        attachment_id=row.attachment_id,
        channel_id=row.channel_id,
        message_id=row.message_id,
        audience=row.audience,
        url=row.url,
        name=row.name or "",
    )


def read_note_of(connection: Connection, attachment_id: str) -> str | None:
    """The first note of an attachment, in whichever channel it is."""
    query = select(_a.c.note_id).where(_a.c.attachment_id == attachment_id, _a.c.note_id.is_not(None))
    return connection.execute(query.order_by(_a.c.seq).limit(1)).scalar_one_or_none()
