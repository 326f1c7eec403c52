"""What recall is asked in, and what it answers."""

from dataclasses import dataclass
from typing import NamedTuple

from prime.store.message import Kind


class Piece(NamedTuple):
    """A stretch of a snippet, and whether it is what was searched for."""

    text: str
    match: bool


class Hit(NamedTuple):
    """A message that was found."""

    message_id: str
    feed_item_id: str | None
    channel_id: str
    actor_id: str
    kind: Kind
    snippet: tuple[Piece, ...]
    score: float
    ts: int


@dataclass(frozen=True, slots=True)
class Found:
    """One page of hits, best first, and the cursor of the next."""

    hits: tuple[Hit, ...]
    next_cursor: int | None


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose eyes it is seen through: a channel's members see its conversation, the hub (None) everything."""

    channel_id: str | None
