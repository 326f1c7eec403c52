"""Everything at once, against one or several `prime serve`: words in channels, tool calls over MCP, strangers on the network,
and listeners on `/events`. Prints rates, p50 and p99 and errors, and looks afterwards whether anything acknowledged is missing.

    load.py                                one process on SQLite, then one and three on one PostgreSQL, three times in turns
    load.py --replicas 3                   only that: started here, on a PostgreSQL of its own (one: on SQLite)
    load.py --replicas 1 --postgresql      one on PostgreSQL
    load.py --url http://127.0.0.1:8787    an instance that runs already (repeat --url for its replicas; no owner set)

Loopback only: this is no tool to press other people's machines with. Bounded in time (`--seconds`, at most 600) and in
connections (at most 2,000).

Who asks and what is asked share the processors, so beside the rates stands what each side took: processor milliseconds of
the replicas, of the database and of this tool, for each request that was answered (a message, a tool call, a stranger's
word; each with everything that follows from it, and with the events that all listeners were sent). Where there are
processors to spare those of the replicas decide how far the rates go.
"""

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parent))
import httpx2
from crowd import Mix, Seen, crowd
from gateways import Client, until_there
from replicas import Running, postgresql, replicas
from report import Report, scaled

MOST_SECONDS, MOST_CONNECTIONS = 600, 2000
ROUNDS = scaled(3, 1)


@dataclass
class Outcome:
    """What one run came to."""

    messages_per_s: float = 0
    facts: dict[str, str] = field(default_factory=dict[str, str])


def checked(mix: Mix) -> Mix:
    if not 0 < mix.seconds <= MOST_SECONDS:
        raise SystemExit(f"--seconds is over 0 and at most {MOST_SECONDS}.")
    if mix.writers + mix.callers + mix.strangers + mix.listeners > MOST_CONNECTIONS:
        raise SystemExit(f"These are over {MOST_CONNECTIONS:,} connections.")
    return mix


def loopback(url: str) -> str:
    host = urlsplit(url).hostname or ""
    with contextlib.suppress(ValueError):
        if host == "localhost" or ip_address(host).is_loopback:
            return url.rstrip("/")
    raise SystemExit(f"{url} is not on this machine; this tool asks loopback addresses only.")


async def prepare(url: str, seen: Seen) -> int:
    """Channels to write to; the log's place before anything was written."""
    async with httpx2.AsyncClient(base_url=url, timeout=30) as http:
        for number in range(10):
            made = await http.post("/api/channels", json={"name": f"Load {number}", "tier": "team"})
            seen.channels.append(made.raise_for_status().json()["id"])
        first = await http.post(f"/api/channels/{seen.channels[0]}/messages", json={"text": "Before."})
        return first.raise_for_status().json()["seq"]


async def warm(urls: Sequence[str]) -> None:
    """Call a tool at each replica: the first call loads the gateway, and its servers may still be opening."""
    for url in urls:
        session = Client(f"{url}/mcp")
        await session.open()
        await session.call("prime", {"agentId": "load", "sessionId": "s"})
        await until_there(session, "one__echo")
        await session.close()


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
        "not heard by a listener": sum(len(wanted - one.heard) for one in seen.listeners),
        "strangers' words gone": len(seen.stranger_words - words),
    }


async def one_run(label: str, running: Running, mix: Mix) -> Outcome:
    seen, outcome = Seen(), Outcome()
    last = await prepare(running.urls[0], seen)
    await warm(running.urls)
    served, stored, own = running.served_s(), running.stored_s(), time.process_time()
    tallies, took = await crowd(running.urls, mix, seen, last)
    served, stored, own = running.served_s() - served, running.stored_s() - stored, time.process_time() - own
    for name, tally in tallies.items():
        outcome.facts[f"{label}: {name}"] = tally.line(took)
    delivered = sum(len(one.heard) for one in seen.listeners)
    outcome.facts[f"{label}: events"] = f"{delivered / took:,.0f} deliveries/s to {len(seen.listeners)} listeners"
    asked = max(sum(len(tally.times) for tally in tallies.values()), 1)
    shares = {"replicas": served, "database": stored, "this tool": own}
    used = ", ".join(f"{name} {seconds / asked * 1000:.2f}" for name, seconds in shares.items() if seconds)
    outcome.facts[f"{label}: CPU ms per request"] = used
    found = await missing(running.urls[-1], seen)
    said = ", ".join(f"{count} {name}" for name, count in found.items())
    outcome.facts[f"{label}: afterwards"] = f"{len(seen.acknowledged):,} acknowledged; {said}"
    print(f"{label}: {said}", file=sys.stderr)
    if any(found.values()):
        raise SystemExit(f"{label}: something acknowledged is missing: {said}")
    outcome.messages_per_s = len(seen.acknowledged) / took
    return outcome


def middle(outcomes: Sequence[Outcome]) -> Outcome:
    """The one whose rate is the median: its other figures belong to it."""
    wanted = statistics.median_low(one.messages_per_s for one in outcomes)
    return next(one for one in outcomes if one.messages_per_s == wanted)


async def compared(report: Report, mix: Mix) -> None:
    """One process on SQLite, one and three on PostgreSQL, in turns."""
    kinds = ((1, False), (1, True), (3, True))
    rounds = [
        [await started_here(count, mix, on_postgresql=on_postgresql) for count, on_postgresql in kinds]
        for _ in range(ROUNDS)
    ]
    columns = list(zip(*rounds, strict=True))
    embedded, alone, three = ([one.messages_per_s for one in column] for column in columns)
    report.row("messages/s, 1 on PostgreSQL", ours=alone, peer=embedded, peer_name="1 on SQLite")
    report.row("messages/s, 3 on PostgreSQL", ours=three, peer=alone, peer_name="1 on PostgreSQL")
    for column in columns:
        report.facts |= middle(column).facts


async def started_here(count: int, mix: Mix, *, on_postgresql: bool) -> Outcome:
    with tempfile.TemporaryDirectory(dir=os.environ.get("PRIME_BENCH_DIR")) as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        database = stack.enter_context(postgresql(folder)) if on_postgresql else None
        label = f"{count} on {'PostgreSQL' if on_postgresql else 'SQLite'}"
        async with replicas(count, folder / "run", database) as running:
            return await one_run(label, running, mix)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--url", action="append", type=loopback, default=[])
    parser.add_argument("--replicas", type=int)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--seconds", type=float, default=scaled(15, 4))
    for name, default in (("writers", 16), ("callers", 4), ("strangers", 4), ("listeners", 30)):
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


async def main() -> None:
    given = options()
    mix = checked(Mix(given.writers, given.callers, given.strangers, given.listeners, given.seconds))
    report = Report(
        "load", f"everything at once for {mix.seconds:g} s: {mix.writers} writers, {mix.callers} callers of tools"
    )
    if given.url:
        report.facts |= (await one_run("given", Running(given.url), mix)).facts
    elif given.replicas:
        on_postgresql = given.postgresql or given.replicas > 1
        report.facts |= (await started_here(given.replicas, mix, on_postgresql=on_postgresql)).facts
    else:
        await compared(report, mix)
    report.finish()


if __name__ == "__main__":
    import uvloop

    uvloop.run(main())
