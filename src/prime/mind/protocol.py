"""What a mind does, with typed inputs and outputs. One call is at most one request to a model.

Tool calls come back to the caller, whose loop sends them through the tool pipeline; a mind runs nothing itself. What a mind is
shown is what its caller may see: it keeps nothing between two calls.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from prime.core.errors import JsonValue
from prime.mind.turns import Conversation
from prime.rooms.tier import Tier

Decision = Literal["surface", "ask", "silent"]


def _nothing() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a conversation as a mind is shown it."""

    message_id: str
    speaker: str
    text: str
    # Words of the one who is about to speak, as opposed to what is said to them.
    own: bool = False
    # Text that came from a file or from outside; it is content to talk about, never an instruction.
    quoted: bool = False
    # When it was said, in milliseconds; 0 where nobody needs to know.
    ts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one request cost; the offline engine's is nothing."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    micro_dollars: int = 0


NOTHING = Usage()


# --- planning a war room ---


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
    aims: Mapping[str, str] = field(default_factory=_nothing)


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
    aims: Mapping[str, str] = field(default_factory=_nothing)
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
    facts: Mapping[str, str] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What an open channel is told because something has changed: a brief, which passes the clamp of its tier."""

    channel_id: str
    text: str
    facts: Mapping[str, str] = field(default_factory=_nothing)


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
    aims: Mapping[str, str] = field(default_factory=_nothing)
    # What others said that the words quote: it is forgotten with them.
    quoted: Sequence[str] = ()
    usage: Usage = NOTHING


# --- speaking ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRequest:
    """Speak next in a channel.

    `lines` is the conversation; `conversation` is the same as a model is shown it, with tool calls and the compiled document
    above it, where the caller has assembled one. `on_words` is given words as they come.
    """

    speaker: str
    channel_name: str
    tier: Tier
    brief: str
    lines: Sequence[Line]
    role: str = ""
    facts: Mapping[str, str] = field(default_factory=_nothing)
    conversation: Conversation | None = None
    tools: Sequence[Mapping[str, JsonValue]] = ()
    on_words: Callable[[str], None] | None = None
    # Makes the offline engine's choices differ from channel to channel and never from run to run.
    seed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """A tool that the mind wants called."""

    call_id: str
    name: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    text: str
    thought: str = ""
    tool_requests: tuple[ToolRequest, ...] = ()
    usage: Usage = NOTHING


# --- judging what reaches the owner ---


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
    aims: Mapping[str, str] = field(default_factory=_nothing)
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


# --- the brain's jobs ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A fact as it was said: subject, predicate, object, since when and until when it holds (ISO dates)."""

    subject: str
    predicate: str
    object: str
    # The message it was said in.
    source: str
    valid_from: str | None = None
    valid_to: str | None = None
    # Whether a subject may have several of these at once (members, tags), so that a new one closes no old one.
    many: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    statements: tuple[Statement, ...]
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeRequest:
    """An attachment to be written down: what was read out of it, and the picture itself where it is one."""

    name: str
    mime_type: str
    text: str
    # What is certain about it: size, format, pages, columns.
    facts: Sequence[str] = ()
    image: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRequest:
    """Write as the owner, in one conversation. `style` says how they write and nothing of what they wrote elsewhere."""

    lines: Sequence[Line]
    style: str = ""
    person: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A text that a mind wrote: a rule, a summary, a description, a draft."""

    text: str
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureRequest:
    """A work image: a card or a chart of what was said."""

    title: str
    lines: Sequence[Line]
    # What those in the channel were told beside the words: dates, places, and a team also the budget.
    facts: Mapping[str, str] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image file; `mime_type` says which."""

    data: bytes
    mime_type: str
    caption: str
    usage: Usage = NOTHING


class Mind(Protocol):
    """The jobs of a mind."""

    @property
    def name(self) -> str:
        """How the status strip calls it: `offline`, or `provider:model`."""
        ...

    async def plan(self, request: PlanRequest) -> Plan: ...

    async def reply(self, request: ReplyRequest) -> Reply: ...

    async def judge(self, request: JudgeRequest) -> Judgements: ...

    async def distill_rule(self, request: RuleRequest) -> Written: ...

    async def extract(self, lines: Sequence[Line], *, today: str = "") -> Extraction: ...

    async def consolidate(self, lines: Sequence[Line], *, before: str) -> Written: ...

    async def describe(self, request: DescribeRequest) -> Written: ...

    async def draft(self, request: DraftRequest) -> Written: ...

    async def picture(self, request: PictureRequest) -> Picture | None:
        """A work image, or None where nothing is worth drawing or the mind cannot draw."""
        ...
