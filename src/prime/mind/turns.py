"""A conversation as any model understands it: words of one side or the other, and tool calls with their results.

A call stands beside its result in one value, so there is no way to write down one without the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What somebody said: the model itself, or anyone else."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A tool call and what came back."""

    call_id: str
    name: str
    arguments: Mapping[str, object]
    result: str
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStep:
    """Calls that the model made at once, each with its result."""

    exchanges: tuple[Exchange, ...]


Turn: TypeAlias = Words | ToolStep


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The document that stands above everything, and what was said."""

    system: str
    turns: Sequence[Turn]
