"""Names in a search: whom and what they may mean."""

from collections.abc import Iterable
from functools import lru_cache

from prime.brain.recall.analysis import stem
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
