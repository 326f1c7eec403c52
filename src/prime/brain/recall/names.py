"""Names in a search: whom and what they may mean."""

from collections.abc import Iterable

from prime.brain.recall.analysis import stem
from prime.core.folding import fold
from prime.core.words import terms
from prime.rooms.records import OWNER, Actor


def is_called(wanted: str, thing_id: str, name: str) -> bool:
    """Whether a folded word may mean this: its id, its name or the beginning of it, or one word of it."""
    folded = fold(name)
    return wanted in {fold(thing_id), folded} or folded.startswith(wanted) or wanted in folded.split()


def actors_called(wanted: Iterable[str], actors: Iterable[Actor], *, owner_asks: bool) -> frozenset[str]:
    """Ids of the actors that `from:` names; one who is unknown by name may still have spoken under the id."""
    names = list(wanted)
    found = {actor.id for actor in actors if any(is_called(name, actor.id, actor.name) for name in names)}
    if owner_asks and "me" in names:
        found.add(OWNER)
    return frozenset(found | {name for name in names if name.startswith("act_")})


def name_stems(actor: Actor) -> frozenset[str]:
    """The words of an actor's name, as a search has them."""
    return frozenset(map(stem, terms(actor.name, stem=False)))
