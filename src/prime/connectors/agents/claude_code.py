"""A builder: a coding agent runs in a workspace of its own, shows what it does, and leaves files behind.

By default the `claude` program; any other by a command in the actor's settings.
"""

import asyncio
import hashlib
import json
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from prime.connectors.agents.coding_command import CodingCommand
from prime.connectors.agents.workspace import Workspace
from prime.core.canonical import canonical_json
from prime.core.errors import Forbidden, JsonValue, NotFound, PrimeError, TimedOut
from prime.core.process import Command, Limits, SandboxPolicy, allowed_environment, start
from prime.hub.connector import Absent, Answer, Context, Identity
from prime.rooms.records import Actor
from prime.tools.atip.effect import Cost, Effects, Filesystem
from prime.tools.pipeline import ApprovalPending, CallSession, ToolCall
from prime.tools.pipeline.approving import ApprovalRefused
from prime.tools.tool import Tool

NAME = "claude_code"
INSTALL = (
    "Install it with `npm install -g @anthropic-ai/claude-code`, or give this builder another command in its settings."
)

BUILD_SECONDS = 25 * 60.0
LONGEST_SAID = 8_000
TOLD_LINES = 30


_EFFECTS = Effects(
    filesystem=Filesystem(read=True, write=True, delete=True),
    network=True,
    subprocess=True,
    destructive=False,
    cost=Cost(billable=True),
)


@dataclass(frozen=True, slots=True)
class Builders:
    """Where builders work, and who lets them."""

    folder: Path
    # The tool pipeline's policy and its question to the owner, before a program runs.
    permit: Callable[[Tool, ToolCall, CallSession], Awaitable[None]]


class ClaudeCode:
    def __init__(self, actor: Actor, builders: Builders) -> None:
        self._actor = actor
        self._builders = builders
        self._command = CodingCommand.of(actor.settings)

    def identity(self) -> Identity:
        return Identity(
            name=self._actor.name,
            kind="agent",
            connector=NAME,
            capabilities=("building",),
            online=shutil.which(self._command.program) is not None,
        )

    async def reply(self, context: Context) -> Answer:
        if context.tier == "external":
            raise Forbidden("A builder does not work in an external channel.", hint="Give it a channel of your team.")
        if shutil.which(self._command.program) is None:
            raise Absent(f"{self._command.program} is not installed here.", hint=INSTALL, program=self._command.program)
        if not any(not line.own for line in context.lines) and not context.brief:
            return Answer()
        workspace = Workspace(self._builders.folder / context.channel_id)
        before = await asyncio.to_thread(workspace.prepare)
        task = task_of(context)
        try:
            await self._permitted(task, context, workspace)
        except ApprovalPending as pending:
            return Answer(waits_for=(str(pending.data.get("questionId")),))
        except ApprovalRefused as refused:
            return Answer(text=self._left(refused), stands_back=True)
        said = await self._run(task, workspace, context.progress)
        files = await asyncio.to_thread(workspace.deliverables, before)
        return Answer(text=said[-LONGEST_SAID:] or "Done.", deliverables=files)

    def _left(self, refused: ApprovalRefused) -> str:
        """What it says where it may not work: only the owner's word, or another brief, makes it ask again."""
        if refused.error_code == "approval_expired":
            return f"Nobody said in time whether I may run {self._command.program} for this, so I left it."
        return f"I was not allowed to run {self._command.program} for this."

    async def _permitted(self, task: str, context: Context, workspace: Workspace) -> None:
        """Policy decides about the program as about any tool that starts one; where it asks, the owner says yes to this task."""
        tool = Tool(
            name=f"builder {Path(self._command.program).name}",
            command=self._command.words,
            description="Runs a coding agent in the channel's own workspace.",
            schema={"type": "object"},
            effects=_EFFECTS,
            runtime="builtin",
        )
        arguments: dict[str, JsonValue] = {"command": list(self._command.words), "task": task}
        session = CallSession(
            session_id=f"channel:{context.channel_id}",
            agent_id=self._actor.id,
            actor_id=self._actor.id,
            cwd=workspace.folder,
            channel_id=context.channel_id,
            tier=context.tier,
            wait_s=0,
        )
        call = ToolCall(name=tool.name, arguments=arguments, id=_call_id(context))
        await self._builders.permit(tool, call, session)

    async def _run(self, task: str, workspace: Workspace, progress: Callable[[str], None]) -> str:
        program = self._command.program
        heard = _Heard(progress)
        try:
            async with await start(self._started(task, workspace)) as process:
                if self._command.reads_input:
                    await process.write(task.encode())
                process.close_input()
                while line := await process.readline():
                    heard.line(line.decode(errors="replace"))
                outcome = await process.wait()
        except NotFound as error:
            raise Absent(str(error), hint=INSTALL) from error
        if outcome.timed_out:
            raise TimedOut(f"{program} took longer than {BUILD_SECONDS / 60:g} minutes.")
        if not outcome.ok:
            tail = outcome.stderr[-500:].decode(errors="replace").strip() or heard.said[-500:]
            raise PrimeError(f"{program} ended with {outcome.exit_code}. {tail}".strip(), code="builder_failed")
        return heard.said

    def _started(self, task: str, workspace: Workspace) -> Command:
        home = Path.home()
        # Its own settings and sign-in, which it writes to; nothing else outside of its workspace.
        own = [str(path) for path in (home / ".claude", home / ".claude.json") if path.exists()]
        keys = [name for name in os.environ if name.startswith(("ANTHROPIC_", "CLAUDE_", "OPENAI_", "GEMINI_"))]
        return Command(
            argv=self._command.with_task(task),
            cwd=str(workspace.folder),
            env={**allowed_environment(keys), **self._command.environment(task)},
            limits=Limits(wall_s=BUILD_SECONDS, processes=500),
            sandbox=SandboxPolicy(read_only=True, writable=(str(workspace.folder), *own)),
        )


class _Heard:
    """What a builder says while it works: plain lines, or the JSON lines of `claude`."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._progress = progress
        self._plain: list[str] = []
        self._result: str | None = None

    @property
    def said(self) -> str:
        return (self._result if self._result is not None else "\n".join(self._plain)).strip()

    def line(self, line: str) -> None:
        event = _event(line)
        if event is None:
            self._plain = [*self._plain, line.rstrip()][-400:]
            self._progress(line)
        elif isinstance(result := event.get("result"), str):
            self._result = result
        else:
            for text in _texts(event):
                self._progress(f"{text}\n")


def task_of(context: Context) -> str:
    """What the builder is asked to do: what its channel is for, and what was said since it spoke last."""
    last_own = max((n for n, line in enumerate(context.lines) if line.own), default=-1)
    said = [f"{line.speaker}: {line.text}" for line in context.lines[last_own + 1 :][-TOLD_LINES:]]
    facts = [f"- {name}: {value}" for name, value in context.facts.items()]
    parts = [
        context.brief,
        "\n".join(facts),
        "\n\n".join(said),
        "Work in the current folder and leave the result there.",
    ]
    return "\n\n".join(part for part in parts if part)


def _call_id(context: Context) -> str:
    """The same for the same state of the conversation: whoever asks again is told what became of the question."""
    last = context.last.id if context.last else ""
    said = canonical_json([context.channel_id, context.actor_id, context.brief, last])
    return f"call_{hashlib.sha256(said.encode()).hexdigest()[:24]}"


def _event(line: str) -> dict[str, object] | None:
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return cast("dict[str, object]", event) if isinstance(event, dict) and "type" in event else None


def _texts(event: Mapping[str, object]) -> list[str]:
    message = event.get("message")
    content = cast("dict[str, object]", message).get("content") if isinstance(message, dict) else None
    blocks = cast("list[object]", content) if isinstance(content, list) else []
    texts = [cast("dict[str, object]", block).get("text") for block in blocks if isinstance(block, dict)]
    return [text for text in texts if isinstance(text, str)]
