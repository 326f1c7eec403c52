"""Runs many short programs, one after the other, from inside one sandbox: starting a sandbox for each would cost more
than the programs themselves.

Run as a script (`python -I -S worker.py MODE WALL_MS STDOUT_BYTES PROCESSES`), standard library only. A job comes on
stdin as a length and words that end in NUL; its result goes to stdout as exit code, flags, length and output. While a
job merely waits, without using a processor, that is said before its result (`WAITING`, and `WORKING` when it goes on),
so that somebody else may work meanwhile. After each job everything that it left behind is killed: in its own PID
namespace by one call, else as the descendants of a subreaper.
"""

import contextlib
import ctypes
import os
import resource
import select
import signal
import sys
import time

PR_SET_DUMPABLE = 4
TIMED_OUT, TRUNCATED, TOO_MANY, NOT_STARTED, WAITING, WORKING = 1, 2, 4, 8, 16, 32
HEADER = 13
_TICK_MS = 20
# How long a job uses no processor until it counts as one that waits.
_STILL_S = 0.06
_MEMORY = 2 * 1024**3
_FILE = 64 * 1024**2


# As a script this is not part of a package; a type checker is told otherwise.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _guard():  # noqa: ANN202 - a module
    """The neighbour that knows about subreapers; loaded only where there is no namespace, as it costs start-up time."""
    if TYPE_CHECKING:
        from prime.core.process import guard
    else:
        import guard
    return guard


class Stillness:
    """Whether processes use the processor or wait for something else: sleep, input, a network that is not there."""

    def __init__(self) -> None:
        self._used: int = -1
        self._since: float = 0.0
        self.waiting: bool = False

    def changed(self, pids: "list[int]", now: float) -> bool:
        """Look at them, at times; True when `waiting` is another than before."""
        if now - self._since < _STILL_S:
            return False
        used, ready = 0, False
        for pid in pids:
            with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as stat:  # noqa: PTH123
                fields = stat.read().rpartition(b")")[2].split()
                # One that is ready to run and does not get to it is no idler; the numbers include ended children.
                ready = ready or fields[0] == b"R"
                used += sum(map(int, fields[11:15]))
        before = self.waiting
        self.waiting = used == self._used and not ready
        self._used, self._since = used, now
        return self.waiting != before


class Worker:
    """One job at a time. `tell` hears while a job runs whether it waits (`WAITING`, `WORKING`)."""

    def __init__(
        self, mode: str, wall_ms: int, stdout_bytes: int, processes: int, tell: "Callable[[int], None]"
    ) -> None:
        self._tell = tell
        self._namespace = mode == "namespace"
        self._wall_s = wall_ms / 1000
        self._cap = stdout_bytes
        self._processes = processes
        # Programs here run as the same user: without this they could reach into the worker's pipes.
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        if not self._namespace:
            _guard().become_subreaper()
            signal.signal(signal.SIGTERM, _end_all)
        self._environment = dict(os.environ)
        self._nothing = os.open(os.devnull, os.O_RDWR)

    def run(self, argv: list[bytes]) -> tuple[int, int, bytes]:
        """Exit code as a shell says it, flags, output."""
        reader, writer = os.pipe()
        actions = [(os.POSIX_SPAWN_DUP2, self._nothing, 0), (os.POSIX_SPAWN_DUP2, writer, 1)]
        actions.append((os.POSIX_SPAWN_DUP2, self._nothing, 2))
        try:
            pid = os.posix_spawn(
                argv[0],
                argv,
                self._environment,
                file_actions=actions,
                setpgroup=0,
                setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),
            )
        except OSError:
            os.close(reader)
            return 127, NOT_STARTED, b""
        finally:
            os.close(writer)
        try:
            return self._follow(pid, reader)
        finally:
            os.close(reader)

    def _follow(self, pid: int, reader: int) -> tuple[int, int, bytes]:
        pidfd = os.pidfd_open(pid)
        output = bytearray()
        try:
            flags = self._read(reader, pidfd, output)
            code = self._clear(pid)
        finally:
            os.close(pidfd)
        if not flags:  # nobody can write any more: what the pipe still holds is all
            while len(output) <= self._cap and (chunk := os.read(reader, 65536)):
                output += chunk
        if len(output) > self._cap:
            flags |= TRUNCATED
            del output[self._cap :]
        return code, flags, bytes(output)

    def _read(self, reader: int, pidfd: int, output: bytearray) -> int:
        """Until the program ends, writes too much, takes too long or becomes too many."""
        deadline = time.monotonic() + self._wall_s
        stillness = Stillness()
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        poll.register(pidfd, select.POLLIN)
        while True:
            now = time.monotonic()
            left = deadline - now
            if left <= 0:
                return TIMED_OUT
            for fd, _ in poll.poll(min(left * 1000 + 1, _TICK_MS)) or ((-1, 0),):
                if fd == pidfd:
                    return 0
                if fd == -1:
                    alive = self._alive()
                    if len(alive) > self._processes:
                        return TOO_MANY
                    if stillness.changed(alive, now):
                        self._tell(WAITING if stillness.waiting else WORKING)
                if fd == reader:
                    chunk = os.read(reader, 65536)
                    output += chunk
                    if not chunk:
                        poll.unregister(reader)
                    if len(output) > self._cap:
                        return TRUNCATED

    def _alive(self) -> "list[int]":
        """The job's processes, or the first of too many."""
        me = os.getpid()
        if not self._namespace:
            return _guard().descendants(me, self._processes + 1)
        return [pid for name in os.listdir("/proc") if name.isdigit() and (pid := int(name)) != me]  # noqa: PTH208

    def _clear(self, pid: int) -> int:
        """Kill all that is left, reap it, and say how the program itself ended."""
        status = 0
        ended = os.waitpid(pid, os.WNOHANG)
        if ended[0]:
            status = ended[1]
        if not self._namespace:
            if not ended[0]:
                os.killpg(pid, signal.SIGKILL)
                status = os.waitpid(pid, 0)[1]
            _guard().end_descendants()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(-1, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                while True:
                    done, how = os.waitpid(-1, 0)
                    status = how if done == pid else status
        code = os.waitstatus_to_exitcode(status)
        return 128 - code if code < 0 else code


def _end_all(_number: int, _frame: object) -> None:
    """Prime wants this worker gone while it is busy."""
    _guard().end_descendants()
    os._exit(1)


def _limit(processes: int, *, namespace: bool) -> None:
    """What each program inherits."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE, _FILE))
    if namespace and os.geteuid() != 0:
        # Counted within the sandbox's user namespace only; root is exempt, so the worker counts as well.
        resource.setrlimit(resource.RLIMIT_NPROC, (processes + 2, processes + 2))


def _exactly(fd: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        chunk = os.read(fd, size - len(data))
        if not chunk:
            os._exit(0)  # Prime has no more jobs, or is gone
        data += chunk
    return data


def _send(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def main() -> None:
    """The script."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - no pathlib here: start-up
    jobs, results = os.dup(0), os.dup(1)

    def answer(code: int, flags: int, output: bytes = b"") -> None:
        head = code.to_bytes(4, "big") + flags.to_bytes(1, "big") + len(output).to_bytes(8, "big")
        _send(results, head + output)

    numbers = [int(word) for word in sys.argv[2:5]]
    worker = Worker(sys.argv[1], *numbers, tell=lambda how: answer(0, how))
    _limit(numbers[2], namespace=sys.argv[1] == "namespace")
    while True:
        size = int.from_bytes(_exactly(jobs, 4), "big")
        answer(*worker.run(_exactly(jobs, size).split(b"\0")[:-1]))


if __name__ == "__main__":
    main()
