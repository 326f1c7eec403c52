"""Many short programs in a few sandboxes: what a scan of all executables is made of."""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from prime.core.errors import Unavailable
from prime.core.process import worker
from prime.core.process.command import MIB, Outcome, SandboxPolicy, Stop, allowed_environment
from prime.core.process.containment import EMPTY_HOME, PRIVATE_FOLDER, Containment, Namespace, containment
from prime.core.process.guard import children
from prime.core.process.pids import ProcessGroup

# So many jobs that merely wait give their place to others; more of them would be too many processes.
_MOST_WAITING = 32
_LOOK_S = 0.1
# How long beyond its time a job may take until the worker itself is given up.
_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchLimits:
    """Bounds of each program of a batch."""

    wall_s: float = 2.0
    stdout_bytes: int = MIB
    processes: int = 64


@dataclass(slots=True)
class _Hand:
    """One worker process, and the job it has."""

    process: "subprocess.Popen[bytes]"
    group: ProcessGroup | None
    job: int | None = None
    since: float = 0.0
    # Its job uses no processor at the moment.
    waits: bool = False
    received: bytearray = field(default_factory=bytearray)


class Batch:
    """A context that runs programs in sandboxes: no network, nothing writable, an empty home, no input.

    Where no sandbox works the programs run without these walls, and still die with all their children. stderr is not
    kept. To be used from one thread.
    """

    def __init__(
        self,
        limits: BatchLimits | None = None,
        *,
        env: Mapping[str, str] | None = None,
        workers: int | None = None,
        within: Containment | None = None,
    ) -> None:
        self._limits = limits or BatchLimits()
        self._within = within or containment()
        self._env = dict(allowed_environment() if env is None else env)
        # Where there are no walls, at least nothing lies about in the folder that programs start in.
        self._folder = None if isinstance(self._within, Namespace) else tempfile.TemporaryDirectory(prefix="prime-")
        home = EMPTY_HOME if self._folder is None else self._folder.name
        self._env |= {"HOME": home, "TMPDIR": PRIVATE_FOLDER if self._folder is None else home}
        self._least = workers or 2 * len(os.sched_getaffinity(0))
        self._hands: list[_Hand] = []
        self._selector = selectors.DefaultSelector()

    def run(self, jobs: Sequence[tuple[str, ...]]) -> Iterator[tuple[int, Outcome]]:
        """Each job's index with its outcome, in the order in which they end. argv[0] is a path."""
        waiting = deque(range(len(jobs)))
        missing = len(jobs)
        while missing:
            self._hand_out(jobs, waiting)
            for hand in self._ready():
                index, outcome = self._collect(hand)
                if outcome is not None:
                    missing -= 1
                    # The worker gets its next job before the caller looks at this one's result.
                    self._hand_out(jobs, waiting)
                    yield index, outcome
            for index, outcome in self._give_up_on_stuck():
                missing -= 1
                yield index, outcome

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for hand in list(self._hands):
            self._drop(hand)
        self._selector.close()
        if self._folder is not None:
            self._folder.cleanup()

    def _add_hand(self) -> _Hand:
        limits = self._limits
        script = [sys.executable, "-I", "-S", worker.__file__, self._within.name]
        script += [str(round(limits.wall_s * 1000)), str(limits.stdout_bytes), str(limits.processes)]
        if isinstance(self._within, Namespace):
            script = self._within.enclose(
                script, SandboxPolicy(network=False, read_only=True, empty_home=True), EMPTY_HOME
            )
        group = ProcessGroup.of_size(limits.processes + 3)
        if group is not None:
            # It joins before it becomes the sandbox, so that no child of it is ever outside.
            script = ["/bin/sh", "-c", 'echo $$ > "$0"; exec "$@"', str(group.members), *script]
        process = subprocess.Popen(
            script,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._env,
            cwd=None if self._folder is None else self._folder.name,
            bufsize=0,
            start_new_session=True,
        )
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        hand = _Hand(process, group)
        self._hands.append(hand)
        self._selector.register(process.stdout, selectors.EVENT_READ, hand)
        return hand

    def _hand_out(self, jobs: Sequence[tuple[str, ...]], waiting: deque[int]) -> None:
        """So many work at a time as the machine has use for; those who only wait hold nobody up."""
        at_work = sum(hand.job is not None and not hand.waits for hand in self._hands)
        free = [hand for hand in self._hands if hand.job is None]
        while waiting and at_work < self._least:
            if free:
                hand = free.pop()
            elif len(self._hands) < self._least + _MOST_WAITING:
                hand = self._add_hand()
            else:
                return
            self._give(hand, waiting.popleft(), jobs)
            at_work += 1

    def _give(self, hand: _Hand, index: int, jobs: Sequence[tuple[str, ...]]) -> None:
        words = b"".join(os.fsencode(word) + b"\0" for word in jobs[index])
        hand.job, hand.since, hand.waits = index, time.monotonic(), False
        hand.received.clear()
        assert hand.process.stdin is not None
        # A worker that died is noticed when its end of the other pipe closes.
        with contextlib.suppress(BrokenPipeError):
            hand.process.stdin.write(len(words).to_bytes(4, "big") + words)

    def _ready(self) -> Iterator[_Hand]:
        for key, _ in self._selector.select(_LOOK_S):
            yield key.data

    def _collect(self, hand: _Hand) -> tuple[int, Outcome | None]:
        assert hand.process.stdout is not None
        chunk = hand.process.stdout.read(MIB)
        if chunk == b"":
            return self._lost(hand)
        hand.received += chunk or b""
        while len(hand.received) >= worker.HEADER and (news := hand.received[4] & (worker.WAITING | worker.WORKING)):
            hand.waits = news == worker.WAITING
            del hand.received[: worker.HEADER]
        if hand.job is None or len(hand.received) < worker.HEADER:
            return -1, None
        size = int.from_bytes(hand.received[5:13], "big")
        if len(hand.received) < worker.HEADER + size:
            return -1, None
        outcome = self._outcome(hand)
        index, hand.job = hand.job, None
        return index, outcome

    def _outcome(self, hand: _Hand) -> Outcome:
        flags = hand.received[4]
        reasons: tuple[tuple[int, Stop], ...] = (
            (worker.TIMED_OUT, "timeout"),
            (worker.TRUNCATED, "output"),
            (worker.TOO_MANY, "processes"),
        )
        return Outcome(
            exit_code=int.from_bytes(hand.received[:4], "big"),
            stdout=bytes(hand.received[worker.HEADER :]),
            stderr=b"",
            duration_s=time.monotonic() - hand.since,
            stopped=next((name for bit, name in reasons if flags & bit), None),
            truncated=bool(flags & worker.TRUNCATED),
        )

    def _lost(self, hand: _Hand) -> tuple[int, Outcome | None]:
        """The worker ended. With a job, the job is to blame; without one, the machine."""
        index = hand.job
        self._drop(hand)
        if index is None:
            raise Unavailable(
                "The sandbox for probing programs ended before it began.",
                code="sandbox_unavailable",
                hint="`prime doctor` says what works here.",
            )
        return index, self._killed(hand)

    def _give_up_on_stuck(self) -> Iterator[tuple[int, Outcome]]:
        latest = time.monotonic() - self._limits.wall_s - _PATIENCE_S
        for hand in [hand for hand in self._hands if hand.job is not None and hand.since < latest]:
            self._drop(hand)
            assert hand.job is not None
            yield hand.job, self._killed(hand)

    def _killed(self, hand: _Hand) -> Outcome:
        spent = time.monotonic() - hand.since
        return Outcome(exit_code=137, stdout=b"", stderr=b"", duration_s=spent, stopped="killed")

    def _drop(self, hand: _Hand) -> None:
        """End a worker and everything below it."""
        self._hands.remove(hand)
        process = hand.process
        assert process.stdout is not None
        assert process.stdin is not None
        self._selector.unregister(process.stdout)
        process.stdin.close()
        if hand.job is not None:
            self._interrupt(process)
        process.stdout.close()
        process.wait()
        if hand.group is not None:
            hand.group.remove()

    def _interrupt(self, process: "subprocess.Popen[bytes]") -> None:
        """The worker is busy and does not look at its input. It ends its job's processes and itself."""
        if self._within.name == "subreaper":
            process.terminate()
            return
        # The worker is the first process of its namespace: all others go with it, and its holder waits for that.
        inner = children(process.pid)
        with contextlib.suppress(ProcessLookupError):
            for pid in inner:
                os.kill(pid, signal.SIGKILL)
            if not inner:
                os.killpg(process.pid, signal.SIGKILL)
