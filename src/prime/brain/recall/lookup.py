"""From the words of a search to the places that they speak for, within a bound of postings read."""

from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from prime.brain.recall.analysis import speaker_term
from prime.brain.recall.queries import Posting, Reading
from prime.brain.recall.query import Query
from prime.brain.recall.scoring import Totals, Weights, rarity

MOST_POSTINGS = 2500  # read of all words together; the rarest say most and come first
_MOST_BEGINNINGS = 48  # words that a prefix may stand for

_PREFIX = 0.5  # what a word counts of which only the beginning was typed
_NAME = 0.3  # what a speaker's name counts beside other words: half of what is said to them holds it
_MARK = 0.5  # what a message counts that says nothing of the search, but was said by the one who is named
_EACH_MORE = 0.5  # added for each further word of a list of words that a message itself holds


@dataclass(frozen=True, slots=True)
class Named:
    """Speakers of the ground who are named in the search, and the words that name them."""

    actors: frozenset[str]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Word:
    holding: int  # messages of the ground that hold it
    text: str
    share: float = 1.0
    term: int | None = None
    postings: tuple[Posting, ...] = ()
    is_mark: bool = False


class Lookup:
    """The words of one search on one ground."""

    def __init__(self, reading: Reading, query: Query, named: Named) -> None:
        self._reading = reading
        self._query = query
        self._only_names = named.words >= set(query.terms)
        self._named = named

    def totals(self, marks: frozenset[str]) -> Totals:
        """What is found for each place. `marks` are looked up where there are no words."""
        words = [*self._typed(), *self._beginnings()]
        if self._only_names:
            marks |= {speaker_term(actor_id) for actor_id in self._named.actors}
            words += self._marks(marks)
        ground = self._reading.ground
        weights = Weights(max(ground.length / ground.documents, 1.0))
        totals: Totals = defaultdict(float)
        own: Counter[int] = Counter()
        for word in self._within_bound(words):
            factor = word.share * rarity(ground.documents, word.holding)
            if word.is_mark:
                for place, _ in word.postings:
                    totals[place] += factor
                continue
            weights.add(totals, word.postings, factor)
            if self._query.is_list and not word.text.endswith("*"):
                own.update(place for place, _ in word.postings)
        for place, words_held in own.items():
            totals[place] *= 1 + _EACH_MORE * (words_held - 1)
        return totals

    def places_with_all(self, texts: frozenset[str]) -> set[int] | None:
        """The places whose messages hold all of these words themselves; None when they are too many to say."""
        ids = self._reading.term_ids(texts)
        if len(ids) < len(texts):
            return set()
        counted = sorted((self._reading.count(term, MOST_POSTINGS + 1), text) for text, term in ids.items())
        held: set[int] | None = None
        for holding, text in counted:
            if holding <= MOST_POSTINGS:
                places = {place for place, _ in self._reading.postings(ids[text], holding)}
                held = places if held is None else held & places
        return held

    def _typed(self) -> list[_Word]:
        found: list[_Word] = []
        for text, term in self._reading.term_ids(self._query.terms).items():
            share = _NAME if text in self._named.words and not self._only_names else 1.0
            found.append(_Word(self._reading.count(term, MOST_POSTINGS + 1), text, share, term))
        return found

    def _beginnings(self) -> list[_Word]:
        """One word for all that a prefix may become: a message holds it once, however many of them it holds."""
        found: list[_Word] = []
        for prefix in self._query.prefixes:
            merged: dict[int, int] = {}
            for term in self._begun(prefix):
                for place, packed in self._reading.postings(term, MOST_POSTINGS // 4):
                    merged[place] = max(packed, merged.get(place, 0))
            share = _PREFIX if len(prefix) > 1 else 1.0
            found.append(_Word(len(merged), f"{prefix}*", share, postings=tuple(sorted(merged.items()))))
        return found

    def _begun(self, prefix: str) -> list[int]:
        """Words that begin so. Endings are not indexed: of `happine` only `happi` is there to be found."""
        found = self._reading.prefixed(prefix, _MOST_BEGINNINGS)
        if found or any(self._reading.count(term, 1) for term in self._reading.term_ids([prefix]).values()):
            return found
        shorter = [prefix[:length] for length in range(max(3, len(prefix) - 3), len(prefix))]
        return [term for _, term in sorted(self._reading.term_ids(shorter).items())]

    def _marks(self, marks: frozenset[str]) -> list[_Word]:
        found: list[_Word] = []
        for text, term in self._reading.term_ids(sorted(marks)).items():
            holding = self._reading.count(term, MOST_POSTINGS + 1)
            found.append(_Word(holding, text, _MARK, term, is_mark=True))
        return found

    def _within_bound(self, words: list[_Word]) -> list[_Word]:
        """The words with their postings, the rarest first, as far as the bound goes; the rarest in any case."""
        left = MOST_POSTINGS
        read: list[_Word] = []
        for word in sorted((w for w in words if w.holding), key=lambda w: (w.holding, w.text)):
            if word.holding > left and read:
                break
            if word.term is None:
                read.append(word)
            elif word.holding <= left:
                read.append(replace(word, postings=tuple(self._reading.postings(word.term, word.holding))))
            else:
                read.append(replace(word, postings=tuple(self._reading.newest_postings(word.term, left))))
            left -= word.holding
        return read
