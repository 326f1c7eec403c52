"""Sessions, links, guests and devices; operational. Tokens are kept as hashes: who reads the tables cannot sign in."""

from sqlalchemy import BigInteger, Boolean, Column, Connection, Index, Integer, inspect
from sqlalchemy.schema import CreateColumn

from prime.store.migrations import Migration
from prime.store.tables import CodePointText, metadata, table

session = table(
    "session",
    "operational",
    Column("id", CodePointText, primary_key=True),
    # The guest whose session it is; nobody's is the owner's.
    Column("guest_id", CodePointText),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("device", CodePointText, nullable=False),
    Index("session_by_guest", "guest_id"),
)

# A session has one token, and for a moment two, while the browser changes to a new one.
session_token = table(
    "session_token",
    "operational",
    Column("token_hash", CodePointText, primary_key=True),
    Column("session_id", CodePointText, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("ends_at", BigInteger, nullable=False),
    Column("used", Boolean, nullable=False),
    Index("session_token_by_session", "session_id"),
)

sign_in_link = table(
    "sign_in_link",
    "operational",
    Column("token_hash", CodePointText, primary_key=True),
    # Of the browser that asked; none when the link was made for the person at the machine.
    Column("browser_hash", CodePointText),
    # Whom it signs in; nobody's is the owner's.
    Column("guest_id", CodePointText),
    Column("expires_at", BigInteger, nullable=False),
)

guest = table(
    "guest",
    "operational",
    Column("id", CodePointText, primary_key=True),
    Column("name", CodePointText, nullable=False),
    Column("email", CodePointText),
    # Who they are in the rooms.
    Column("actor_id", CodePointText, nullable=False, unique=True),
    # A contact who was there before the person came, and stays when they go.
    Column("ghost", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("accepted_at", BigInteger),
    # The one link that works now, if any.
    Column("token_hash", CodePointText, unique=True),
    Column("link_expires_at", BigInteger),
    Index("guest_by_email", "email"),
)

guest_channel = table(
    "guest_channel",
    "operational",
    Column("guest_id", CodePointText, primary_key=True),
    Column("channel_id", CodePointText, primary_key=True),
)

# What a guest brought and may therefore put into a message.
guest_upload = table(
    "guest_upload",
    "operational",
    Column("guest_id", CodePointText, primary_key=True),
    Column("attachment_id", CodePointText, primary_key=True),
)

push_device = table(
    "push_device",
    "operational",
    Column("id", CodePointText, primary_key=True),
    Column("endpoint", CodePointText, nullable=False, unique=True),
    Column("p256dh", CodePointText, nullable=False),
    Column("auth", CodePointText, nullable=False),
    # It goes when this session is ended.
    Column("session_id", CodePointText),
    Column("device", CodePointText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("sent_at", BigInteger),
    Column("failures", Integer, nullable=False),
    # In which notifications speak to it; backups and exports from before it was kept have none.
    Column("language", CodePointText, nullable=False, server_default="en"),
)

# How far the log has been looked at for what is worth a push.
push_place = table(
    "push_place",
    "operational",
    Column("name", CodePointText, primary_key=True),
    Column("seq", BigInteger, nullable=False),
)

_ALL = [
    session,
    session_token,
    sign_in_link,
    guest,
    guest_channel,
    guest_upload,
    push_device,
    push_place,
]


def _make(connection: Connection) -> None:
    # An earlier form held sessions without rotation; whoever was signed in signs in once more.
    for name in ("session", "sign_in_link"):
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {name}")
    metadata.create_all(connection, tables=_ALL, checkfirst=False)


def _languages(connection: Connection) -> None:
    if all(column["name"] != "language" for column in inspect(connection).get_columns(push_device.name)):
        language = CreateColumn(push_device.c.language).compile(dialect=connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {push_device.name} ADD COLUMN {language}")


ACCOUNTS_MIGRATIONS = (Migration("accounts/2", _make), Migration("accounts/3", _languages))
