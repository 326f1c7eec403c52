"""Recall as others call it: the owner over everything, a channel's participant over what its view shows."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar, cast

from prime.brain.embeddings import Embeddings
from prime.brain.recall.fusion import MOST_WEIGHED, fused
from prime.brain.recall.ground.queries import moment_of
from prime.brain.recall.index.queries import RECALL
from prime.brain.recall.memory.memory import Memory
from prime.brain.recall.memory.reading import AtHand, Missing, NotAtHand
from prime.brain.recall.queries import Reading, read_within
from prime.brain.recall.query import Query, parse_query
from prime.brain.recall.records import Found, Hit, Piece, Scope
from prime.brain.recall.search import MOST_HITS, Ranked, Scored, Search
from prime.brain.recall.snippets import Snippets
from prime.core.errors import InvalidInput
from prime.rooms.queries import ROOMS
from prime.rooms.records import HUB
from prime.rooms.views import View, observed_by, observer
from prime.store.projector import Projector
from prime.store.store import Store

MAX_LIMIT = 100
_OFFSETS = 1000  # a cursor is the moment of the first page and how many hits were shown, in one number
assert MOST_HITS < _OFFSETS
# Searches that are held in the event loop when all is at hand: of so many words, for so many hits.
_MOST_AT_ONCE = 12
_MOST_SHOWN = 20
_MOST_READ = 3  # times that messages are read for one: the first hits, those of a closer look, and once more

_hit_of = cast("Callable[[type[Hit], tuple[object, ...]], Hit]", tuple.__new__)  # in half of the time that `Hit` takes

T = TypeVar("T")


async def recall(
    store: Store, query: str, *, limit: int = 20, cursor: int | None = None, embeddings: Embeddings | None = None
) -> Found:
    """Search everything, as the owner."""
    asked = _asked(Scope(None), query, limit, cursor)
    return await asked.answer(store.projector, embeddings)


@observed_by("prime.brain.recall.ask.recalled")
async def recall_from(
    view: View, query: str, *, limit: int = 20, cursor: int | None = None, embeddings: Embeddings | None = None
) -> Found:
    """Search as somebody in the view's channel: results, scores and order are those of a log that holds no more."""
    asked = _asked(Scope(None if view.channel.id == HUB else view.channel.id), query, limit, cursor)
    return await asked.answer(view.projector, embeddings)


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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A page of a search: the hits from `offset` until `following`."""

    scope: Scope
    query: Query
    moment: int | None
    offset: int
    following: int

    async def answer(self, projector: Projector, embeddings: Embeddings | None) -> Found:
        if self.query.is_empty:
            return Found((), None)
        if embeddings is None or not self.query.words:
            if self._is_plain and projector.sees_every_append:
                found = await self._from_memory(Memory.of(projector))
                if found is not None:
                    return found
            return await self._within(projector, lambda reading: self._page(self._best(reading, self.following)))
        # For every page the same hits are weighed, or they would change places between two pages.
        most = max(self.following, MOST_WEIGHED)
        best = await self._within(projector, lambda reading: self._best(reading, most))
        return await asyncio.to_thread(self._weighed, best, embeddings)

    async def _within(self, projector: Projector, use: Callable[[Reading], T]) -> T:
        job = read_within(self.scope, self.query.required.channels, self.moment, use)
        return await projector.read(job, RECALL, ROOMS)

    @property
    def _is_plain(self) -> bool:
        """Whether it is over so soon that nobody need be kept waiting by it, if all of it is at hand."""
        query = self.query
        asks = 0 < len(query.terms) + len(query.prefixes) <= _MOST_AT_ONCE
        return asks and self.moment is None and query.is_open and self.following <= _MOST_SHOWN

    async def _from_memory(self, memory: Memory) -> Found | None:
        """None when not everything that it takes is at hand, and cannot be had by reading some messages."""
        people = await memory.people()
        index = await memory.index()
        if index is None:
            return None
        reading = AtHand(index, memory.messages, people, self.scope)
        search = Search(reading, self.query)
        for _ in range(_MOST_READ):
            try:
                return self._page(_Best(search.ranked(self.following), moment_of(reading.ground)))
            except NotAtHand:
                return None
            except Missing as missing:
                if not (await memory.fetch(missing) and memory.is_of(index)):
                    return None
        return None

    def _best(self, reading: Reading, most: int) -> _Best:
        return _Best(Search(reading, self.query).ranked(most), moment_of(reading.ground))

    def _weighed(self, best: _Best, embeddings: Embeddings) -> Found:
        hits = fused(best.ranked.hits, self.query.words, embeddings)
        return self._page(best._replace(ranked=best.ranked._replace(hits=hits)))

    def _page(self, best: _Best) -> Found:
        cursor = best.moment * _OFFSETS + self.following if self.following < best.ranked.total else None
        shown = best.ranked.hits[self.offset : self.following]
        snippets = Snippets(self.query).cut([candidate.indexed for _, candidate in shown])
        return Found(tuple(map(_hit, shown, snippets)), cursor)


def _hit(scored: Scored, snippet: tuple[Piece, ...]) -> Hit:
    score, candidate = scored
    # A card of the feed has the id of the decision that made it.
    feed_item_id = candidate.id if candidate.is_feed_item else None
    _, _, message_id, channel_id, actor_id, ts, kind, _, _ = candidate
    return _hit_of(Hit, (message_id, feed_item_id, channel_id, actor_id, kind, snippet, score, ts))
