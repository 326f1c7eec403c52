"""From the words of a search to the places that they speak for, within a bound of postings read."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from prime.brain.recall.query import Query
from prime.brain.recall.reads import Reads
from prime.brain.recall.scoring import NOWHERE, Postings, Said, Weighing, rarity, weights_for
from prime.core.folding import is_paired

MOST_POSTINGS = 1000  # read of a word
_ENOUGH = 300  # read of all words together; the rarest say most and come first
_MOST_BEGINNINGS = 48  # words that a prefix may stand for
_MOST_LOOKED_AT = 60  # places where a word is looked for that is said too often to be read
_MOST_OF_ONE = MOST_POSTINGS // 4  # read of each of them

_LEAST = 5  # letters of a word that may stand for a longer one
_PREFIX = 0.5  # what a word counts of which only the beginning was typed or, the other way, is said
_NAME = 0.3  # what a speaker's name counts beside other words: half of what is said to them holds it
_MARK = 0.5  # what a message counts that says nothing of the search, but was said by the one who is named


@dataclass(frozen=True, slots=True)
class Named:
    """Speakers of the ground who are named in the search, as they are indexed, and the words that name them."""

    speakers: frozenset[str]
    # Those of them that it asks about: who is named first, and who is named with them.
    subjects: frozenset[str]
    words: frozenset[str]


NOBODY = Named(frozenset(), frozenset(), frozenset())


@dataclass(slots=True)
class _Word:
    holding: int  # messages of the ground that hold it
    text: str
    share: float = 1.0
    term: int | None = None
    postings: Postings = NOWHERE
    is_mark: bool = False


class Lookup:
    """The words of one search on one ground."""

    def __init__(self, reading: Reads, query: Query, named: Named) -> None:
        self._reading = reading
        self._query = query
        self._only_names = named.words >= set(query.terms)
        self._named = named

    def weighing(self, marks: frozenset[str]) -> Weighing:
        """What is found, ready to be weighed. `marks` are looked up where there are no words."""
        words = [*self._typed(), *self._beginnings()]
        if self._only_names:
            marks |= self._named.speakers
            words += self._marks(marks)
        ground = self._reading.ground
        said = [
            Said(
                factor=word.share * rarity(ground.documents, word.holding),
                postings=word.postings,
                is_mark=word.is_mark,
                is_own=self._query.is_list and not word.is_mark and not word.text.endswith("*"),
            )
            for word in self._within_bound(words)
        ]
        return Weighing(weights_for(max(ground.length / ground.documents, 1.0)), said)

    def places_with_all(self, texts: frozenset[str]) -> set[int] | None:
        """The places whose messages hold all of these words themselves; None when they are too many to say."""
        held = self._reading.held(texts, MOST_POSTINGS + 1)
        if len(held) < len(texts):
            return set()
        few = [word.term for word in held if word.holding <= MOST_POSTINGS]
        places = [set(said.places) for said in self._reading.postings(few).values()]
        return set[int].intersection(*places) if places else None

    def _typed(self) -> list[_Word]:
        lesser = frozenset[str]() if self._only_names else self._named.words
        held = self._reading.held(self._query.terms, MOST_POSTINGS + 1)
        found = [_Word(holding, text, _NAME if text in lesser else 1.0, term) for text, term, holding in held]
        return found + self._shortened({word.text for word in found}) if len(found) < len(self._query.terms) else found

    def _shortened(self, known: set[str]) -> list[_Word]:
        """What is said of words that nobody said: `music` of `musician`, the longest of each.

        Only in sentences: who types a few words means them.
        """
        words = () if self._query.is_list else self._query.terms
        unknown = [word for word in words if word not in known and len(word) > _LEAST and word.isalpha()]
        if not unknown:
            return []
        shorter = {word: [word[:length] for length in range(_LEAST, len(word))] for word in unknown}
        held = {h.text: h for h in self._reading.held({*chain.from_iterable(shorter.values())}, MOST_POSTINGS + 1)}
        longest = {next((text for text in reversed(shorter[word]) if text in held), "") for word in unknown}
        found = [held[text] for text in sorted(longest - known - {""})]
        return [_Word(word.holding, word.text, _PREFIX, word.term) for word in found]

    def _beginnings(self) -> list[_Word]:
        """One word for all that a prefix may become: a message holds it once, however many of them it holds."""
        found: list[_Word] = []
        for prefix in self._query.prefixes:
            merged: dict[int, int] = {}
            for places, weights in self._begun(prefix):
                for place, packed in zip(places, weights, strict=True):
                    if packed > merged.get(place, -1):
                        merged[place] = packed
            share = 1.0 if is_paired(prefix) else _PREFIX
            places = sorted(merged)
            postings = Postings(places, bytes(map(merged.__getitem__, places)))
            found.append(_Word(len(merged), f"{prefix}*", share, postings=postings))
        return found

    def _begun(self, prefix: str) -> Iterator[Postings]:
        """Words that begin so, the first of the alphabet first, as far as the bound goes."""
        left = MOST_POSTINGS
        few: list[int] = []
        for word in self._reading.held(self._words_begun(prefix), _MOST_OF_ONE + 1):
            if left <= 0:
                break
            left -= word.holding
            if word.holding > _MOST_OF_ONE:
                yield self._reading.newest_postings(word.term, _MOST_OF_ONE)
            else:
                few.append(word.term)
        yield from self._reading.postings(few).values()

    def _words_begun(self, prefix: str) -> list[str]:
        """Endings are not indexed: of `happine` only `happi` is there to be found."""
        found = self._reading.begun(prefix, _MOST_BEGINNINGS)
        if found or self._reading.held([prefix], 1):
            return found
        return [prefix[:length] for length in range(max(3, len(prefix) - 3), len(prefix))]

    def _marks(self, marks: frozenset[str]) -> list[_Word]:
        held = self._reading.held(marks, MOST_POSTINGS + 1)
        return [_Word(word.holding, word.text, _MARK, word.term, is_mark=True) for word in held]

    def _within_bound(self, words: list[_Word]) -> list[_Word]:
        """The words with their postings, the rarest first, as far as the bound goes; the rarest in any case.

        Those beyond it are looked for where the others were found, all at once.
        """
        left = _ENOUGH
        read: list[_Word] = []
        beyond: list[_Word] = []
        for word in sorted((w for w in words if w.holding), key=_rarest):
            if word.term is None or not read or word.holding <= left:
                read.append(word)
            else:
                beyond.append(word)
            left = max(left - word.holding, 0)
        self._read(read)
        if beyond:
            said = self._reading.postings_at([word.term for word in beyond if word.term], _places_found(read))
            for word in beyond:
                word.postings = said.get(word.term or 0, NOWHERE)
        return sorted([*read, *beyond], key=_rarest)

    def _read(self, words: list[_Word]) -> None:
        """Of a word that is said too often, which only the rarest may be, the latest."""
        said = self._reading.postings([word.term for word in words if word.term and word.holding <= MOST_POSTINGS])
        for word in words:
            if word.term in said:
                word.postings = said[word.term]
            elif word.term:
                word.postings = self._reading.newest_postings(word.term, MOST_POSTINGS)


def _rarest(word: _Word) -> tuple[int, str]:
    return word.holding, word.text


def _places_found(read: list[_Word]) -> list[int]:
    """Where the rarest words were found, as far as it is worth to look for the others there."""
    places: dict[int, None] = {}
    for word in read:
        if not word.is_mark and len(places) < _MOST_LOOKED_AT:
            places.update(dict.fromkeys(word.postings.places[: -_MOST_LOOKED_AT - 1 : -1]))
    return list(places)[:_MOST_LOOKED_AT]
