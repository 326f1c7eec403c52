"""The feed: what the directive engine decided to show, folded from its decisions."""

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
    Index("feed_item_by_seq", "seq"),
)
