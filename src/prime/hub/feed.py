"""Feed items: read-only cards, each traceable to the messages it comes from. Never written, always derived."""

from dataclasses import dataclass
from typing import Literal

from prime.store.message import Message

FeedType = Literal["surfaced", "auto_resolved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItem:
    """One card. `surfaced` says what happened, `auto_resolved` what was settled without the owner."""

    id: str
    type: FeedType
    title: str
    text: str
    channel_id: str
    sources: tuple[str, ...]
    ts: int


def feed_item_of(message: Message) -> FeedItem | None:
    """The card that a decision makes; most decisions make none."""
    outcome = message.body.get("outcome")
    if message.kind != "decision" or outcome not in ("surfaced", "auto_resolved"):
        return None
    return FeedItem(
        id=message.id,
        type=outcome,
        title=str(message.body.get("title", "")),
        text=message.text,
        channel_id=message.channel_id,
        sources=message.sources,
        ts=message.ts,
    )
