"""One search over one ground: places to messages, and messages to their order."""

from collections.abc import Iterator
from operator import itemgetter
from typing import NamedTuple

from prime.brain.recall.analysis import kind_term, speaker_term, told_term
from prime.brain.recall.checks import asks, holds_common, needs_text, tells_time, text_holds
from prime.brain.recall.lookup import NOBODY, Lookup, Named
from prime.brain.recall.names import actors_called
from prime.brain.recall.places import WINDOW
from prime.brain.recall.queries import ANYTHING, Candidate, Conditions
from prime.brain.recall.query import Query
from prime.brain.recall.reads import Reads
from prime.brain.recall.scoring import Weighing, best_places
from prime.brain.recall.transcript import LEAST_LINES, told_by

MOST_HITS = 200  # nobody pages further
_MOST_SCANNED = 6000  # messages looked at when there is no word to look up

_SPEAKER = 0.6  # added when the one says it whom the search asks about
_NAMED = 0.2  # when somebody else says it who is named
_DATE = 2.0  # when it was said at the time that is named
_TIME = 0.3  # when the search asks for a time and the message tells one
_FILE = 1.5  # when it asks for a file and the message is the note of one
_QUESTION = 0.2  # taken off a message that itself asks
_SUMMARY = 0.7  # taken off a version of a summary: what it repeats stands in the log itself

_AROUND = 2 * WINDOW + 1  # places that a message gives something to; at most of them there may be none
_FEW = 12  # of the best places are read first: as a rule they settle a page

Scored = tuple[float, Candidate]


class Ranked(NamedTuple):
    """The first hits of a search, and how many there are."""

    hits: list[Scored]
    total: int


def _in_order(scored: list[Scored]) -> list[Scored]:
    """The best first, and among equals what was said last."""
    scored.sort(key=_seq, reverse=True)
    scored.sort(key=_score, reverse=True)  # leaves equals as they are
    return scored


_score = itemgetter(0)


def _seq(scored: Scored) -> int:
    return scored[1][1]


class Search:
    """A query on a ground. What it has worked out it keeps, for it may have to begin again when messages were missing."""

    def __init__(self, reading: Reads, query: Query) -> None:
        self._reading = reading
        self._query = query
        self._conditions = self._read_conditions()
        self._named = self._read_named()
        self._found: Weighing | None = None
        self._totals: dict[int, dict[int, float]] = {}

    def ranked(self, wanted: int) -> Ranked:
        """The first `wanted` hits, best first and among equals what was said last; and how many there are."""
        if self._reading.ground.documents == 0 or self._conditions.actors == frozenset():
            return Ranked([], 0)
        marks = self._marks()
        if self._query.terms or self._query.prefixes or marks:
            found = self._looked_up(marks, wanted)
            if found.hits or self._query.terms or marks:
                return found
        scanned = [(0.0, candidate) for candidate in self._scan()]
        return Ranked(scanned[:wanted], len(scanned))

    def _looked_up(self, marks: frozenset[str], wanted: int) -> Ranked:
        lookup = Lookup(self._reading, self._query, self._named)
        strict = needs_text(self._query) or self._conditions is not ANYTHING
        self._found = weighing = self._found or lookup.weighing(marks)
        if not strict:
            return self._best_of(weighing, wanted)
        totals = weighing.totals()
        held = lookup.places_with_all(self._query.quoted) if self._query.quoted else None
        if held is not None:
            totals = {place: totals.get(place, 0.0) for place in held}
        scored = _in_order([(totals[c.place] * self._fit(c), c) for c in self._walk(totals)])
        return Ranked(scored[:wanted], len(scored))

    def _best_of(self, weighing: Weighing, wanted: int) -> Ranked:
        """The hits, when every message counts: no more of them are read than can be among the first."""
        few = max(_FEW, wanted + wanted // 5)
        totals = self._best_totals(weighing, few + 1)
        best, bound = self._best(totals, few)
        scored = self._scored(totals, best)
        if bound is not None and not self._is_settled(totals, scored, wanted, bound):
            totals = self._best_totals(weighing, MOST_HITS)
            best = self._in_order(totals, best_places(totals, MOST_HITS * _AROUND))
            scored = self._scored(totals, best[:MOST_HITS])
        return Ranked(scored[:wanted], len(scored))

    def _best_totals(self, weighing: Weighing, most: int) -> dict[int, float]:
        if most not in self._totals:
            self._totals[most] = weighing.totals(most)
        return self._totals[most]

    def _best(self, totals: dict[int, float], few: int) -> tuple[list[int], float | None]:
        """The best places, about so many, and what the best of the others may be worth, if there are others."""
        best = best_places(totals, few)
        if len(best) <= 2 * few:
            # Of so many there may be others, which were left out.
            return best, min(totals[place] for place in best) if few <= len(best) or len(best) < len(totals) else None
        order = self._in_order(totals, best)
        # Where there is no message, nothing is left out.
        return order[:few], totals[order[few]] if len(order) > few else min(totals[place] for place in best)

    def _is_settled(self, totals: dict[int, float], scored: list[Scored], wanted: int, bound: float) -> bool:
        """Whether nothing that was found for `bound` or less, and was said earlier, comes among the first."""
        if len(scored) <= wanted:
            return False
        score, last = scored[wanted - 1]
        most = bound * self._best_fit()
        return most < score or most == score == totals[last.place]

    def _scored(self, totals: dict[int, float], places: list[int]) -> list[Scored]:
        found = self._reading.candidates(places, self._conditions)
        return _in_order([(totals[c.place] * self._fit(c), c) for c in found])

    # --- whom and what it is about ---

    def _read_conditions(self) -> Conditions:
        query, reading = self._query, self._reading
        if query.is_open:
            return ANYTHING
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
        return actors_called(
            names, self._reading.people().actors, owner_asks=self._reading.ground.scope.channel_id is None
        )

    def _read_named(self) -> Named:
        """Only who speaks here is anybody here: a name that is known elsewhere is a word like others."""
        terms = self._query.terms
        names = self._reading.people().named(terms) if terms else {}
        # Who types a few words means them; in a question a name may be that of somebody in a transcript.
        told = {} if self._query.is_list else {told_term(word): {word} for word in terms}
        named = names | told if names else told
        held = {held.text: held.holding for held in self._reading.held(named, LEAST_LINES)}
        if not held:
            return NOBODY
        here = {speaker for speaker, lines in held.items() if speaker in names or lines >= LEAST_LINES}
        places = {speaker: min(map(terms.index, named[speaker])) for speaker in here}
        # "Ann and Bob" are asked about together; in "what did Ann tell Bob" it is Ann.
        subjects = (speaker for speaker, place in places.items() if place <= min(places.values()) + 1)
        return Named(
            frozenset(here), frozenset(subjects), frozenset(w for who in here & names.keys() for w in names[who])
        )

    def _marks(self) -> frozenset[str]:
        """What can be looked up of the conditions, when there is nothing else."""
        if self._query.terms or self._query.prefixes or self._query.pictures:
            return frozenset()
        if self._conditions.actors is not None:
            return frozenset(map(speaker_term, self._conditions.actors))
        kinds = self._conditions.kinds
        return frozenset(map(kind_term, kinds)) if "text" not in kinds else frozenset()

    # --- candidates ---

    def _walk(self, totals: dict[int, float]) -> Iterator[Candidate]:
        """The best places' messages, for which everything holds that the search requires."""
        strict = needs_text(self._query)
        left = MOST_HITS
        order = self._in_order(totals, list(totals))
        for at in range(0, len(order), MOST_HITS):
            part = order[at : at + MOST_HITS]
            found = {c.place: c for c in self._reading.candidates(part, self._conditions)}
            held = [found[p] for p in part if p in found and (not strict or text_holds(found[p].indexed, self._query))]
            yield from held[:left]
            left -= len(held)
            if left <= 0:
                return

    def _in_order(self, totals: dict[int, float], places: list[int]) -> list[int]:
        """Those of the places where there is a message, best first."""
        seqs = self._reading.seqs(places)
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

    def _best_fit(self) -> float:
        """No message suits the search better."""
        speaker = 1 + _SPEAKER if self._named.speakers else 1.0
        file = 1 + _FILE if self._query.asks_file else 1.0
        return (
            speaker * file * (1 + _DATE if self._query.dates else 1.0) * (1 + _TIME if self._query.asks_when else 1.0)
        )

    def _fit(self, candidate: Candidate) -> float:
        """How well the message suits the search beside its words: who said it, when, and what it is."""
        fit = 1.0
        if self._named.speakers and (speakers := self._named.speakers & _speakers_of(candidate)):
            fit *= 1 + (_NAMED if speakers.isdisjoint(self._named.subjects) else _SPEAKER)
        if self._query.dates:
            fit *= 1 + _DATE * max(date.closeness(candidate.ts) for date in self._query.dates)
        if self._query.asks_when and tells_time(candidate.text):
            fit *= 1 + _TIME
        if self._query.asks_file and candidate.kind == "note":
            fit *= 1 + _FILE
        if candidate.kind == "state":
            fit *= 1 - _SUMMARY
        if asks(candidate.text):
            fit *= 1 - _QUESTION
        return fit


def _speakers_of(candidate: Candidate) -> set[str]:
    """Who says it, and who is written to have said it."""
    return {speaker_term(candidate.actor_id), *map(told_term, told_by(candidate.kind, candidate.text))}
