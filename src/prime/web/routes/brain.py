"""The brain: what was said, found again; what is so, and since when; how things stand."""

from html import escape
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response

from prime.brain.facts.records import Fact
from prime.brain.recall import Hit
from prime.brain.state.ask import as_markdown
from prime.brain.state.queries import State
from prime.core.clock import iso
from prime.core.errors import NotFound
from prime.rooms.records import HUB, Channel
from prime.store.message import Kind
from prime.web.cursor import decode_cursor, encode_cursor
from prime.web.models import Given, Id, Page, Shown
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/brain", tags=["brain"])

MOST_FACTS = 500


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
    found = await parts.brain.recall(q, limit=limit, cursor=decode_cursor(cursor))
    return Page(
        items=[HitShown.of(hit) for hit in found.hits],
        next_cursor=encode_cursor(found.next_cursor) if found.next_cursor is not None else None,
    )


class FactShown(Shown):
    """`validTo` is null while it holds; `knownSince` is when it was first said."""

    id: str
    subject: str
    predicate: str
    object: str
    channel_id: str
    many: bool
    valid_from: str
    valid_to: str | None
    known_since: str
    # The messages that say so, and who said it.
    sources: list[str]
    said_by: list[str]
    superseded_by: str | None
    # Facts that others hold to be so at the same time.
    contradicts: list[str]

    @classmethod
    def of(cls, fact: Fact) -> "FactShown":
        return cls(
            id=fact.id,
            subject=fact.subject,
            predicate=fact.predicate,
            object=fact.object,
            channel_id=fact.channel_id,
            many=fact.many,
            valid_from=iso(fact.valid_from),
            valid_to=iso(fact.valid_to) if fact.valid_to is not None else None,
            known_since=iso(fact.known_since),
            sources=list(fact.sources),
            said_by=list(fact.said_by),
            superseded_by=fact.superseded_by,
            contradicts=list(fact.contradicts),
        )


Subject = Annotated[str, Query(max_length=500)]
Moment = Annotated[str | None, Query(max_length=40)]
AsOf = Annotated[str | None, Query(alias="asOf", max_length=40)]


@router.get("/facts")
async def get_facts(
    parts: PartsNeeded, subject: Subject = "", at: Moment = None, as_of: AsOf = None
) -> Page[FactShown]:
    """What holds now, or held at `at` (`2026-03-15`, `2026-03`, `2026`), as it was known at `asOf`.

    `subject` is any of its words; without one, all facts. What the owner said comes first.
    """
    found = await parts.brain.facts(subject, at=at, as_of=as_of)
    return Page(items=[FactShown.of(fact) for fact in found[:MOST_FACTS]])


@router.get("/timeline")
async def get_timeline(parts: PartsNeeded, subject: Subject = "", as_of: AsOf = None) -> Page[FactShown]:
    """Everything that was ever so of a subject, oldest first."""
    found = await parts.brain.timeline(subject, as_of=as_of)
    return Page(items=[FactShown.of(fact) for fact in found[-MOST_FACTS:]])


class StateShown(Shown):
    """A channel's living summary. `markdown` has links to what it was made of."""

    channel_id: str
    version: int
    markdown: str
    sources: list[str]
    message_id: str | None
    ts: str | None


class SettleGiven(Given):
    channel_id: Id = HUB


@router.post("/state/settle")
async def settle(given: SettleGiven, parts: PartsNeeded) -> StateShown:
    """Take what was said since into a channel's facts and summary now, without waiting for a minute of quiet."""
    channel = await parts.rooms.channel(given.channel_id)
    return _state_shown(channel, await parts.brain.consolidate(given.channel_id))


@router.get("/state", response_model=StateShown)
async def get_state(
    parts: PartsNeeded,
    channel_id: Annotated[str, Query(alias="channelId", max_length=120)] = HUB,
    version: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    accept: Annotated[str, Header()] = "",
) -> Response | StateShown:
    """The summary of a channel, the hub's own room unless one is named; `Accept: text/markdown` gives it plain."""
    channel = await parts.rooms.channel(channel_id)
    found = await parts.brain.state(channel_id, version)
    if found is None and version is not None:
        raise NotFound(f"There is no version {version} of this summary.", channelId=channel_id)
    shown = _state_shown(channel, found)
    if accept.split(",")[0].split(";")[0].strip() == "text/markdown":
        return Response(shown.markdown, media_type="text/markdown; charset=utf-8", headers={"Vary": "Accept"})
    return shown


def _state_shown(channel: Channel, found: State | None) -> StateShown:
    return StateShown(
        channel_id=channel.id,
        version=found.version if found else 0,
        markdown=as_markdown(found, channel.name) if found else f"# {channel.name}\n\nNothing has been settled yet.\n",
        sources=list(found.sources) if found else [],
        message_id=found.message_id if found else None,
        ts=iso(found.ts) if found else None,
    )
