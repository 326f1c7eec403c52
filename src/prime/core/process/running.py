"""`run`: one program from start to end, its output kept up to a limit."""

import asyncio
import contextlib
import errno
import os

from prime.core.process.command import Command, Limits, Outcome
from prime.core.process.containment import Containment, containment
from prime.core.process.lifecycle import Lifecycle

_CHUNK = 256 * 1024


async def run(command: Command, *, within: Containment | None = None) -> Outcome:
    """Run a program to its end and return what became of it; cancelling ends the program first.

    Raises NotFound (no such program or folder), InvalidInput (not a command) and Unavailable (the sandbox that is asked
    for does not work here, or the program cannot be started). Everything else is told by the Outcome.
    """
    data = _input(command)
    life = Lifecycle(command, within or containment(), feed=bool(data))
    exchange = _Exchange(life, command.limits, data)
    try:
        code = await life.gone()
    finally:
        exchange.finish()
        life.child.close_all()
    if code is None:
        raise life.failure(bytes(exchange.stderr.kept))
    stopped = life.stopped
    if stopped is None and command.limits.cpu_s is not None and code == 128 + 24:  # SIGXCPU
        stopped = "cpu"
    return Outcome(
        exit_code=code,
        stdout=bytes(exchange.stdout.kept),
        stderr=bytes(exchange.stderr.kept),
        duration_s=life.duration_s,
        stopped=stopped,
        truncated=exchange.stdout.truncated or exchange.stderr.truncated,
    )


def _input(command: Command) -> bytes:
    """What is written to the program. A terminal has no end of input but the key that says so."""
    data = command.stdin or b""
    if not command.pty:
        return data
    return data + (b"\x04" if not data or data.endswith(b"\n") else b"\x04\x04")


class _Kept:
    """The first bytes of one output, up to a limit."""

    def __init__(self, fd: int | None, limit: int) -> None:
        self.fd = fd
        self.kept = bytearray()
        self.truncated = False
        self._limit = limit

    def read(self) -> bool:
        """Take what is there now. False at the end of the output; BlockingIOError when there is nothing yet."""
        assert self.fd is not None
        try:
            chunk = os.read(self.fd, _CHUNK)
        except OSError as error:
            if error.errno == errno.EIO:  # how a terminal says that nobody is there any more
                return False
            raise
        room = self._limit - len(self.kept)
        self.kept += chunk[:room]
        self.truncated = self.truncated or len(chunk) > room
        return bool(chunk)


class _Exchange:
    """Feeds a program and reads it, until it is gone."""

    def __init__(self, life: Lifecycle, limits: Limits, data: bytes) -> None:
        self._loop = asyncio.get_running_loop()
        self._life = life
        self._data = memoryview(data)
        self._overflow = limits.overflow
        self.stdout = _Kept(life.child.stdout, limits.stdout_bytes)
        self.stderr = _Kept(life.child.stderr, limits.stderr_bytes)
        for output in (self.stdout, self.stderr):
            if output.fd is not None:
                self._loop.add_reader(output.fd, self._readable, output)
        if life.child.stdin is not None and data:
            self._loop.add_writer(life.child.stdin, self._writable, life.child.stdin)

    def finish(self) -> None:
        """Everything that wrote is gone: take what is still in the pipes."""
        stdin = self._life.child.stdin
        if stdin is not None and self._data:
            self._loop.remove_writer(stdin)
        for output in (self.stdout, self.stderr):
            if output.fd is not None:
                self._loop.remove_reader(output.fd)
                with contextlib.suppress(BlockingIOError):
                    while not output.truncated and output.read():
                        pass

    def _readable(self, output: _Kept) -> None:
        assert output.fd is not None
        with contextlib.suppress(BlockingIOError):
            if not output.read():
                self._loop.remove_reader(output.fd)
        if output.truncated and self._overflow == "stop":
            self._loop.remove_reader(output.fd)
            self._life.stop("output")

    def _writable(self, fd: int) -> None:
        try:
            self._data = self._data[os.write(fd, self._data[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # it closed its input early, which is its right
            self._data = self._data[len(self._data) :]
        if not self._data:
            self._loop.remove_writer(fd)
            self._life.child.close_stdin()
