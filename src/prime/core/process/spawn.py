"""Start one program in its containment, with pipes or a terminal, by the leanest call there is."""

import contextlib
import errno
import fcntl
import functools
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from prime.core.errors import InvalidInput, NotFound, Unavailable
from prime.core.process.command import Command, search_path
from prime.core.process.containment import GATE_FD, STATUS_FD, Containment

# Descriptors for the child are first moved up here, out of the way of the numbers they will have in it.
_HIGH = 64
_RESTORED = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class Child:
    """A started program: its holder's pid and our ends of its pipes. `stderr` is None on a terminal."""

    pid: int
    pidfd: int
    stdin: int | None
    stdout: int
    stderr: int | None
    status: int
    gate: int | None
    containment: Containment
    # The program's own process, known once the holder has said so.
    inner: int | None = None
    inner_pidfd: int | None = None

    def close_stdin(self) -> None:
        if self.stdin is not None:
            os.close(self.stdin)
            self.stdin = None

    def close_gate(self) -> None:
        if self.gate is not None:
            os.close(self.gate)
            self.gate = None

    def close_all(self) -> None:
        """Close our ends; the last thing that is done with a child."""
        self.close_stdin()
        self.close_gate()
        for fd in (self.stdout, self.stderr, self.status, self.pidfd, self.inner_pidfd):
            if fd is not None:
                os.close(fd)

    def found_inner(self, pid: int) -> None:
        """The holder named the program's process."""
        self.inner = pid
        with contextlib.suppress(ProcessLookupError):
            self.inner_pidfd = os.pidfd_open(pid)

    def end(self) -> None:
        """End everything that was started; the holder exits when it is done."""
        if self.containment.name == "subreaper":
            self.close_gate()
            return
        with contextlib.suppress(ProcessLookupError):
            if self.inner_pidfd is not None:
                # The namespace's first process takes all others with it, and its holder waits for that.
                signal.pidfd_send_signal(self.inner_pidfd, signal.SIGKILL)
            else:
                # Still being set up: its first process may be there, unnamed and not yet tied to its holder's life.
                os.killpg(self.pid, signal.SIGKILL)


class _Ends:
    """The descriptors of one start: which the child gets under which number, and which stay ours."""

    def __init__(self) -> None:
        self.actions: list[tuple[int, int, int] | tuple[int, int, str, int, int]] = []
        self._theirs: list[int] = []
        self.ours: list[int] = []

    def give(self, fd: int, number: int) -> None:
        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _HIGH)
        os.close(fd)
        self._theirs.append(high)
        self.actions.append((os.POSIX_SPAWN_DUP2, high, number))

    def hold(self, fd: int) -> None:
        """Keep the child's end of a terminal open until the child has opened its own, or the terminal hangs up."""
        self._theirs.append(fd)

    def keep(self, fd: int) -> int:
        os.set_blocking(fd, False)
        self.ours.append(fd)
        return fd

    def child_reads(self, number: int) -> int:
        reader, writer = os.pipe()
        self.give(reader, number)
        return self.keep(writer)

    def child_writes(self, number: int) -> int:
        reader, writer = os.pipe()
        self.give(writer, number)
        return self.keep(reader)

    def child_has_nothing(self, number: int) -> None:
        self.actions.append((os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDONLY, 0))

    def close_theirs(self) -> None:
        for fd in self._theirs:
            os.close(fd)

    def close_ours(self) -> None:
        for fd in self.ours:
            os.close(fd)


def find_executable(name: str, env: Mapping[str, str]) -> str:
    """The file that would run: a path as it stands, a bare name by the program's own PATH."""
    if not name or "\0" in name:
        raise InvalidInput("A command needs the name of a program.", code="invalid_command")
    if "/" in name:
        path = name if name.startswith("/") else str(Path(name).absolute())
        if _runnable(path):
            return path
        raise NotFound(f"{name} is not an executable file.", code="program_not_found", hint="Check the path.")
    for folder in search_path(env.get("PATH", os.defpath)):
        path = f"{folder}/{name}"
        if _runnable(path):
            return path
    raise NotFound(f"There is no program {name} on PATH.", code="program_not_found", hint="Install it, or give a path.")


def spawn(command: Command, containment: Containment, *, feed: bool) -> Child:
    """Start it. With `feed` the caller writes to the program's stdin; else its input is empty."""
    env = command.environment()
    _check(command, env)
    executable = find_executable(command.argv[0], env)
    argv, holder_env = containment.holder(command, executable)
    _keep_to_ourselves()
    ends = _Ends()
    try:
        if command.pty:
            stdin, stdout, stderr = _terminal(ends)
        else:
            stdin = ends.child_reads(0) if feed else ends.child_has_nothing(0)
            stdout, stderr = ends.child_writes(1), ends.child_writes(2)
        status, gate = ends.child_writes(STATUS_FD), ends.child_reads(GATE_FD)
        pid = os.posix_spawn(
            argv[0], argv, holder_env, file_actions=ends.actions, setsid=True, setsigmask=(), setsigdef=_RESTORED
        )
    except OSError as error:
        ends.close_ours()
        raise _cannot_start(command, error) from error
    finally:
        ends.close_theirs()
    return Child(pid, os.pidfd_open(pid), stdin, stdout, stderr, status, gate, containment)


@functools.cache
def _keep_to_ourselves() -> None:
    """Descriptors that this process was itself started with are not for its children. Python's own never are."""
    for fd in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
        if fd > 2:
            with contextlib.suppress(OSError):
                os.set_inheritable(fd, False)


def _check(command: Command, env: Mapping[str, str]) -> None:
    if not command.argv:
        raise InvalidInput("A command needs the name of a program.", code="invalid_command")
    for word in (*command.argv, *env, *env.values()):
        if "\0" in word:
            raise InvalidInput(f"A NUL character in {word[:40]!r} cannot be passed on.", code="invalid_command")
    for name in env:
        if not name or "=" in name:
            raise InvalidInput(f"{name!r} cannot name an environment variable.", code="invalid_command")
    if not os.path.isdir(command.cwd or "."):  # noqa: PTH112 - every call
        place = command.cwd or "that Prime runs in"
        raise NotFound(f"The working folder {place} does not exist.", code="folder_not_found")


def _runnable(path: str) -> bool:
    return os.access(path, os.X_OK) and not os.path.isdir(path)  # noqa: PTH112 - every call


def _terminal(ends: _Ends) -> tuple[int, int, None]:
    """A new session that opens a terminal gets it as its controlling one."""
    ours, theirs = os.openpty()
    path = os.ttyname(theirs)
    ends.keep(ours)
    ends.actions.append((os.POSIX_SPAWN_OPEN, 0, path, os.O_RDWR, 0))
    ends.actions += [(os.POSIX_SPAWN_DUP2, 0, 1), (os.POSIX_SPAWN_DUP2, 0, 2)]
    ends.hold(theirs)
    return ends.keep(os.dup(ours)), ours, None


def _cannot_start(command: Command, error: OSError) -> Exception:
    if error.errno in (errno.E2BIG, errno.ENAMETOOLONG):
        return InvalidInput(f"The arguments of {command.argv[0]} are too long to be passed on.", code="invalid_command")
    return Unavailable(f"{command.argv[0]} could not be started: {error.strerror}.", code="cannot_start")
