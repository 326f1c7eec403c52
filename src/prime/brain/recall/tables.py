"""Tables of recall: words, where they stand, and the streams of messages they stand in.

A *stream* is what can be seen of a channel together: its conversation, or what only the hub may know about it. A
message's *place* is its stream and its position there in one number, so that neighbours are neighbouring numbers, a
stream is one range of them, and a scope is a few ranges. Positions leave a hole after a pause in the conversation.
"""

from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, UniqueConstraint

from prime.store.tables import CodePointText, SeqInteger, table

term = table(
    "recall_term",
    "derived",
    # The row of the empty text has the last number that a word was given.
    Column("text", CodePointText, primary_key=True),
    Column("id", SeqInteger, nullable=False),
    clustered=True,
)

# Where words are said in all that is longer ago, see `blocks`.
block = table(
    "recall_posting",
    "derived",
    Column("id", SeqInteger, primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)

# The words of what was said since, message by message.
fresh = table(
    "recall_fresh",
    "derived",
    Column("seq", SeqInteger, primary_key=True, autoincrement=False),
    Column("place", BigInteger, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    # Of each word, how often it is said there and how long the message is, see `analysis.pack`.
    Column("weights", LargeBinary, nullable=False),
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

DERIVED = (term, block, fresh, document, stream)
