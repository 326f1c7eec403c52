"""Judging what reaches the owner: new lines, what was decided before, and a decision about each; rules made of answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from prime.mind.jobs.lines import NOTHING, Line, Usage, nothing
from prime.rooms.tier import Tier

Decision = Literal["surface", "ask", "silent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRule:
    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownQuestion:
    """A question of the owner's: pending without an answer, settled with one."""

    id: str
    text: str
    answer: str | None = None
    # The name of the channel in which it was asked.
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """New lines of one channel, and what the owner has decided before."""

    channel_name: str
    tier: Tier
    # Only these are judged.
    lines: Sequence[Line]
    # What was said in the channel before them.
    before: Sequence[Line] = ()
    # What was said lately in other channels, where a conflict may lie.
    elsewhere: Sequence[Line] = ()
    aims: Mapping[str, str] = field(default_factory=nothing)
    rules: Sequence[KnownRule] = ()
    pending: Sequence[KnownQuestion] = ()
    settled: Sequence[KnownQuestion] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One thing that made a question more or less necessary, and by how much."""

    name: str
    weight: float
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One decision about one message."""

    message_id: str
    decision: Decision
    necessity: float
    reason: str
    features: tuple[Feature, ...] = ()
    title: str = ""
    # The question as the owner is asked it, or the news as they are told it.
    text: str = ""
    context: str = ""
    suggestions: tuple[str, ...] = ()
    # Whether a yes would bind us: sell it, book it, sign it.
    commits: bool = False
    # What the mind would answer itself, used when the question is not necessary enough to be asked.
    self_answer: str | None = None
    # The standing rule that settles it, and the pending question that it repeats.
    rule_id: str | None = None
    same_as: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    items: tuple[Judgement, ...]
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRequest:
    """A question and its answer, from which a general rule may be learned."""

    question: str
    answer: str
    context: str = ""
    # The name of the channel in which it was asked.
    place: str = ""
