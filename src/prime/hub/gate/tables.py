"""Tables of the gate, all folded from `gate` messages and from what people wrote to the owner's accounts."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer

from prime.store.tables import CodePointText, table

draft = table(
    "draft",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("connector", CodePointText, nullable=False),
    Column("kind", CodePointText, nullable=False),
    Column("channel_id", CodePointText, nullable=False),
    Column("text", CodePointText, nullable=False),
    Column("status", CodePointText, nullable=False),
    Column("reason", CodePointText, nullable=False),
    Column("class_id", CodePointText),
    Column("reply_to", CodePointText),
    Column("trigger", CodePointText, nullable=False),
    Column("names", CodePointText, nullable=False),
    Column("target", CodePointText, nullable=False),
    Column("scope", CodePointText, nullable=False),
    Column("title", CodePointText, nullable=False),
    Column("needs_owner", CodePointText, nullable=False),
    Column("edited", Boolean, nullable=False),
    Column("returns", Integer, nullable=False),
    Column("decided_by", CodePointText),
    Column("holder", CodePointText),
    Column("result", CodePointText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("decided_at", BigInteger),
    Column("sent_at", BigInteger),
    Column("sent_seq", BigInteger),
    Index("draft_by_seq", "seq"),
    Index("draft_by_status", "status", "seq"),
    Index("draft_by_reply", "reply_to"),
    Index("draft_by_channel", "channel_id", "status"),
    Index("draft_by_sent", "sent_seq"),
)

reply_class = table(
    "reply_class",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("connector", CodePointText, nullable=False),
    Column("scope", CodePointText, nullable=False),
    Column("text", CodePointText, nullable=False),
    Column("trigger", CodePointText, nullable=False),
    Column("profile", CodePointText, nullable=False),
    Column("from_draft_id", CodePointText, nullable=False),
    Column("taught_at", BigInteger, nullable=False),
    Column("hits", Integer, nullable=False),
    Column("active", Boolean, nullable=False),
    Index("reply_class_by_seq", "seq"),
)

# The specific words of a class, so that a candidate is compared with those it can match at all.
class_word = table(
    "class_word",
    "derived",
    Column("word", CodePointText, primary_key=True),
    Column("class_id", CodePointText, primary_key=True),
    Index("class_word_by_class", "class_id"),
)

# What people wrote to the owner's accounts, and whether a draft was written for it.
inbound = table(
    "inbound",
    "derived",
    Column("message_id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("connector", CodePointText, nullable=False),
    Column("channel_id", CodePointText, nullable=False),
    Column("external_id", CodePointText, nullable=False),
    Column("waiting", Boolean, nullable=False),
    Index("inbound_waiting", "waiting", "seq"),
    Index("inbound_by_external", "channel_id", "external_id"),
)

DERIVED = (draft, reply_class, class_word, inbound)
