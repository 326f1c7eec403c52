"""A small parent that lets nothing of its program survive, for machines without a PID namespace.

Run as a script (`python -I -S guard.py STATUS_FD GATE_FD SPEC PROGRAM …`), standard library only. It makes itself a
child subreaper, so that whatever leaves its process group or forks twice becomes its own child again, starts the
program, and ends everything when the program ends or when the gate closes: Prime asked for it, or Prime is gone.

`descendants` is also what Prime counts a running program's processes with.
"""

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
from typing import NoReturn, TypedDict

PR_SET_CHILD_SUBREAPER = 36


class Spec(TypedDict):
    """How the guard is to start the program."""

    cwd: str | None
    rlimits: list[tuple[int, int]]


def children(pid: int) -> list[int]:
    """The direct children of all threads of a process; none when it is gone."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - runs often, on a busy path
            with (
                contextlib.suppress(OSError),
                open(f"/proc/{pid}/task/{thread}/children", "rb") as listing,  # noqa: PTH123
            ):
                found += [int(word) for word in listing.read().split()]
    return found


def descendants(pid: int, enough: int = sys.maxsize) -> list[int]:
    """Everything below a process, or the first of it once there are `enough`: a fork bomb must not be walked whole."""
    found = children(pid)
    for known in found:  # grows while it is walked
        if len(found) >= enough:
            break
        found += children(known)
    return found


def lower_limit(pid: int, number: int, value: int) -> None:
    """Set the soft and the hard limit of a process (0 is this one); a hard limit that is lower already stays."""
    _, hard = resource.prlimit(pid, number)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    # At the soft limit of processor time comes a signal that says why, at the hard one the end.
    grace = 1 if number == resource.RLIMIT_CPU and hard == resource.RLIM_INFINITY else 0
    resource.prlimit(pid, number, (value, value + grace))


def become_subreaper() -> None:
    """Take over every orphan among the descendants."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "This kernel has no child subreaper.")


def end_descendants(leader: int | None = None) -> None:
    """Kill everything below this process and come back when all of it is gone; the group of `leader` goes first.

    A group is killed as one, so that nothing in it can fork in between; what has left its group is found again here,
    as a child of this process, in the next round.
    """
    mine = os.getpgid(0)
    if leader is not None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            _kill(descendants(os.getpid()), mine)
            os.waitpid(-1, 0)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _kill(pids: list[int], mine: int) -> None:
    killed = {mine}
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            group = os.getpgid(pid)
            if group not in killed:
                killed.add(group)
                os.killpg(group, signal.SIGKILL)
            os.kill(pid, signal.SIGKILL)


def _lead_group() -> None:
    """Be a process group of one's own, in the foreground if there is a terminal."""
    os.setpgid(0, 0)
    if os.isatty(0):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
        os.tcsetpgrp(0, os.getpid())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTTOU])


def _start(argv: list[str], spec: Spec) -> int:
    """Fork and execute; an error on the way is written to the pipe that the exec would close."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _lead_group()
            if spec["cwd"] is not None:
                os.chdir(spec["cwd"])
            for number, value in spec["rlimits"]:
                lower_limit(0, number, value)
            # Python ignores these two; a program expects to die of them.
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            os.execve(argv[0], argv, _given_environment())  # noqa: S606
        except (OSError, ValueError) as error:
            os.write(writer, f"{argv[0]}: {error}".encode())
        finally:
            os._exit(127)
    os.close(writer)
    if trouble := os.read(reader, 4096):
        raise OSError(trouble.decode(errors="replace"))
    os.close(reader)
    return pid


def _given_environment() -> dict[bytes, bytes]:
    """As it was before this interpreter added its own locale to it."""
    with open("/proc/self/environ", "rb") as block:  # noqa: PTH123
        pairs = (entry.partition(b"=") for entry in block.read().split(b"\0") if entry)
        return {name: value for name, _, value in pairs}


def _await(pid: int, gate: int) -> int:
    """Reap orphans until the program ends or the gate closes; the exit code as a shell says it."""
    wake = _wake_on_child()
    pause: float | None = 0  # it may have ended before the wake-up was there
    while True:
        ready, _, _ = select.select([gate, wake], [], [], pause)
        if gate in ready and not os.read(gate, 64):
            return 128 + signal.SIGKILL
        if wake in ready:
            os.read(wake, 4096)
        # A few at a time: orphans may keep coming, and the gate must be seen.
        for _ in range(16):
            done, status = os.waitpid(-1, os.WNOHANG)
            if done == pid:
                code = os.waitstatus_to_exitcode(status)
                return 128 - code if code < 0 else code
            if not done:
                pause = None
                break
        else:
            pause = 0


def _wake_on_child() -> int:
    """A descriptor that is readable when a child has changed its state."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.signal(signal.SIGCHLD, _nothing)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _nothing(_number: int, _frame: object) -> None:
    """A handler, so that the signal wakes the wait above."""


def _tell(status: int, fact: dict[str, int | str]) -> None:
    """Say it to Prime; where Prime is gone, nobody is left to tell, and the program must end all the same."""
    with contextlib.suppress(BrokenPipeError):
        os.write(status, json.dumps(fact).encode() + b"\n")


def main() -> NoReturn:
    """The script."""
    status, gate = int(sys.argv[1]), int(sys.argv[2])
    for fd in (status, gate):
        os.set_inheritable(fd, False)
    spec: Spec = json.loads(sys.argv[3])
    code = 127
    try:
        become_subreaper()
        pid = _start(sys.argv[4:], spec)
        _tell(status, {"child-pid": pid})
        code = _await(pid, gate)
        end_descendants(pid)
        _tell(status, {"exit-code": code})
    except OSError as error:
        end_descendants()
        _tell(status, {"error": str(error)})
    # Prime reads the code from the status pipe; this one is for people.
    os._exit(code & 255)


if __name__ == "__main__":
    main()
