"""What rooms are made of, as their projection shows it: actors, channels, questions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from prime.rooms.tier import Tier

OWNER = "act_owner"
PRIME = "act_prime"
HUB = "ch_hub"

ActorKind = Literal["human", "agent"]
ChannelKind = Literal["dm", "group"]
QuestionKind = Literal["decision", "approval"]
QuestionStatus = Literal["pending", "snoozed", "answered", "expired"]
Choice = Literal["yes", "no", "always"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A participant: a person, a model, a builder, a remote company."""

    id: str
    name: str
    kind: ActorKind
    connector: str
    # What its connector needs to know of it; nothing secret.
    settings: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A chat with exactly one tier."""

    id: str
    kind: ChannelKind
    name: str
    tier: Tier
    members: tuple[str, ...]
    course: int
    closed: bool
    last_message_at: int | None
    # Messages that anyone but the owner has said here; what is unread is counted from it.
    said: int
    priming: Mapping[str, object] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelDraft:
    """A channel that is about to be made."""

    id: str
    name: str
    kind: ChannelKind = "group"
    tier: Tier
    members: tuple[str, ...] = ()
    brief: str = ""
    # The startup scripts that it begins with.
    priming: Mapping[str, object] | None = None
    # The agent that answers by itself what the owner says there.
    dialog: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something only the owner can decide, and what became of it."""

    id: str
    kind: QuestionKind
    channel_id: str
    text: str
    context: str
    necessity: float
    reason: str
    suggestions: tuple[str, ...]
    call: Mapping[str, object] | None
    sources: tuple[str, ...]
    asked_at: int
    status: QuestionStatus
    answer: Mapping[str, object] = field(default_factory=dict[str, object])
    snoozed_until: int | None = None
    # The message that asked it.
    message_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A channel with all that is shown of it, read at once."""

    channel: Channel
    members: list[Actor]
    # Newest first: where a stretch begins, where the next one begins, and its course.
    stretches: list[tuple[int, int | None, int]]
    # Where its briefs stand in the log, in order.
    briefs: list[int]
