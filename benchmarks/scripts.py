"""Startup scripts: how fast they are read and written, and whether the time grows in step with the size.

The floor in the same run is what nobody can avoid: decoding the file's UTF-8 and reading its JSON blocks with the
standard library. The last column compares the general YAML reader with the quick one on every record's frontmatter. Times
are the process's own (CPU), because other work on the machine is no part of the question.

    .venv/bin/python benchmarks/scripts.py [--json FILE] [--records N]
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

from prime.core.fences import fences
from prime.core.frontmatter import read_simple, split_frontmatter
from prime.core.yaml_text import read_mapping
from prime.dialogs.scripts.exporter import export_bytes
from prime.dialogs.scripts.parser import parse_script
from prime.dialogs.scripts.records import AgentThought, AgentWords, FuncCall, FuncResult, HumanText, Record
from prime.dialogs.scripts.script import Script

ROUNDS = 6


def history(count: int) -> Script:
    """A tool-using dialog: five records a turn, text as long as such texts usually are."""
    records: list[Record] = []
    for turn in range(count // 5):
        call = f"call_{turn}"
        asked = "Please look at the log and say what is wrong.\n\n```sh\njournalctl -n 5\n```\n请用中文回答。"
        shown = "drwxr-xr-x  2 root root 4096 Jan  1 00:00 some-folder-name\n" * 24
        arguments = {"cmd": f"ls -la /srv/{turn}", "timeout": 30, "env": {"LANG": "C"}}
        records += [
            HumanText(genseq=turn, msg_id=f"priming-{turn}", grammar="markdown", content=asked),
            AgentThought(
                genseq=turn, content="The listing comes first; the log is long, so only its end matters. " * 4
            ),
            FuncCall(genseq=turn, id=call, name="exec_command", arguments=arguments),  # pyright: ignore[reportArgumentType]
            FuncResult(genseq=turn, id=call, name="exec_command", content=shown),
            AgentWords(genseq=turn + 1, content="The folder is there and nothing in it is newer than January. " * 8),
        ]
    return Script(records=tuple(records))


def works(count: int) -> tuple[int, dict[str, Callable[[], object]]]:
    """A script's size in bytes, and what is timed on it."""
    script = history(count)
    data = export_bytes(script)
    assert parse_script(data) == script
    blocks = list(fences(data.decode()))
    calls = [block.body for block in blocks if block.info == "json"]
    heads = [split.yaml for block in blocks if (split := split_frontmatter(block.body)) is not None]
    return len(data), {
        "parse": lambda: parse_script(data),
        "export": lambda: export_bytes(script),
        "floor": lambda: (data.decode(), [json.loads(call) for call in calls]),
        "quick": lambda: [read_simple(head) for head in heads],
        "general": lambda: [read_mapping(head) for head in heads],
    }


def measure(counts: list[int]) -> list[dict[str, float]]:
    """MB/s of each way and size. Rounds go over all sizes in turn, so that a busy moment of the machine hits all alike;
    the quickest of each counts."""
    prepared = [works(count) for count in counts]
    seconds = [dict.fromkeys(each, float("inf")) for _, each in prepared]
    for _ in range(ROUNDS):
        for (_, each), quickest in zip(prepared, seconds, strict=True):
            for name, work in each.items():
                start = time.process_time()
                work()
                quickest[name] = min(quickest[name], time.process_time() - start)
    return [
        {
            "records": count,
            "megabytes": round(size / 1e6, 2),
            "bytesPerRecord": round(size / count),
            "parse": round(size / 1e6 / quickest["parse"], 1),
            "export": round(size / 1e6 / quickest["export"], 1),
            "parseToFloor": round(quickest["parse"] / quickest["floor"], 1),
            "generalToQuick": round(quickest["general"] / quickest["quick"], 1),
        }
        for count, (size, _), quickest in zip(counts, prepared, seconds, strict=True)
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", type=Path, help="write the numbers here")
    options.add_argument("--records", type=int, default=10_000)
    given = options.parse_args()
    rows = measure([given.records // 4, given.records, given.records * 4])
    print(
        f"{'records':>8} {'MB':>6} {'B/record':>9} {'parse MB/s':>11} {'export MB/s':>12} {'x floor':>8} {'YAML/quick':>11}"
    )
    for row in rows:
        print(
            f"{row['records']:>8} {row['megabytes']:>6} {row['bytesPerRecord']:>9} {row['parse']:>11}"
            f" {row['export']:>12} {row['parseToFloor']:>8} {row['generalToQuick']:>11}"
        )
    linearity = rows[-1]["parse"] / rows[0]["parse"]
    print(f"parse speed at 16 times the size: {linearity:.2f} of the small one's (1 is linear)")
    if given.json:
        given.json.write_text(json.dumps({"rows": rows, "linearity": round(linearity, 2)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
