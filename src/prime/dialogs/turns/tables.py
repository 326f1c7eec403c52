"""Tables of turns: which channels are dialogs, which turns there are, and which questions hold one up. All are folds."""

from sqlalchemy import BigInteger, Column, Index

from prime.store.tables import CodePointText, table

# A channel in which an agent answers the owner by itself.
dialog = table(
    "dialog",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    Column("agent_id", CodePointText, nullable=False),
    # The last thing that the owner said there, and the last that a turn has seen.
    Column("heard", BigInteger, nullable=False),
    Column("seen", BigInteger, nullable=False),
)

turn = table(
    "turn",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("channel_id", CodePointText, nullable=False),
    Column("agent_id", CodePointText, nullable=False),
    Column("phase", CodePointText, nullable=False),
    Index("turn_by_channel", "channel_id", "seq"),
    Index("turn_by_phase", "phase", "seq"),
)

turn_question = table(
    "turn_question",
    "derived",
    Column("question_id", CodePointText, primary_key=True),
    Column("turn_id", CodePointText, nullable=False),
)

DERIVED = (dialog, turn, turn_question)
