"""Tables of recall: words, where they stand, and the streams of messages they stand in.

A *stream* is what can be seen of a channel together: its conversation, or what only the hub may know about it. A
message's *place* is its stream and its position there in one number, so that neighbours are neighbouring numbers, a
stream is one range of them, and a scope is a few ranges. Positions leave a hole after a pause in the conversation.
"""

from sqlalchemy import BigInteger, Boolean, Column, Integer, UniqueConstraint

from prime.store.tables import CodePointText, SeqInteger, table

term = table(
    "recall_term",
    "derived",
    # The row of the empty text has the last number that a word was given.
    Column("text", CodePointText, primary_key=True),
    Column("id", SeqInteger, nullable=False),
    clustered=True,
)

posting = table(
    "recall_posting",
    "derived",
    Column("term", SeqInteger, primary_key=True, autoincrement=False),
    Column("place", SeqInteger, primary_key=True, autoincrement=False),
    # How often the word is said there and how long the message is, see `analysis.pack`.
    Column("weight", Integer, nullable=False),
    clustered=True,
)

document = table(
    "recall_document",
    "derived",
    Column("place", SeqInteger, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("length", Integer, nullable=False),
)

stream = table(
    "recall_stream",
    "derived",
    Column("id", SeqInteger, primary_key=True, autoincrement=False),
    Column("channel_id", CodePointText, nullable=False),
    # The conversation itself, as all members of the channel see it; else the hub's words about it.
    Column("open", Boolean, nullable=False),
    Column("documents", BigInteger, nullable=False),
    Column("length", BigInteger, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("ts", BigInteger, nullable=False),
    UniqueConstraint("channel_id", "open"),
)

DERIVED = (term, posting, document, stream)
