"""Taking messages in, many at once, beside tantivy: each row has both sides do the same.

Ours keeps a log that outlives a power cut, and an index that a search brings up with it. So tantivy gets a log as well: the
same table in bare SQLite, without guards, hashes or anybody who listens, a thousand messages to a transaction on either side.
In one row each index is finished at the end; in one it is after each thousand, so that a search finds what was said up to then.
The last row has no log on tantivy's side, and ours is there already: an index alone, of messages in hand there, of rows here.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parent))
from peers import Absent, Peer, peer, program
from recall import ROUNDS, Talk, append_together, as_served, channel_of, messages, open_store
from report import Report, scaled
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from prime.brain.recall.index.queries import RECALL, RecallProjection
from prime.store.projector import Projector
from prime.store.tables import message

COUNT = scaled(50_000, 5_000)
AT_ONCE = 1000

How = Literal["log", "found", "index"]
WHAT: dict[How, tuple[str, str]] = {
    "log": ("kept and indexed", "tantivy and a bare log"),
    "found": ("kept, indexed and found by thousands", "tantivy and a bare log"),
    "index": ("indexed, of a log that is there", "tantivy, index only"),
}


class Tantivy:
    """The peer's process."""

    def __init__(self, python: Peer, folder: Path, texts: Sequence[str]) -> None:
        said, log = folder / "said.jsonl", folder / "log.json"
        with said.open("w", encoding="utf-8") as lines:
            lines.writelines(json.dumps([channel_of(n), text]) + "\n" for n, text in enumerate(texts))
        made = [CreateTable(message), *map(CreateIndex, sorted(message.indexes, key=str))]
        log.write_text(json.dumps([str(one.compile(dialect=sqlite.dialect())) for one in made]), "utf-8")
        (folder / "tantivy").mkdir()
        command = [str(python.python), program("tantivy_keeping.py"), str(said), str(log), str(folder / "tantivy")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._answer()

    def takes_in(self, how: How) -> float:
        """Seconds."""
        assert self._process.stdin
        self._process.stdin.write(f"{how}\n")
        self._process.stdin.flush()
        return float(self._answer())

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(20)

    def _answer(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline()


async def takes_in(folder: Path, texts: Sequence[str], how: How) -> float:
    """Seconds that ours takes for the same."""
    if how == "index":
        return await _index_alone(folder, texts)
    store = await open_store(folder, RecallProjection())
    begin = time.perf_counter()
    if how == "found":
        for at in range(0, len(texts), AT_ONCE):
            await store.log.append(*messages(texts[at : at + AT_ONCE], at))
            await store.projector.read(lambda _: None, RECALL)
    else:
        await append_together(store, texts, AT_ONCE)
    taken = time.perf_counter() - begin
    await store.close()
    return taken


async def _index_alone(folder: Path, texts: Sequence[str]) -> float:
    store = await open_store(folder)
    await append_together(store, texts, AT_ONCE)
    projector = Projector(store.database, store.log, store.heads, [RecallProjection()])
    begin = time.perf_counter()
    await projector.start()
    await projector.read(lambda _: None, RECALL)
    taken = time.perf_counter() - begin
    await projector.stop()
    await store.close()
    return taken


async def main() -> None:
    report = Report("recall_keeping", f"messages per second, {COUNT:,} of them")
    try:
        python = peer("tantivy")
    except Absent as why:
        report.skip(f"tantivy is not to be had: {why}")
        return
    report.peer("tantivy", python.version)
    as_served()
    talk = Talk()
    texts = [talk.text() for _ in range(COUNT)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        theirs = Tantivy(python, folder, texts)
        for how, (what, peer_name) in WHAT.items():
            ours: list[float] = []
            peers: list[float] = []
            for round_ in range(ROUNDS):
                ours.append(COUNT / await takes_in(folder / f"{how}{round_}", texts, how))
                peers.append(COUNT / theirs.takes_in(how))
            report.row(what, ours=ours, peer=peers, peer_name=peer_name)
        theirs.close()
    report.finish()


if __name__ == "__main__":
    asyncio.run(main())
