"""The fold of summaries into versions, and reads over them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Table, insert, select, update

from prime.brain.lines import made_within, teaches
from prime.brain.state import tables
from prime.core.canonical import canonical_json
from prime.rooms.records import HUB
from prime.store.message import Message
from prime.store.rows import read_messages
from prime.store.upsert import put_rows

STATE = "state"

_s, _p = tables.state, tables.progress


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One version of a scope's summary, and the messages that this version took in."""

    channel_id: str
    version: int
    message_id: str
    ts: int
    text: str
    sources: tuple[str, ...]


class StateProjection:
    """Summaries of channels, and what has been said since."""

    name = STATE
    version = 2
    tables: Sequence[Table] = tables.DERIVED

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        heard: dict[str, Message] = {}
        for message in messages:
            if teaches(message):
                heard[message.channel_id] = message
            elif message.kind == "state":
                _write_heard(connection, heard)
                _fold_state(connection, message)
        _write_heard(connection, heard)


def _write_heard(connection: Connection, heard: dict[str, Message]) -> None:
    rows = [
        {"channel_id": channel, "said_seq": message.seq, "said_at": message.ts, "held_seq": 0, "version": 0}
        for channel, message in heard.items()
    ]
    put_rows(connection, _p, rows, changing=("said_seq", "said_at"))
    heard.clear()


def _fold_state(connection: Connection, message: Message) -> None:
    sources = read_messages(connection, message.sources)
    if not message.text.strip() or not (message.channel_id == HUB or made_within(message, sources)):
        return
    row = connection.execute(select(_p).where(_p.c.channel_id == message.channel_id)).one_or_none()
    if sources and row is not None:
        made = {
            "channel_id": message.channel_id,
            "version": row.version + 1,
            "message_id": message.id,
            "seq": message.seq,
            "ts": message.ts,
            "text": message.text,
            "sources": canonical_json(list(message.sources)),
        }
        connection.execute(insert(_s), made)
        changed = {"held_seq": max(row.held_seq, *(source.seq for source in sources)), "version": row.version + 1}
        connection.execute(update(_p).where(_p.c.channel_id == message.channel_id).values(changed))
    if message.channel_id != HUB:
        _write_heard(connection, {HUB: message})  # the house's own summary takes in those of its channels


# --- reads ---


def read_state(connection: Connection, channel_id: str, version: int | None = None) -> State | None:
    """The newest summary of a channel, or one of its versions."""
    query = select(_s).where(_s.c.channel_id == channel_id)
    if version is not None:
        query = query.where(_s.c.version == version)
    row = connection.execute(query.order_by(_s.c.version.desc()).limit(1)).one_or_none()
    if row is None:
        return None
    return State(
        channel_id=row.channel_id,
        version=row.version,
        message_id=row.message_id,
        ts=row.ts,
        text=row.text,
        sources=tuple(json.loads(row.sources)),
    )


def read_held(connection: Connection, channel_id: str) -> int:
    """The last place that the newest summary of a channel holds."""
    query = select(_p.c.held_seq).where(_p.c.channel_id == channel_id)
    return connection.execute(query).scalar_one_or_none() or 0


def read_unsettled(connection: Connection) -> list[tuple[str, int]]:
    """Channels where something was said since their summary, and when; the house's own comes last."""
    query = select(_p.c.channel_id, _p.c.said_at).where(_p.c.said_seq > _p.c.held_seq).order_by(_p.c.said_seq)
    found = [(channel_id, at) for channel_id, at in connection.execute(query)]
    return sorted(found, key=lambda one: one[0] == HUB)


def read_channel_states(connection: Connection, after: int, limit: int) -> list[str]:
    """Ids of the messages with summaries of channels beyond a place, the hub's own aside."""
    query = select(_s.c.message_id).where(_s.c.seq > after, _s.c.channel_id != HUB)
    return list(connection.execute(query.order_by(_s.c.seq).limit(limit)).scalars())
