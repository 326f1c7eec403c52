"""The brain: what was said, found again."""

from html import escape
from typing import Annotated

from fastapi import APIRouter, Query

from prime.brain.recall import Hit, recall
from prime.core.clock import iso
from prime.store.message import Kind
from prime.web.cursor import decode_cursor, encode_cursor
from prime.web.models import Page, Shown
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/brain", tags=["brain"])


class PieceShown(Shown):
    """A stretch of a snippet as plain text, and whether it is what was searched for."""

    text: str
    match: bool


class HitShown(Shown):
    message_id: str
    feed_item_id: str | None
    channel_id: str
    actor_id: str
    kind: Kind
    # HTML: the text escaped, what matches in <mark>.
    snippet: str
    # The same as plain text, piece by piece.
    pieces: list[PieceShown]
    score: float
    ts: str

    @classmethod
    def of(cls, hit: Hit) -> "HitShown":
        return cls(
            message_id=hit.message_id,
            feed_item_id=hit.feed_item_id,
            channel_id=hit.channel_id,
            actor_id=hit.actor_id,
            kind=hit.kind,
            snippet="".join(_marked(piece.text) if piece.match else escape(piece.text) for piece in hit.snippet),
            pieces=[PieceShown(text=piece.text, match=piece.match) for piece in hit.snippet],
            score=hit.score,
            ts=iso(hit.ts),
        )


def _marked(text: str) -> str:
    return f"<mark>{escape(text)}</mark>"


@router.get("/recall")
async def get_recall(
    parts: PartsNeeded,
    q: Annotated[str, Query(max_length=4000)] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str | None, Query(max_length=64)] = None,
) -> Page[HitShown]:
    """Search every message, note and feed item, best first.

    Words (any of them, the more the better), `"a phrase"`, `-not`, `from:name`, `in:channel`, `kind:note`,
    `before:2026-03-01`, `after:2026-03`. A last word without anything behind it is taken as the beginning of one.
    """
    found = await recall(parts.store, q, limit=limit, cursor=decode_cursor(cursor))
    return Page(
        items=[HitShown.of(hit) for hit in found.hits],
        next_cursor=encode_cursor(found.next_cursor) if found.next_cursor is not None else None,
    )
