"""What a search reads, from memory alone; where that does not suffice it says so, and the tables are read instead."""

from collections.abc import Collection, Sequence
from itertools import islice

from prime.brain.recall.ground.queries import Ground, StreamRow
from prime.brain.recall.index.stream import Stream
from prime.brain.recall.memory.index import Index
from prime.brain.recall.memory.messages import Messages
from prime.brain.recall.memory.posted import Posted
from prime.brain.recall.names import People
from prime.brain.recall.places import EVERYWHERE
from prime.brain.recall.queries import LEAST_PER_STREAM, Candidate, Conditions, Held
from prime.brain.recall.records import Scope
from prime.brain.recall.scoring import Postings

_MOST_TRIED = 500  # words that begin as is asked, of which only those count that are said here


class NotAtHand(Exception):
    """This is to be read from the tables."""


class Missing(Exception):
    """Messages that are to be read first: their numbers, and where they stand."""

    def __init__(self, places: dict[int, int]) -> None:
        super().__init__()
        self.places = places


class AtHand:
    """An index, seen from one scope as it is now."""

    def __init__(self, index: Index, messages: Messages, people: People, scope: Scope) -> None:
        self._index = index
        self._messages = messages
        self._people = people
        self._everywhere = scope.channel_id is None
        self.ground = self._ground(scope)
        self._range = self.ground.ranges[0] if self.ground.ranges else None
        self._stretches: dict[int, tuple[Posted, int, int]] = {}

    def _ground(self, scope: Scope) -> Ground:
        if scope.channel_id is None:
            index = self._index
            return Ground(scope, None, (EVERYWHERE,), {}, None, index.documents, index.length, index.last)
        stream = self._index.streams.get((scope.channel_id, True))
        if stream is None:
            return Ground(scope, None, (), {}, (), 0, 0, 0)
        row = StreamRow(stream.id, scope.channel_id, stream.documents, stream.length, stream.seq, stream.position)
        return Ground(scope, None, (self._index.range_of(stream.id),), {}, (row,), row.documents, row.length, row.seq)

    # --- words ---

    def held(self, texts: Collection[str], most: int) -> list[Held]:
        number_of = self._index.number
        found: list[Held] = []
        for text in texts:
            number = number_of(text)
            if number is not None and (holding := self._holding(number)):
                found.append(Held(text, number, min(holding, most)))
        return sorted(found)

    def _holding(self, number: int) -> int:
        _, begin, end = self._stretch(number)
        return end - begin

    def _stretch(self, number: int) -> tuple[Posted, int, int]:
        """Where a word is said, and which part of it lies on this ground."""
        known = self._stretches.get(number)
        if known is None:
            posted = self._index.posted(number)
            begin, end = posted.stretch(self._range) if self._range else (0, 0)
            known = self._stretches[number] = posted, begin, end
        return known

    def begun(self, prefix: str, most: int) -> list[str]:
        index = self._index
        tried = list(islice(index.begun(prefix), _MOST_TRIED))
        found = [word for word in tried if (number := index.number(word)) is not None and self._holding(number)]
        if len(tried) == _MOST_TRIED and len(found) < most:
            raise NotAtHand
        return found[:most]

    def postings(self, terms: Sequence[int]) -> dict[int, Postings]:
        stretches = ((term, self._stretch(term)) for term in terms)
        return {term: posted.between(begin, end) for term, (posted, begin, end) in stretches}

    def postings_at(self, terms: Sequence[int], places: Sequence[int]) -> dict[int, Postings]:
        in_order, all_ = sorted(places), frozenset(places)
        return {term: self._index.posted(term).at(in_order, all_) for term in terms}

    def newest_postings(self, term: int, most: int) -> Postings:
        posted = self._index.posted(term)
        streams = self._liveliest()
        each = max(LEAST_PER_STREAM, most // max(len(streams), 1))
        left = most
        parts: list[tuple[int, int]] = []
        for stream in streams:
            begin, end = posted.stretch(self._index.range_of(stream.id))
            begin = max(begin, end - each, end - left)
            parts.append((begin, end))
            left -= end - begin
            if left <= 0:
                break
        read = [posted.between(*part) for part in sorted(parts)]
        return Postings([place for places, _ in read for place in places], b"".join(weights for _, weights in read))

    def _liveliest(self) -> Sequence[Stream | StreamRow]:
        if self.ground.streams is not None:
            return self.ground.streams
        return sorted(self._index.streams.values(), key=lambda stream: -stream.seq)

    # --- messages ---

    def candidates(self, places: Sequence[int], conditions: Conditions) -> list[Candidate]:
        if not conditions.are_none:
            raise NotAtHand
        there = self.seqs(places)
        found = self._messages.find(there)
        if len(found) < len(there):
            known = {candidate.seq for candidate in found}
            raise Missing({seq: place for place, seq in there.items() if seq not in known})
        return found

    def seqs(self, places: Sequence[int]) -> dict[int, int]:
        return self._index.seqs_at(places, self.ground.seq)

    def latest(self, conditions: Conditions, *, before: int, limit: int) -> list[Candidate]:
        raise NotAtHand

    # --- names ---

    def people(self) -> People:
        return self._people

    def channels_called(self, names: Collection[str]) -> frozenset[str]:
        if names:
            raise NotAtHand
        return frozenset()
