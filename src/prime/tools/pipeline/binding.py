"""What a yes is bound to: the tool as it is described, the file that runs, the arguments, the place, the policy, the session."""

import hashlib
import shlex
from collections.abc import Mapping

from prime.core.canonical import canonical_json
from prime.core.errors import JsonValue
from prime.tools.argv import build_argv
from prime.tools.pipeline.call import CallSession, ToolCall
from prime.tools.tool import Tool


def tool_digest(tool: Tool) -> str:
    """Changes when anything does that a person was told about the tool."""
    told = [tool.name, tool.command, tool.description, tool.schema, tool.effects, tool.trust, tool.runtime, tool.slots]
    return hashlib.sha256(repr(told).encode("utf-8", "replace")).hexdigest()


def binding(tool: Tool, call: ToolCall, session: CallSession, *, identity: str, policy_version: str) -> str:
    """The hash that an approval is for."""
    bound: JsonValue = {
        "tool": tool_digest(tool),
        "executable": identity,
        "arguments": dict(call.arguments),
        "folder": str(session.cwd),
        "policy": policy_version,
        "session": [session.session_id, session.agent_id, session.actor_id, session.channel_id or ""],
    }
    return hashlib.sha256(canonical_json(bound).encode()).hexdigest()


def words_of(tool: Tool, arguments: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """The call as words: its command line, else the tool's name and `key=value` for each argument, by key."""
    if tool.runtime == "argv":
        return tuple(build_argv(tool, arguments))
    return (tool.name, *(f"{key}={_value(arguments[key])}" for key in sorted(arguments)))


def line_of(words: tuple[str, ...]) -> str:
    """The words as a person reads them, each told apart from the next."""
    return shlex.join(words)


def _value(value: JsonValue) -> str:
    return value if isinstance(value, str) else canonical_json(value)
