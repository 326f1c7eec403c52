"""Reads and writes of guests."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update

from prime.accounts.tables import guest, guest_channel, guest_upload, sign_in_link
from prime.rooms.views import VISIBLE
from prime.store.tables import message
from prime.store.upsert import add_row


@dataclass(frozen=True, slots=True)
class GuestRow:
    """Somebody invited, or a contact who may claim their profile."""

    id: str
    name: str
    email: str | None
    actor_id: str
    ghost: bool
    created_at: int
    accepted_at: int | None
    link_expires_at: int | None
    channel_ids: tuple[str, ...] = ()


_COLUMNS = [guest.c[name] for name in GuestRow.__slots__ if name != "channel_ids"]


def add_guest(connection: Connection, row: GuestRow, token_hash: str | None) -> None:
    values = {column.name: getattr(row, column.name) for column in _COLUMNS}
    connection.execute(insert(guest).values(**values, token_hash=token_hash))
    connection.execute(insert(guest_channel), [{"guest_id": row.id, "channel_id": c} for c in row.channel_ids])


def read_guests(connection: Connection) -> list[GuestRow]:
    rows = connection.execute(select(*_COLUMNS).order_by(guest.c.created_at, guest.c.id)).all()
    return [_row(connection, row) for row in rows]


def read_guest(connection: Connection, guest_id: str) -> GuestRow | None:
    return _one(connection, guest.c.id == guest_id)


def read_guest_with_email(connection: Connection, email: str) -> GuestRow | None:
    return _one(connection, guest.c.email == email)


def read_guest_of(connection: Connection, actor_id: str) -> GuestRow | None:
    return _one(connection, guest.c.actor_id == actor_id)


def read_invited(connection: Connection, token_hash: str, now: int) -> GuestRow | None:
    return _one(connection, (guest.c.token_hash == token_hash) & (guest.c.link_expires_at > now))


def put_link(connection: Connection, guest_id: str, token_hash: str, expires_at: int) -> None:
    changed = {"token_hash": token_hash, "link_expires_at": expires_at}
    connection.execute(update(guest).where(guest.c.id == guest_id).values(changed))


def use_invite(connection: Connection, token_hash: str, now: int) -> bool:
    """Take the link away; whether it was there and still good. Of two at once, one gets it."""
    there = (guest.c.token_hash == token_hash) & (guest.c.link_expires_at > now)
    used = connection.execute(update(guest).where(there).values(token_hash=None, link_expires_at=None))
    return used.rowcount == 1


def note_accepted(connection: Connection, guest_id: str, now: int) -> bool:
    """Whether this was the first time."""
    first = (guest.c.id == guest_id) & guest.c.accepted_at.is_(None)
    return connection.execute(update(guest).where(first).values(accepted_at=now)).rowcount == 1


def put_channels(connection: Connection, guest_id: str, channel_ids: Sequence[str]) -> None:
    connection.execute(delete(guest_channel).where(guest_channel.c.guest_id == guest_id))
    connection.execute(insert(guest_channel), [{"guest_id": guest_id, "channel_id": c} for c in channel_ids])


def remove_guest(connection: Connection, guest_id: str) -> None:
    for owned in (guest_channel, guest_upload, sign_in_link):
        connection.execute(delete(owned).where(owned.c.guest_id == guest_id))
    connection.execute(delete(guest).where(guest.c.id == guest_id))


def add_upload(connection: Connection, guest_id: str, attachment_id: str) -> None:
    add_row(connection, guest_upload, {"guest_id": guest_id, "attachment_id": attachment_id})


def uploaded(connection: Connection, guest_id: str, attachment_id: str) -> bool:
    query = select(guest_upload.c.attachment_id).where(
        guest_upload.c.guest_id == guest_id, guest_upload.c.attachment_id == attachment_id
    )
    return connection.execute(query).scalar_one_or_none() is not None


def shown_in(connection: Connection, channel_ids: Sequence[str], attachment_id: str) -> bool:
    """Whether a message that is visible in one of these channels names the attachment."""
    query = select(message.c.body).where(
        message.c.channel_id.in_(channel_ids),
        message.c.audience == "room",
        message.c.kind.in_(sorted(VISIBLE)),
        message.c.body.contains(attachment_id, autoescape=True),
    )
    return any(attachment_id in _named(body) for body in connection.execute(query).scalars())


def _named(body: str) -> set[str]:
    """The attachments that a message's body names as its own."""
    given = cast("dict[str, object]", json.loads(body))
    listed = given.get("attachmentIds")
    named = [given.get("fullTextAttachmentId"), given.get("attachmentId")]
    named += cast("list[object]", listed) if isinstance(listed, list) else []
    return {name for name in named if isinstance(name, str)}


def _one(connection: Connection, condition: ColumnElement[bool]) -> GuestRow | None:
    row = connection.execute(select(*_COLUMNS).where(condition)).first()
    return _row(connection, row) if row else None


def _row(connection: Connection, row: Row[tuple[object, ...]]) -> GuestRow:
    values: dict[str, Any] = {column.name: value for column, value in zip(_COLUMNS, row, strict=True)}
    return GuestRow(**values, channel_ids=_channels(connection, row.id))


def _channels(connection: Connection, guest_id: str) -> tuple[str, ...]:
    query = select(guest_channel.c.channel_id).where(guest_channel.c.guest_id == guest_id)
    return tuple(connection.execute(query.order_by(guest_channel.c.channel_id)).scalars())
