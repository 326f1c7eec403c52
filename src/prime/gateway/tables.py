"""Tables of the gateway; operational. Tokens are kept as hashes."""

from sqlalchemy import BigInteger, Column, Connection

from prime.store.migrations import Migration
from prime.store.tables import CodePointText, metadata, table

token = table(
    "mcp_token",
    "operational",
    Column("id", CodePointText, primary_key=True),
    Column("name", CodePointText, nullable=False, unique=True),
    Column("token_hash", CodePointText, nullable=False, unique=True),
    # A delegation as JSON: what of the instance's tools is left to whoever holds the token.
    Column("delegation", CodePointText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("last_used", BigInteger),
)

# How a tool of a server was described when it was accepted, and the description that waits for the owner.
seen_tool = table(
    "mcp_seen_tool",
    "operational",
    Column("server", CodePointText, primary_key=True),
    Column("name", CodePointText, primary_key=True),
    Column("digest", CodePointText, nullable=False),
    Column("shown", CodePointText, nullable=False),
    Column("held_digest", CodePointText),
    Column("question_id", CodePointText),
)

# Servers that start only when the owner lets them, as they were written then.
trusted_server = table(
    "mcp_trusted_server",
    "operational",
    Column("file", CodePointText, primary_key=True),
    Column("name", CodePointText, primary_key=True),
    Column("digest", CodePointText, nullable=False),
    Column("trusted", BigInteger, nullable=False),
    Column("question_id", CodePointText),
)


def _first(connection: Connection) -> None:
    metadata.create_all(connection, tables=[token, seen_tool, trusted_server], checkfirst=False)


GATEWAY_MIGRATIONS = (Migration("gateway/1", _first),)
