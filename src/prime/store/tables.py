"""Tables of the log and of the store's own bookkeeping, and the three classes that every table belongs to.

- log: what happened; append-only, held by the database itself (see `migrations`);
- derived: folds of the log, thrown away and rebuilt at will; on SQLite in a file of their own;
- operational: mutable and not derivable; backed up, never rebuilt.
"""

from typing import Literal

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, Table, Text, text
from sqlalchemy.schema import SchemaItem

TableClass = Literal["log", "derived", "operational"]

# Compared by code point on both engines: SQLite does so anyway, PostgreSQL when told.
CodePointText = Text().with_variant(Text(collation="C"), "postgresql")
# SQLite makes an alias of the row id, the fastest key there is, of INTEGER only.
SeqInteger = BigInteger().with_variant(Integer(), "sqlite")

DERIVED_SCHEMA = "derived"

metadata = MetaData()


def table(name: str, table_class: TableClass, *columns: SchemaItem, clustered: bool = False) -> Table:
    """Declare a table with its class. Every package that owns tables does it by this function.

    `clustered` keeps rows in the order of the primary key and nowhere else, where the engine can (SQLite).
    """
    schema = DERIVED_SCHEMA if table_class == "derived" else None
    return Table(name, metadata, *columns, schema=schema, info={"class": table_class}, sqlite_with_rowid=not clustered)


def class_of(declared: Table) -> TableClass:
    return declared.info["class"]


message = table(
    "message",
    "log",
    Column("seq", SeqInteger, primary_key=True, autoincrement=False),
    Column("id", CodePointText, nullable=False, unique=True),
    Column("channel_id", CodePointText, nullable=False),
    Column("actor_id", CodePointText, nullable=False),
    Column("ts", BigInteger, nullable=False),
    Column("kind", CodePointText, nullable=False),
    Column("audience", CodePointText, nullable=False),
    Column("text", CodePointText, nullable=False),
    Column("body", CodePointText, nullable=False),
    Column("course", Integer, nullable=False),
    Column("source_tag", CodePointText),
    Column("sources", CodePointText, nullable=False),
    Column("payload_hash", CodePointText, nullable=False),
    Column("idempotency_key", CodePointText),
    Index("message_by_channel", "channel_id", "seq"),
    Index(
        "message_by_key",
        "channel_id",
        "actor_id",
        "idempotency_key",
        unique=True,
        sqlite_where=text("idempotency_key IS NOT NULL"),
        postgresql_where=text("idempotency_key IS NOT NULL"),
    ),
)


# A row here is what lets the database blank a message's payload; nothing else does.
erasure = table("erasure", "log", Column("message_id", CodePointText, primary_key=True))

migration = table(
    "migration",
    "operational",
    Column("id", CodePointText, primary_key=True),
    Column("applied_at", BigInteger, nullable=False),
)

lease = table(
    "lease",
    "operational",
    Column("resource", CodePointText, primary_key=True),
    Column("holder", CodePointText, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
)

outbox = table(
    "outbox",
    "operational",
    Column("id", CodePointText, primary_key=True),
    Column("topic", CodePointText, nullable=False),
    Column("payload", CodePointText, nullable=False),
    Column("status", CodePointText, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("last_error", CodePointText),
    # What stands in one line leaves in the order of its places, one after the other; what has ended stands in none.
    Column("line", CodePointText),
    Column("place", BigInteger),
    Index("outbox_due", "status", "due_at"),
    Index("outbox_line", "line", "place"),
)

live_setting = table(
    "live_setting",
    "operational",
    Column("key", CodePointText, primary_key=True),
    Column("value", CodePointText, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)

secret = table(
    "secret",
    "operational",
    Column("name", CodePointText, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("last_used", BigInteger),
)

attachment = table(
    "attachment",
    "operational",
    Column("id", CodePointText, primary_key=True),
    Column("name", CodePointText, nullable=False),
    Column("mime_type", CodePointText, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("sha256", CodePointText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("attachment_by_hash", "sha256"),
)

# Contents by hash; used where replicas share a database and no disk. On SQLite they are files.
attachment_blob = table(
    "attachment_blob",
    "operational",
    Column("sha256", CodePointText, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

# How far each projection has come, and which version of it made the rows.
cursor = table(
    "cursor",
    "derived",
    Column("projection", CodePointText, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("seq", BigInteger, nullable=False),
    # The log's head when the projection was begun anew: erasures up to there were blank from the start.
    Column("settled", BigInteger, nullable=False),
)
