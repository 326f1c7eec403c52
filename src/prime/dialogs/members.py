"""Which agent a dialog is held with."""

from collections.abc import Iterable, Sequence

from prime.rooms.records import PRIME, Actor
from prime.rooms.views import Card


def agent_of(members: Iterable[str], actors: Sequence[Actor | Card]) -> str:
    """The agent whose scripts and history a channel's are: its first agent member by id, Prime itself if there is none.

    Prime is a member of every channel, so it is meant only where nobody else could be.
    """
    agents = {actor.id for actor in actors if actor.kind == "agent"} - {PRIME}
    return min((member for member in members if member in agents), default=PRIME)
