"""Counts by minute, folded from the log."""

from sqlalchemy import BigInteger, Column, Index

from prime.store.tables import CodePointText, table

metric = table(
    "metric",
    "derived",
    Column("minute", BigInteger, primary_key=True, autoincrement=False),
    Column("name", CodePointText, primary_key=True),
    Column("value", BigInteger, nullable=False),
)

# When each question was asked, to know how long it waited.
metric_question = table(
    "metric_question",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("message_id", CodePointText, nullable=False),
    Column("asked_at", BigInteger, nullable=False),
    Index("metric_question_by_message", "message_id"),
)
