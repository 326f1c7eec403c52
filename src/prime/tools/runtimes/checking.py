"""`prime tools check`: a tool does what its own examples show."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from prime.core.errors import JsonValue, PrimeError
from prime.tools.runtime import RawResult, RunContext
from prime.tools.runtimes.folder_runtime import FolderRuntime
from prime.tools.runtimes.manifest import Example
from prime.tools.runtimes.registry import Folder


@dataclass(frozen=True, slots=True)
class Checked:
    """One example and what became of it; `problem` is empty when it is as shown."""

    example: Example
    problem: str
    duration_ms: float

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "description": self.example.description,
            "arguments": dict(self.example.arguments),
            "ok": not self.problem,
            "problem": self.problem or None,
            "durationMs": round(self.duration_ms, 1),
        }


async def check_examples(runtime: FolderRuntime, folder: Folder, context: RunContext) -> AsyncIterator[Checked]:
    """Make every declared call, one after the other."""
    for example in folder.manifest.examples:
        began = time.perf_counter()
        try:
            result = await runtime.run(folder.tool, example.arguments, context)
            problem = _compared(example, result)
        except PrimeError as error:
            problem = "" if example.is_error and error.error_code == "invalid_arguments" else str(error)
        yield Checked(example, problem, (time.perf_counter() - began) * 1000)


def _compared(example: Example, result: RawResult) -> str:
    if result.is_error != example.is_error:
        return f"It {'failed' if result.is_error else 'did not fail'}: {_short(list(result.content))}"
    value = _value(result)
    if example.expects and value != example.returns:
        return f"It returned {_short(value)} instead of {_short(example.returns)}."
    return ""


def _value(result: RawResult) -> JsonValue:
    """What an example's `returns` is compared with: the JSON value, or of text alone, the text."""
    if result.structured is None and len(result.content) == 1 and result.content[0].get("type") == "text":
        return result.content[0].get("text")
    return result.structured


def _short(value: JsonValue) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:199] + "…"
