"""Where attachments were brought into channels, and the notes that stand beside them."""

from sqlalchemy import BigInteger, Column, Index

from prime.store.tables import CodePointText, table

attached = table(
    "brain_attached",
    "derived",
    Column("attachment_id", CodePointText, primary_key=True),
    Column("channel_id", CodePointText, primary_key=True),
    # The first message that brought it there, and for whom that message is.
    Column("message_id", CodePointText, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("audience", CodePointText, nullable=False),
    Column("note_id", CodePointText),
    # A file that is only named by its address: `attachment_id` is then a name for the reference itself.
    Column("url", CodePointText),
    Column("name", CodePointText),
    Index("brain_attached_without_note", "note_id", "seq"),
)

DERIVED = (attached,)
