"""Appending to the log, durable, beside its floors: write+fsync, and bare sqlite3 with WAL and FULL on the same disk."""

import asyncio
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import uvloop
from report import Report, scaled
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from prime.core.clock import SystemClock
from prime.core.ids import new_message_id
from prime.store import tables
from prime.store.folder import DataFolder
from prime.store.message import NewMessage, payload_hash
from prime.store.store import Store

COUNT = scaled(600, 200)
ROUNDS = scaled(15, 3)  # a disk has slow moments: the middle of many rounds says more
WRITERS = 32
TEXT = "We launch in March; the retailer wants forty units on consignment and sixty days to pay. " * 3


# The same table and indexes as the log's, without what guards them.
SCHEMA = [
    str(statement.compile(dialect=sqlite.dialect()))
    for statement in (
        CreateTable(tables.message, if_not_exists=True),
        *(
            CreateIndex(index, if_not_exists=True)
            for index in sorted(tables.message.indexes, key=lambda i: str(i.name))
        ),
    )
]


def rate(run: Callable[[], int]) -> float:
    begin = time.perf_counter()
    return run() / (time.perf_counter() - begin)


def write_and_fsync(folder: Path) -> int:
    data = TEXT.encode()
    with (folder / "floor").open("ab", buffering=0) as file:
        for _ in range(COUNT):
            file.write(data)
            os.fsync(file.fileno())
    return COUNT


def bare_sqlite(folder: Path) -> float:
    """Rows per second; they are ready before the clock starts."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    for name in SCHEMA:
        connection.execute(name)
    [(head,)] = connection.execute("SELECT coalesce(max(seq), 0) FROM message").fetchall()
    statement = f"INSERT INTO message VALUES ({', '.join('?' * 14)})"
    rows = [bare_row(seq) for seq in range(head + 1, head + 1 + COUNT)]
    begin = time.perf_counter()
    for row in rows:
        connection.execute(statement, row)
    taken = time.perf_counter() - begin
    connection.close()
    return COUNT / taken


def bare_row(seq: int) -> tuple[object, ...]:
    """As the log's are, with an id made as theirs: an index is cheaper to fill in order."""
    hashed = payload_hash(TEXT, "{}")
    return (seq, new_message_id(), "ch_a", "act_owner", 1, "text", "room", TEXT, "{}", 1, None, "[]", hashed, None)


def said() -> NewMessage:
    return NewMessage(channel_id="ch_a", actor_id="act_owner", kind="text", text=TEXT)


async def one_at_a_time(store: Store) -> float:
    begin = time.perf_counter()
    for _ in range(COUNT):
        await store.log.append(said())
    return COUNT / (time.perf_counter() - begin)


async def many_at_once(store: Store) -> float:
    async def writer() -> None:
        for _ in range(COUNT // 4):
            await store.log.append(said())

    begin = time.perf_counter()
    await asyncio.gather(*(writer() for _ in range(WRITERS)))
    return WRITERS * (COUNT // 4) / (time.perf_counter() - begin)


async def main() -> None:
    report = Report("append", "durable appends to the log, per second")
    rates: dict[str, list[float]] = {"fsync": [], "sqlite": [], "one": [], "many": []}
    with tempfile.TemporaryDirectory(dir=os.environ.get("PRIME_BENCH_DIR")) as name:
        folder = Path(name)
        store = await Store.open(DataFolder(folder / "data"), None, SystemClock())
        for _ in range(ROUNDS):  # interleaved, so that a slow moment of the disk hits all alike
            rates["fsync"].append(rate(lambda: write_and_fsync(folder)))
            rates["sqlite"].append(bare_sqlite(folder))
            rates["one"].append(await one_at_a_time(store))
            rates["many"].append(await many_at_once(store))
        await store.close()
    middle = {name: statistics.median(values) for name, values in rates.items()}
    report.row(
        "one at a time",
        ours=rates["one"],
        peer=rates["sqlite"],
        peer_name="bare sqlite3, same table",
        floor=True,
        aim=0.60,
    )
    report.row("one at a time", ours=rates["one"], peer=rates["fsync"], peer_name="write + fsync", floor=True)
    report.row(
        f"{WRITERS} writers", ours=rates["many"], peer=rates["fsync"], peer_name="write + fsync", floor=True, aim=3.0
    )
    assert all(middle.values())
    report.finish()


if __name__ == "__main__":
    uvloop.run(main())  # as the server does
