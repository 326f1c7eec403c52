"""What a mind does, with typed inputs and outputs. One call is at most one request to a model.

Tool calls come back to the caller, whose loop sends them through the tool pipeline; a mind runs nothing itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Decision = Literal["surface", "ask", "silent"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one request cost; the offline engine's is nothing."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    micro_dollars: int = 0


NOTHING = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRequest:
    """Speak next in a channel."""

    speaker: str
    channel_name: str
    tier: str
    brief: str
    lines: Sequence[Line]
    tools: Sequence[Mapping[str, object]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """A tool that the mind wants called."""

    call_id: str
    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    text: str
    tool_requests: tuple[ToolRequest, ...] = ()
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChannel:
    """One channel of a war room."""

    name: str
    tier: str
    participants: tuple[str, ...]
    brief: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    title: str
    summary: str
    channels: tuple[PlannedChannel, ...]
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One decision about one message."""

    message_id: str
    decision: Decision
    necessity: float
    reason: str
    title: str = ""
    text: str = ""
    suggestions: tuple[str, ...] = ()
    # What the mind would answer itself, used when the question is not necessary enough to be asked.
    self_answer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    items: tuple[Judgement, ...]
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A fact as it was said: subject, predicate, object, and since when it holds."""

    subject: str
    predicate: str
    object: str
    source: str
    valid_from: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    statements: tuple[Statement, ...]
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A text that a mind wrote: a rule, a summary, a description, a draft."""

    text: str
    usage: Usage = NOTHING


class Mind(Protocol):
    """The jobs of a mind."""

    @property
    def name(self) -> str:
        """How the status strip calls it: `offline`, or `provider:model`."""
        ...

    async def plan(self, wish: str, *, open_channels: Sequence[str]) -> Plan: ...

    async def reply(self, request: ReplyRequest) -> Reply: ...

    async def judge(self, lines: Sequence[Line], *, rules: Sequence[str], settled: Sequence[str]) -> Judgements: ...

    async def distill_rule(self, question: str, answer: str) -> Written: ...

    async def extract(self, lines: Sequence[Line]) -> Extraction: ...

    async def consolidate(self, lines: Sequence[Line], *, before: str) -> Written: ...

    async def describe(self, name: str, mime_type: str, text: str) -> Written: ...

    async def draft(self, lines: Sequence[Line], *, style: str) -> Written: ...
