"""Rebuilding the projections: linear in the log. Ours beside reading the same rows once, and the exponent that fits the sizes."""

import asyncio
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from fit import exponent
from report import QUICK, Report, scaled

from prime.app import MIGRATIONS, PROJECTIONS
from prime.core.clock import SystemClock
from prime.rooms.rooms import Rooms
from prime.store.folder import DataFolder
from prime.store.message import NewMessage
from prime.store.store import Store

SIZES = (1_000, 3_000, 10_000) if QUICK else (10_000, 30_000, 100_000)
CHANNELS = 50
ROUNDS = scaled(3, 1)
TEXT = "We launch in March; the retailer wants forty units on consignment and sixty days to pay."


async def fill(store: Store, count: int) -> None:
    rooms = Rooms(store)
    await rooms.open()
    channels = [(await rooms.create_channel(f"Channel {n}", tier="team")).id for n in range(CHANNELS)]
    have = await store.log.head()
    while have < count:
        step = min(1000, count - have)
        await store.log.append(*(message(channels, have + n) for n in range(step)))
        have += step


def message(channels: list[str], number: int) -> NewMessage:
    """Mostly words; now and then a question, a join, a new name, as a real log has them."""
    channel = channels[number % len(channels)]
    if number % 40 == 0:
        body = {"questionId": f"q_{number}", "kind": "decision"}
        return NewMessage(
            channel_id=channel, actor_id="act_prime", kind="question", audience="hub", text=TEXT, body=body
        )
    if number % 40 == 1:
        answer = {"questionId": f"q_{number - 1}", "status": "answered", "answer": {"text": "yes"}}
        return NewMessage(channel_id=channel, actor_id="act_owner", kind="answer", audience="hub", body=answer)
    return NewMessage(channel_id=channel, actor_id="act_x", kind="text", text=TEXT)


def scan(folder: Path) -> float:
    """The floor: every row of the log read once, in order, by bare sqlite3."""
    connection = sqlite3.connect(folder / "prime.db")
    begin = time.perf_counter()
    for _ in connection.execute("SELECT * FROM message ORDER BY seq"):
        pass
    taken = time.perf_counter() - begin
    connection.close()
    return taken


async def rebuilt(store: Store) -> float:
    begin = time.perf_counter()
    await store.projector.rebuild()
    return time.perf_counter() - begin


async def main() -> None:
    report = Report("rebuild", "seconds to fold the whole log anew")
    times: list[float] = []
    for size in SIZES:
        with tempfile.TemporaryDirectory(dir=os.environ.get("PRIME_BENCH_DIR")) as name:
            folder = Path(name)
            store = await Store.open(
                DataFolder(folder), None, SystemClock(), projections=PROJECTIONS, migrations=MIGRATIONS
            )
            await fill(store, size)
            await store.projector.read(lambda _: None, *store.projector.names)
            rounds = [(await rebuilt(store), scan(folder)) for _ in range(ROUNDS)]
            await store.close()
        ours, floor = (list(column) for column in zip(*rounds, strict=True))
        times.append(statistics.median(ours))
        report.row(
            f"{size:,} messages",
            ours=ours,
            peer=floor,
            peer_name="reading the rows",
            floor=True,
            higher_is_better=False,
        )
    report.fact("exponent (1 is linear)", round(exponent(list(SIZES), times), 2))
    report.fact("messages per second", round(SIZES[-1] / times[-1]))
    report.finish()


if __name__ == "__main__":
    asyncio.run(main())
