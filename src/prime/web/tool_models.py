"""Tools, their calls and standing approvals as they go over the wire."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field, JsonValue

from prime.tools.batching import BatchDone
from prime.tools.pipeline.builtins import tool_json
from prime.tools.policy.decision import Verdict
from prime.tools.queries import StandingApproval
from prime.tools.tool import Tool
from prime.web.models import Given, Id, Shown

Naming = Annotated[str, Field(max_length=4096)]


class ToolShown(Shown):
    name: str
    command: list[str]
    description: str
    parameters: dict[str, JsonValue]
    effects: dict[str, JsonValue]
    runtime: str
    trust: dict[str, JsonValue]

    @classmethod
    def of(cls, tool: Tool) -> "ToolShown":
        return cls.model_validate(tool_json(tool))


class CallerGiven(Given):
    """Who calls."""

    session_id: Naming
    agent_id: Naming
    # Where the call belongs to: its tier decides which tools there are.
    channel_id: Id | None = None
    # How long to wait for the owner when the call needs a yes; after that it is `approval_pending`.
    wait_ms: Annotated[int, Field(ge=0, le=86_400_000)] = 25_000


class CallGiven(CallerGiven):
    arguments: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])


class BatchGiven(CallerGiven):
    # As the seed has it: {"tool_call": {"id", "params": {"tool_name", "arguments": {"depends", …}}}}, or `resource_call`.
    tool_calls: Annotated[list[JsonValue], Field(alias="tool_calls", max_length=1000)]
    # What was said before; the batch's own messages follow it.
    messages: Annotated[list[dict[str, JsonValue]], Field(max_length=1000)] = Field(
        default_factory=list[dict[str, JsonValue]]
    )


class PreviewGiven(Given):
    arguments: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    channel_id: Id | None = None


class PreviewShown(Shown):
    """A call that was not made: the words that would run, and what would become of it."""

    words: list[str]
    verdict: Verdict
    reasons: Sequence[Mapping[str, object]]


class ResultShown(Shown):
    call_id: str
    tool: str
    content: list[dict[str, JsonValue]]
    is_error: bool
    exit_code: int | None
    bytes_out: int
    duration_ms: int
    structured_content: JsonValue | None = None
    log: str | None = None
    approved_by: str | None = None
    notes: list[str] | None = None
    # What an unprimed session is told in mode `auto`.
    directives: dict[str, JsonValue] | None = None
    error: dict[str, JsonValue] | None = None


class StepShown(Shown):
    """What became of one call of a batch: `result`, `error`, or both where a tool answered that it failed."""

    id: str
    result: ResultShown | None
    error: dict[str, JsonValue] | None


class BatchShown(Shown):
    items: list[StepShown]
    # The batch as messages, in the seed's form, and as a model is shown it.
    messages: list[dict[str, JsonValue]]
    model_messages: list[dict[str, JsonValue]]

    @classmethod
    def of(cls, done: BatchDone, before: list[dict[str, JsonValue]]) -> "BatchShown":
        return cls.model_validate(
            {
                "items": [_step(done, step.id) for step in done.steps],
                "messages": done.messages(before),
                "modelMessages": done.model_messages(),
            }
        )


def _step(done: BatchDone, step_id: str) -> dict[str, object]:
    result, error = done.results.get(step_id), done.errors.get(step_id)
    return {
        "id": step_id,
        "result": result.as_json() if result else None,
        "error": error.as_json() if error else None,
    }


class ScanProgress(Shown):
    """How many of how many programs have answered; `of` is 0 before they are counted."""

    running: bool
    done: int
    of: int


class Scanned(Shown):
    tools: int
    counts: dict[str, int]
    asked: int


class StandingShown(Shown):
    id: str
    tool: str
    # The call that "always" was said to.
    line: str
    folder: str
    # None: exactly this call.
    pattern: str | None

    @classmethod
    def of(cls, rule: StandingApproval) -> "StandingShown":
        return cls(id=rule.id, tool=rule.tool, line=rule.line, folder=rule.folder, pattern=rule.pattern)


class PatternGiven(Given):
    pattern: Annotated[str, Field(min_length=1, max_length=2000)]
