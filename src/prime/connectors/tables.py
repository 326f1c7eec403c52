"""What connectors remember between two starts: since-ids, offsets. Operational: mutable, and not in the log."""

from sqlalchemy import Column, Connection

from prime.store.migrations import Migration
from prime.store.tables import CodePointText, metadata, table

connector_memory = table(
    "connector_memory",
    "operational",
    Column("connector", CodePointText, primary_key=True),
    Column("key", CodePointText, primary_key=True),
    Column("value", CodePointText, nullable=False),
)


def _first(connection: Connection) -> None:
    metadata.create_all(connection, tables=[connector_memory], checkfirst=False)


CONNECTORS_MIGRATIONS = (Migration("connectors/1", _first),)
