"""How a program is held so that nothing of it survives: a PID namespace, else a child subreaper.

Both speak the same two pipes. *Status* carries JSON lines from the holder: `child-pid` when the program is about to
start, `exit-code` when it has ended (never when it could not be started). *Gate* goes the other way: the program waits
for a byte before it starts, so that its limits are set first.
"""

import contextlib
import functools
import json
import math
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal, Protocol

from prime.core.errors import Unavailable
from prime.core.private_folders import is_private, private_walls
from prime.core.process import guard
from prime.core.process.command import Command, Limits, SandboxPolicy

STATUS_FD = 3
GATE_FD = 4
# On a read-only file system this is the one private place to write: bubblewrap's own /dev has it.
PRIVATE_FOLDER = "/dev/shm"  # noqa: S108 - a fresh one inside the sandbox, not the machine's
EMPTY_HOME = f"{PRIVATE_FOLDER}/empty"

# The first process of the namespace. The program is its child, so that signals act on the program as they do
# elsewhere (the first process of a namespace ignores them); when it ends, the kernel ends all that is left. bubblewrap's
# own would do without a shell, but does not wait for that end, and would leave its remains to whoever inherits orphans.
_INIT = ("/bin/sh", "-c", 'exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?', "init")
_HINT = "Install bubblewrap (`apt install bubblewrap`) and allow user namespaces, or ask for best-effort enforcement."


class Containment(Protocol):
    """A way to hold a program."""

    name: ClassVar[Literal["namespace", "subreaper"]]

    def holder(self, command: Command, executable: str) -> tuple[list[str], Mapping[str, str]]:
        """The argv and environment of the process that holds the program."""
        ...

    def set_limits(self, pid: int, limits: Limits) -> None:
        """Called with the pid of `child-pid`, before the program starts."""
        ...


class Namespace:
    """bubblewrap: a PID namespace, and everything that a policy can ask for."""

    name: ClassVar[Literal["namespace", "subreaper"]] = "namespace"

    def __init__(self, bwrap: str) -> None:
        self._bwrap = bwrap
        self._root = os.geteuid() == 0

    def holder(self, command: Command, executable: str) -> tuple[list[str], Mapping[str, str]]:
        pipes = ["--json-status-fd", str(STATUS_FD), "--block-fd", str(GATE_FD)]
        policy = command.sandbox
        folder = EMPTY_HOME if policy.empty_home else (command.cwd or str(Path.cwd()))
        argv = [self._bwrap, *self._walls(policy, folder, executable), *pipes, "--chdir", folder, "--", *_INIT]
        return [*argv, executable, *command.argv[1:]], _inner_environment(command)

    def enclose(self, argv: list[str], policy: SandboxPolicy, folder: str = "/") -> list[str]:
        """The argv of a sandbox whose first process is `argv` itself, in `folder`."""
        return [self._bwrap, *self._walls(policy), "--chdir", folder, "--", *argv]

    def set_limits(self, pid: int, limits: Limits) -> None:
        pairs = rlimits(limits)
        if limits.processes is not None and not self._root:
            # Counted within the sandbox's own user namespace: its first process, and one too many for Prime to see.
            # Root is exempt from this limit and has another (`pids`).
            pairs.append((resource.RLIMIT_NPROC, limits.processes + 2))
        with contextlib.suppress(ProcessLookupError):
            for number, value in pairs:
                guard.lower_limit(pid, number, value)

    def _walls(self, policy: SandboxPolicy, *needed: str) -> list[str]:
        sealed = policy.read_only or policy.empty_home
        view = ["--ro-bind", "/", "/", "--dev", "/dev"] if sealed else ["--dev-bind", "/", "/"]
        walls = ["--unshare-pid", "--die-with-parent", "--as-pid-1", *view, "--proc", "/proc"]
        if policy.empty_home:
            walls += ["--dir", EMPTY_HOME]
        if not policy.network:
            walls += ["--unshare-net", "--unshare-ipc", *_without_sockets()]
        for path in policy.writable:
            walls += ["--bind", path, path]
        for path in policy.kept:
            walls += ["--ro-bind", path, path] if os.path.exists(path) else []  # noqa: PTH110 - every call
        needed = (*needed, *policy.writable, *policy.seen)
        walls += private_walls(needed, policy.writable if sealed else needed)
        for path in policy.hidden:
            walls += [] if is_private(path) else _covered(path)
        if self._root and policy.restricts:
            # A root that keeps its capabilities could undo the walls from inside, and without any it could still write
            # what root owns in /proc, such as which program the kernel starts when another one crashes.
            walls += ["--cap-drop", "ALL", "--remount-ro", "/proc"]
        return walls if self._root else ["--unshare-user", *walls]


class Subreaper:
    """A guard process that takes over orphans. It keeps nothing else."""

    name: ClassVar[Literal["namespace", "subreaper"]] = "subreaper"

    def holder(self, command: Command, executable: str) -> tuple[list[str], Mapping[str, str]]:
        if command.sandbox.restricts and command.sandbox.enforce == "strict":
            raise Unavailable(
                f"{command.argv[0]} must run without {_wanted(command.sandbox)}, and no sandbox works here: "
                f"{namespace_trouble()}",
                code="sandbox_unavailable",
                hint=_HINT,
            )
        spec: guard.Spec = {"cwd": command.cwd, "rlimits": rlimits(command.limits)}
        script = [sys.executable, "-I", "-S", guard.__file__, str(STATUS_FD), str(GATE_FD), json.dumps(spec)]
        return [*script, executable, *command.argv[1:]], command.environment()

    def set_limits(self, pid: int, limits: Limits) -> None:
        """The guard sets them itself, before it starts the program."""


def containment() -> Containment:
    """The strongest way that works here, found by trying it, once."""
    found = _namespace()
    if isinstance(found, Namespace):
        return found
    return _subreaper()


def namespace_trouble() -> str | None:
    """Why there is no PID namespace here, in a sentence; None when there is one."""
    found = _namespace()
    return found if isinstance(found, str) else None


def rlimits(limits: Limits) -> list[tuple[int, int]]:
    """The limits that the kernel keeps for each process by itself."""
    pairs = [(resource.RLIMIT_CORE, 0)]
    if limits.cpu_s is not None:
        pairs.append((resource.RLIMIT_CPU, max(1, math.ceil(limits.cpu_s))))
    if limits.memory_bytes is not None:
        # Private writable memory. The address space would be the wrong thing to bound: several language runtimes
        # reserve far more of it than they ever use.
        pairs.append((resource.RLIMIT_DATA, limits.memory_bytes))
    if limits.file_bytes is not None:
        pairs.append((resource.RLIMIT_FSIZE, limits.file_bytes))
    if limits.open_files is not None:
        pairs.append((resource.RLIMIT_NOFILE, limits.open_files))
    return pairs


@functools.cache
def _namespace() -> Namespace | str:
    """The namespace containment, or why it does not work."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return "bubblewrap (bwrap) is not installed."
    tried = Namespace(bwrap)
    policy = SandboxPolicy(network=False, read_only=True, empty_home=True)
    argv = tried.enclose([*_INIT, "/bin/sh", "-c", ":"], policy)
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{bwrap} does not run: {error}"
    if done.returncode != 0:
        return f"{bwrap} does not work here: {done.stderr.decode(errors='replace').strip()}"
    return tried


@functools.cache
def _subreaper() -> Subreaper:
    if sys.platform != "linux" or not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        raise Unavailable(
            "Prime cannot make sure that a program's children end with it on this system.",
            code="sandbox_unavailable",
            hint="It needs Linux with bubblewrap, or with /proc/PID/task/TID/children.",
        )
    return Subreaper()


def _inner_environment(command: Command) -> Mapping[str, str]:
    policy, given = command.sandbox, command.environment()
    if not (policy.read_only or policy.empty_home):
        return given
    private = {"TMPDIR": PRIVATE_FOLDER}
    if policy.empty_home:
        private["HOME"] = EMPTY_HOME
    return {**given, **private}


def _without_sockets() -> list[str]:
    """Cover /run: a Unix socket there (Docker's, the message bus) is a way out that no network namespace closes."""
    programs_in_run = Path("/run/current-system").exists()  # NixOS keeps its programs there
    return [] if programs_in_run or not Path("/run").is_dir() else ["--tmpfs", "/run"]


def _covered(path: str) -> list[str]:
    if Path(path).is_dir():
        return ["--tmpfs", path, "--remount-ro", path]
    return ["--ro-bind", "/dev/null", path] if Path(path).exists() else []


def _wanted(policy: SandboxPolicy) -> str:
    wishes = {
        "network": not policy.network,
        "writing files": policy.read_only or policy.empty_home,
        "seeing hidden files": bool(policy.hidden),
    }
    return " and ".join(wish for wish, asked in wishes.items() if asked)
