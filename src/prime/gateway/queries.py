"""Reads and writes of the gateway's tables."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from prime.gateway.tables import seen_tool, token, trusted_server
from prime.store.upsert import put_row


@dataclass(frozen=True, slots=True)
class SeenTool:
    """A tool as the owner, or their first use of its server, accepted it."""

    name: str
    digest: str
    shown: str
    held_digest: str | None
    question_id: str | None


@dataclass(frozen=True, slots=True)
class TokenRow:
    id: str
    name: str
    delegation: str
    created_at: int
    expires_at: int | None
    last_used: int | None


@dataclass(frozen=True, slots=True)
class TrustedServer:
    digest: str
    trusted: bool
    question_id: str | None


def read_seen(connection: Connection, server: str) -> dict[str, SeenTool]:
    columns = (
        seen_tool.c.name,
        seen_tool.c.digest,
        seen_tool.c.shown,
        seen_tool.c.held_digest,
        seen_tool.c.question_id,
    )
    rows = connection.execute(select(*columns).where(seen_tool.c.server == server)).all()
    return {row[0]: SeenTool(*row) for row in rows}


def put_seen(connection: Connection, server: str, tools: list[SeenTool]) -> None:
    for one in tools:
        values: Mapping[str, object] = {
            "server": server,
            "name": one.name,
            "digest": one.digest,
            "shown": one.shown,
            "held_digest": one.held_digest,
            "question_id": one.question_id,
        }
        put_row(connection, seen_tool, values)


def forget_server(connection: Connection, file: str, name: str) -> None:
    """What was accepted of a server, and whether it may start."""
    connection.execute(delete(seen_tool).where(seen_tool.c.server == name))
    connection.execute(delete(trusted_server).where(trusted_server.c.file == file, trusted_server.c.name == name))


def read_trusted(connection: Connection, file: str, name: str) -> TrustedServer | None:
    query = select(trusted_server.c.digest, trusted_server.c.trusted, trusted_server.c.question_id)
    row = connection.execute(query.where(trusted_server.c.file == file, trusted_server.c.name == name)).one_or_none()
    return None if row is None else TrustedServer(row[0], bool(row[1]), row[2])


def put_trusted(connection: Connection, file: str, name: str, trust: TrustedServer) -> None:
    values: Mapping[str, object] = {
        "file": file,
        "name": name,
        "digest": trust.digest,
        "trusted": int(trust.trusted),
        "question_id": trust.question_id,
    }
    put_row(connection, trusted_server, values)


_TOKEN = (token.c.id, token.c.name, token.c.delegation, token.c.created_at, token.c.expires_at, token.c.last_used)


def add_token(connection: Connection, values: Mapping[str, object]) -> None:
    connection.execute(insert(token).values(dict(values)))


def find_token(connection: Connection, token_hash: str) -> TokenRow | None:
    row = connection.execute(select(*_TOKEN).where(token.c.token_hash == token_hash)).one_or_none()
    return None if row is None else TokenRow(*row)


def read_tokens(connection: Connection) -> list[TokenRow]:
    return [TokenRow(*row) for row in connection.execute(select(*_TOKEN).order_by(token.c.name)).all()]


def note_token_used(connection: Connection, token_id: str, now: int) -> None:
    connection.execute(update(token).where(token.c.id == token_id).values(last_used=now))


def remove_token(connection: Connection, name: str) -> bool:
    return connection.execute(delete(token).where(token.c.name == name)).rowcount == 1
