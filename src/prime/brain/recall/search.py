"""One search over one ground: places to messages, and messages to their order."""

from collections.abc import Iterator

from prime.brain.recall.analysis import kind_term, speaker_term
from prime.brain.recall.checks import asks, holds_common, needs_text, tells_time, text_holds
from prime.brain.recall.lookup import Lookup, Named
from prime.brain.recall.names import actors_called, name_stems
from prime.brain.recall.queries import Candidate, Conditions, Reading
from prime.brain.recall.query import Query
from prime.brain.recall.scoring import split_best

MOST_HITS = 200  # nobody pages further
_MOST_SCANNED = 6000  # messages looked at when there is no word to look up

_SPEAKER = 0.6  # added when the one who is named says it
_DATE = 1.0  # when it was said at the time that is named
_TIME = 0.2  # when the search asks for a time and the message tells one
_QUESTION = 0.2  # taken off a message that itself asks

Scored = tuple[float, Candidate]


class Search:
    """A query on a ground."""

    def __init__(self, reading: Reading, query: Query) -> None:
        self._reading = reading
        self._query = query
        self._conditions = self._read_conditions()
        self._named = self._read_named()

    def ranked(self) -> list[Scored]:
        """All hits, best first; among equals, what was said last."""
        if self._reading.ground.documents == 0 or self._conditions.actors == frozenset():
            return []
        marks = self._marks()
        if self._query.terms or self._query.prefixes or marks:
            found = self._looked_up(marks)
            if found or self._query.terms or marks:
                return found
        return [(0.0, candidate) for candidate in self._scan()]

    def _looked_up(self, marks: frozenset[str]) -> list[Scored]:
        lookup = Lookup(self._reading, self._query, self._named)
        totals = lookup.totals(marks)
        held = lookup.places_with_all(self._query.quoted) if self._query.quoted else None
        if held is not None:
            totals = {place: totals.get(place, 0.0) for place in held}
        scored = [(totals[c.place] * self._fit(c), c) for c in self._walk(totals)]
        return sorted(scored, key=lambda hit: (-hit[0], -hit[1].seq))

    # --- whom and what it is about ---

    def _read_conditions(self) -> Conditions:
        query, reading = self._query, self._reading
        return Conditions(
            actors=self._called(query.required.speakers) if query.required.speakers else None,
            not_actors=self._called(query.excluded.speakers) if query.excluded.speakers else frozenset(),
            kinds=query.required.kinds,
            not_kinds=query.excluded.kinds,
            not_channels=reading.channels_called(query.excluded.channels),
            after=query.after,
            before=query.before,
        )

    def _called(self, names: tuple[str, ...]) -> frozenset[str]:
        return actors_called(names, self._reading.actors(), owner_asks=self._reading.ground.scope.channel_id is None)

    def _read_named(self) -> Named:
        """Only who speaks here is anybody here: a name that is known elsewhere is a word like others."""
        searched = set(self._query.terms)
        named = {actor.id: name_stems(actor) & searched for actor in self._reading.actors()} if searched else {}
        ids = self._reading.term_ids([speaker_term(actor_id) for actor_id, words in named.items() if words])
        here = {a for a in named if (term := ids.get(speaker_term(a))) and self._reading.count(term, 1)}
        return Named(frozenset(here), frozenset(word for actor_id in here for word in named[actor_id]))

    def _marks(self) -> frozenset[str]:
        """What can be looked up of the conditions, when there is nothing else."""
        if self._query.terms or self._query.prefixes:
            return frozenset()
        if self._conditions.actors is not None:
            return frozenset(map(speaker_term, self._conditions.actors))
        kinds = self._conditions.kinds
        return frozenset(map(kind_term, kinds)) if "text" not in kinds else frozenset()

    # --- candidates ---

    def _walk(self, totals: dict[int, float]) -> Iterator[Candidate]:
        """The best places' messages, for which everything holds that the search requires."""
        strict = needs_text(self._query)
        if not strict and self._conditions == Conditions():
            yield from self._reading.candidates(self._best(totals), self._conditions)
            return
        left = MOST_HITS
        order = self._in_order(totals)
        for at in range(0, len(order), MOST_HITS):
            part = order[at : at + MOST_HITS]
            found = {c.place: c for c in self._reading.candidates(part, self._conditions)}
            held = [found[p] for p in part if p in found and (not strict or text_holds(found[p].indexed, self._query))]
            yield from held[:left]
            left -= len(held)
            if left <= 0:
                return

    def _best(self, totals: dict[int, float]) -> list[int]:
        sure, tied = split_best(totals, MOST_HITS)
        if tied:
            seqs = self._reading.seqs(tied)
            tied = sorted((place for place in tied if place in seqs), key=lambda place: -seqs[place])
        return sure + tied[: MOST_HITS - len(sure)]

    def _in_order(self, totals: dict[int, float]) -> list[int]:
        seqs = self._reading.seqs(list(totals))
        return sorted(seqs, key=lambda place: (-totals[place], -seqs[place]))

    def _scan(self) -> Iterator[Candidate]:
        """No word to look up: the latest messages for which everything holds."""
        before = self._reading.ground.seq + 1
        found = 0
        for _ in range(0, _MOST_SCANNED, MOST_HITS):
            part = self._reading.latest(self._conditions, before=before, limit=MOST_HITS)
            for candidate in part:
                text = candidate.indexed
                if holds_common(text, self._query) and text_holds(text, self._query):
                    found += 1
                    yield candidate
                    if found == MOST_HITS:
                        return
            if len(part) < MOST_HITS:
                return
            before = part[-1].seq

    def _fit(self, candidate: Candidate) -> float:
        """How well the message suits the search beside its words: who said it, when, and what it is."""
        fit = 1.0
        if candidate.actor_id in self._named.actors:
            fit *= 1 + _SPEAKER
        if self._query.dates:
            fit *= 1 + _DATE * max(date.closeness(candidate.ts) for date in self._query.dates)
        if self._query.asks_when and tells_time(candidate.text):
            fit *= 1 + _TIME
        if asks(candidate.text):
            fit *= 1 - _QUESTION
        return fit
