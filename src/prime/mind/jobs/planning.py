"""Planning a war room: what the owner wants and what is there, and what is to be done about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prime.mind.jobs.judging import KnownQuestion
from prime.mind.jobs.lines import NOTHING, Line, Usage, nothing
from prime.rooms.tier import Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenChannel:
    """A channel that is there already, as the planner is told of it."""

    id: str
    key: str
    name: str
    tier: Tier
    # What others said there last, oldest first; only where the owner's words name the room or somebody in it.
    heard: Sequence[Line] = ()
    # The project that it was opened for; "" where nobody knows.
    project: str = ""
    # Whether somebody is still at work there.
    at_work: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenProject:
    """A project of the owner's that has open channels."""

    id: str
    title: str
    # The words that it was made of.
    wish: str = ""
    aims: Mapping[str, str] = field(default_factory=nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAgent:
    """A remote agent that the directory knows."""

    id: str
    name: str
    capabilities: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What the owner wants, and what is there already."""

    wish: str
    # The owner's room so far, the wish last.
    lines: Sequence[Line] = ()
    channels: Sequence[OpenChannel] = ()
    agents: Sequence[KnownAgent] = ()
    # What waits for the owner's answer, oldest first.
    pending: Sequence["KnownQuestion"] = ()
    # What the owner asked for so far of the project spoken of last, as earlier plans found it.
    aims: Mapping[str, str] = field(default_factory=nothing)
    # The projects under way, the one spoken of last at the end.
    projects: Sequence[OpenProject] = ()
    # What the last plan that closed anything has closed, and can be opened again.
    closed: Sequence[OpenChannel] = ()
    # ISO date, for "next Friday".
    today: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedParticipant:
    """Somebody to talk to. `connector` names how they are reached; `agent_id` which remote agent it is."""

    name: str
    role: str
    connector: str = "llm_generic"
    agent_id: str | None = None


# The fact of a channel that names the single thing its counterpart wants; of those with the same one only one can have it.
COMPETES_FOR = "competes_for"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChannel:
    """One channel of a war room. `key` is its name in the plan and stays the same when the plan is extended.

    `facts` is what the channel's participants are told beside the brief (role, archetype, dates, places…). Brief and
    facts go down to the channel's tier, so they pass its clamp.
    """

    key: str
    name: str
    tier: Tier
    participants: tuple[PlannedParticipant, ...]
    brief: str
    facts: Mapping[str, str] = field(default_factory=nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What an open channel is told because something has changed: a brief, which passes the clamp of its tier."""

    channel_id: str
    text: str
    facts: Mapping[str, str] = field(default_factory=nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done about a wish. A wish that asks for nothing has no channels, only words."""

    title: str
    summary: str
    # What Prime says to the owner about it.
    words: str
    channels: tuple[PlannedChannel, ...] = ()
    # Ids of open channels that are no longer needed.
    closing: tuple[str, ...] = ()
    # Ids of closed channels that are needed after all.
    reopening: tuple[str, ...] = ()
    # The id of the project that it is about: "" begins a new one; None leaves it to what the plan has.
    project: str | None = None
    # What open channels are told of what has changed.
    telling: tuple[Telling, ...] = ()
    # What the owner asked for, found in their words: budget, deadline, place, constraints…
    aims: Mapping[str, str] = field(default_factory=nothing)
    # What others said that the words quote: it is forgotten with them.
    quoted: Sequence[str] = ()
    usage: Usage = NOTHING
