"""Runs many short programs, one after the other, from inside one sandbox: starting a sandbox for each would cost more
than the programs themselves.

Run as a script (`python -I -S worker.py MODE WALL_MS STDOUT_BYTES PROCESSES`), standard library only. A job comes on
stdin as a length and words that end in NUL; its result goes to stdout as exit code, flags, length and output. After
each job everything that it left behind is killed: in its own PID namespace by one call, else as the descendants of a
subreaper.
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
TIMED_OUT, TRUNCATED, TOO_MANY, NOT_STARTED = 1, 2, 4, 8
HEADER = 13
_TICK_MS = 20
_MEMORY = 2 * 1024**3
_FILE = 64 * 1024**2


# As a script this is not part of a package; a type checker is told otherwise.
TYPE_CHECKING = False


def _guard():  # noqa: ANN202 - a module
    """The neighbour that knows about subreapers; loaded only where there is no namespace, as it costs start-up time."""
    if TYPE_CHECKING:
        from prime.core.process import guard
    else:
        import guard
    return guard


class Worker:
    """One job at a time."""

    def __init__(self, mode: str, wall_ms: int, stdout_bytes: int, processes: int) -> None:
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
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        poll.register(pidfd, select.POLLIN)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return TIMED_OUT
            for fd, _ in poll.poll(min(left * 1000 + 1, _TICK_MS)) or ((-1, 0),):
                if fd == pidfd:
                    return 0
                if fd == -1 and self._too_many():
                    return TOO_MANY
                if fd == reader:
                    chunk = os.read(reader, 65536)
                    output += chunk
                    if not chunk:
                        poll.unregister(reader)
                    if len(output) > self._cap:
                        return TRUNCATED

    def _too_many(self) -> bool:
        if not self._namespace:
            return len(_guard().descendants(os.getpid(), self._processes + 1)) > self._processes
        return sum(name.isdigit() for name in os.listdir("/proc")) - 1 > self._processes  # noqa: PTH208

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
    worker = Worker(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    _limit(int(sys.argv[4]), namespace=sys.argv[1] == "namespace")
    while True:
        size = int.from_bytes(_exactly(jobs, 4), "big")
        code, flags, output = worker.run(_exactly(jobs, size).split(b"\0")[:-1])
        head = code.to_bytes(4, "big") + flags.to_bytes(1, "big") + len(output).to_bytes(8, "big")
        _send(results, head + output)


if __name__ == "__main__":
    main()
