"""Feed items: read-only cards, each traceable to the messages it comes from. Never written, always derived."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from prime.rooms.records import PRIME
from prime.store.message import Message, NewMessage

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
    # Why it was decided so, and by which rule, if by one.
    reason: str = ""
    rule_id: str | None = None
    # What was asked, where something was settled.
    question: str = ""
    # Sentences that the channel was not told.
    removed: tuple[str, ...] = ()


def feed_item_of(message: Message) -> FeedItem | None:
    """The card that a decision makes; most decisions make none."""
    body = message.body
    outcome = body.get("outcome")
    if message.kind != "decision" or outcome not in ("surfaced", "auto_resolved"):
        return None
    rule_id = body.get("ruleId")
    removed = body.get("removed")
    held = cast("list[object]", removed) if isinstance(removed, list) else []
    return FeedItem(
        id=message.id,
        type=outcome,
        title=_text(body.get("title")),
        text=message.text,
        channel_id=message.channel_id,
        sources=message.sources,
        ts=message.ts,
        reason=_text(body.get("reason")),
        rule_id=rule_id if isinstance(rule_id, str) else None,
        question=_text(body.get("question")),
        removed=tuple(each for each in held if isinstance(each, str)),
    )


def card_message(
    channel_id: str, title: str, text: str, sources: Sequence[str], *, key: str | None = None
) -> NewMessage:
    """A card that the hub itself has a reason for, with no mind asked."""
    return NewMessage(
        channel_id=channel_id,
        actor_id=PRIME,
        kind="decision",
        audience="hub",
        text=text,
        body={"outcome": "surfaced", "title": title},
        sources=tuple(sources),
        idempotency_key=key,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
