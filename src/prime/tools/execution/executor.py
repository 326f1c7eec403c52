"""Running a call that may run (RFC 6): the very words that were judged, by a process, bounded, with a filtered result."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from prime.core.errors import InvalidInput, JsonValue, TimedOut
from prime.core.process import Command, Limits, Outcome, allowed_environment, find_executable
from prime.core.process import run as run_process
from prime.tools.argv import build_argv
from prime.tools.channel_folders import kept_inside
from prime.tools.execution.authentication import CHECK_SECONDS, Logins
from prime.tools.execution.context import Recent, ToolContext
from prime.tools.execution.durations import seconds
from prime.tools.execution.interaction import without_questions
from prime.tools.execution.trust import Checksums, needs_sandbox, sandbox_for
from prime.tools.policy import Policy, ResultFilter, Validator
from prime.tools.tool import Tool

DEFAULT_SECONDS = 60.0
LONGEST_SECONDS = 2 * 3600.0


def _nothing() -> Mapping[str, JsonValue]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of one tool.

    `approved`: the owner said yes to exactly this call. `executable`: the file that discovery found, where it is known.
    `judged`: whoever hands it over has just let it through by the same policy, with the same file in the same folder.
    """

    tool: Tool
    arguments: Mapping[str, JsonValue] = field(default_factory=_nothing)
    approved: bool = False
    judged: bool = False
    stdin: bytes | None = None
    cwd: Path | None = None
    executable: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What became of a call. `text` and `stderr` are filtered: redacted, then cut."""

    tool: str
    exit_code: int
    text: str
    stderr: str
    duration_s: float
    truncated: bool = False
    sandboxed: bool = False

    @property
    def ok(self) -> bool:
        return self.exit_code == 0


class Executor:
    """Runs calls of one session in one workspace."""

    def __init__(
        self,
        policy: Policy,
        *,
        workspace: Path,
        validator: Validator | None = None,
        results: ResultFilter | None = None,
        longest_s: float = LONGEST_SECONDS,
    ) -> None:
        self._workspace = workspace.resolve()
        self._validator = validator or Validator(policy, workspace=workspace)
        self._results = results or ResultFilter()
        self._longest_s = longest_s
        self._logins = Logins()
        self._checksums = Checksums()
        self._recent = Recent()

    async def run(self, call: Call) -> Execution:
        """Judge once more, check login and file, run, filter. Raises what `outcome` raises."""
        outcome = await self.outcome(call)
        # Megabytes of output take their time to redact.
        return await asyncio.to_thread(self._told, call.tool, outcome)

    async def outcome(self, call: Call) -> Outcome:
        """The same without the filter, for whoever filters later.

        Raises Forbidden (refused, or nobody approved), InvalidInput, Unauthorized (not logged in), NotFound (no such
        program), Unavailable (no sandbox) and TimedOut. A program that fails is told by its exit code.
        """
        tool, cwd = call.tool, Path(os.path.realpath(call.cwd or self._workspace))  # noqa: ASYNC240 - at once
        if tool.runtime != "argv":
            raise InvalidInput(f"{tool.name} is not run by a command line but by {tool.runtime}.", code="wrong_runtime")
        arguments = without_questions(
            tool, call.arguments, approved=call.judged or self._approved(call, cwd), has_input=call.stdin is not None
        )
        argv = build_argv(tool, arguments)
        if arguments is not call.arguments:
            self._approved(replace(call, arguments=arguments), cwd)
        await self._logins.require(tool, lambda check: self._process(call, check, CHECK_SECONDS, cwd))
        outcome = await self._process(call, argv, self.timeout(tool), cwd, stdin=call.stdin)
        if outcome.timed_out:
            raise _too_slow(tool, self.timeout(tool))
        self._recent.add(tool, outcome.exit_code)
        return outcome

    def timeout(self, tool: Tool) -> float:
        """Seconds that the tool may take: what its document says, within bounds."""
        said = seconds(tool.effects.duration.timeout)
        return min(said or DEFAULT_SECONDS, self._longest_s)

    def context(self, available: Sequence[str]) -> ToolContext:
        """What to tell other agents (RFC 10.3)."""
        return self._recent.context(available, self._logins.authenticated)

    def _approved(self, call: Call, cwd: Path) -> bool:
        decision = self._validator.validate(call.tool, call.arguments, cwd=cwd, executable=call.executable)
        if decision.denied or (decision.asks and not call.approved):
            raise decision.error(call.tool.name)
        return True

    async def _process(
        self, call: Call, argv: Sequence[str], wall_s: float, cwd: Path, *, stdin: bytes | None = None
    ) -> Outcome:
        tool = call.tool
        env = allowed_environment(() if needs_sandbox(tool) else _credentials(tool), kept_inside(cwd))
        executable = find_executable(call.executable or argv[0], env)
        if tool.trust.checksum is not None:
            await asyncio.to_thread(self._checksums.verify, tool, executable)
        command = Command(
            # The file that was checked, not whatever PATH finds a moment later.
            argv=(executable, *argv[1:]),
            cwd=str(cwd),
            env=env,
            stdin=stdin,
            limits=Limits(wall_s=wall_s, overflow="drop"),
            sandbox=sandbox_for(tool, cwd),
            pty=tool.effects.interactive.tty is True,
        )
        return await run_process(command)

    def _told(self, tool: Tool, outcome: Outcome) -> Execution:
        return Execution(
            tool=tool.name,
            exit_code=outcome.exit_code,
            text=self._results.text(outcome.stdout),
            stderr=self._results.text(outcome.stderr),
            duration_s=outcome.duration_s,
            truncated=outcome.truncated,
            sandboxed=needs_sandbox(tool),
        )


def _too_slow(tool: Tool, wall_s: float) -> TimedOut:
    message = f"{tool.name} did not end within {wall_s:g} seconds and was stopped."
    return TimedOut(message, hint="Ask for less at once, or raise duration.timeout in an override.", tool=tool.name)


def _credentials(tool: Tool) -> list[str]:
    """The variables a tool logs in with. Only for tools that somebody vouches for: metadata names what it likes."""
    needed = tool.document.authentication if tool.document is not None else None
    return [method.env_var for method in needed.methods if method.env_var] if needed is not None else []
