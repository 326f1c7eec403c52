"""The gateway on standard input and output: by itself, or as a client of the Prime that owns the data folder."""

import asyncio
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from prime.core.errors import Unavailable
from prime.gateway.front.input import Lines, input_lines
from prime.gateway.front.sessions import connection_key
from prime.gateway.gateway import Gateway
from prime.store.folder import socket_address


async def serve_stdio(gateway: Gateway) -> None:
    """Serve the one client at the other end of the pipe, until it closes it."""
    from prime.gateway.front.streams import serve_texts

    house = await gateway.front()
    lines, key = input_lines(), connection_key()
    try:
        await serve_texts(house.front, key, None, lambda: next_message(lines), write_line)
    finally:
        house.sessions.end(key)


async def bridge(socket: Path) -> None:
    """Carry lines between this process and the owner's socket; whoever speaks here is the owner's own client."""
    from websockets.asyncio.client import unix_connect
    from websockets.exceptions import ConnectionClosed, WebSocketException

    try:
        with socket_address(socket) as address:
            connection = await unix_connect(
                address, "ws://prime.sock/mcp/ws", max_size=None, compression=None, open_timeout=20, ping_interval=None
            )
    except (OSError, WebSocketException, TimeoutError) as error:
        raise Unavailable(f"Prime does not answer on {socket}: {error}.", hint="See whether it still runs.") from error
    lines = input_lines()
    goodbye = False

    async def up() -> None:
        nonlocal goodbye
        while (line := await next_message(lines)) is not None:
            goodbye = says_goodbye(line)
            await connection.send(line.decode("utf-8", "replace"))

    async def down() -> None:
        async for message in connection:
            await write_line(message if isinstance(message, str) else message.decode())

    async with connection:
        tasks = {asyncio.ensure_future(up()), asyncio.ensure_future(down())}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:  # also when Ctrl-C ends it: nobody asks these two any more what became of them
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(ConnectionClosed):
            for task in done:
                task.result()
    if not (lines.ended or goodbye):
        raise Unavailable("Prime has stopped.", code="prime_stopped", hint="Start it again, and then the client.")


def says_goodbye(line: bytes) -> bool:
    """Whether this is the client's `closed`, after which the other side ends the connection."""
    return re.search(rb'"method"\s*:\s*"(notifications/)?closed"', line[:500]) is not None


async def next_message(lines: Lines) -> bytes | None:
    """The next one that may be read; one that is too large has its answer from here, and the connection goes on."""
    from pydantic_core import to_json

    from prime.gateway.front.frames import too_large

    while (line := await lines.next()) is not None:
        wrong = too_large(line)
        if wrong is None:
            return line
        await write_line(to_json(wrong).decode())
    return None


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
