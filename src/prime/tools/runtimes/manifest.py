"""A tool that is a folder: what its `tool.json` says (D-RUN-1), as typed values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from prime.core.errors import JsonValue
from prime.tools.atip.effect import UNKNOWN, Effects
from prime.tools.tool import NO_PARAMETERS, Schema

FILE_NAME = "tool.json"
MIB = 1024 * 1024

FolderRuntimeKind = Literal["process", "python-uv-script", "binary"]
Level = Literal["user", "workspace"]


def _nothing() -> Mapping[str, JsonValue]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is started. `program` is `command`, `script` or `path` of the manifest, as its runtime has it."""

    program: str
    args: tuple[str, ...] = ()
    uv_args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPolicy:
    """The bounds of one call. Every one of them is enforced, or the call is refused."""

    timeout_ms: int = 60_000
    max_output_bytes: int = MIB
    # Of everything that the call starts, together.
    memory_bytes: int = 2048 * MIB
    cpu_time_ms: int | None = None
    # None: as the declared effects say, and off when they say nothing.
    network: Literal["allow", "deny"] | None = None
    env_allow: tuple[str, ...] = ()
    # Relative to the tool's folder; None is the folder that the call is made in.
    workdir: str | None = None
    standby: int = 0
    enforce: Literal["strict", "best-effort"] = "strict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call that the tool's author shows; `prime tools check` makes it. Without `returns` any answer will do."""

    arguments: Mapping[str, JsonValue] = field(default_factory=_nothing)
    description: str = ""
    returns: JsonValue = None
    expects: bool = False
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One `tool.json`. `name` is what is called; `folder` is where it lies, without symbolic links."""

    id: str
    name: str
    version: str
    description: str
    runtime: FolderRuntimeKind
    entry: Entry
    folder: Path
    parameters: Schema = field(default_factory=lambda: NO_PARAMETERS)
    returns: Schema | None = None
    effects: Effects = UNKNOWN
    policy: RunPolicy = field(default_factory=RunPolicy)
    prime: Mapping[str, JsonValue] = field(default_factory=_nothing)
    metadata: Mapping[str, JsonValue] = field(default_factory=_nothing)
    examples: tuple[Example, ...] = ()

    @property
    def file(self) -> Path:
        return self.folder / FILE_NAME

    @property
    def network(self) -> bool:
        """Whether the tool may use the network."""
        if self.policy.network is None:
            return self.effects.network is True
        return self.policy.network == "allow"

    @property
    def writes(self) -> bool:
        """Whether the tool may change files, in its working folder."""
        files = self.effects.filesystem
        return files.write is True or files.delete is True
