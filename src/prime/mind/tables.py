"""How much has been spent on models; operational, so that a restart does not reset it."""

from sqlalchemy import BigInteger, Column, Connection

from prime.store.migrations import Migration
from prime.store.tables import CodePointText, metadata, table

spend = table(
    "spend",
    "operational",
    Column("scope", CodePointText, primary_key=True),
    Column("calls", BigInteger, nullable=False),
    Column("images", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("micro_dollars", BigInteger, nullable=False),
)


def _first(connection: Connection) -> None:
    metadata.create_all(connection, tables=[spend], checkfirst=False)


MIND_MIGRATIONS = (Migration("mind/1", _first),)
