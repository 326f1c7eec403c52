"""Lines of standard input, whatever it is: a pipe, a terminal or a file."""

import asyncio
import os
import stat
import sys
import threading
from contextlib import suppress
from typing import Protocol

_MOST_AHEAD = 64
_PIECE = 256 * 1024


class Lines(Protocol):
    @property
    def ended(self) -> bool:
        """Whether the other side has closed it."""
        ...

    async def next(self) -> bytes | None:
        """The next line that has anything in it; None at the end."""
        ...


def input_lines() -> Lines:
    """A pipe is read by the loop when it has something; for the rest there is a thread."""
    return PipedLines(sys.stdin.fileno()) if _is_own_pipe(sys.stdin.fileno()) else ThreadedLines()


def _is_own_pipe(descriptor: int) -> bool:
    """Whether it can be waited for, and nobody else suffers from our way of reading it."""
    given = os.fstat(descriptor)
    try:
        out = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):
        return False
    is_pipe = stat.S_ISFIFO(given.st_mode) or stat.S_ISSOCK(given.st_mode)
    return is_pipe and (given.st_dev, given.st_ino) != (out.st_dev, out.st_ino)


class PipedLines:
    """Reads ahead as far as one piece; who writes more waits."""

    def __init__(self, descriptor: int) -> None:
        self.ended = False
        self._descriptor = descriptor
        self._lines: list[bytes] = []  # the next one last
        self._half: list[bytes] = []

    async def next(self) -> bytes | None:
        while True:
            while self._lines:
                if (line := self._lines.pop()).strip():
                    return line
            if self.ended:
                return None
            self._take(await self._piece())

    def _take(self, piece: bytes) -> None:
        self.ended = not piece
        *whole, rest = (piece or b"\n").split(b"\n")
        if whole:
            whole[0] = b"".join((*self._half, whole[0]))
            self._lines = whole[::-1]
            self._half.clear()
        self._half.append(rest)

    async def _piece(self) -> bytes:
        """What is there now, as soon as anything is; nothing at the end."""
        while True:
            await self._readable()
            with suppress(BlockingIOError):
                return os.read(self._descriptor, _PIECE)

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._descriptor, lambda: ready.done() or ready.set_result(None))
        try:
            await ready
        finally:
            loop.remove_reader(self._descriptor)


class ThreadedLines:
    """A thread reads, because files are always ready and terminals belong to others too; it dies with the process."""

    def __init__(self) -> None:
        self.ended = False
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = threading.Semaphore(_MOST_AHEAD)
        threading.Thread(target=self._read, daemon=True, name="mcp-stdin").start()

    async def next(self) -> bytes | None:
        while True:
            line = await self._lines.get()
            self._room.release()
            if line is None:
                self.ended = True
                return None
            if line.strip():
                return line

    def _read(self) -> None:
        for line in iter(sys.stdin.buffer.readline, b""):
            self._put(line)
        self._put(None)

    def _put(self, line: bytes | None) -> None:
        self._room.acquire()
        with suppress(RuntimeError):  # the loop is gone, and so is whoever would read this
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
