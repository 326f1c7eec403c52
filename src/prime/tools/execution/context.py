"""The toolContext document that agents share (RFC 10.3): which tools there are, which are logged in, what was run."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.tool import Tool

RECENT = 50
_MOST_TOOLS = 10_000


@dataclass(frozen=True, slots=True)
class RecentCommand:
    """`command` is the subcommand without arguments, which may hold what is not for everybody."""

    tool: str
    command: str
    exit_code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What one agent tells another. On reading it is a claim: it saves a look, it grants nothing."""

    available_tools: tuple[str, ...] = ()
    authenticated_tools: tuple[str, ...] = ()
    recent_commands: tuple[RecentCommand, ...] = ()

    def to_json(self) -> dict[str, JsonValue]:
        recent = [{"tool": r.tool, "command": r.command, "exitCode": r.exit_code} for r in self.recent_commands]
        return {
            "toolContext": {
                "availableTools": list(self.available_tools),
                "authenticatedTools": list(self.authenticated_tools),
                "recentCommands": recent,
            }
        }

    @staticmethod
    def from_json(value: JsonValue) -> "ToolContext":
        """From `{"toolContext": {…}}`; what is missing is empty, further fields are left alone."""
        top = _object(value, "")
        given = _object(top.get("toolContext"), "/toolContext")
        recent = _list(given.get("recentCommands"), "/toolContext/recentCommands")
        return ToolContext(
            available_tools=_names(given.get("availableTools"), "/toolContext/availableTools"),
            authenticated_tools=_names(given.get("authenticatedTools"), "/toolContext/authenticatedTools"),
            recent_commands=tuple(_recent(item, f"/toolContext/recentCommands/{i}") for i, item in enumerate(recent)),
        )


class Recent:
    """The last commands of a session."""

    def __init__(self, keep: int = RECENT) -> None:
        self._last: deque[RecentCommand] = deque(maxlen=keep)

    def add(self, tool: Tool, exit_code: int) -> None:
        self._last.append(RecentCommand(tool.command[0], " ".join(tool.command[1:]), exit_code))

    def context(self, available: Iterable[str], authenticated: Iterable[str]) -> ToolContext:
        return ToolContext(
            available_tools=tuple(sorted(set(available))),
            authenticated_tools=tuple(sorted(set(authenticated))),
            recent_commands=tuple(self._last),
        )


def _wrong(pointer: str, needed: str) -> InvalidInput:
    message = f"toolContext: at {pointer or 'the top'}: {needed} is needed."
    return InvalidInput(message, code="invalid_tool_context", hint="See RFC 10.3.", pointer=pointer)


def _object(value: JsonValue, pointer: str) -> Mapping[str, JsonValue]:
    if not isinstance(value, dict):
        raise _wrong(pointer, "an object")
    return cast("dict[str, JsonValue]", value)


def _list(value: JsonValue, pointer: str) -> list[JsonValue]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _wrong(pointer, "a list")
    items = cast("list[JsonValue]", value)
    if len(items) > _MOST_TOOLS:
        raise _wrong(pointer, f"a list of at most {_MOST_TOOLS}")
    return items


def _names(value: JsonValue, pointer: str) -> tuple[str, ...]:
    items = _list(value, pointer)
    for index, item in enumerate(items):
        if not isinstance(item, str) or not item or len(item) > 200:
            raise _wrong(f"{pointer}/{index}", "a name")
    return tuple(cast("list[str]", items))


def _recent(value: JsonValue, pointer: str) -> RecentCommand:
    given = _object(value, pointer)
    tool, command, code = given.get("tool"), given.get("command", ""), given.get("exitCode")
    if not isinstance(tool, str) or not isinstance(command, str):
        raise _wrong(pointer, "a tool and a command")
    if isinstance(code, bool) or not isinstance(code, int):
        raise _wrong(f"{pointer}/exitCode", "a whole number")
    return RecentCommand(tool, command, code)
