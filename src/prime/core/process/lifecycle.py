"""One program's life on the event loop: its start, its limits, its end."""

import asyncio
import contextlib
import json
import os
from typing import cast

from prime.core.errors import Unavailable
from prime.core.process import watch
from prime.core.process.command import Command, Stop
from prime.core.process.containment import Containment
from prime.core.process.lanes import Lane, lanes
from prime.core.process.pids import ProcessGroup
from prime.core.process.spawn import Child, spawn


class Lifecycle:
    """Holds a started program until all of it is gone. `stop` may be called at any time, from the loop's thread."""

    def __init__(self, command: Command, containment: Containment, *, feed: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._command = command
        self._lane: Lane | None = None
        self._group: ProcessGroup | None = None
        self.child = self._spawned(containment, feed=feed)
        if self._group and containment.name == "subreaper":
            self._group.add(self.child.pid)
        self.started_at = self._loop.time()
        self.stopped: Stop | None = None
        # The exit code as a shell says it; None when the program could not be started at all.
        self.ended: asyncio.Future[int | None] = self._loop.create_future()
        self.trouble: str | None = None
        self._exit_code: int | None = None
        self._status = b""
        self._deadline: asyncio.TimerHandle | None = None
        self._watcher: asyncio.TimerHandle | None = None
        self._resting = False
        self._loop.add_reader(self.child.status, self._read_status)
        self._loop.add_reader(self.child.pidfd, self._holder_ended)
        if command.limits.wall_s is not None:
            self._deadline = self._loop.call_later(command.limits.wall_s, self.stop, "timeout")

    @property
    def duration_s(self) -> float:
        return self._loop.time() - self.started_at

    @property
    def root(self) -> int | None:
        """The process whose descendants are the program and its children; None before they can exist."""
        return self.child.inner if self.child.containment.name == "namespace" else self.child.pid

    def stop(self, why: Stop) -> None:
        """End everything; the first reason is the one that is reported."""
        if not self.ended.done():
            self.stopped = self.stopped or why
            self.child.end()

    async def gone(self) -> int | None:
        """Wait until nothing of it is left, also when the waiting task is cancelled: then end it first."""
        cancelled: asyncio.CancelledError | None = None
        while not self.ended.done():
            try:
                await asyncio.shield(self.ended)
            except asyncio.CancelledError as error:
                cancelled = error
                self.stop("killed")
        if cancelled is not None:
            raise cancelled
        return self.ended.result()

    def failure(self, stderr: bytes) -> Unavailable:
        """Why it could not be started, for when `ended` says None."""
        said = self.trouble or stderr.decode(errors="replace").strip() or "the sandbox ended at once"
        return Unavailable(
            f"{self._command.argv[0]} could not be started: {said}",
            code="cannot_start",
            hint="Check the program and the folders that its sandbox names.",
        )

    def _read_status(self) -> None:
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self.child.status, 4096)
            if not chunk:
                self._loop.remove_reader(self.child.status)
            self._status += chunk
        *lines, self._status = self._status.split(b"\n")
        for line in lines:
            self._take(cast("dict[str, object]", json.loads(line)))

    def _take(self, said: dict[str, object]) -> None:
        if isinstance(pid := said.get("child-pid"), int):
            self._inner_started(pid)
        if isinstance(code := said.get("exit-code"), int):
            self._exit_code = code
        if "error" in said:
            self.trouble = str(said["error"])

    def _inner_started(self, pid: int) -> None:
        child, limits = self.child, self._command.limits
        child.found_inner(pid)
        if self.stopped:
            child.end()
            return
        child.containment.set_limits(pid, limits)
        if self._group and child.containment.name == "namespace":
            self._group.add(pid)
        if child.gate is not None:
            with contextlib.suppress(BrokenPipeError):
                os.write(child.gate, b"\n")
        if watch.is_needed(limits):
            self._watch_later()

    def _spawned(self, containment: Containment, *, feed: bool) -> Child:
        """Start it, in a group of bounded size where root needs one."""
        wanted = self._command.limits.processes
        if wanted is None:
            return spawn(self._command, containment, feed=feed)
        # More than asked for: the thread that starts it, the processes that hold the program, and one to spare.
        lane = lanes().take(wanted + 4)
        if lane is None:
            child = spawn(self._command, containment, feed=feed)
            self._group = ProcessGroup.of_size(wanted + 2)
            return child
        try:
            child = lane.start(lambda: spawn(self._command, containment, feed=feed))
        except BaseException:
            lanes().give_back(lane)
            raise
        self._lane = lane
        return child

    def rest(self, *, resting: bool) -> None:
        """Look at what it uses less often while it only waits."""
        self._resting = resting
        if self._watcher is not None:
            self._watcher.cancel()
            self._watch_later()

    def _watch_later(self) -> None:
        pause = watch.RESTING_TICK_S if self._resting else watch.TICK_S
        self._watcher = self._loop.call_later(pause, self._watch)

    def _watch(self) -> None:
        why = None if self.root is None else watch.exceeded(self.root, self._command.limits)
        if why is not None:
            self.stop(why)
        elif not self.ended.done():
            self._watch_later()

    def _holder_ended(self) -> None:
        self._loop.remove_reader(self.child.pidfd)
        # Before the holder is waited for: until then its number, which ending it may use, is nobody else's.
        self._read_status()
        os.waitid(os.P_PIDFD, self.child.pidfd, os.WEXITED)
        self._loop.remove_reader(self.child.status)
        for timer in (self._deadline, self._watcher):
            if timer is not None:
                timer.cancel()
        self._watcher = None
        if self._group:
            self._group.remove()
        if self._lane:
            lanes().give_back(self._lane)
        self.ended.set_result(137 if self.stopped else self._exit_code)
