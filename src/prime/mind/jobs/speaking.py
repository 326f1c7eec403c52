"""Speaking in a channel: whose turn it is, what they were told, and what they say or call."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from prime.core.errors import JsonValue
from prime.mind.jobs.lines import NOTHING, Line, Usage, nothing
from prime.mind.turns import Conversation
from prime.rooms.tier import Tier


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
    facts: Mapping[str, str] = field(default_factory=nothing)
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
