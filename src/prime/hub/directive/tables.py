"""What the directive engine must know between two batches, folded from the log."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer

from prime.store.tables import CodePointText, table

# How far each channel is judged; `fresh` finds those with news, however many there are.
directive_channel = table(
    "directive_channel",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    Column("news_seq", BigInteger, nullable=False),
    Column("judged_seq", BigInteger, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("fresh", Boolean, nullable=False),
    Index("directive_channel_fresh", "fresh", "news_seq"),
)

# Everything that was ever worth asking, however it was settled: what a new rule is tried on.
candidate = table(
    "candidate",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("channel_id", CodePointText, nullable=False),
    Column("message_id", CodePointText, nullable=False),
    Column("text", CodePointText, nullable=False),
    Column("outcome", CodePointText, nullable=False),
    Column("ts", BigInteger, nullable=False),
    Index("candidate_by_seq", "seq"),
)

# Questions that wait for the least time between two.
held = table(
    "held_question",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("channel_id", CodePointText, nullable=False),
    Column("message_id", CodePointText, nullable=False),
    Column("text", CodePointText, nullable=False),
    Column("asking", CodePointText, nullable=False),
    Index("held_by_seq", "seq"),
)

rule = table(
    "rule",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("text", CodePointText, nullable=False),
    Column("question_id", CodePointText, nullable=False),
    Column("question", CodePointText, nullable=False),
    Column("channel_id", CodePointText, nullable=False),
    Column("sources", CodePointText, nullable=False),
    Column("hits", Integer, nullable=False),
    Column("last_hit_at", BigInteger),
    Column("active", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("rule_by_seq", "seq"),
)

# One row: when the owner was asked last, told last, and up to where.
directive_pace = table(
    "directive_pace",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("asked_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("updated_seq", BigInteger, nullable=False),
)

# Channels of one plan whose counterparts want the same single thing, and which of them has been promised it.
rival = table(
    "rival",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    Column("group_key", CodePointText, nullable=False),
    Column("committed_by", CodePointText),
    # Who is not talked to wants nothing, until the talk is taken up again.
    Column("closed", Boolean, nullable=False),
)

DERIVED = (directive_channel, candidate, held, rule, directive_pace, rival)
