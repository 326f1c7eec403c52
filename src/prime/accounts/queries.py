"""Reads and writes of sessions and links."""

from sqlalchemy import Connection, delete, insert, select

from prime.accounts.tables import session, sign_in_link


def add_link(connection: Connection, token_hash: str, expires_at: int, now: int) -> None:
    connection.execute(delete(sign_in_link).where(sign_in_link.c.expires_at <= now))
    connection.execute(insert(sign_in_link).values(token_hash=token_hash, expires_at=expires_at))


def use_link(connection: Connection, token_hash: str, now: int) -> bool:
    """Take the link away; whether it was there and still good. Two clicks at once: one of them gets it."""
    gone = connection.execute(
        delete(sign_in_link).where(sign_in_link.c.token_hash == token_hash, sign_in_link.c.expires_at > now)
    )
    return gone.rowcount == 1


def add_session(connection: Connection, values: dict[str, object]) -> None:
    connection.execute(insert(session).values(values))


def find_session(connection: Connection, token_hash: str, now: int) -> str | None:
    query = select(session.c.id).where(session.c.token_hash == token_hash, session.c.expires_at > now)
    return connection.execute(query).scalar_one_or_none()


def end_session(connection: Connection, session_id: str) -> None:
    connection.execute(delete(session).where(session.c.id == session_id))
