"""Reads and writes of sessions and links."""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from prime.accounts.tables import push_device, session, session_token, sign_in_link

# How long a token that was replaced still works, for requests that were under way.
GRACE_MS = 60_000


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as its owner is shown it."""

    id: str
    guest_id: str | None
    created_at: int
    expires_at: int
    seen_at: int
    device: str


@dataclass(frozen=True, slots=True)
class TokenRow:
    """What a token opens, and whether something about it is due."""

    session_id: str
    guest_id: str | None
    expires_at: int
    seen_at: int
    made_at: int
    used: bool


# --- links ---


def add_link(connection: Connection, values: dict[str, object], now: int) -> None:
    connection.execute(delete(sign_in_link).where(sign_in_link.c.expires_at <= now))
    connection.execute(insert(sign_in_link).values(values))


def read_link(connection: Connection, token_hash: str, now: int) -> tuple[str | None, str | None] | None:
    """The browser that asked for it and the guest that it is for; None when there is no such link now."""
    query = select(sign_in_link.c.browser_hash, sign_in_link.c.guest_id).where(
        sign_in_link.c.token_hash == token_hash, sign_in_link.c.expires_at > now
    )
    row = connection.execute(query).one_or_none()
    return (row.browser_hash, row.guest_id) if row else None


def use_link(connection: Connection, token_hash: str, now: int) -> bool:
    """Take the link away; whether it was there and still good. Two clicks at once: one of them gets it."""
    gone = connection.execute(
        delete(sign_in_link).where(sign_in_link.c.token_hash == token_hash, sign_in_link.c.expires_at > now)
    )
    return gone.rowcount == 1


# --- sessions ---


def add_session(connection: Connection, row: SessionRow, token_hash: str) -> None:
    over = select(session.c.id).where(session.c.expires_at <= row.created_at)
    _end(connection, list(connection.execute(over).scalars()))
    values = {name: getattr(row, name) for name in SessionRow.__slots__}
    connection.execute(insert(session).values(values))
    add_token(connection, row.id, token_hash, row.created_at, row.expires_at)


def add_token(connection: Connection, session_id: str, token_hash: str, now: int, ends_at: int) -> bool:
    """Another token for a session, unless one was made a moment ago: of requests at once, one brings it."""
    newest = connection.execute(
        select(func.max(session_token.c.made_at)).where(session_token.c.session_id == session_id)
    ).scalar_one()
    if newest is not None and newest > now - GRACE_MS:
        return False
    values = {"token_hash": token_hash, "session_id": session_id, "made_at": now, "ends_at": ends_at, "used": False}
    connection.execute(insert(session_token).values(values))
    return True


def read_token(connection: Connection, token_hash: str, now: int) -> TokenRow | None:
    query = (
        select(
            session.c.id,
            session.c.guest_id,
            session.c.expires_at,
            session.c.seen_at,
            session_token.c.made_at,
            session_token.c.used,
        )
        .join(session_token, session_token.c.session_id == session.c.id)
        .where(session_token.c.token_hash == token_hash, session.c.expires_at > now, session_token.c.ends_at > now)
    )
    row = connection.execute(query).one_or_none()
    return TokenRow(*row) if row else None


def note_use(connection: Connection, token_hash: str, row: TokenRow, now: int) -> None:
    """The session was seen; at a token's first use the ones before it end after a moment."""
    connection.execute(update(session).where(session.c.id == row.session_id).values(seen_at=now))
    if row.used:
        return
    mine = session_token.c.token_hash == token_hash
    connection.execute(update(session_token).where(mine).values(used=True, ends_at=row.expires_at))
    others = (session_token.c.session_id == row.session_id) & ~mine
    connection.execute(delete(session_token).where(others, session_token.c.ends_at <= now))
    connection.execute(
        update(session_token).where(others, session_token.c.ends_at > now + GRACE_MS).values(ends_at=now + GRACE_MS)
    )


def read_sessions(connection: Connection, now: int) -> list[SessionRow]:
    rows = connection.execute(select(session).where(session.c.expires_at > now).order_by(session.c.seen_at.desc()))
    return [SessionRow(r.id, r.guest_id, r.created_at, r.expires_at, r.seen_at, r.device) for r in rows]


def end_session(connection: Connection, session_id: str) -> bool:
    return _end(connection, [session_id]) == 1


def end_other_sessions(connection: Connection, session_id: str) -> list[str]:
    """End the owner's sessions but this one; their ids."""
    query = select(session.c.id).where(session.c.id != session_id, session.c.guest_id.is_(None))
    ids = list(connection.execute(query).scalars())
    _end(connection, ids)
    return ids


def end_guest_sessions(connection: Connection, guest_id: str) -> list[str]:
    ids = list(connection.execute(select(session.c.id).where(session.c.guest_id == guest_id)).scalars())
    _end(connection, ids)
    return ids


def _end(connection: Connection, ids: list[str]) -> int:
    if not ids:
        return 0
    connection.execute(delete(session_token).where(session_token.c.session_id.in_(ids)))
    connection.execute(delete(push_device).where(push_device.c.session_id.in_(ids)))
    return connection.execute(delete(session).where(session.c.id.in_(ids))).rowcount
