"""`start`: a program that stays, spoken to line by line: MCP servers, tools on standby."""

import asyncio
import contextlib
import errno
import os
import signal
from types import TracebackType
from typing import Self

from prime.core.errors import TooLarge, Unavailable
from prime.core.process.command import Command, Outcome
from prime.core.process.containment import Containment, containment
from prime.core.process.guard import children
from prime.core.process.lifecycle import Lifecycle

_CHUNK = 64 * 1024


async def start(command: Command, *, within: Containment | None = None) -> "Process":
    """Start a program and leave it running.

    `command.stdin` is written first, and the input stays open. `limits.wall_s` counts for the whole life, so a server
    wants None; `limits.stdout_bytes` bounds what is read ahead and one line; the last `limits.stderr_bytes` are kept.
    It dies with this process, and at the end of `async with`.
    """
    process = Process(command, within or containment())
    if command.stdin:
        await process.write(command.stdin)
    return process


class Process:
    """A running program. One task reads, one writes; all of it is gone when `wait` returns."""

    def __init__(self, command: Command, within: Containment) -> None:
        self._loop = asyncio.get_running_loop()
        self._life = Lifecycle(command, within, feed=True)
        self._limits = command.limits
        self._name = command.argv[0]
        self._stdout = asyncio.StreamReader(limit=command.limits.stdout_bytes)
        self._tail = bytearray()
        self._dropped = False
        child = self._life.child
        source = _Source(self._loop, child.stdout, self._stdout)
        self._stdout.set_transport(source)
        source.resume_reading()
        if child.stderr is not None:
            self._loop.add_reader(child.stderr, self._read_stderr, child.stderr)
        self._settled = asyncio.ensure_future(self._settle(source))

    @property
    def pid(self) -> int:
        """The holder's process id, as this machine sees it."""
        return self._life.child.pid

    @property
    def running(self) -> bool:
        return not self._life.ended.done()

    @property
    def stderr_tail(self) -> bytes:
        """The last that it wrote to stderr."""
        return bytes(self._tail)

    async def read(self, size: int = _CHUNK) -> bytes:
        """Some bytes of its output; empty at the end."""
        return await self._stdout.read(size)

    async def readline(self) -> bytes:
        """The next line with its newline; empty at the end. A line over `limits.stdout_bytes` is TooLarge."""
        try:
            return await self._stdout.readline()
        except ValueError as error:
            message = f"{self._name} wrote a line of more than {self._limits.stdout_bytes} bytes."
            raise TooLarge(message, code="line_too_long") from error

    async def write(self, data: bytes | memoryview) -> None:
        """Write all of it, waiting while the program is not reading. A program that is gone is Unavailable."""
        while data := self.write_now(data):
            await self._writable()

    def write_now(self, data: bytes | memoryview) -> memoryview:
        """Write what the program takes without waiting; the rest of it. A program that is gone is Unavailable."""
        left = memoryview(data)
        while left:
            fd = self._life.child.stdin
            if fd is None or not self.running:
                raise self._closed()
            try:
                left = left[os.write(fd, left) :]
            except BlockingIOError:
                break
            except OSError as error:
                raise self._closed() from error
        return left

    def rest(self, *, resting: bool) -> None:
        """Say whether it only waits to be spoken to: it is then watched less closely, which costs less."""
        self._life.rest(resting=resting)

    def close_input(self) -> None:
        """Tell it that no more comes."""
        self._life.child.close_stdin()

    def terminate(self) -> None:
        """Ask the program to end (SIGTERM); `kill` does not ask."""
        root = self._life.root
        for pid in [] if root is None else children(root):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def kill(self) -> None:
        """End everything that was started."""
        self._life.stop("killed")

    async def wait(self) -> Outcome:
        """Wait until nothing of it is left. Cancelling the wait leaves the program running."""
        code = await asyncio.shield(self._settled)
        if code is None:
            raise self._life.failure(bytes(self._tail))
        return Outcome(
            exit_code=code,
            stdout=b"",
            stderr=bytes(self._tail),
            duration_s=self._life.duration_s,
            stopped=self._life.stopped,
            truncated=self._dropped,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        await asyncio.shield(self._settled)

    def _closed(self) -> Unavailable:
        said = bytes(self._tail[-500:]).decode(errors="replace").strip()
        return Unavailable(f"{self._name} does not take input any more. {said}".strip(), code="process_ended")

    async def _writable(self) -> None:
        fd = self._life.child.stdin
        if fd is None:
            raise self._closed()
        ready = self._loop.create_future()
        self._loop.add_writer(fd, lambda: ready.done() or ready.set_result(None))
        try:
            await asyncio.wait([ready, self._life.ended], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._loop.remove_writer(fd)

    def _read_stderr(self, fd: int) -> None:
        try:
            chunk = os.read(fd, _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            self._loop.remove_reader(fd)
        self._tail += chunk
        if (over := len(self._tail) - self._limits.stderr_bytes) > 0:
            del self._tail[:over]
            self._dropped = True

    async def _settle(self, source: "_Source") -> int | None:
        """When all of it is gone: take what is still in the pipes, and close our ends."""
        child = self._life.child
        code = await self._life.gone()
        source.drain()
        if child.stderr is not None:
            self._read_stderr(child.stderr)
            self._loop.remove_reader(child.stderr)
        child.close_all()
        return code


class _Source(asyncio.ReadTransport):
    """Feeds a StreamReader from a descriptor and stops reading while it has enough."""

    def __init__(self, loop: asyncio.AbstractEventLoop, fd: int, reader: asyncio.StreamReader) -> None:
        super().__init__()
        self._loop, self._fd, self._reader = loop, fd, reader
        self._open = True

    def pause_reading(self) -> None:
        self._loop.remove_reader(self._fd)

    def resume_reading(self) -> None:
        if self._open:
            self._loop.add_reader(self._fd, self._readable)

    def drain(self) -> None:
        """The writers are gone: what a pipe holds is the end of it."""
        while self._open:
            self._readable(last=True)

    def _readable(self, *, last: bool = False) -> None:
        try:
            chunk = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            if not last:
                return
            chunk = b""
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            chunk = b""
        if chunk:
            self._reader.feed_data(chunk)
            return
        self._open = False
        self._loop.remove_reader(self._fd)
        self._reader.feed_eof()
