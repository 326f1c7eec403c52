"""Batches of calls through the pipeline: what waits for what, and the messages that they turn into (D-RUN-8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from prime.core.errors import JsonValue, PrimeError
from prime.core.ids import new_id
from prime.tools.atip.effect import Effects
from prime.tools.batch import Step, StepKind, history, model_history, run_batch
from prime.tools.catalog import Catalog, UnknownTool
from prime.tools.pipeline import CallSession, Pipeline, ToolCall, ToolResult
from prime.tools.pipeline.stored import content_text, result_text

# The tool that stands for a resource call.
READ_RESOURCE = "read_resource"


class ToolFailed(PrimeError):
    """A tool of a batch answered that it failed; what depends on it is not called."""

    code = "tool_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchDone:
    """What became of each step, in the order in which they could be made: a result, an error, or both where a tool failed."""

    steps: tuple[Step, ...]
    results: Mapping[str, ToolResult]
    errors: Mapping[str, PrimeError]

    def messages(self, before: Sequence[Mapping[str, JsonValue]]) -> list[Mapping[str, JsonValue]]:
        """The batch behind what was said before, in the seed's own form."""
        return history(before, self.steps, self._texts())

    def model_messages(self) -> list[Mapping[str, JsonValue]]:
        """The same as a model is shown it: linked by call ids, resources quoted."""
        return model_history(self.steps, self._texts())

    def _texts(self) -> dict[str, str]:
        kinds: dict[str, StepKind] = {step.id: step.kind for step in self.steps}
        told = {step_id: str(error) for step_id, error in self.errors.items()}
        return told | {step_id: _output(kinds[step_id], result) for step_id, result in self.results.items()}


class Batches:
    """Runs batches for one session at a time."""

    def __init__(self, catalog: Catalog, pipeline: Pipeline) -> None:
        self._catalog = catalog
        self._pipeline = pipeline

    async def run(self, steps: Sequence[Step], session: CallSession) -> BatchDone:
        """Call them all, as many at once as their needs and effects allow. `steps` come from `parse_batch`."""
        results: dict[str, ToolResult] = {}

        async def one(step: Step) -> str:
            result = await self._pipeline.call(_call(step), session)
            results[step.id] = result
            if result.is_error:
                hint = "Its result says why; mend that and send the batch again."
                raise ToolFailed(f"{step.id} failed: {result_text(result)[:500]}", hint=hint, tool=result.tool)
            return _output(step.kind, result)

        given = await run_batch(steps, {step.id: self._effects(step) for step in steps}, one)
        errors = {step_id: outcome for step_id, outcome in given.items() if isinstance(outcome, PrimeError)}
        return BatchDone(steps=tuple(steps), results=results, errors=errors)

    def _effects(self, step: Step) -> Effects:
        try:
            return self._catalog.get(_call(step).name).effects
        except UnknownTool:
            return Effects()


def _output(kind: StepKind, result: ToolResult) -> str:
    """What `<ID response>` stands for: what the tool said; of a resource what it holds, not what is known about it."""
    if kind == "resource" and isinstance(result.structured, dict):
        resource = cast("Mapping[str, JsonValue]", result.structured)
        held = [resource.get(key) for key in ("text", "blob")]
        return next((part for part in held if isinstance(part, str)), content_text(result))
    return content_text(result)


def _call(step: Step) -> ToolCall:
    """The step as a call. Ids of batches are their authors', so the log's are our own."""
    if step.kind == "resource":
        return ToolCall(name=READ_RESOURCE, arguments={**step.arguments, "uri": step.name}, id=new_id("call"))
    return ToolCall(name=step.name, arguments=step.arguments, id=new_id("call"))
