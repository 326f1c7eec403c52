"""Statements, the words they are found by, and how far messages have been read for them."""

from sqlalchemy import BigInteger, Boolean, Column, Index

from prime.store.tables import CodePointText, table

statement = table(
    "brain_statement",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("channel_id", CodePointText, nullable=False),
    Column("subject", CodePointText, nullable=False),
    Column("predicate", CodePointText, nullable=False),
    Column("object", CodePointText, nullable=False),
    Column("subject_key", CodePointText, nullable=False),
    Column("predicate_key", CodePointText, nullable=False),
    Column("object_key", CodePointText, nullable=False),
    Column("many", Boolean, nullable=False),
    Column("source_id", CodePointText, nullable=False),
    Column("source_seq", BigInteger, nullable=False),
    Column("actor_id", CodePointText, nullable=False),
    Column("said_at", BigInteger, nullable=False),
    Column("valid_from", BigInteger, nullable=False),
    Column("valid_to", BigInteger),
    Column("dated", Boolean, nullable=False),
    Index("brain_statement_by_subject", "subject_key", "channel_id"),
    Index("brain_statement_by_channel", "channel_id", "said_at"),
)

word = table(
    "brain_fact_word",
    "derived",
    Column("word", CodePointText, primary_key=True),
    Column("statement", CodePointText, primary_key=True),
    clustered=True,
)

progress = table(
    "brain_fact_progress",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    # The last message that may hold facts, when it was said, and the last one that was read for them.
    Column("said_seq", BigInteger, nullable=False),
    Column("said_at", BigInteger, nullable=False),
    Column("read_seq", BigInteger, nullable=False),
)

DERIVED = (statement, word, progress)
