"""Noise that strangers make at an instance, in a process of its own so that it does not slow down who measures.

benchmarks/noise.py KIND URL SECONDS prints how often it was made.
"""

import asyncio
import contextlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from urllib.parse import urlsplit

CONNECTIONS = 200
AT_ONCE = 16
MEGABYTE = 1_000_000
HOST = b"Host: 127.0.0.1\r\n"
UPGRADE = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n" % (
    b"A" * 22 + b"=="
)
CLIENT_HELLO = bytes.fromhex("16030100c8010000c40303") + bytes(range(193))


Json = dict[str, object]
numbers = count()


def get(path: bytes, more: bytes = b"") -> bytes:
    return b"GET %s HTTP/1.1\r\n%s%s\r\n" % (path, HOST, more)


def post(path: bytes, body: Json, fill: int = 0) -> bytes:
    given = json.dumps(body).encode()
    given = given[:-1] + b" " * fill + given[-1:]
    head = b"POST %s HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % (path, HOST, len(given)) + given


# Stands for a number that no other request has.
NUMBER = "@@@@@@@@"
PARTS = [{"text": "Hello, can we meet on Monday?"}]
MESSAGE: Json = {"id": f"m-{NUMBER}", "from": {"id": f"a-{NUMBER}", "name": "Noise"}, "text": "Hello, can we meet?"}
RPC: Json = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage",
             "params": {"message": {"messageId": f"m-{NUMBER}", "role": "ROLE_USER", "parts": PARTS}}}  # fmt: skip
CARD: Json = {"name": f"noise {NUMBER}", "url": "http://127.0.0.1:9/", "description": "x"}

# Asked one after the other, as fast as answers come.
ASKED: dict[str, Sequence[bytes]] = {
    "a closed path": [get(b"/api/status", b"Cookie: prime_session=%s\r\n" % (b"x" * 65))],
    "the page": [get(b"/")],
    "public paths": [
        get(path)
        for path in (b"/api/auth/me", b"/readyz", b"/api/directory/search?q=x", b"/.well-known/agent-card.json")
    ],
    "sign-in links": [post(b"/api/auth/request", {"email": "me@example.com"})],
    "messages of agents": [post(b"/prime/message", MESSAGE)],
    "the directory": [
        post(b"/api/directory/register", CARD),
        post(b"/api/directory/heartbeat", {"id": "agt_x", "token": "x"}),
        get(b"/api/directory/agents"),
    ],
    "A2A": [post(b"/a2a", RPC)],
    "1 MB bodies": [
        post(path, {}, MEGABYTE) for path in (b"/prime/message", b"/api/auth/request", b"/a2a", b"/api/chat")
    ],
    "events": [get(b"/events")],
}


made = Counter[str]()


async def ask(source: str, host: str, port: int, asked: Sequence[bytes], until: float) -> None:
    reader, writer = await asyncio.open_connection(host, port, local_addr=(source, 0))
    with contextlib.closing(writer):
        while time.monotonic() < until:
            large = len(asked[0]) > MEGABYTE
            many = [asked[next(numbers) % len(asked)]] if large else [*asked] * max(1, AT_ONCE // len(asked))
            for request in many:
                writer.write(request.replace(NUMBER.encode(), b"%08d" % next(numbers)))
            await writer.drain()
            for _ in many:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
                made["requests"] += 1


async def drop(source: str, host: str, port: int, _until: float) -> None:
    """A connection that ends in the middle of a head, without a farewell."""
    _, writer = await asyncio.open_connection(host, port, local_addr=(source, 0))
    writer.write(get(b"/")[:-9])
    writer.transport.abort()
    made["connections"] += 1


async def say(source: str, host: str, port: int, text: bytes) -> None:
    reader, writer = await asyncio.open_connection(host, port, local_addr=(source, 0))
    with contextlib.closing(writer):
        writer.write(text)
        await reader.read(1000)
        made["connections"] += 1


async def trickle(source: str, host: str, port: int, text: bytes, until: float) -> None:
    """A byte at a time, ten of them a second."""
    _, writer = await asyncio.open_connection(host, port, local_addr=(source, 0))
    with contextlib.closing(writer):
        for place in range(len(text)):
            if time.monotonic() > until or writer.transport.is_closing():
                break
            writer.write(text[place : place + 1])
            made["bytes"] += 1
            await asyncio.sleep(0.1)


Maker = Callable[[str, str, int, float], Awaitable[None]]


def asking(asked: Sequence[bytes]) -> Maker:
    return lambda source, host, port, until: ask(source, host, port, asked, until)


def saying(text: bytes) -> Maker:
    return lambda source, host, port, _until: say(source, host, port, text)


def slow(text: bytes) -> Maker:
    return lambda source, host, port, until: trickle(source, host, port, text, until)


KINDS: dict[str, Maker] = {
    **{name: asking(asked) for name, asked in ASKED.items()},
    "dropped connections": drop,
    "TLS": saying(CLIENT_HELLO),
    "websockets": saying(get(b"/mcp/ws", UPGRADE)),
    "slow heads": slow(get(b"/", b"X: %s\r\n" % (b"a" * 10_000))),
    "slow bodies": slow(post(b"/prime/message", {"text": "a" * 10_000})),
}


async def keep_on(source: str, host: str, port: int, make: Maker, until: float) -> None:
    while (left := until - time.monotonic()) > 0:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            async with asyncio.timeout(left):
                await make(source, host, port, until)


async def main(kind: str, url: str, seconds: float) -> None:
    parts, until = urlsplit(url), time.monotonic() + seconds
    crowd = [f"127.0.{n // 200}.{n % 200 + 2}" for n in range(CONNECTIONS)]
    await asyncio.gather(
        *(keep_on(source, parts.hostname or "", parts.port or 80, KINDS[kind], until) for source in crowd)
    )
    print(made.total())


if __name__ == "__main__":
    os.nice(10)  # it stands for machines elsewhere, which do not take this one's processors
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
