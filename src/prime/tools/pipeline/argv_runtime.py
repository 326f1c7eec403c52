"""Command-line tools as a runtime: the executor's checks, logins and walls, one executor for each session."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path

from prime.core.errors import JsonValue
from prime.core.process import Outcome, allowed_environment, find_executable
from prime.tools.execution import Call, Executor
from prime.tools.policy import Policy
from prime.tools.runtime import RawResult, RunContext, file_identity
from prime.tools.tool import Tool

_MOST_SESSIONS = 256
_TAIL = 4000


class ArgvRuntime:
    """`executable` says which file discovery found for a tool; else PATH does."""

    def __init__(self, policies: Callable[[], Policy], executable: Callable[[Tool], str | None]) -> None:
        self._policies = policies
        self._executable = executable
        self._executors: OrderedDict[tuple[str, str, Path, str], Executor] = OrderedDict()

    def identity(self, tool: Tool) -> str:
        return file_identity(find_executable(self._executable(tool) or tool.command[0], allowed_environment()))

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: RunContext) -> RawResult:
        call = Call(
            tool=tool,
            arguments=arguments,
            approved=context.approved,
            judged=context.judged,
            cwd=context.cwd,
            executable=self._executable(tool),
        )
        return _raw(await self._executor(context).outcome(call))

    def _executor(self, context: RunContext) -> Executor:
        """Logins are remembered for a session, and a new policy begins anew."""
        policy = self._policies()
        key = (context.agent_id, context.session_id, context.cwd, policy.version)
        executor = self._executors.get(key)
        if executor is None:
            executor = self._executors[key] = Executor(policy, workspace=context.cwd)
            if len(self._executors) > _MOST_SESSIONS:
                self._executors.popitem(last=False)
        self._executors.move_to_end(key)
        return executor


def _raw(outcome: Outcome) -> RawResult:
    said, beside = outcome.stdout.decode("utf-8", "replace"), outcome.stderr.decode("utf-8", "replace")
    content: list[Mapping[str, JsonValue]] = [{"type": "text", "text": said}]
    if not outcome.ok and beside.strip():
        content.append({"type": "text", "text": beside[-_TAIL:]})
    if outcome.truncated:
        content.append({"type": "text", "text": "(It wrote more than is kept.)"})
    return RawResult(
        content=tuple(content),
        is_error=not outcome.ok,
        structured=None,
        exit_code=outcome.exit_code,
        bytes_out=len(outcome.stdout) + len(outcome.stderr),
        log=beside,
    )
