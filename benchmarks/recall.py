"""Recall beside plain FTS5 over the same messages: milliseconds per search, speed of appending, size of the files.

100,000 messages in 200 channels, or `--size N`; `recall_million.py` has a million. FTS5 is asked the same words with OR, in
the same scope, for the ten best by its bm25 and their snippets, as a program on top of it would. It knows no stop words; so
there are two kinds of searches, questions as people ask them and bare keywords, which are those that suit FTS5.
"""

import asyncio
import gc
import itertools
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import Report, scaled

from prime.app import MIGRATIONS
from prime.brain.recall import recall, recall_from
from prime.brain.recall.index.queries import RECALL, RecallProjection
from prime.brain.recall.memory.memory import Memory
from prime.core.clock import SystemClock
from prime.core.stop_words import STOP_WORDS
from prime.rooms.queries import RoomsProjection
from prime.rooms.rooms import Rooms
from prime.rooms.views import View
from prime.store.folder import DataFolder
from prime.store.folding import Projection
from prime.store.message import NewMessage, payload_hash
from prime.store.projector import Projector
from prime.store.store import Store
from prime.web.server import settle_interpreter

CHANNELS = 200
VOCABULARY = 30_000
QUERIES = scaled(60, 20)
ROUNDS = 3
APPENDED = scaled(20_000, 2_000)
BULK = 100_000  # beyond so many messages appending them one by one is not the point
FIRST_TS = 1_767_225_600_000
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "os", "um")]


class Talk:
    """Messages of a few lines, with words as unevenly frequent as in English: the commonest are its stop words."""

    def __init__(self) -> None:
        self._chance = random.Random(8)
        made = ("".join(self._chance.choices(SYLLABLES, k=self._chance.randint(2, 4))) for _ in range(VOCABULARY * 2))
        self._common = sorted(STOP_WORDS)
        self._rare = list(dict.fromkeys(made))[: VOCABULARY - len(self._common)]
        self._words = self._common + self._rare
        self._weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))

    def text(self) -> str:
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=self._chance.randint(6, 34)))

    def query(self) -> str:
        """A question: four common words and four that mean something, from the frequent to the rare."""
        words = [*self._chance.sample(self._common, 4), *self._meant()]
        self._chance.shuffle(words)
        return " ".join(words) + "?"

    def keywords(self) -> str:
        """The four alone, and done with: a blank follows the last."""
        return " ".join(self._meant()) + " "

    def _meant(self) -> list[str]:
        return [self._rare[int(len(self._rare) ** self._chance.uniform(0.35, 0.95))] for _ in range(4)]


def channel_of(number: int) -> str:
    return f"ch_{number % CHANNELS:03}"


def messages(texts: Sequence[str], first: int = 0) -> list[NewMessage]:
    return [
        NewMessage(channel_id=channel_of(n), actor_id=f"act_{n % 7}", kind="text", text=text)
        for n, text in enumerate(texts, first)
    ]


async def open_store(folder: Path, *projections: Projection) -> Store:
    return await Store.open(DataFolder(folder), None, SystemClock(), projections=projections, migrations=MIGRATIONS)


async def append_together(store: Store, texts: Sequence[str], at_once: int = 100) -> tuple[float, float]:
    """Messages per second, many to an append: until all are acknowledged, and until whatever follows the log has them."""
    begin = time.perf_counter()
    for at in range(0, len(texts), at_once):
        await store.log.append(*messages(texts[at : at + at_once], at))
    return await _rates(store, len(texts), begin)


async def append_apart(store: Store, texts: Sequence[str], writers: int = 32) -> tuple[float, float]:
    """The same, one message to an append, from many writers."""
    waiting = iter(messages(texts))

    async def writer() -> None:
        for message in waiting:
            await store.log.append(message)

    begin = time.perf_counter()
    await asyncio.gather(*(writer() for _ in range(writers)))
    return await _rates(store, len(texts), begin)


async def _rates(store: Store, count: int, begin: float) -> tuple[float, float]:
    acknowledged = time.perf_counter() - begin
    if RECALL in store.projector.names:
        await store.projector.read(lambda _: None, RECALL)
    return count / acknowledged, count / (time.perf_counter() - begin)


def fts5(path: Path, texts: Sequence[str]) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA cache_size = -32768")
    database.execute("CREATE VIRTUAL TABLE said USING fts5(channel UNINDEXED, text, tokenize = 'porter')")
    rows = ((channel_of(n), text) for n, text in enumerate(texts))
    with database:
        database.executemany("INSERT INTO said VALUES (?, ?)", rows)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return database


def ask_fts5(database: sqlite3.Connection, query: str, channel: str | None) -> float:
    begin = time.perf_counter()
    words = " OR ".join(f'"{word}"' for word in query.rstrip("?").split())
    scope = " AND channel = ?" if channel else ""
    database.execute(
        f"SELECT rowid, snippet(said, 1, '<', '>', '…', 12) FROM said WHERE said MATCH ?{scope} ORDER BY bm25(said) LIMIT 10",
        (words, channel) if channel else (words,),
    ).fetchall()
    return (time.perf_counter() - begin) * 1000


async def ask_ours(store: Store, query: str, view: View | None) -> float:
    begin = time.perf_counter()
    found = await (recall_from(view, query, limit=10) if view else recall(store, query, limit=10))
    taken = (time.perf_counter() - begin) * 1000
    assert found.hits or view
    return taken


async def at_hand(store: Store) -> float:
    """Have recall's index in memory, as it is from shortly after the first search on; how many seconds that took."""
    begin = time.perf_counter()
    await Memory.of(store.projector).ready()
    return round(time.perf_counter() - begin, 2)


async def compare_searches(report: Report, store: Store, peer: sqlite3.Connection, aim: float, talk: Talk) -> None:
    view = await View.of(store, channel_of(7))
    scopes = (("one channel", view, channel_of(7)), ("all channels", None, None))
    for kind, make in (("question", talk.query), ("keywords", talk.keywords)):
        queries = [make() for _ in range(QUERIES)]
        for what, seen, channel in scopes:
            ours: list[float] = []
            theirs: list[float] = []
            # In turns, but not query by query: each would find what the other left in the processor's caches.
            for _ in range(ROUNDS):
                ours.append(statistics.median([await ask_ours(store, query, seen) for query in queries]))
                theirs.append(statistics.median([ask_fts5(peer, query, channel) for query in queries]))
            report.row(f"{kind}, {what}, ms", ours=ours, peer=theirs, peer_name="FTS5", aim=aim, higher_is_better=False)


async def compare_appends(report: Report, folder: Path, texts: Sequence[str]) -> None:
    for what, way in (("appending, 32 writers", append_apart), ("appending, 100 at once", append_together)):
        rates: dict[str, list[tuple[float, float]]] = {"with": [], "without": []}
        for round_ in range(2):
            for name, parts in (("with", [RecallProjection()]), ("without", [])):
                store = await open_store(folder / f"{name}{round_}{way.__name__}", *parts)
                rates[name].append(await way(store, texts[:APPENDED]))
                await store.close()
        for index, until in enumerate(("until acknowledged", "until indexed")):
            ours, peer = ([rate[index] for rate in rates[name]] for name in ("with", "without"))
            report.row(f"{what}/s, {until}", ours=ours, peer=peer, peer_name="without the index", aim=0.4)


def fill(path: Path, texts: Sequence[str]) -> None:
    """Messages by raw inserts behind those that are there: a million in a minute."""
    connection = sqlite3.connect(path)
    head = connection.execute("SELECT coalesce(max(seq), 0) FROM message").fetchone()[0]
    rows = (
        (head + n, f"msg_{n:020d}", channel_of(n), f"act_{n % 7}", FIRST_TS + n * 1000, "text", "room", text, "{}", 1, None,
         "[]", payload_hash(text, "{}"), None)
        for n, text in enumerate(texts, 1)
    )  # fmt: skip
    with connection:
        connection.executemany(f"INSERT INTO message VALUES ({','.join('?' * 14)})", rows)
    connection.close()


async def indexed(folder: Path, texts: Sequence[str], report: Report) -> Store:
    """A store with the messages in its log and its index; many are folded in large batches, which give the same index."""
    projections = (RoomsProjection(), RecallProjection())
    store = await open_store(folder, *projections)
    rooms = Rooms(store)
    await rooms.open()
    for number in range(CHANNELS):
        await rooms.create_channel(f"room {number}", tier="team", channel_id=channel_of(number))
    if len(texts) <= BULK:
        report.fact("indexed per second", round((await append_together(store, texts, 1000))[1]))
        return store
    await store.close()
    fill(DataFolder(folder).database, texts)
    store = await open_store(folder)
    projector = Projector(store.database, store.log, store.heads, projections)
    begin = time.perf_counter()
    await projector.start()
    await projector.read(lambda _: None, *projector.names)
    await projector.stop()
    report.fact("indexed per second, in bulk", round(len(texts) / (time.perf_counter() - begin)))
    await store.close()
    return await open_store(folder, *projections)


def as_served() -> None:
    """The interpreter as `prime serve` has it, for both sides: what was loaded is not looked through for garbage."""
    gc.freeze()
    settle_interpreter()


def size_of(folder: Path, *patterns: str) -> float:
    return sum(file.stat().st_size for pattern in patterns for file in folder.glob(pattern)) / 1e6


async def measure(name: str, count: int) -> None:
    report = Report(name, f"{count:,} messages in {CHANNELS} channels, p50")
    as_served()
    talk = Talk()
    texts = [talk.text() for _ in range(count)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        store = await indexed(folder / "data", texts, report)
        peer = fts5(folder / "fts5.db", texts)
        report.fact("loaded into memory, s", await at_hand(store))
        await compare_searches(report, store, peer, aim=0.125 if count > 500_000 else 1.0, talk=talk)
        peer.close()
        await store.close()
        index, log = size_of(folder / "data", "derived.db*"), size_of(folder / "data", "prime.db*")
        theirs = size_of(folder, "fts5.db*")
        report.row(
            "index, MB", ours=[index], peer=[theirs], peer_name="FTS5 and its text", aim=1.6, higher_is_better=False
        )
        report.row(
            "log and index, MB",
            ours=[log + index],
            peer=[log + theirs],
            peer_name="log and FTS5",
            higher_is_better=False,
        )
        if count <= BULK:
            await compare_appends(report, folder, texts)
    report.finish()


if __name__ == "__main__":
    size = int(sys.argv[sys.argv.index("--size") + 1]) if "--size" in sys.argv else scaled(100_000, 10_000)
    asyncio.run(measure("recall", size))
