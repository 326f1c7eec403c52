"""One call of one tool, for whom it is made, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from prime.core.canonical import canonical_json
from prime.core.errors import JsonValue
from prime.core.ids import new_id
from prime.rooms.records import OWNER
from prime.rooms.tier import Tier
from prime.tools.policy.delegation import Delegation


def _nothing() -> Mapping[str, JsonValue]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """What is asked for: a tool by its exact name, with arguments. The id links call, approval and result."""

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=_nothing)
    id: str = field(default_factory=lambda: new_id("call"))
    _written: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def written(self) -> str:
        """The arguments in their one spelling: to be measured, checked for what is no JSON, and logged. Written once."""
        if self._written is None:
            object.__setattr__(self, "_written", canonical_json(dict(self.arguments)) if self.arguments else "{}")
        return cast("str", self._written)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSession:
    """For whom a call is made, and from where.

    `agent_id` and `session_id` are what the caller says; `actor_id` is who they really are. `cwd` is the folder that
    tools work in and may not leave. `wait_s` bounds how long a call waits for the owner; None waits until they have
    answered or the question has expired.
    """

    session_id: str
    agent_id: str
    cwd: Path
    actor_id: str = OWNER
    channel_id: str | None = None
    tier: Tier = "team"
    # The stretch of the channel's history that the call belongs to.
    course: int = 1
    delegation: Delegation | None = None
    wait_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a call gave, as everybody may see it: redacted, then cut.

    `is_error` says that the tool failed; `error` then holds code, message and next step where Prime knows them.
    `directives` is what an unprimed session in mode `auto` has to know; `notes` are warnings of the tool's author.
    """

    call_id: str
    tool: str
    content: tuple[Mapping[str, JsonValue], ...]
    is_error: bool = False
    structured: JsonValue | None = None
    exit_code: int | None = None
    bytes_out: int = 0
    duration_ms: int = 0
    log: str = ""
    approved_by: str | None = None
    notes: tuple[str, ...] = ()
    directives: Mapping[str, JsonValue] | None = None
    error: Mapping[str, JsonValue] | None = None

    def as_json(self) -> dict[str, JsonValue]:
        """As Prime's wires have it; what there is nothing to say about is left out."""
        shown: dict[str, JsonValue] = {
            "callId": self.call_id,
            "tool": self.tool,
            "content": [dict(block) for block in self.content],
            "isError": self.is_error,
            "exitCode": self.exit_code,
            "bytesOut": self.bytes_out,
            "durationMs": self.duration_ms,
        }
        more: dict[str, JsonValue | None] = {
            "structuredContent": self.structured,
            "log": self.log or None,
            "approvedBy": self.approved_by,
            "notes": list(self.notes) or None,
            "directives": self.directives,
            "error": self.error,
        }
        return shown | {key: value for key, value in more.items() if value is not None}
