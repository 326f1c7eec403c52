"""What the pipeline and the runtimes agree on: who runs a tool, with what, and what comes back."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from prime.core.errors import JsonValue
from prime.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class RunContext:
    """For whom and where a call runs.

    `approved`: the owner, or a policy that needs nobody's word, said yes to exactly this call. `env` is added to what
    the runtime gives its tools anyway. `actor_id` is who calls, `channel_id` from where, if from a channel.
    """

    session_id: str
    agent_id: str
    cwd: Path
    approved: bool
    env: Mapping[str, str]
    # Whether a tool is there at all for whoever calls; None: every one is.
    permits: Callable[[Tool], bool] | None = None
    # Policy has let this very call through a moment ago, and nobody had to be waited for since.
    judged: bool = False
    actor_id: str = ""
    channel_id: str | None = None


@dataclass(frozen=True, slots=True)
class RawResult:
    """What a tool gave, before it is filtered.

    `content` are blocks as MCP has them, and the seed's `{"type": "json", "json": …}`; `structured` is the JSON value
    of the answer, None when it was text; `bytes_out` counts what the tool wrote; `log` is what it said beside its
    answer.
    """

    content: tuple[Mapping[str, JsonValue], ...]
    is_error: bool
    structured: JsonValue | None
    exit_code: int | None
    bytes_out: int
    log: str


class Runtime(Protocol):
    """Runs tools of one kind. What goes wrong is a `PrimeError` with a code of its own."""

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: RunContext) -> RawResult: ...


@runtime_checkable
class Identifies(Protocol):
    """A runtime that can say which file, in which state, would run for a tool."""

    def identity(self, tool: Tool) -> str: ...


def file_identity(path: str) -> str:
    """A file's path and what tells that it is still the same one."""
    try:
        how = os.stat(path)  # noqa: PTH116  (one call instead of three objects)
    except OSError:
        return f"{path}?"
    # The last of these cannot be set back, unlike the time of the last writing.
    return f"{os.path.realpath(path)}:{how.st_ino}:{how.st_size}:{how.st_mtime_ns}:{how.st_ctime_ns}"


class ToolSource(Protocol):
    """Where tools come from. `changed` grows whenever `tools` would answer differently."""

    @property
    def changed(self) -> int: ...

    def tools(self) -> Sequence[Tool]: ...


@runtime_checkable
class Glances(Protocol):
    """A source of many tools that can look after one of them without looking at all."""

    def changed_for(self, name: str) -> int:
        """As `changed`, as far as it concerns this name: no further than a call of it needs."""
        ...
