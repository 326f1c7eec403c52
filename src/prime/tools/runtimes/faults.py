"""What can go wrong with a call of a tool folder: each its own code, each with the end of what the tool said."""

import re
from collections.abc import Callable
from typing import Final

from prime.core.errors import InvalidInput, JsonValue, PrimeError, TimedOut, TooLarge, Unavailable
from prime.core.process import Outcome
from prime.tools.runtimes.manifest import RunPolicy

TAIL_BYTES: Final = 4_096
# What programs say when they get no more memory, which is how most of them meet the bound: in their last line, ...
_OUT_OF_MEMORY = re.compile(
    r"\bMemoryError\b|cannot allocate memory|\bbad_alloc\b|out of memory|\bOutOfMemoryError\b|memory exhausted",
    re.IGNORECASE,
)
# ... or, where they go on to tell where they were, in a line that says nothing else.
_CRASH = re.compile(
    r"^(?:FATAL ERROR: .{0,200}out of memory|fatal error: .{0,200}out of memory|runtime: out of memory"
    r"|(?:Exception in thread .{0,200}|Caused by: )?java\.lang\.OutOfMemoryError"
    r"|RangeError: Array buffer allocation failed|memory allocation of \d{1,20} bytes failed"
    r"|.{0,300}failed to allocate memory \(NoMemoryError\))",
    re.MULTILINE,
)


class ToolFailed(Unavailable):
    """The tool ran and did not do what the contract asks of it (D-RUN-2)."""

    code = "tool_failed"


class Faults:
    """Makes the errors of one call; `log` and `outcome` are added to each as far as they are known.

    `heard` tells how many bytes the tool has written.
    """

    def __init__(self, tool: str, policy: RunPolicy, heard: Callable[[], int] = lambda: 0) -> None:
        self._tool = tool
        self._policy = policy
        self._heard = heard

    def stopped(self, outcome: Outcome, log: str = "") -> PrimeError | None:
        """The error of a run that Prime ended; None when it ended by itself."""
        if outcome.stopped == "timeout":
            return self.timeout(outcome.stderr, log)
        if outcome.stopped == "output":
            return self.too_much_output(outcome.stderr)
        if outcome.stopped == "cpu":
            return self.cpu(outcome, log)
        if outcome.stopped == "memory":
            return self._memory("was stopped", outcome, log)
        if outcome.stopped == "processes":
            what = "started more processes than a tool may have and was stopped"
            return self._contract("tool_process_limit", what, "Look at what it starts.", outcome.stderr, log)
        if outcome.stopped is not None:
            return self._contract("tool_killed", "was ended", "Call it again.", outcome.stderr, log)
        return None

    def cpu(self, outcome: Outcome, log: str) -> TimedOut:
        text = f"{self._tool} used more than its {self._policy.cpu_time_ms} ms of processor time and was stopped."
        hint = "Ask for less at once, or raise policy.cpuTimeMs."
        return TimedOut(text, code="tool_cpu_limit", hint=hint, **self._data(outcome.stderr, log, outcome.exit_code))

    def timeout(self, stderr: bytes, log: str = "") -> TimedOut:
        text = f"{self._tool} did not answer within {self._policy.timeout_ms} ms; everything it started was ended."
        hint = "Ask for less at once, or raise policy.timeoutMs."
        return TimedOut(text, code="tool_timeout", hint=hint, **self._data(stderr, log, None))

    def too_much_output(self, stderr: bytes) -> TooLarge:
        text = (
            f"{self._tool} wrote more than {self._policy.max_output_bytes:,} bytes, or too many lines, and was stopped."
        )
        hint = "Ask for less at once, or raise policy.maxOutputBytes."
        return TooLarge(text, code="tool_output_too_large", hint=hint, **self._data(stderr, "", None))

    def exit(self, outcome: Outcome, log: str) -> ToolFailed:
        how = f"was ended by signal {outcome.signal}" if outcome.signal else f"ended with code {outcome.exit_code}"
        last = _tail(outcome.stderr).strip().rpartition("\n")[2][:300]
        if _OUT_OF_MEMORY.search(last) or _CRASH.search(outcome.stderr.decode(errors="replace")):
            return self._memory(how, outcome, log)
        text = f"{self._tool} {how}{': ' + last.rstrip('.') if last else ''}."
        data = self._data(outcome.stderr, log, outcome.exit_code)
        return ToolFailed(text, code="tool_exit", hint="See what it wrote to stderr.", **data)

    def no_answer(self, stderr: bytes, log: str, almost: str) -> ToolFailed:
        hint = f"{almost} A tool prints its answer as one line of JSON.".lstrip()
        return self._contract("tool_no_answer", "ended without an answer", hint, stderr, log)

    def invalid_utf8(self, stderr: bytes, log: str) -> ToolFailed:
        return self._contract("tool_invalid_utf8", "wrote bytes that are not UTF-8", "Write UTF-8.", stderr, log)

    def two_answers(self, stderr: bytes, log: str) -> ToolFailed:
        hint = "One call has one answer: a list, if there are several."
        return self._contract("tool_two_answers", "answered more than once", hint, stderr, log)

    def garbage_after_answer(self, stderr: bytes, log: str) -> ToolFailed:
        hint = "The answer is one line and the last one; write a log before it, or to stderr."
        return self._contract("tool_garbage_after_answer", "wrote on after its answer", hint, stderr, log)

    def invalid_answer(self, why: str, stderr: bytes, log: str) -> ToolFailed:
        hint = "See docs/write-a-tool.md for what an answer may be."
        return self._contract("tool_invalid_answer", f"gave an answer that cannot be used: {why}", hint, stderr, log)

    def invalid_result(self, why: str, stderr: bytes, log: str) -> ToolFailed:
        hint = "Mend the tool or its schema.returns."
        return self._contract("tool_invalid_result", f"broke its own schema.returns {why}", hint, stderr, log)

    def invalid_arguments(self, why: str, problems: list[dict[str, JsonValue]]) -> InvalidInput:
        hint = "Correct the arguments and call again."
        text = f"The arguments of {self._tool} do not fit its schema, {why}"
        return InvalidInput(text, code="invalid_arguments", hint=hint, tool=self._tool, problems=problems)

    def _memory(self, how: str, outcome: Outcome, log: str) -> ToolFailed:
        text = f"{self._tool} needed more than its {self._policy.memory_bytes:,} bytes of memory and {how}."
        hint = "Ask for less at once, or raise policy.memoryBytes."
        data = self._data(outcome.stderr, log, outcome.exit_code)
        return ToolFailed(text, code="tool_memory_limit", hint=hint, **data)

    def _contract(self, code: str, what: str, hint: str, stderr: bytes, log: str) -> ToolFailed:
        return ToolFailed(f"{self._tool} {what}.", code=code, hint=hint, **self._data(stderr, log, None))

    def _data(self, stderr: bytes, log: str, exit_code: int | None) -> dict[str, JsonValue]:
        data: dict[str, JsonValue] = {"tool": self._tool, "stderr": _tail(stderr), "bytesOut": self._heard()}
        if log:
            data["log"] = log[-TAIL_BYTES:]
        if exit_code is not None:
            data["exitCode"] = exit_code
        return data


def _tail(stderr: bytes) -> str:
    """The end of it, from the beginning of a line or word on: half a secret would be no secret to look for."""
    text = stderr.decode(errors="replace")
    if len(stderr) <= TAIL_BYTES:
        return text
    return re.sub(r"^[^\n]*\n|^\S*\s", "", text[-TAIL_BYTES:], count=1)
