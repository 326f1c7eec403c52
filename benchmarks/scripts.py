"""Startup scripts: how fast they are read and written, and whether the time grows in step with the size.

The floor in the same run is what nobody can avoid: decoding the file's UTF-8 and reading its JSON blocks with the
standard library. The general YAML reader is compared with the quick one on every record's frontmatter. Times are the
process's own (CPU), because other work on the machine is no part of the question.

    .venv/bin/python benchmarks/scripts.py [--json FILE] [--records N]
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from report import Report

from prime.core.fences import Fence, read_fence
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


def blocks_of(text: str) -> list[Fence]:
    """Every fenced block behind a heading, as the parser finds them."""
    places = (heading.end() for heading in re.finditer(r"^### .*\n+", text, re.MULTILINE))
    return [block for place in places if (block := read_fence(text, place)) is not None]


def works(count: int) -> tuple[int, dict[str, Callable[[], object]]]:
    """A script's size in bytes, and what is timed on it."""
    script = history(count)
    data = export_bytes(script)
    assert parse_script(data) == script
    blocks = blocks_of(data.decode())
    calls = [block.body for block in blocks if block.info == "json"]
    heads = [split.yaml for block in blocks if (split := split_frontmatter(block.body)) is not None]
    return len(data), {
        "parse": lambda: parse_script(data),
        "export": lambda: export_bytes(script),
        "floor": lambda: (data.decode(), [json.loads(call) for call in calls]),
        "quick": lambda: [read_simple(head) for head in heads],
        "general": lambda: [read_mapping(head) for head in heads],
    }


def measure(report: Report, counts: list[int]) -> None:
    """Rounds go over all sizes in turn, so that a busy moment of the machine hits all alike."""
    prepared = [works(count) for count in counts]
    rates: list[dict[str, list[float]]] = [{name: [] for name in each} for _, each in prepared]
    for _ in range(ROUNDS):
        for (size, each), found in zip(prepared, rates, strict=True):
            for name, work in each.items():
                start = time.process_time()
                work()
                found[name].append(size / 1e6 / max(time.process_time() - start, 1e-6))
    for count, found in zip(counts, rates, strict=True):
        for what in ("parse", "export"):
            name = f"{what} {count:,} records, MB/s"
            report.row(name, ours=found[what], peer=found["floor"], peer_name="UTF-8 and JSON alone", floor=True)
    largest, smallest = rates[-1], rates[0]
    report.row("frontmatter, MB/s", ours=largest["quick"], peer=largest["general"], peer_name="the general YAML reader")
    report.row(
        f"parse {counts[-1] // counts[0]} times as much, MB/s",
        ours=largest["parse"],
        peer=smallest["parse"],
        peer_name="the small one",
        aim=0.7,
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", type=Path, help="write the numbers here")
    options.add_argument("--records", type=int, default=10_000)
    given = options.parse_args()
    report = Report("scripts", "megabytes of startup script per second of the process's own time")
    measure(report, [given.records // 4, given.records, given.records * 4])
    report.finish()


if __name__ == "__main__":
    main()
