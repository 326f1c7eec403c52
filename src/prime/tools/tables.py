"""Tables of the tool pipeline: approvals and standing ones are folds of the log; primed sessions are operational."""

from sqlalchemy import BigInteger, Boolean, Column, Connection, Double, Index

from prime.store.migrations import Migration
from prime.store.tables import CodePointText, metadata, table

# A call that waits for the owner's word, and what became of it.
approval = table(
    "approval",
    "derived",
    Column("question_id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("binding", CodePointText, nullable=False),
    Column("status", CodePointText, nullable=False),
    Column("used", Boolean, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("call", CodePointText, nullable=False),
    Index("approval_by_binding", "binding", "seq"),
    Index("approval_by_status", "status", "expires_at"),
)

# The owner's "always": these arguments, or a pattern.
approval_rule = table(
    "approval_rule",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("tool", CodePointText, nullable=False),
    Column("digest", CodePointText, nullable=False),
    # The call that it was given for, hashed with its folder; None when the pattern decides.
    Column("exact", CodePointText),
    Column("pattern", CodePointText),
    Column("line", CodePointText, nullable=False),
    Column("folder", CodePointText, nullable=False),
    Column("active", Boolean, nullable=False),
    Index("approval_rule_by_tool", "tool", "active"),
)

# What a billable call took off the budget.
tool_charge = table(
    "tool_charge",
    "derived",
    Column("seq", BigInteger, primary_key=True),
    Column("price", Double, nullable=False),
)

primed_session = table(
    "primed_session",
    "operational",
    Column("key", CodePointText, primary_key=True),
    Column("until", BigInteger, nullable=False),
)

DERIVED = (approval, approval_rule, tool_charge)


def _first(connection: Connection) -> None:
    metadata.create_all(connection, tables=[primed_session], checkfirst=False)


TOOLS_MIGRATIONS = (Migration("tools/1", _first),)
