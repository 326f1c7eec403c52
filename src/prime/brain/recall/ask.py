"""Recall as others call it: the owner over everything, a channel's participant over what its view shows."""

from prime.brain.recall.index.queries import RECALL
from prime.brain.recall.queries import Candidate, Reading, read_within
from prime.brain.recall.query import Query, parse_query
from prime.brain.recall.records import Found, Hit, Scope
from prime.brain.recall.search import MOST_HITS, Search
from prime.brain.recall.snippets import Snippets
from prime.core.errors import InvalidInput
from prime.rooms.queries import ROOMS
from prime.rooms.records import HUB
from prime.rooms.views import View, observed_by, observer
from prime.store.database import Job
from prime.store.store import Store

MAX_LIMIT = 100
_OFFSETS = 1000  # a cursor is the moment of the first page and how many hits were shown, in one number
assert MOST_HITS < _OFFSETS


async def recall(store: Store, query: str, *, limit: int = 20, cursor: int | None = None) -> Found:
    """Search everything, as the owner."""
    return await store.projector.read(_job(Scope(None), query, limit, cursor), RECALL, ROOMS)


@observed_by("prime.brain.recall.ask.recalled")
async def recall_from(view: View, query: str, *, limit: int = 20, cursor: int | None = None) -> Found:
    """Search as somebody in the view's channel: results, scores and order are those of a log that holds no more."""
    scope = Scope(None if view.channel.id == HUB else view.channel.id)
    return await view.read(_job(scope, query, limit, cursor), RECALL, ROOMS)


@observer
async def recalled(view: View) -> list[Found]:
    """What a participant finds: the latest words said in the channel, searched for."""
    said = [message.text for message in await view.messages(limit=5)]
    return [await recall_from(view, text) for text in said] + [await recall_from(view, text[:3]) for text in said]


def _job(scope: Scope, text: str, limit: int, cursor: int | None) -> Job[Found]:
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"A page has 1 to {MAX_LIMIT} hits, not {limit}.", field="limit")
    if cursor is not None and cursor < 0:
        raise InvalidInput("This cursor is not one of ours.", field="cursor")
    moment, offset = divmod(cursor, _OFFSETS) if cursor is not None else (None, 0)
    query = parse_query(text)
    if query.is_empty:
        return lambda _: Found((), None)
    return read_within(scope, query.required.channels, moment, lambda reading: _page(reading, query, limit, offset))


def _page(reading: Reading, query: Query, limit: int, offset: int) -> Found:
    following = offset + limit
    ranked = Search(reading, query).ranked(following)
    cursor = reading.moment() * _OFFSETS + following if following < ranked.total else None
    snippets = Snippets(query)
    return Found(tuple(_hit(candidate, score, snippets) for score, candidate in ranked.hits[offset:]), cursor)


def _hit(candidate: Candidate, score: float, snippets: Snippets) -> Hit:
    return Hit(
        message_id=candidate.id,
        # A card of the feed has the id of the decision that made it.
        feed_item_id=candidate.id if candidate.is_feed_item else None,
        channel_id=candidate.channel_id,
        actor_id=candidate.actor_id,
        kind=candidate.kind,
        snippet=snippets.cut(candidate.indexed),
        score=score,
        ts=candidate.ts,
    )
