"""What to run, within which limits, in which sandbox, and what became of it."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

MIB = 1024 * 1024

# What a program needs to find its way around; nothing here is a secret.
USUAL_ENVIRONMENT = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "TMPDIR",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
)  # fmt: skip

Stop = Literal["timeout", "output", "cpu", "memory", "processes", "killed"]


def allowed_environment(allow: Iterable[str] = (), extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The usual variables and those named in `allow`, as far as they are set here, and `extra` on top."""
    names = (*USUAL_ENVIRONMENT, *allow)
    found = {name: value for name in names if (value := os.environ.get(name)) is not None}
    if "PATH" in found:
        found["PATH"] = os.pathsep.join(search_path(found["PATH"]))
    return {**found, **extra} if extra else found


@cache
def search_path(written: str) -> tuple[str, ...]:
    """The folders of a PATH that are the same wherever one stands.

    Of the others (`.`, and none before or behind a colon) whoever brings a workspace would decide what programs are.
    """
    return tuple(folder for folder in written.split(os.pathsep) if folder.startswith("/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one run. None means no bound; times are seconds, sizes are bytes."""

    wall_s: float | None = 60.0
    # CPU time and memory of everything that was started, together.
    cpu_s: float | None = None
    memory_bytes: int | None = None
    # How many processes may exist at once.
    processes: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None
    stdout_bytes: int = 10 * MIB
    stderr_bytes: int = MIB
    # What happens when more is written than is kept: the program is stopped, or it goes on and the rest is dropped.
    overflow: Literal["stop", "drop"] = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxPolicy:
    """What the program is kept from. The default keeps it from nothing; it dies with all its children either way."""

    network: bool = True
    # A read-only file system, `writable` folders aside; TMPDIR is then a private folder that vanishes.
    read_only: bool = False
    writable: tuple[str, ...] = ()
    # What stays as it is inside of those, as far as it is there.
    kept: tuple[str, ...] = ()
    # Folders and files that look empty from inside.
    hidden: tuple[str, ...] = ()
    # What it needs of Prime's own folders (`core.private_folders`), beside its working folder, its program and what it writes.
    seen: tuple[str, ...] = ()
    # An empty, private working folder and home, whatever `cwd` says.
    empty_home: bool = False
    # "strict" refuses to run what cannot be kept; "best-effort" runs it all the same.
    enforce: Literal["strict", "best-effort"] = "strict"

    @property
    def restricts(self) -> bool:
        """Whether anything here needs a sandbox."""
        return not self.network or self.read_only or bool(self.hidden) or self.empty_home


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One program with its arguments: a list, never a shell's line.

    `env` is the whole environment of the program; None gives it `allowed_environment()`. `stdin` is written and
    closed; None gives it an empty input. With `pty` the program has a terminal, and its output is all in `stdout`.
    """

    argv: tuple[str, ...]
    cwd: str | None = None
    env: Mapping[str, str] | None = None
    stdin: bytes | None = None
    limits: Limits = field(default_factory=Limits)
    sandbox: SandboxPolicy = field(default_factory=SandboxPolicy)
    pty: bool = False

    def environment(self) -> Mapping[str, str]:
        """What the program sees."""
        return MappingProxyType(allowed_environment()) if self.env is None else self.env


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended, and what it wrote.

    `exit_code` is what a shell would say: 128 + n when signal n ended it. `stopped` says why Prime ended it, None
    when it ended by itself. `truncated` means that more was written than is kept here.
    """

    exit_code: int
    stdout: bytes
    stderr: bytes
    duration_s: float
    stopped: Stop | None = None
    truncated: bool = False

    @property
    def signal(self) -> int | None:
        """The signal that ended it, if one did."""
        return self.exit_code - 128 if 128 < self.exit_code <= 192 else None

    @property
    def timed_out(self) -> bool:
        return self.stopped == "timeout"

    @property
    def ok(self) -> bool:
        """It ended by itself and said that all is well."""
        return self.exit_code == 0 and self.stopped is None
