"""Sessions and sign-in links; operational. Tokens are kept as hashes: who reads the table cannot sign in with it."""

from sqlalchemy import BigInteger, Column, Connection

from prime.store.migrations import Migration
from prime.store.tables import CodePointText, metadata, table

session = table(
    "session",
    "operational",
    Column("id", CodePointText, primary_key=True),
    Column("token_hash", CodePointText, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("device", CodePointText, nullable=False),
)

sign_in_link = table(
    "sign_in_link",
    "operational",
    Column("token_hash", CodePointText, primary_key=True),
    Column("expires_at", BigInteger, nullable=False),
)


def _first(connection: Connection) -> None:
    metadata.create_all(connection, tables=[session, sign_in_link], checkfirst=False)


ACCOUNTS_MIGRATIONS = (Migration("accounts/1", _first),)
