"""Those who ask, all at once: writers, callers of tools, strangers, and listeners on `/events`.

They share the machine with what they measure, so they do the least that HTTP lets them do: a socket each, and of an
answer only what is looked at afterwards.
"""

import asyncio
import json
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent))
from gateways import Client, Connection, Refused

PATIENCE_S = 60.0


@dataclass(frozen=True)
class Mix:
    """How many of each work at the same time, all replicas together."""

    writers: int = 16
    callers: int = 4
    strangers: int = 4
    listeners: int = 30
    seconds: float = 15


@dataclass
class Tally:
    """What came of one kind of request."""

    times: list[float] = field(default_factory=list[float])
    errors: Counter[str] = field(default_factory=Counter[str])

    def line(self, seconds: float) -> str:
        taken = sorted(self.times) or [0.0]
        p50, p99 = statistics.median(taken) * 1000, taken[int(len(taken) * 0.99)] * 1000
        wrong = ", ".join(f"{count} {name}" for name, count in self.errors.items()) or "none"
        return f"{len(self.times) / seconds:,.0f}/s, p50 {p50:.1f} ms, p99 {p99:.1f} ms, errors: {wrong}"


@dataclass
class Seen:
    """What was promised, and what the listeners heard."""

    acknowledged: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    channels: list[str] = field(default_factory=list[str])
    listeners: "list[Listener]" = field(default_factory=list["Listener"])
    stranger_words: set[str] = field(default_factory=set[str])


async def repeat(until: float, tally: Tally, work: Callable[[int], Awaitable[str | None]]) -> None:
    """`work` again and again; it says what went wrong, if anything did."""
    number = 0
    while time.perf_counter() < until:
        begin = time.perf_counter()
        try:
            wrong = await work(number)
        except Refused as error:
            wrong = str(error.status)
        except (OSError, EOFError) as error:
            wrong = type(error).__name__
        if wrong is None:
            tally.times.append(time.perf_counter() - begin)
        else:
            tally.errors[wrong] += 1
            await asyncio.sleep(0.05)
        number += 1


async def write(url: str, name: str, until: float, tally: Tally, seen: Seen) -> None:
    http = Connection(url)

    async def say(number: int) -> str | None:
        channel = seen.channels[number % len(seen.channels)]
        key = f"{name}-{number}"
        body = {"text": f"We can deliver forty lamps in March ({key}).", "idempotencyKey": key}
        answer = await http.ask("POST", {}, body, path=f"/api/channels/{channel}/messages")
        if answer.status != 201:
            return str(answer.status)
        message = json.loads(answer.text)
        seen.acknowledged[message["id"]] = (channel, message["seq"])
        return None

    await repeat(until, tally, say)
    await http.close()


async def call(url: str, until: float, tally: Tally) -> None:
    session = Client(f"{url}/mcp")
    await session.open()
    await session.call("prime", {"agentId": "load", "sessionId": "s"})

    async def echo(number: int) -> str | None:
        said = await session.call("one__echo", {"text": f"hello {number}"})
        return None if f"hello {number}" in said else "refused"

    await repeat(until, tally, echo)
    await session.close()


async def knock(url: str, name: str, until: float, tally: Tally, seen: Seen) -> None:
    """A stranger who writes Prime Messages; being told to slow down is an answer, and counted."""
    http = Connection(url)

    async def message(number: int) -> str | None:
        words = f"Hello from {name}, number {number}"
        body = {"id": f"{name}-{number}", "from": {"id": name, "name": name}, "text": words}
        await http.ask("POST", {}, body, path="/prime/message")
        seen.stranger_words.add(words)
        return None

    await repeat(until, tally, message)
    await http.close()


class Listener(asyncio.Protocol):
    """Every event's id; goes on after the last one when the connection ends.

    Bytes are kept as they come and read when there is time for it: listeners are many, and what they do is counted against
    whom they listen to.
    """

    def __init__(self, url: str, last: int) -> None:
        self._url = urlsplit(url)
        self._last = last
        self._bytes = bytearray()
        self._ended = asyncio.Event()
        self.ready = asyncio.Event()
        self.heard: set[int] = set()

    async def run(self) -> None:
        host, port = self._url.hostname or "", self._url.port or 80
        while True:
            try:
                self._ended.clear()
                connected, _ = await asyncio.get_running_loop().create_connection(lambda: self, host, port)
                place = max(self.read(), default=self._last)
                request = f"GET /events HTTP/1.1\r\nHost: {host}:{port}\r\nLast-Event-ID: {place}\r\n\r\n"
                connected.write(request.encode())
                await self._ended.wait()
            except OSError:
                pass
            await asyncio.sleep(0.2)

    def data_received(self, data: bytes) -> None:
        self._bytes += data
        self.ready.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended.set()

    def read(self) -> set[int]:
        """The ids heard so far."""
        *lines, rest = bytes(self._bytes).split(b"\n")
        self.heard.update(int(line[4:]) for line in lines if line.startswith(b"id: "))
        self._bytes = bytearray(rest)
        return self.heard


async def crowd(urls: Sequence[str], mix: Mix, seen: Seen, last: int) -> tuple[dict[str, Tally], float]:
    """All of them for so long, and then until every listener has heard what was acknowledged."""
    tallies = {name: Tally() for name in ("messages", "tool calls", "network messages")}
    seen.listeners = [Listener(urls[n % len(urls)], last) for n in range(mix.listeners)]
    listening = [asyncio.create_task(one.run()) for one in seen.listeners]
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(one.ready.wait() for one in seen.listeners))
    begin = time.perf_counter()
    until = begin + mix.seconds
    pick = [urls[n % len(urls)] for n in range(max(mix.writers, mix.callers, mix.strangers, 1))]
    words, calls, knocks = tallies.values()
    await asyncio.gather(
        *(write(pick[n], f"w{os.getpid()}-{n}", until, words, seen) for n in range(mix.writers)),
        *(call(pick[n], until, calls) for n in range(mix.callers)),
        *(knock(pick[n], f"stranger-{os.getpid()}-{n}", until, knocks, seen) for n in range(mix.strangers)),
    )
    took = time.perf_counter() - begin
    wanted = {seq for _, seq in seen.acknowledged.values()}
    patience = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < patience and not all(wanted <= one.read() for one in seen.listeners):  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
    return tallies, took
