"""Whether a tool is logged in (RFC 3.8): its own check command, before its first use in a session."""

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from prime.core.errors import Forbidden, Unauthorized
from prime.core.process import Outcome
from prime.tools.atip.model import Authentication, Document
from prime.tools.policy.shapes import dangers
from prime.tools.tool import Tool

Run: TypeAlias = Callable[[Sequence[str]], Awaitable[Outcome]]
CHECK_SECONDS = 30.0


class Logins:
    """Which tools have shown in this session that they are logged in. A failure is not remembered: people log in."""

    def __init__(self) -> None:
        self._shown: set[str] = set()
        self._asking: dict[str, asyncio.Lock] = {}

    @property
    def authenticated(self) -> tuple[str, ...]:
        return tuple(sorted(self._shown))

    async def require(self, tool: Tool, run: Run) -> None:
        """Unauthorized, with the way to log in, unless the tool needs no login or has one."""
        document = tool.document
        needed = document.authentication if document is not None else None
        if document is None or needed is None or needed.required is False or needed.check_command is None:
            return
        argv = check_command(document, needed.check_command)
        if list(tool.command) == argv[: len(tool.command)] and len(argv) == len(tool.command):
            return  # the check itself is being called
        async with self._asking.setdefault(document.name, asyncio.Lock()):
            if document.name in self._shown:
                return
            outcome = await run(argv)
            if not outcome.ok:
                raise _not_logged_in(document.name, needed, outcome)
            self._shown.add(document.name)


def check_command(document: Document, line: str) -> list[str]:
    """The words of a check command. It is metadata, hence a claim: only the tool itself is run, and nothing dangerous."""
    try:
        argv = shlex.split(line)
    except ValueError:
        argv = []
    if not argv or argv[0] != document.name or dangers(argv):
        raise Forbidden(
            f"{document.name}: the check command {line[:80]!r} is not a harmless call of the tool itself.",
            code="unsafe_check_command",
            hint="Correct `authentication.checkCommand` in the tool's metadata or override it.",
        )
    return argv


def _not_logged_in(name: str, needed: Authentication, outcome: Outcome) -> Unauthorized:
    setup = next((method.setup_command for method in needed.methods if method.setup_command), None)
    variable = next((method.env_var for method in needed.methods if method.env_var), None)
    ways = [f"run `{setup}`"] if setup else []
    ways += [f"set {variable}"] if variable else []
    hint = f"To log in, {' or '.join(ways)}." if ways else "Log in with the tool itself."
    why = "did not answer in time" if outcome.timed_out else f"ended with {outcome.exit_code}"
    return Unauthorized(f"{name} is not logged in: its check {why}.", code="not_authenticated", hint=hint, tool=name)
