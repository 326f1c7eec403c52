"""The instance under strain: the owner's request amid noise, writers during a backup, and a start with a long log.

benchmarks/instance.py [--json FILE] [--messages 1000000] [--megabytes 1000] [--seconds 10] [--only noise|backup|start]
    [--noise KIND]…
"""

import argparse
import asyncio
import contextlib
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
import httpx2
from noise import CONNECTIONS, KINDS
from report import Report, scaled

from prime.app import MIGRATIONS, PROJECTIONS, open_prime
from prime.core.clock import SystemClock
from prime.core.settings import Settings
from prime.store.backup import Backups
from prime.store.folder import DataFolder
from prime.store.message import NewMessage, payload_hash
from prime.store.store import Store

PRIME = Path(sys.executable).with_name("prime")
NOISE = Path(__file__).with_name("noise.py")
STARTING_SECONDS = 1.0
NOISE_ROUNDS = 3
BACKUP_ROUNDS = scaled(3, 1)
WRITES_PER_SECOND = 500
FIRST_TS = 1_767_225_600_000


# --- noise ---


@contextlib.asynccontextmanager
async def serving(folder: str, **variables: str) -> AsyncGenerator[tuple[str, int]]:
    """Where it is, and its process."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_")} | variables
    process = await asyncio.create_subprocess_exec(
        str(PRIME), "serve", "--port", "0", "--data", folder, env=environment, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    line = (await process.stdout.readline()).decode()
    try:
        yield line.split()[-1], process.pid
    finally:
        process.terminate()
        await process.wait()


def processor_seconds(pid: int) -> float:
    """What a process has had of the processors, to the nanosecond."""
    spent = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has just ended
            spent += int((thread / "schedstat").read_text().split()[0])
    return spent / 1e9


async def make_noise(kind: str, url: str, seconds: float) -> int:
    """How often it was made."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(NOISE), kind, url, str(seconds), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    return int(out)


@dataclass
class Taken:
    """How long each request took, and how much the server worked between question and answer, for whomever."""

    seconds: list[float] = field(default_factory=list[float])
    work: list[float] = field(default_factory=list[float])


async def measure(http: httpx2.AsyncClient, pid: int, seconds: float, taken: Taken) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        begin, worked = time.perf_counter(), processor_seconds(pid)
        answer = await http.get("/api/channels")
        taken.seconds.append(time.perf_counter() - begin)
        taken.work.append(processor_seconds(pid) - worked)
        assert answer.status_code == 200
        await asyncio.sleep(0.01)


def sign_in_link(folder: str) -> str:
    command = [str(PRIME), "login", "--data", folder]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


async def noise(report: Report, seconds: float, kinds: Sequence[str]) -> None:
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            async with serving(folder, PRIME_OWNER_EMAIL="me@example.com") as (url, pid):
                await noise_of(report, url, pid, sign_in_link(folder), kind, seconds)


async def noise_of(report: Report, url: str, pid: int, link: str, kind: str, seconds: float) -> None:
    quiet, loud = [Taken() for _ in range(NOISE_ROUNDS)], [Taken() for _ in range(NOISE_ROUNDS)]
    each, made = seconds / NOISE_ROUNDS, 0
    async with httpx2.AsyncClient(base_url=url) as http:
        await http.get(link)
        for without, amid in zip(quiet, loud, strict=True):
            await measure(http, pid, each, without)
            noisy = asyncio.create_task(make_noise(kind, url, each + STARTING_SECONDS))
            await asyncio.sleep(STARTING_SECONDS)
            await measure(http, pid, each, amid)
            made += await noisy
    ours, peer = ([statistics.median(taken.seconds) * 1000 for taken in rounds] for rounds in (loud, quiet))
    report.row(
        f"owner's request amid {kind} from {CONNECTIONS} addresses, ms",
        ours=ours,
        peer=peer,
        peer_name="the same without noise",
        aim=3,
        higher_is_better=False,
    )
    rate = made / (seconds + NOISE_ROUNDS * STARTING_SECONDS)
    report.facts[f"{kind}: as much as the machine gave"] = f"{rate:,.0f}/s"
    late, early = (together(rounds, "seconds") for rounds in (loud, quiet))
    slow, usual = (statistics.quantiles(times, n=20)[-1] * 1000 for times in (late, early))
    report.facts[f"{kind}: 95th percentile"] = f"{slow:.1f} ms, without {usual:.1f} ms"
    # Between the owner's question and the answer the server also works for others, on a second processor as well.
    busy, idle = (statistics.median(together(rounds, "work")) * 1000 for rounds in (loud, quiet))
    report.facts[f"{kind}: the server's work meanwhile, for everybody"] = f"{busy:.1f} ms, without {idle:.1f} ms"


def together(rounds: Sequence[Taken], what: Literal["seconds", "work"]) -> list[float]:
    return [value for taken in rounds for value in getattr(taken, what)]


# --- backup ---


async def write_steadily(store: Store, stop: asyncio.Event) -> list[float]:
    """So many messages a second; how long each append took."""
    taken: list[float] = []
    begin = time.perf_counter()
    while not stop.is_set():
        due = begin + len(taken) / WRITES_PER_SECOND
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        started = time.perf_counter()
        await store.log.append(NewMessage(channel_id="ch_a", actor_id="a", kind="text", text="x" * 200))
        taken.append(time.perf_counter() - started)
    return taken


class BackupTaken(NamedTuple):
    """How long appends took before a backup and during it, how long it took itself, and how large it is."""

    before: list[float]
    during: list[float]
    seconds: float
    size: int


async def backup_beside_writers(store: Store, backups: Backups, seconds: float) -> BackupTaken:
    stop = asyncio.Event()
    writing = asyncio.create_task(write_steadily(store, stop))
    await asyncio.sleep(seconds)
    stop.set()
    before = await writing
    stop = asyncio.Event()
    writing = asyncio.create_task(write_steadily(store, stop))
    begin = time.perf_counter()
    made = await backups.create()
    took = time.perf_counter() - begin
    stop.set()
    return BackupTaken(before, await writing, took, made.size)


async def backup(report: Report, megabytes: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as path:
        folder = DataFolder(Path(path))
        store = await Store.open(folder, None, SystemClock(), projections=PROJECTIONS, migrations=MIGRATIONS)
        await store.close()
        fill(folder.database, megabytes * 1000, 700)
        store = await Store.open(folder, None, SystemClock(), migrations=MIGRATIONS)
        backups = Backups(folder, SystemClock(), 1)
        rounds = [await backup_beside_writers(store, backups, seconds) for _ in range(BACKUP_ROUNDS)]
        await store.close()
    ours = [max(one.during) * 1000 for one in rounds]
    quiet = [max(one.before) * 1000 for one in rounds]
    report.facts["backup s"] = round(statistics.median(one.seconds for one in rounds), 1)
    report.facts["backup MB"] = round(rounds[-1].size / 1e6)
    report.facts["backups"] = len(rounds)
    before = [taken for one in rounds for taken in one.before]
    during = [taken for one in rounds for taken in one.during]
    report.facts["writes during backups"] = len(during)
    report.facts["longest write during any backup, ms"] = round(max(during) * 1000, 1)
    # On a busy machine the longest says little: how many of a million were slow, with and without a backup?
    for when, taken in (("before", before), ("during", during)):
        slow = sum(1 for seconds in taken if seconds > 0.1)
        report.facts[f"appends of a million over 100 ms {when}"] = round(slow * 1e6 / len(taken))
    report.row(
        "longest append during a backup beside 100 ms",
        ours=ours,
        peer=[100.0] * len(ours),
        peer_name="100 ms",
        aim=1,
        higher_is_better=False,
    )
    report.row(
        "longest append during a backup beside one before it",
        ours=ours,
        peer=quiet,
        peer_name="the same without a backup",
        higher_is_better=False,
    )


# --- start ---


def fill(database: Path, count: int, size: int) -> None:
    """Messages by raw inserts: many, quickly."""
    connection = sqlite3.connect(database)
    text = ("words that were said in a room " * (size // 31 + 1))[:size]
    head = connection.execute("SELECT coalesce(max(seq), 0) FROM message").fetchone()[0]
    digest = payload_hash(text, "{}")
    rows = (
        (head + n, f"msg_{head + n:020d}", f"ch_{n % 200}", "act_x", FIRST_TS + n, "text", "room", text, "{}", 1, None, "[]",
         digest, None)
        for n in range(1, count + 1)
    )  # fmt: skip
    with connection:
        connection.executemany(f"INSERT INTO message VALUES ({','.join('?' * 14)})", rows)
    connection.close()


def seconds_to_serving(folder: str) -> float:
    begin = time.perf_counter()
    command = [str(PRIME), "serve", "--port", "0", "--data", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert "running at" in process.stdout.readline()
        taken = time.perf_counter() - begin
        process.terminate()
    return taken


async def start(report: Report, messages: int) -> None:
    with tempfile.TemporaryDirectory() as path, tempfile.TemporaryDirectory() as empty:
        settings = Settings.load({"PRIME_DATA": path})
        async with open_prime(settings):
            pass
        fill(DataFolder(Path(path)).database, messages, 60)
        begin = time.perf_counter()
        async with open_prime(settings) as prime:  # folds the log once
            projector = prime.parts.store.projector
            await projector.read(lambda _: None, *projector.names)
        report.facts["folding s"] = round(time.perf_counter() - begin, 1)
        seconds_to_serving(empty)
        rounds = [(seconds_to_serving(path), seconds_to_serving(empty)) for _ in range(5)]
    report.facts["messages"] = messages
    report.row(
        f"start with {messages:,} messages",
        ours=[full * 1000 for full, _ in rounds],
        peer=[3000.0] * len(rounds),
        peer_name="3 s",
        aim=1,
        higher_is_better=False,
    )
    report.row(
        f"start with {messages:,} messages, beside an empty log",
        ours=[full * 1000 for full, _ in rounds],
        peer=[none * 1000 for _, none in rounds],
        peer_name="an empty log",
        floor=True,
        higher_is_better=False,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", choices=["noise", "backup", "start"])
    parser.add_argument("--noise", action="append", choices=list(KINDS), help="of these kinds; else of all")
    given = parser.parse_args()
    report = Report("instance", "milliseconds")
    if given.only in (None, "noise"):
        asyncio.run(noise(report, given.seconds, given.noise or list(KINDS)))
    if given.only in (None, "backup"):
        asyncio.run(backup(report, given.megabytes, given.seconds))
    if given.only in (None, "start"):
        asyncio.run(start(report, given.messages))
    report.finish()


if __name__ == "__main__":
    main()
