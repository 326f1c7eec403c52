"""The feed: what happened, and what was settled without the owner."""

from typing import Annotated

from fastapi import APIRouter, Query

from prime.core.clock import iso
from prime.hub.feed import FeedItem, FeedType
from prime.rooms.tier import Tier
from prime.web.cursor import decode_cursor, encode_cursor
from prime.web.models import Page, Shown
from prime.web.parts import Parts, PartsNeeded

router = APIRouter(prefix="/api/feed", tags=["feed"])


class FeedItemShown(Shown):
    id: str
    type: FeedType
    title: str
    text: str
    # The tier of the channel that it comes from.
    tier: Tier
    channel_id: str
    sources: list[str]
    ts: str
    # Why, and by which rule; what was asked where something was settled; what the channel was not told.
    reason: str
    rule_id: str | None
    question: str
    removed: list[str]


@router.get("")
async def list_feed(
    parts: PartsNeeded,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=64)] = None,
) -> Page[FeedItemShown]:
    """Cards, newest first; `sources` are the messages behind each."""
    found = await parts.hub.feed(before=decode_cursor(cursor), limit=limit)
    return Page(
        items=[await shown(parts, item) for _, item in found],
        next_cursor=encode_cursor(found[-1][0]) if len(found) == limit else None,
    )


async def shown(parts: Parts, item: FeedItem) -> FeedItemShown:
    channel = await parts.rooms.channel(item.channel_id)
    return FeedItemShown(
        id=item.id,
        type=item.type,
        title=item.title,
        text=item.text,
        tier=channel.tier,
        channel_id=item.channel_id,
        sources=list(item.sources),
        ts=iso(item.ts),
        reason=item.reason,
        rule_id=item.rule_id,
        question=item.question,
        removed=list(item.removed),
    )
