"""Threads that live in a group of bounded size: what they start is in the group from its first moment.

Moving a started process into a group makes the kernel wait for all processors, which takes longer than a short program
runs. A thread is moved once and then serves one program after the other.
"""

import atexit
import functools
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from prime.core.process.pids import ProcessGroup
from prime.core.process.spawn import Child

_MOST = 64
_TRIES = 200
_Job = tuple[Callable[[], Child], "Future[Child]"]


class Lane:
    """One group and its thread, for one running program at a time.

    The thread lives as long as Prime, because programs die with the thread that started them.
    """

    def __init__(self, group: ProcessGroup) -> None:
        self.group = group
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._inside: Future[bool] = Future()
        self._thread = threading.Thread(target=self._serve, name="prime-lane", daemon=True)
        self._thread.start()

    @property
    def works(self) -> bool:
        """Whether the thread could be moved into the group alone."""
        return self._inside.result()

    def start(self, job: Callable[[], Child]) -> Child:
        """Start a program in the group."""
        done: Future[Child] = Future()
        self._jobs.put((job, done))
        return done.result()

    def close(self) -> None:
        """End the thread, and what it started with it; then the group can go."""
        self._jobs.put(None)
        self._thread.join()
        for _ in range(_TRIES):  # a thread that has ended is still in its group for a moment
            if self.group.remove():
                return
            time.sleep(0.001)

    def _serve(self) -> None:
        try:
            self._inside.set_result(self.group.add_this_thread())
        except OSError:
            self._inside.set_result(False)
        while (job := self._jobs.get()) is not None:
            start, done = job
            try:
                done.set_result(start())
            except BaseException as error:  # noqa: BLE001  - handed to whoever asked, who raises it
                done.set_exception(error)


class Lanes:
    """The lanes of one process: made when they are needed, kept for the next program."""

    def __init__(self) -> None:
        self._free: list[Lane] = []
        self._all: list[Lane] = []
        self._possible = True

    def take(self, most: int) -> Lane | None:
        """A lane for at most so many processes; None where the machine has none to give, or where it is not needed."""
        if self._free:
            lane = self._free.pop()
            lane.group.resize(most)
            return lane
        if not self._possible or len(self._all) >= _MOST:
            return None
        group = ProcessGroup.of_size(most)
        lane = None if group is None else Lane(group)
        if lane is None or not lane.works:
            self._possible = False
            if lane is not None:
                lane.close()
            return None
        self._all.append(lane)
        return lane

    def give_back(self, lane: Lane) -> None:
        """When nothing of its program is left."""
        self._free.append(lane)

    def close(self) -> None:
        self._possible = False
        self._free.clear()
        while self._all:
            self._all.pop().close()


def lanes() -> Lanes:
    """Those of this process: threads do not survive a fork."""
    return _lanes_of(os.getpid())


@functools.lru_cache(maxsize=1)
def _lanes_of(pid: int) -> Lanes:
    made = Lanes()
    atexit.register(lambda: os.getpid() == pid and made.close())
    return made
