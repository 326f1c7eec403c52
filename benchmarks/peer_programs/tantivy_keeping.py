"""Tantivy takes in the messages of a file, beside a bare SQLite log: how it should, line by line in; the seconds that took out.

`index` adds them to an index that is committed once. `log` also keeps them in a log, a thousand to a transaction that outlives
a power cut. `found` commits the index after each thousand, so that they can be searched, as ours can whenever they are kept.
"""

# Its package is in the peer's environment only, where no one checks types.
# pyright: basic, reportMissingImports=false

import json
import sqlite3
import sys
import time
from pathlib import Path

import tantivy
from tantivy_search import open_index

AT_ONCE = 1000


def open_log(path: Path, statements: list[str]) -> sqlite3.Connection:
    log = sqlite3.connect(path, isolation_level=None)
    log.execute("PRAGMA journal_mode = WAL")
    log.execute("PRAGMA synchronous = FULL")
    for statement in statements:
        log.execute(statement)
    return log


def keep(log: sqlite3.Connection, said: list[tuple[str, str]], first: int) -> None:
    rows = [
        (seq, f"msg_{seq:020d}", channel, f"act_{seq % 7}", seq, "text", "room", text, "{}", 0, None, "[]", "", None)
        for seq, (channel, text) in enumerate(said, first)
    ]
    log.execute("BEGIN IMMEDIATE")
    log.executemany(f"INSERT INTO message VALUES ({','.join('?' * 14)})", rows)
    log.execute("COMMIT")


def take_in(folder: Path, said: list[tuple[str, str]], statements: list[str], how: str) -> float:
    folder.mkdir()
    log = open_log(folder / "log.db", statements)
    (folder / "index").mkdir()
    index = open_index(folder / "index", context=False)
    writer = index.writer(64_000_000, 1)
    begin = time.perf_counter()
    for at in range(0, len(said), AT_ONCE):
        part = said[at : at + AT_ONCE]
        if how != "index":
            keep(log, part, at + 1)
        for channel, text in part:
            writer.add_document(tantivy.Document(channel=channel, text=text))
        if how == "found":
            writer.commit()
            index.reload()
    writer.commit()
    index.reload()
    taken = time.perf_counter() - begin
    writer.wait_merging_threads()
    log.close()
    return taken


def main() -> None:
    said = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    statements = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    print("ready", flush=True)
    for number, how in enumerate(sys.stdin):
        print(take_in(Path(sys.argv[3]) / str(number), said, statements, how.strip()), flush=True)


if __name__ == "__main__":
    main()
