"""Recall on LoCoMo beside plain FTS5 and tantivy: are the turns that answer a question among the first ten?

Each conversation is a channel of its own, searched from its own view. `--each` prints the conversations one by one.
"""

import asyncio
import json
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from peers import Absent, Peer, peer, program
from report import Report

from prime.app import MIGRATIONS, PROJECTIONS
from prime.brain.recall import recall_from
from prime.core.clock import FakeClock
from prime.rooms.rooms import Rooms
from prime.rooms.views import View
from prime.store.folder import DataFolder
from prime.store.store import Store

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "locomo-dev.json"
UNANSWERABLE = 5
TOP = 10


@dataclass(frozen=True)
class Turn:
    id: str
    speaker: str
    text: str
    ts: int


@dataclass(frozen=True)
class Asked:
    question: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Scores:
    recall: float
    found: float
    reciprocal: float


Way = Callable[[list[Turn], list[Asked]], list[Scores]]


def turns_of(conversation: dict[str, Any]) -> list[Turn]:
    numbers = sorted(int(key.split("_")[1]) for key in conversation if re.fullmatch(r"session_\d+", key))
    turns: list[Turn] = []
    for number in numbers:
        said = conversation[f"session_{number}_date_time"]
        began = datetime.strptime(f"{said} +0000", "%I:%M %p on %d %B, %Y %z")
        start = int(began.timestamp() * 1000)
        for at, turn in enumerate(conversation[f"session_{number}"]):
            turns.append(Turn(turn["dia_id"], turn["speaker"], turn["text"], start + at * 30_000))
    return turns


def questions_of(sample: dict[str, Any], known: set[str]) -> list[Asked]:
    asked: list[Asked] = []
    for item in sample["qa"]:
        named = {part for entry in item.get("evidence", []) for part in re.split(r"[;\s]+", entry)}
        if item["category"] != UNANSWERABLE and named & known:
            asked.append(Asked(item["question"], frozenset(named & known)))
    return asked


def score(ranked: list[str], evidence: frozenset[str]) -> Scores:
    top = evidence.intersection(ranked[:TOP])
    first = next((place for place, turn in enumerate(ranked, 1) if turn in evidence), None)
    return Scores(len(top) / len(evidence), float(bool(top)), 1 / first if first else 0.0)


def mean(scores: list[Scores], field: str) -> float:
    return statistics.mean(getattr(s, field) for s in scores)


async def ours(turns: list[Turn], asked: list[Asked], folder: Path) -> list[Scores]:
    clock = FakeClock(turns[0].ts)
    store = await Store.open(DataFolder(folder), None, clock, projections=PROJECTIONS, migrations=MIGRATIONS)
    rooms = Rooms(store)
    await rooms.open()
    people = {name: await rooms.add_actor(name, "human", "echo") for name in sorted({t.speaker for t in turns})}
    channel = await rooms.create_channel("talk", tier="team", members=[p.id for p in people.values()])
    turn_of: dict[str, str] = {}
    for turn in turns:
        clock.advance((turn.ts - clock.now_ms()) / 1000)
        said = await rooms.say(channel.id, people[turn.speaker].id, turn.text)
        turn_of[said.id] = turn.id
    view = await View.of(store, channel.id)
    scores: list[Scores] = []
    for item in asked:
        found = await recall_from(view, item.question, limit=100)
        scores.append(score([turn_of[hit.message_id] for hit in found.hits], item.evidence))
    await store.close()
    return scores


def plain_fts5(turns: list[Turn], asked: list[Asked]) -> list[Scores]:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE said USING fts5(id UNINDEXED, text, tokenize = 'porter')")
    database.executemany("INSERT INTO said VALUES (?, ?)", [(t.id, t.text) for t in turns])
    scores: list[Scores] = []
    for item in asked:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", item.question))
        rows = database.execute("SELECT id FROM said WHERE said MATCH ? ORDER BY bm25(said) LIMIT 100", (words,))
        scores.append(score([row[0] for row in rows], item.evidence))
    database.close()
    return scores


def tantivy(turns: list[Turn], asked: list[Asked], python: Peer) -> list[Scores]:
    lines = [json.dumps([(turn.id, turn.text) for turn in turns]), *(json.dumps(item.question) for item in asked)]
    command = [str(python.python), program("tantivy_ranking.py")]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True)
    answers = map(json.loads, done.stdout.splitlines())
    return [score(ranked, item.evidence) for ranked, item in zip(answers, asked, strict=True)]


def ways_of_peers(report: Report) -> dict[str, Way]:
    """Whoever is there to compare with, by name."""
    ways: dict[str, Way] = {"FTS5 (porter, bm25)": plain_fts5}
    try:
        python = peer("tantivy")
    except Absent as why:
        report.fact("tantivy", f"left out: {why}")
        return ways
    report.peer("tantivy", python.version)
    return ways | {"tantivy (en_stem, bm25)": partial(tantivy, python=python)}


async def main() -> None:
    report = Report("locomo", "evidence turns found, each conversation as its own scope")
    if not CORPUS.exists():
        report.skip(f"{CORPUS.name} is not here: its conversations are not ours to give on")
        return
    ways = ways_of_peers(report)
    mine: list[Scores] = []
    theirs: dict[str, list[Scores]] = {name: [] for name in ways}
    for sample in json.loads(CORPUS.read_text("utf-8")):
        turns = turns_of(sample["conversation"])
        asked = questions_of(sample, {turn.id for turn in turns})
        with tempfile.TemporaryDirectory() as name:
            here = await ours(turns, asked, Path(name))
        mine += here
        for peer_name, way in ways.items():
            theirs[peer_name] += way(turns, asked)
        if "--each" in sys.argv:
            print(f"  {sample['sample_id']}: R@10 {mean(here, 'recall'):.3f}, MRR {mean(here, 'reciprocal'):.3f}")
    for what, field, aim in (
        ("recall@10", "recall", 0.80),
        ("MRR", "reciprocal", 0.60),
        ("any of them in ten", "found", None),
    ):
        value = mean(mine, field)
        for peer_name, scores in theirs.items():
            report.row(what, ours=[value], peer=[mean(scores, field)], peer_name=peer_name)
        verdict = "" if aim is None else f", aim {aim:.2f} {'met' if value >= aim else 'NOT met'}"
        report.fact(what, f"{value:.3f}{verdict}")
    report.fact("questions", len(mine))
    report.finish()


if __name__ == "__main__":
    asyncio.run(main())
