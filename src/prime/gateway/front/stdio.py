"""The gateway on standard input and output: by itself, or as a client of the Prime that owns the data folder."""

import asyncio
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

from prime.core.errors import Unavailable
from prime.gateway.front.sessions import connection_key
from prime.gateway.gateway import Gateway

_MOST_AHEAD = 64


async def serve_stdio(gateway: Gateway) -> None:
    """Serve the one client at the other end of the pipe, until it closes it."""
    from prime.gateway.front.streams import serve_texts

    house = await gateway.front()
    lines, key = InputLines(), connection_key()
    try:
        await serve_texts(house.front, key, None, lines.next, write_line)
    finally:
        house.sessions.end(key)


async def bridge(socket: Path) -> None:
    """Carry lines between this process and the owner's socket; whoever speaks here is the owner's own client."""
    from websockets.asyncio.client import unix_connect
    from websockets.exceptions import ConnectionClosed, WebSocketException

    try:
        connection = await unix_connect(
            str(socket), "ws://prime.sock/mcp/ws", max_size=None, compression=None, open_timeout=20, ping_interval=None
        )
    except (OSError, WebSocketException, TimeoutError) as error:
        raise Unavailable(f"Prime does not answer on {socket}: {error}.", hint="See whether it still runs.") from error
    lines = InputLines()

    async def up() -> None:
        while (line := await lines.next()) is not None:
            await connection.send(line.decode("utf-8", "replace"))

    async def down() -> None:
        async for message in connection:
            await write_line(message if isinstance(message, str) else message.decode())

    async with connection:
        tasks = {asyncio.ensure_future(up()), asyncio.ensure_future(down())}
        done, left = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in left:
            task.cancel()
        with suppress(ConnectionClosed):
            for task in done:
                task.result()
    if not lines.ended:
        raise Unavailable("Prime has stopped.", code="prime_stopped", hint="Start it again, and then the client.")


class InputLines:
    """Lines of standard input, whatever it is: a pipe, a terminal or a file.

    A thread reads, because files are always ready and terminals never are; it dies with the process.
    """

    def __init__(self) -> None:
        self.ended = False
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = threading.Semaphore(_MOST_AHEAD)
        threading.Thread(target=self._read, daemon=True, name="mcp-stdin").start()

    async def next(self) -> bytes | None:
        """The next line that has anything in it; None at the end."""
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


async def write_line(text: str) -> None:
    """One message to standard output. A client that does not read is waited for, beside everything else."""
    data = text.encode() + b"\n"
    if len(data) <= 4096:  # a pipe takes this much at once when it is ready at all
        await asyncio.to_thread(_write, data) if _would_block() else _write(data)
    else:
        await asyncio.to_thread(_write, data)


def _would_block() -> bool:
    import select

    try:
        return not select.select([], [sys.stdout.fileno()], [], 0)[1]
    except ValueError:
        return True


def _write(data: bytes) -> None:
    left, out = memoryview(data), sys.stdout.fileno()
    while left:
        left = left[os.write(out, left) :]
