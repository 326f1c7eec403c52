"""How much was said in a channel, what was said last, and how much of it the owner has read."""

from collections.abc import Sequence

from sqlalchemy import Connection, func, select, update

from prime.rooms import tables
from prime.rooms.queries import CONVERSATION, PRIMING
from prime.rooms.records import OWNER
from prime.store.message import Kind
from prime.store.tables import message as message_table
from prime.store.upsert import add_row

# What a list of channels repeats: words, and neither what a tool was asked nor what was noted about a file.
WORDS: frozenset[Kind] = frozenset({"text", "plan", "brief"})
# A row of a list has no room for more.
MOST_LETTERS = 160


def read_last_words(connection: Connection, channel_ids: Sequence[str]) -> dict[str, str]:
    """The beginning of what was said last in each of the channels, as the owner sees them; erased words are none."""
    last = (
        select(message_table.c.seq)
        .where(
            message_table.c.channel_id == tables.channel.c.id,
            message_table.c.kind.in_(sorted(WORDS)),
            message_table.c.text != "",
            func.coalesce(message_table.c.source_tag, "") != PRIMING,
        )
        .order_by(message_table.c.seq.desc())
        .limit(1)
        .correlate(tables.channel)
        .scalar_subquery()
    )
    query = (
        select(tables.channel.c.id, func.substr(message_table.c.text, 1, MOST_LETTERS))
        .join(message_table, message_table.c.seq == last)
        .where(tables.channel.c.id.in_(channel_ids))
    )
    return dict(connection.execute(query).all())


def read_unread(connection: Connection) -> dict[str, int]:
    """How many messages the owner has not read, by channel."""
    query = select(tables.channel.c.id, tables.channel.c.said - func.coalesce(tables.read_mark.c.said, 0)).select_from(
        tables.channel.outerjoin(tables.read_mark, tables.read_mark.c.channel_id == tables.channel.c.id)
    )
    return dict(connection.execute(query).all())


def said_until(connection: Connection, channel_id: str, seq: int) -> int:
    """How many messages that the owner did not write stand in a channel up to a place."""
    query = (
        select(func.count())
        .select_from(message_table)
        .where(
            message_table.c.channel_id == channel_id,
            message_table.c.seq <= seq,
            message_table.c.actor_id != OWNER,
            func.coalesce(message_table.c.source_tag, "") != PRIMING,
            message_table.c.audience == "room",
            message_table.c.kind.in_(sorted(CONVERSATION)),
        )
    )
    return connection.execute(query).scalar_one()


def put_read_mark(connection: Connection, channel_id: str, seq: int) -> None:
    """Move the mark forward; what was read stays read, whatever a second tab says later."""
    mark, said = tables.read_mark.c, said_until(connection, channel_id, seq)
    if not add_row(connection, tables.read_mark, {"channel_id": channel_id, "said": said}):
        further = update(tables.read_mark).where(mark.channel_id == channel_id, mark.said < said)
        connection.execute(further.values(said=said))
