"""Projects as the log tells of them."""

from sqlalchemy import BigInteger, Column

from prime.store.tables import CodePointText, table

# The owner's projects, each by the plan that began it; `spoken_seq` says which was spoken of last.
project = table(
    "project",
    "derived",
    Column("id", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("spoken_seq", BigInteger, nullable=False),
    Column("title", CodePointText, nullable=False),
    Column("wish_id", CodePointText, nullable=False),
)

project_channel = table(
    "project_channel",
    "derived",
    Column("channel_id", CodePointText, primary_key=True),
    Column("project_id", CodePointText, nullable=False),
)

# What the owner wants of a project, as their plans name it.
aim = table(
    "aim",
    "derived",
    Column("project_id", CodePointText, primary_key=True),
    Column("name", CodePointText, primary_key=True),
    Column("value", CodePointText, nullable=False),
)

DERIVED = (project, project_channel, aim)
