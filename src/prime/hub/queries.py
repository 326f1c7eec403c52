"""The fold of decisions into the feed, and reads over it."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, Row, Table, insert, select

from prime.core.canonical import canonical_json
from prime.hub.feed import FeedItem, feed_item_of
from prime.hub.tables import feed_item
from prime.store.message import Message

FEED = "feed"


class FeedProjection:
    """Feed items, in the order of the decisions that made them."""

    name = FEED
    version = 1
    tables: Sequence[Table] = (feed_item,)

    def apply(self, connection: Connection, messages: Sequence[Message]) -> None:
        rows = [_row(message.seq, item) for message in messages if (item := feed_item_of(message))]
        if rows:
            connection.execute(insert(feed_item), rows)


def read_feed(connection: Connection, *, before: int | None, limit: int) -> list[tuple[int, FeedItem]]:
    """Newest first, each with its place."""
    query = select(feed_item)
    if before is not None:
        query = query.where(feed_item.c.seq < before)
    rows = connection.execute(query.order_by(feed_item.c.seq.desc()).limit(limit))
    return [(row.seq, _item(row)) for row in rows]


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
    )
