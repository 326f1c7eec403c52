"""Tables of rooms: what the log says about actors, channels and questions, and how far the owner has read."""

from sqlalchemy import BigInteger, Boolean, Column, Connection, Float, Index, Integer

from prime.store.migrations import Migration
from prime.store.tables import CodePointText, metadata, table

actor = table(
    "actor",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("name", CodePointText, nullable=False),
    Column("kind", CodePointText, nullable=False),
    Column("connector", CodePointText, nullable=False),
    Column("settings", CodePointText, nullable=False),
)

channel = table(
    "channel",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("kind", CodePointText, nullable=False),
    Column("name", CodePointText, nullable=False),
    Column("tier", CodePointText, nullable=False),
    Column("course", Integer, nullable=False),
    Column("closed", Boolean, nullable=False),
    Column("created_seq", BigInteger, nullable=False),
    Column("last_ts", BigInteger),
    Column("said", BigInteger, nullable=False),
    Column("priming", CodePointText),
)

member = table(
    "member",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    Column("actor_id", CodePointText, primary_key=True),
    Column("joined_seq", BigInteger, nullable=False),
    Index("member_by_actor", "actor_id"),
)

# Where each stretch of a course begins; it ends where the channel's next stretch begins.
course = table(
    "course",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("course", Integer, nullable=False),
)

# Where a channel's briefs stand in the log, so that they are found without reading the channel.
brief = table(
    "brief",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
)

question = table(
    "question",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    # The message that asked; an answer that was erased still names it among its sources.
    Column("message_id", CodePointText, nullable=False),
    Column("kind", CodePointText, nullable=False),
    Column("channel_id", CodePointText, nullable=False),
    Column("text", CodePointText, nullable=False),
    Column("context", CodePointText, nullable=False),
    Column("necessity", Float, nullable=False),
    Column("reason", CodePointText, nullable=False),
    Column("suggestions", CodePointText, nullable=False),
    Column("call", CodePointText),
    Column("sources", CodePointText, nullable=False),
    Column("asked_at", BigInteger, nullable=False),
    Column("status", CodePointText, nullable=False),
    Column("answer", CodePointText, nullable=False),
    Column("snoozed_until", BigInteger),
    Index("question_by_status", "status", "seq"),
    Index("question_by_message", "message_id"),
)

# The owner's place in each channel, as the number of messages said there; operational, because reading is not a message.
read_mark = table(
    "read_mark",
    "operational",
    Column("channel_id", CodePointText, primary_key=True),
    Column("said", BigInteger, nullable=False),
)

DERIVED = (actor, channel, member, course, brief, question)


def _first(connection: Connection) -> None:
    metadata.create_all(connection, tables=[read_mark], checkfirst=False)


ROOMS_MIGRATIONS = (Migration("rooms/1", _first),)
