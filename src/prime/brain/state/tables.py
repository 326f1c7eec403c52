"""Summaries, version by version, and how far messages are in them."""

from sqlalchemy import BigInteger, Column, Integer

from prime.store.tables import CodePointText, table

state = table(
    "brain_state",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("message_id", CodePointText, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("ts", BigInteger, nullable=False),
    Column("text", CodePointText, nullable=False),
    Column("sources", CodePointText, nullable=False),
)

progress = table(
    "brain_state_progress",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    # The last message that a summary may hold, when it was said, and the last one that the newest summary holds.
    Column("said_seq", BigInteger, nullable=False),
    Column("said_at", BigInteger, nullable=False),
    Column("held_seq", BigInteger, nullable=False),
    Column("version", Integer, nullable=False),
)

DERIVED = (state, progress)
