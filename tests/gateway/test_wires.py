"""The connections to servers behind the gateway, where the other side means no good."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from prime.core.errors import JsonValue, TimedOut, Unavailable
from prime.gateway.behind.events import LARGEST, events
from prime.gateway.behind.rpc import Message, Peer
from prime.gateway.behind.stdio import StdioWire

SLOW = """
import json, sys, time
time.sleep(0.5)
for line in sys.stdin.buffer:
    try:
        said = json.loads(line)
        found = {"id": said["id"], "result": {"length": len(line)}}
    except ValueError as error:
        found = {"id": 0, "result": {"torn": str(error)}}
    print(json.dumps(found), flush=True)
"""
DEAF = "import time\ntime.sleep(60)"
ASKING = """
import sys
asked = b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\\n' % number for number in range(1000))
while True:
    sys.stdout.buffer.write(asked)
"""


class Hears:
    def __init__(self) -> None:
        self.asked_for = 0

    def notified(self, method: str, params: Message) -> None: ...

    async def asked(self, method: str, params: Message) -> Message:
        self.asked_for += 1
        return {}


async def opened(program: str) -> StdioWire:
    return await StdioWire.open("server", (sys.executable, "-c", program), env={}, cwd=Path("/"))


async def test_what_two_callers_say_at_once_does_not_mix() -> None:
    wire = await opened(SLOW)
    heard: list[JsonValue] = []
    try:
        async with asyncio.timeout(20):
            sending = [wire.send({"id": number, "text": "x" * 300_000}) for number in (1, 2, 3)]
            cancelled = asyncio.create_task(wire.send({"id": 4, "text": "y" * 300_000}))
            await asyncio.sleep(0.1)
            cancelled.cancel()
            await asyncio.gather(*sending)
            while len(heard) < 4:
                heard += [message["id"] for message in await wire.receive() or []]
    finally:
        await wire.close(at_once=True)
    assert sorted(map(str, heard)) == ["1", "2", "3", "4"]


async def test_a_server_that_takes_nothing_is_given_up_in_time() -> None:
    wire = await opened(DEAF)
    peer = Peer(wire, Hears())
    running = asyncio.create_task(peer.run())
    try:
        async with asyncio.timeout(20):
            with pytest.raises(TimedOut):
                await peer.request("tools/call", {"text": "x" * 300_000}, within_s=0.3)
            with pytest.raises(Unavailable, match="does not read"):
                await asyncio.gather(*(wire.send({"text": "x" * 8_000_000}) for _ in range(5)))
    finally:
        running.cancel()
        await peer.close(at_once=True)
        await asyncio.gather(running, return_exceptions=True)


async def test_a_server_that_asks_without_end_has_only_so_many_requests_open() -> None:
    peer = Peer(await opened(ASKING), Hears())
    running = asyncio.create_task(peer.run())
    longest = 0.0
    try:
        for _ in range(30):
            since = time.perf_counter()
            await asyncio.sleep(0.05)
            longest = max(longest, time.perf_counter() - since)
        waiting = [task for task in asyncio.all_tasks() if "_answer" in repr(task.get_coro())]
    finally:
        running.cancel()
        await peer.close(at_once=True)
        await asyncio.gather(running, return_exceptions=True)
    assert len(waiting) <= 1000
    assert longest < 1


async def pieces(*given: bytes) -> AsyncIterator[bytes]:
    for piece in given:
        yield piece


async def test_events_are_read_whatever_pieces_they_come_in() -> None:
    stream = b"event: a\r\ndata: 1\r\ndata:2\r\n\r\n\n\ndata: 3\n\n: nothing\ndata: cut off"
    expected = [("a", "1\n2"), ("message", "3")]
    assert [(e.name, e.data) async for e in events(pieces(stream), "x")] == expected
    assert [(e.name, e.data) async for e in events(pieces(*(bytes([b]) for b in stream)), "x")] == expected


async def test_an_event_is_bounded_and_lines_that_say_nothing_leave_others_their_turn() -> None:
    whole = b"data: " + b"x" * (LARGEST - 100) + b"\n\n"
    cut = [whole[begin : begin + 30_000] for begin in range(0, len(whole), 30_000)]
    assert [len(e.data) async for e in events(pieces(*cut), "x")] == [LARGEST - 100]
    with pytest.raises(Unavailable, match="10 MiB"):
        assert [e async for e in events(pieces(*(cut[:-1] * 2)), "x")] == []

    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(others())
    assert [e async for e in events(pieces(b"\n" * 1024 * 1024), "x")] == []
    beside.cancel()
    assert turns >= 10
