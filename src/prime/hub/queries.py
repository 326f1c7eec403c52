"""The fold of decisions into the feed and of plans into their channels, and reads over them."""

import json
from collections.abc import Sequence
from typing import cast

from sqlalchemy import Connection, Row, Table, func, insert, select

from prime.core.canonical import canonical_json
from prime.hub.feed import FeedItem, feed_item_of
from prime.hub.tables import feed_item, planned_channel
from prime.store.message import Message
from prime.store.upsert import add_row

FEED = "feed"


class FeedProjection:
    """Feed items, in the order of the decisions that made them, and the channels of plans."""

    name = FEED
    version = 2
    tables: Sequence[Table] = (feed_item, planned_channel)

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        rows = [_row(message.seq, item) for message in messages if (item := feed_item_of(message))]
        if rows:
            connection.execute(insert(feed_item), rows)
        for message in messages:
            if message.kind == "plan":
                _fold_plan(connection, message)


def _fold_plan(connection: Connection, message: Message) -> None:
    listed = message.body.get("channels")
    for each in cast("list[object]", listed) if isinstance(listed, list) else ():
        channel = cast("dict[str, object]", each) if isinstance(each, dict) else {}
        key, channel_id = channel.get("key"), channel.get("channelId")
        if isinstance(key, str) and isinstance(channel_id, str):
            add_row(connection, planned_channel, {"channel_id": channel_id, "key": key, "seq": message.seq})


def read_feed(connection: Connection, *, before: int | None, limit: int) -> list[tuple[int, FeedItem]]:
    """Newest first, each with its place."""
    query = select(feed_item)
    if before is not None:
        query = query.where(feed_item.c.seq < before)
    rows = connection.execute(query.order_by(feed_item.c.seq.desc()).limit(limit))
    return [(row.seq, _item(row)) for row in rows]


def read_feed_after(connection: Connection, seq: int, limit: int) -> list[tuple[int, FeedItem]]:
    """The newest cards behind a place, in order, each with its place."""
    query = select(feed_item).where(feed_item.c.seq > seq).order_by(feed_item.c.seq.desc()).limit(limit)
    return [(row.seq, _item(row)) for row in reversed(connection.execute(query).all())]


def count_auto_resolved(connection: Connection) -> int:
    query = select(func.count()).select_from(feed_item).where(feed_item.c.type == "auto_resolved")
    return connection.execute(query).scalar_one()


def read_planned(connection: Connection) -> dict[str, str]:
    """The channels that plans have made, by id, each with its name in the plan."""
    rows = connection.execute(
        select(planned_channel.c.channel_id, planned_channel.c.key).order_by(planned_channel.c.seq)
    )
    return dict(rows.all())


def _row(seq: int, item: FeedItem) -> dict[str, object]:
    return {
        "id": item.id,
        "seq": seq,
        "type": item.type,
        "title": item.title,
        "text": item.text,
        "channel_id": item.channel_id,
        "sources": canonical_json(list(item.sources)),
        "ts": item.ts,
        "reason": item.reason,
        "rule_id": item.rule_id,
        "question": item.question,
        "removed": canonical_json(list(item.removed)),
    }


def _item(row: Row[tuple[object, ...]]) -> FeedItem:
    return FeedItem(
        id=row.id,
        type=row.type,
        title=row.title,
        text=row.text,
        channel_id=row.channel_id,
        sources=tuple(json.loads(row.sources)),
        ts=row.ts,
        reason=row.reason,
        rule_id=row.rule_id,
        question=row.question,
        removed=tuple(json.loads(row.removed)),
    )
