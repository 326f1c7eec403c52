"""What the swarm must know of each channel to say at once who speaks next, folded from the log."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer

from prime.store.tables import CodePointText, table

# One row: whether the swarm runs, why not, and when the present run began.
swarm_state = table(
    "swarm_state",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("running", Boolean, nullable=False),
    Column("code", CodePointText),
    Column("because", CodePointText),
    Column("run_since", BigInteger),
    Column("changed_at", BigInteger, nullable=False),
)

swarm_channel = table(
    "swarm_channel",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    # none: nobody speaks by itself. answers: members answer the owner, once each. full: the hub has briefed it.
    Column("driven", CodePointText, nullable=False),
    Column("closed", Boolean, nullable=False),
    Column("course", Integer, nullable=False),
    # Where something new was said last, by whom, and where the owner and others than Prime spoke last.
    Column("last_seq", BigInteger, nullable=False),
    Column("last_actor", CodePointText, nullable=False),
    Column("owner_seq", BigInteger, nullable=False),
    Column("heard_seq", BigInteger, nullable=False),
    # How far the directive engine has judged what was said.
    Column("judged_seq", BigInteger, nullable=False),
    # Turns since the owner or a brief said something; courtesies and repetitions in a row.
    Column("turns", Integer, nullable=False),
    Column("courtesies", Integer, nullable=False),
    Column("repeats", Integer, nullable=False),
    Column("recent", CodePointText, nullable=False),
    # Why it rests until the owner or a brief says something; null while it does not.
    Column("resting", CodePointText),
    # Whether the owner has paused it alone.
    Column("paused", Boolean, nullable=False),
    # Questions that it waits for, each with the message that asked.
    Column("waiting", CodePointText, nullable=False),
    # Whether a tick must look at it at all.
    Column("active", Boolean, nullable=False),
    Index("swarm_channel_active", "active", "last_seq"),
    Index("swarm_channel_driven", "driven", "closed"),
)

swarm_member = table(
    "swarm_member",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    Column("actor_id", CodePointText, primary_key=True),
    Column("place", Integer, nullable=False),
    Column("spoke_seq", BigInteger, nullable=False),
    Column("passed_seq", BigInteger, nullable=False),
    Column("failures", Integer, nullable=False),
    # Backed off until then.
    Column("until", BigInteger, nullable=False),
    # Since when its answer is under way.
    Column("asked_at", BigInteger),
    # The turn that it has begun and not ended.
    Column("turn_id", CodePointText),
)
