"""Recall beside tantivy, a search engine in Rust, over the same messages: milliseconds per search with snippets, indexing, size.

Tantivy keeps an index and nothing else, in a process of its own that times itself, without what recall does besides (who may
see what, ranking within the asker's scope, later edits); its figure is what a search costs at best. Beside it stands the same
with as much of recall's work as it can do: messages found by what was said around them, stop words, the fields of each hit and
what matches in it. What a chat needs is measured as well: a message at a time, on the disk when it is acknowledged, and found
by the next search.

The bare peer looks up stop words as well, for its English tokenizer leaves them in; without them it was measured to take a
twentieth less. It looks for no neighbours and no names, as ours does.

What each side has at hand: tantivy its index, mapped into memory with the texts; recall its index and what was said, loaded
into memory when somebody searches first (which is waited for here, and told). The same queries are asked in every round, so
that from the second on nothing is new. Rows that say "asked once" are of queries that nobody asked before, each asked a single
time; some of their words and messages may have been. What recall is given to index is kept as well, in a log that outlives a
power cut, and can be searched after each batch; tantivy commits its index once, at the end.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from peers import Absent, Peer, peer, program
from recall import CHANNELS, QUERIES, ROUNDS, Talk, append_together, ask_ours, at_hand, channel_of, open_store, size_of
from report import Report, scaled

from prime.brain.recall import recall_from
from prime.brain.recall.index.queries import RecallProjection
from prime.rooms.queries import RoomsProjection
from prime.rooms.rooms import Rooms
from prime.rooms.views import View
from prime.store.message import NewMessage
from prime.store.store import Store

COUNT = scaled(100_000, 10_000)
SAID = scaled(100, 10)


class Tantivy:
    """The peer's process."""

    def __init__(self, python: Peer, folder: Path, texts: Sequence[str], *options: str) -> None:
        said = folder / "said.jsonl"
        with said.open("w", encoding="utf-8") as lines:
            lines.writelines(json.dumps([channel_of(n), text]) + "\n" for n, text in enumerate(texts))
        self.folder = folder / f"tantivy{''.join(options)}"
        self.folder.mkdir()
        command = [str(python.python), program("tantivy_search.py"), str(said), str(self.folder), *options]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.build_s = float(self._answer()["seconds"])

    def ask(self, query: str, channel: str | None) -> float:
        return self._ask(query.rstrip("?"), channel)[0]

    def say(self, text: str, channel: str, query: str) -> tuple[float, int]:
        """Add a message for good, then search; how long both took, and how many were found."""
        return self._ask(query, channel, text)

    def _ask(self, *line: str | None) -> tuple[float, int]:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        took, found = self._answer()
        return took, found

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(20)

    def _answer(self):
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())


async def searches(report: Report, store: Store, bare: Tantivy, able: Tantivy, talk: Talk, *, once: bool) -> None:
    """The same queries in every round or, with `once`, new ones for each round and scope."""
    same = [talk.query() for _ in range(QUERIES)]
    view = await View.of(store, channel_of(7))
    for what, seen, channel in (("one channel", view, channel_of(7)), ("all channels", None, None)):
        ours: list[float] = []
        peers: dict[str, list[float]] = {"tantivy": [], "tantivy, with context": []}
        for _ in range(ROUNDS):
            queries = [talk.query() for _ in range(QUERIES)] if once else same
            # In turns, but not query by query: each would find what the other left in the processor's caches.
            ours.append(statistics.median([await ask_ours(store, query, seen) for query in queries]))
            for times, peer_ in zip(peers.values(), (bare, able), strict=True):
                times.append(statistics.median([peer_.ask(query, channel) for query in queries]))
        for name, times in peers.items():
            label = f"{what}{', asked once' if once else ''}, ms{name.removeprefix('tantivy')}"
            report.row(label, ours=ours, peer=times, peer_name=name, higher_is_better=False)


async def chat(report: Report, store: Store, theirs: Tantivy, talk: Talk) -> None:
    """Each message holds a word that nobody said before, by which it is searched at once."""
    view = await View.of(store, channel_of(7))
    ours: list[float] = []
    peers: list[float] = []
    for round_ in range(ROUNDS):
        pairs: list[tuple[float, float]] = []
        for number in range(SAID):
            word = f"mark{round_}x{number}"
            text = f"{talk.text()} {word}"
            took, found = theirs.say(text, channel_of(7), word)
            assert found == 1
            pairs.append((await say_ours(store, view, text, word), took))
        ours.append(statistics.median(pair[0] for pair in pairs))
        peers.append(statistics.median(pair[1] for pair in pairs))
    report.row(
        "a message kept and found at once, ms", ours=ours, peer=peers, peer_name="tantivy", higher_is_better=False
    )


async def say_ours(store: Store, view: View, text: str, word: str) -> float:
    begin = time.perf_counter()
    [said] = await store.log.append(NewMessage(channel_id=channel_of(7), actor_id="act_1", kind="text", text=text))
    found = await recall_from(view, word, limit=10)
    taken = (time.perf_counter() - begin) * 1000
    assert found.hits[0].message_id == said.id
    return taken


async def main() -> None:
    report = Report("recall_tantivy", f"{COUNT:,} messages in {CHANNELS} channels, p50")
    try:
        python = peer("tantivy")
    except Absent as why:
        report.skip(f"tantivy is not to be had: {why}")
        return
    report.peer("tantivy", python.version)
    talk = Talk()
    texts = [talk.text() for _ in range(COUNT)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = await open_store(folder / "data", RoomsProjection(), RecallProjection())
        rooms = Rooms(store)
        await rooms.open()
        for number in range(CHANNELS):
            await rooms.create_channel(f"room {number}", tier="team", channel_id=channel_of(number))
        begin = time.perf_counter()
        await append_together(store, texts, 1000)
        kept_s = time.perf_counter() - begin
        theirs = Tantivy(python, folder, texts)
        able = Tantivy(python, folder, texts, "--context")
        report.fact("loaded into memory, s", await at_hand(store))
        await searches(report, store, theirs, able, talk, once=False)
        await searches(report, store, theirs, able, talk, once=True)
        able.close()
        await chat(report, store, theirs, talk)
        theirs.close()
        await store.close()
        rate = [COUNT / kept_s]
        report.row(
            "kept and indexed per second", ours=rate, peer=[COUNT / theirs.build_s], peer_name="tantivy, index only"
        )
        index = size_of(folder / "data", "derived.db*")
        size = size_of(theirs.folder, "*")
        report.row("index, MB", ours=[index], peer=[size], peer_name="tantivy", higher_is_better=False)
    report.finish()


if __name__ == "__main__":
    asyncio.run(main())
