"""Which agent a dialog is held with."""

from collections.abc import Iterable, Sequence

from prime.rooms.records import PRIME, Actor, ChannelDraft
from prime.rooms.views import Card


def agent_of(members: Iterable[str], actors: Sequence[Actor | Card]) -> str:
    """The agent whose scripts and history a channel's are: its first agent member by id, Prime itself if there is none.

    Prime is a member of every channel, so it is meant only where nobody else could be.
    """
    agents = {actor.id for actor in actors if actor.kind == "agent"} - {PRIME}
    return min((member for member in members if member in agents), default=PRIME)


def is_dialog(draft: ChannelDraft) -> bool:
    """Whether the owner wants somebody there to answer: they chose members, or it is a talk between two."""
    return bool(draft.members) or draft.kind == "dm"


def speaks_here(agent_id: str, actors: Sequence[Actor]) -> bool:
    """Whether the agent speaks with a mind of this house; others are reached by their connectors."""
    return any(actor.id == agent_id and actor.connector == "llm_generic" for actor in actors)
