"""The feed: what the directive engine decided to show; and the channels that plans have made."""

from sqlalchemy import BigInteger, Column, Index

from prime.store.tables import CodePointText, table

feed_item = table(
    "feed_item",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("type", CodePointText, nullable=False),
    Column("title", CodePointText, nullable=False),
    Column("text", CodePointText, nullable=False),
    Column("channel_id", CodePointText, nullable=False),
    Column("sources", CodePointText, nullable=False),
    Column("ts", BigInteger, nullable=False),
    Column("reason", CodePointText, nullable=False),
    Column("rule_id", CodePointText),
    Column("question", CodePointText, nullable=False),
    Column("removed", CodePointText, nullable=False),
    Index("feed_item_by_seq", "seq"),
    Index("feed_item_by_type", "type", "seq"),
)

# A plan's own name for a channel, so that a later plan can extend it.
planned_channel = table(
    "planned_channel",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    Column("key", CodePointText, nullable=False),
    Column("seq", BigInteger, nullable=False),
)
