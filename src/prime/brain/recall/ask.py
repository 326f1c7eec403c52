"""Recall as others call it: the owner over everything, a channel's participant over what its view shows."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from prime.brain.embeddings import Embeddings
from prime.brain.recall.fusion import MOST_WEIGHED, fused
from prime.brain.recall.index.queries import RECALL
from prime.brain.recall.queries import Candidate, Reading, read_within
from prime.brain.recall.query import Query, parse_query
from prime.brain.recall.records import Found, Hit, Scope
from prime.brain.recall.search import MOST_HITS, Ranked, Search
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

T = TypeVar("T")


async def recall(
    store: Store, query: str, *, limit: int = 20, cursor: int | None = None, embeddings: Embeddings | None = None
) -> Found:
    """Search everything, as the owner."""
    asked = _asked(Scope(None), query, limit, cursor)
    return await asked.answer(store.projector.read, embeddings)


@observed_by("prime.brain.recall.ask.recalled")
async def recall_from(
    view: View, query: str, *, limit: int = 20, cursor: int | None = None, embeddings: Embeddings | None = None
) -> Found:
    """Search as somebody in the view's channel: results, scores and order are those of a log that holds no more."""
    asked = _asked(Scope(None if view.channel.id == HUB else view.channel.id), query, limit, cursor)
    return await asked.answer(view.read, embeddings)


@observer
async def recalled(view: View) -> list[Found]:
    """What a participant finds: the latest words said in the channel, searched for."""
    said = [message.text for message in await view.messages(limit=5)]
    return [await recall_from(view, text) for text in said] + [await recall_from(view, text[:3]) for text in said]


def _asked(scope: Scope, text: str, limit: int, cursor: int | None) -> "_Asked":
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"A page has 1 to {MAX_LIMIT} hits, not {limit}.", field="limit")
    if cursor is not None and cursor < 0:
        raise InvalidInput("This cursor is not one of ours.", field="cursor")
    moment, offset = divmod(cursor, _OFFSETS) if cursor is not None else (None, 0)
    return _Asked(scope, parse_query(text), moment, offset, offset + limit)


class _Best(NamedTuple):
    """The first hits of a search, and the moment by which the next page is searched on the same ground."""

    ranked: Ranked
    moment: int


class _Read(Protocol):
    async def __call__(self, job: Job[T], *names: str) -> T: ...


@dataclass(frozen=True, slots=True)
class _Asked:
    """A page of a search: the hits from `offset` until `following`."""

    scope: Scope
    query: Query
    moment: int | None
    offset: int
    following: int

    async def answer(self, read: _Read, embeddings: Embeddings | None) -> Found:
        if self.query.is_empty:
            return Found((), None)
        if embeddings is None or not self.query.words:
            return await self._within(read, lambda reading: self._page(self._best(reading, self.following)))
        # For every page the same hits are weighed, or they would change places between two pages.
        most = max(self.following, MOST_WEIGHED)
        best = await self._within(read, lambda reading: self._best(reading, most))
        return await asyncio.to_thread(self._weighed, best, embeddings)

    async def _within(self, read: _Read, use: Callable[[Reading], T]) -> T:
        job = read_within(self.scope, self.query.required.channels, self.moment, use)
        return await read(job, RECALL, ROOMS)

    def _best(self, reading: Reading, most: int) -> _Best:
        return _Best(Search(reading, self.query).ranked(most), reading.moment())

    def _weighed(self, best: _Best, embeddings: Embeddings) -> Found:
        hits = fused(best.ranked.hits, self.query.words, embeddings)
        return self._page(best._replace(ranked=best.ranked._replace(hits=hits)))

    def _page(self, best: _Best) -> Found:
        cursor = best.moment * _OFFSETS + self.following if self.following < best.ranked.total else None
        snippets = Snippets(self.query)
        shown = best.ranked.hits[self.offset : self.following]
        return Found(tuple(_hit(candidate, score, snippets) for score, candidate in shown), cursor)


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
