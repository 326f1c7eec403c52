"""How each hot path grows with its input: three sizes, each ten times the one before, and the exponent that fits.

The peer is n log n over the same sizes; anything clearly worse is a bug. Times are CPU time of the process and its children, so
that other work on the machine is no part of the question. `growth.py recall tick` measures only these.
"""

import asyncio
import os
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import context
import rebuild as rebuild_bench
import recall as recall_bench
import scan as scan_bench
from fit import exponent, of_n_log_n
from report import QUICK, Report, scaled

import hub as hub_bench
from prime.app import MIGRATIONS, PROJECTIONS, open_prime
from prime.brain.recall import recall
from prime.brain.recall.index.queries import RecallProjection
from prime.core.clock import SystemClock
from prime.core.settings import Settings
from prime.rooms.queries import RoomsProjection
from prime.rooms.rooms import Rooms
from prime.store.folder import DataFolder
from prime.store.message import NewMessage
from prime.store.store import Store

ROUNDS = scaled(3, 2)
SLACK = 1.15  # a fit over three sizes is not exact
Measure = Callable[[int, Path], Awaitable[list[float]]]


def cpu() -> float:
    """CPU seconds so far: this process, all its threads, and the children that ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


async def timed(work: Callable[[], Awaitable[object]], times: int = 1) -> list[float]:
    """CPU seconds of one run of `work`, so many runs to a round, ROUNDS rounds. The first run warms up."""
    await work()
    found: list[float] = []
    for _ in range(ROUNDS):
        begin = cpu()
        for _ in range(times):
            await work()
        found.append((cpu() - begin) / times)
    return found


async def once(prepare: Callable[[Path], Awaitable[Callable[[], Awaitable[object]]]], folder: Path) -> list[float]:
    """The same for work that can be done only once: everything is made anew for each round."""
    found: list[float] = []
    for number in range(ROUNDS):
        work = await prepare(folder / str(number))
        begin = cpu()
        await work()
        found.append(cpu() - begin)
    return found


def open_store(folder: Path) -> Awaitable[Store]:
    return Store.open(DataFolder(folder), None, SystemClock(), projections=PROJECTIONS, migrations=MIGRATIONS)


async def appending(count: int, folder: Path) -> list[float]:
    """`count` messages, each an append of its own, from 32 writers."""

    async def prepare(place: Path) -> Callable[[], Awaitable[object]]:
        store = await Store.open(DataFolder(place), None, SystemClock())
        waiting = iter(range(count))

        async def writer() -> None:
            for _ in waiting:
                await store.log.append(NewMessage(channel_id="ch_a", actor_id="a", kind="text", text="x" * 100))

        async def work() -> None:
            await asyncio.gather(*(writer() for _ in range(32)))
            await store.close()

        return work

    return await once(prepare, folder)


async def recalling(count: int, folder: Path) -> list[float]:
    """One search over everything, in a log of `count` messages."""
    talk = recall_bench.Talk()
    store = await recall_bench.open_store(folder, RoomsProjection(), RecallProjection())
    await recall_bench.append_together(store, [talk.text() for _ in range(count)], 1000)
    queries = [talk.query() for _ in range(20)]

    async def work() -> None:
        for query in queries:
            await recall(store, query, limit=10)

    found = await timed(work)
    await store.close()
    return [seconds / len(queries) for seconds in found]


async def judging(count: int, folder: Path) -> list[float]:
    """A batch of `count` new messages through the directive engine."""

    async def prepare(place: Path) -> Callable[[], Awaitable[object]]:
        store, rooms, hub = await hub_bench.open_hub(place)
        channels = await hub_bench.make_channels(rooms, 10)
        await hub_bench.append_all(store, hub_bench.words(channels, count // 10))

        async def work() -> None:
            assert await hub.engine.run() == count
            await store.close()

        return work

    return await once(prepare, folder)


async def ticking(count: int, folder: Path) -> list[float]:
    """A tick over `count` idle channels."""
    store, rooms, hub = await hub_bench.open_hub(folder, mute=True)
    await hub_bench.make_channels(rooms, count, brief="Talk.")
    while await hub.swarm.tick():
        await hub.engine.run()
    found = await timed(hub.swarm.tick, 20)
    await store.close()
    return found


async def listing(count: int, _folder: Path) -> list[float]:
    """`tools/list`, all pages, of `count` tools, made new."""
    from prime.gateway.front.listing import Listing, page
    from prime.tools.catalog import Catalog
    from prime.tools.tool import Tool

    schema = {"type": "object", "properties": {f"p{n}": {"type": "string", "description": "x" * 40} for n in range(6)}}
    tools = [
        Tool(name=f"tool_{n}", command=("tool", str(n)), description="y" * 80, schema=schema) for n in range(count)
    ]

    class Shelf:
        changed = 0

        def tools(self) -> Sequence[Tool]:
            return tools

    class Shop:
        catalog = Catalog(Shelf())
        folders = None

    async def work() -> None:
        made = Listing(Shop(), None)  # pyright: ignore[reportArgumentType]
        cursor: str | None = None
        while True:
            _, cursor = page(made.all(None), cursor)
            if cursor is None:
                return

    return await timed(work)


async def scanning(count: int, folder: Path) -> list[float]:
    """Half of `count` programs answer `--agent`, half do not."""
    from prime.tools.discovery import Discovery, Folders

    (folder / "bin").mkdir(parents=True)
    scan_bench.make_programs(folder / "bin", count // 2)

    async def prepare(place: Path) -> Callable[[], Awaitable[object]]:
        found = Discovery(Folders(data=place / "data", config=place / "config", system=()))
        return lambda: asyncio.to_thread(found.scan, paths=[str(folder / "bin")])

    return await once(prepare, folder)


async def searching(count: int, folder: Path) -> list[float]:
    """One search in a directory of `count` agents."""
    import network as network_bench

    settings = Settings.load({}).model_copy(update={"data": folder, "port": 0})
    async with open_prime(settings) as prime:
        await network_bench.take_in(prime, count)
        directory = prime.parts.network.directory

        async def work() -> None:
            for query in network_bench.QUERIES:
                await directory.search(**query)

        found = await timed(work, 20)
    return [seconds / len(network_bench.QUERIES) for seconds in found]


async def assembling(count: int, folder: Path) -> list[float]:
    """What a mind is shown of a channel of `count` messages."""
    store = await open_store(folder)
    rooms = Rooms(store)
    await rooms.open()
    channel = await context.channel_with(store, rooms, count)
    found = await timed(lambda: context.assembled(store, channel, "offline"), 5)
    await store.close()
    return found


async def rebuilding(count: int, folder: Path) -> list[float]:
    """All projections of a log of `count` messages, folded anew."""
    store = await open_store(folder)
    await rebuild_bench.fill(store, count)
    await store.projector.read(lambda _: None, *store.projector.names)
    found = await timed(store.projector.rebuild)
    await store.close()
    return found


# What is measured and from which size; the two others are ten and a hundred times as large.
PATHS: dict[str, tuple[Measure, int, int]] = {
    "append": (appending, 1_000, 100),
    "recall": (recalling, 1_000, 100),
    "directive batch": (judging, 100, 10),
    "tick": (ticking, 20, 10),
    "tools/list": (listing, 100, 20),
    "scan": (scanning, 10, 4),
    "directory search": (searching, 1_000, 100),
    "context": (assembling, 1_000, 200),
    "rebuild": (rebuilding, 500, 100),
}


async def curve(report: Report, name: str, measure: Measure, sizes: Sequence[int]) -> None:
    rounds: list[list[float]] = []
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=os.environ.get("PRIME_BENCH_DIR")) as folder:
            rounds.append(await measure(size, Path(folder) / "data"))
    fits = [exponent(sizes, times) for times in zip(*rounds, strict=True)]
    report.row(
        f"{name}: exponent",
        ours=fits,
        peer=[of_n_log_n(sizes)] * len(fits),
        peer_name="n log n",
        aim=SLACK,
        higher_is_better=False,
    )
    quickest = [min(times) for times in rounds]
    points = ", ".join(f"{n:,}: {t * 1000:.3g} ms" for n, t in zip(sizes, quickest, strict=True))
    report.fact(name, f"{points}; last step {exponent(sizes[1:], quickest[1:]):.2f}")
    print(f"{name}: exponent {exponent(sizes, quickest):.2f} ({points})", file=sys.stderr)


async def main() -> None:
    wanted = [word for word in sys.argv[1:] if word in PATHS]
    report = Report("growth", "exponent of CPU time over input size, three sizes in steps of ten")
    for name, (measure, full, quick) in PATHS.items():
        if not wanted or name in wanted:
            first = quick if QUICK else full
            await curve(report, name, measure, (first, first * 10, first * 100))
    report.finish()


if __name__ == "__main__":
    asyncio.run(main())
