"""Priming by a tool's own `prime` command, where its ATIP document has one (RFC 6)."""

import json
from collections.abc import Callable

from prime.core.canonical import clean_text
from prime.core.errors import JsonValue, Unavailable
from prime.core.process import Command, Limits, SandboxPolicy, allowed_environment, find_executable, run
from prime.tools.priming.request import PrimeRequest
from prime.tools.tool import Tool

_SECONDS = 10.0
_MOST_BYTES = 1024 * 1024
_LONGEST_NAME = 1000


class CommandPrimer:
    """Runs `tool prime …`. Priming has no side effects by its contract, and here by its walls: no network, no writing."""

    def __init__(self, executable: Callable[[Tool], str | None]) -> None:
        self._executable = executable

    def program(self, tool: Tool) -> str | None:
        document = tool.document
        if tool.runtime != "argv" or document is None or not document.commands or "prime" not in document.commands:
            return None
        return document.name

    async def prime(self, tool: Tool, request: PrimeRequest) -> JsonValue:
        path = find_executable(self._executable(tool) or tool.command[0], allowed_environment())
        outcome = await run(
            Command(
                # One word each, so that no name is read as an option.
                argv=(
                    path,
                    "prime",
                    f"--agent-id={_word(request.agent_id)}",
                    f"--session-id={_word(request.session_id)}",
                ),
                limits=Limits(wall_s=_SECONDS, stdout_bytes=_MOST_BYTES),
                sandbox=SandboxPolicy(network=False, read_only=True, empty_home=True),
            )
        )
        if not outcome.ok:
            why = f"ended with {outcome.exit_code}" if outcome.stopped is None else f"was stopped ({outcome.stopped})"
            said = outcome.stderr.decode("utf-8", "replace")[-300:].strip()
            raise _failed(tool, f"{why}{f': {said}' if said else ''}")
        try:
            return json.loads(outcome.stdout)
        except (ValueError, RecursionError):
            raise _failed(tool, "did not print JSON") from None


def _word(name: str) -> str:
    return clean_text(name)[:_LONGEST_NAME]


def _failed(tool: Tool, why: str) -> Unavailable:
    return Unavailable(
        f"{tool.command[0]} could not be primed: `{tool.command[0]} prime` {why}.",
        code="tool_prime_failed",
        hint=f"Run `{tool.command[0]} prime --agent-id me --session-id test` to see what it says.",
        tool=tool.name,
    )
