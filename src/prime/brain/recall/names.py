"""Names in a search: whom and what they may mean."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from prime.brain.recall.analysis import speaker_term, stem
from prime.core.folding import fold
from prime.core.words import terms
from prime.rooms.records import OWNER


def is_called(wanted: str, thing_id: str, name: str) -> bool:
    """Whether a folded word may mean this: its id (`ch_hub`, `hub`), its name or the beginning of it, or one word of it."""
    folded = fold(name)
    known = fold(thing_id)
    return wanted in {known, known.partition("_")[2], folded} or folded.startswith(wanted) or wanted in folded.split()


def actors_called(wanted: Iterable[str], actors: Iterable[tuple[str, str]], *, owner_asks: bool) -> frozenset[str]:
    """Ids of the actors that `from:` names; one who is unknown by name may still have spoken under the id."""
    names = list(wanted)
    found = {actor_id for actor_id, called in actors if any(is_called(name, actor_id, called) for name in names)}
    if owner_asks and "me" in names:
        found.add(OWNER)
    return frozenset(found | {name for name in names if name.startswith("act_")})


@lru_cache(4096)
def name_stems(name: str) -> frozenset[str]:
    """The words of an actor's name, as a search has them."""
    return frozenset(map(stem, terms(name, stem=False)))


class People:
    """Everybody there is, by id and name; most searches name nobody, so that is seen at once."""

    def __init__(self, actors: Sequence[tuple[str, str]]) -> None:
        self.actors = actors

    @cached_property
    def _called(self) -> dict[str, list[str]]:
        """The speakers whose name has a word."""
        called: defaultdict[str, list[str]] = defaultdict(list)
        for actor_id, name in self.actors:
            for word in name_stems(name):
                called[word].append(speaker_term(actor_id))
        return dict(called)

    def named(self, words: Iterable[str]) -> dict[str, set[str]]:
        """Those of whose names one of the words is part, as they are indexed; and which words."""
        named: defaultdict[str, set[str]] = defaultdict(set)
        for word in words:
            for speaker in self._called.get(word, ()):
                named[speaker].add(word)
        return dict(named)
