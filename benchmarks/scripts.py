"""Startup scripts: how fast they are read and written, and whether the time grows in step with the size.

The floor in the same run is what nobody can avoid: decoding the file's UTF-8 and reading its JSON blocks with the
standard library. `general YAML` reads the frontmatter of every record with the general reader alone.

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

ROUNDS = 7


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


def best(work: Callable[[], object]) -> float:
    """Seconds of the quickest of some rounds: the others were disturbed by the machine."""
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(count: int) -> dict[str, float]:
    """MB/s of each way for a script of `count` records."""
    script = history(count)
    data = export_bytes(script)
    assert parse_script(data) == script
    blocks = list(fences(data.decode()))
    calls = [block.body for block in blocks if block.info == "json"]
    heads = [split.yaml for block in blocks if (split := split_frontmatter(block.body)) is not None]
    megabytes = len(data) / 1e6
    floor = best(lambda: (data.decode(), [json.loads(call) for call in calls]))
    return {
        "records": count,
        "megabytes": round(megabytes, 2),
        "bytesPerRecord": round(len(data) / count),
        "parse": round(megabytes / best(lambda: parse_script(data)), 1),
        "export": round(megabytes / best(lambda: export_bytes(script)), 1),
        "floor": round(megabytes / floor, 1),
        "frontmatterQuickSeconds": round(best(lambda: [read_simple(head) for head in heads]), 4),
        "frontmatterGeneralSeconds": round(best(lambda: [read_mapping(head) for head in heads]), 4),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", type=Path, help="write the numbers here")
    options.add_argument("--records", type=int, default=10_000)
    given = options.parse_args()
    rows = [measure(count) for count in (given.records // 4, given.records, given.records * 4)]
    print(
        f"{'records':>8} {'MB':>7} {'B/record':>9} {'parse MB/s':>11} {'export MB/s':>12} {'floor MB/s':>11} {'YAML x':>7}"
    )
    for row in rows:
        ratio = row["frontmatterGeneralSeconds"] / row["frontmatterQuickSeconds"]
        print(
            f"{row['records']:>8} {row['megabytes']:>7} {row['bytesPerRecord']:>9} {row['parse']:>11}"
            f" {row['export']:>12} {row['floor']:>11} {ratio:>7.1f}"
        )
    linearity = rows[-1]["parse"] / rows[0]["parse"]
    print(f"parse speed at 16 times the size: {linearity:.2f} of the small one's (1 is linear)")
    if given.json:
        given.json.write_text(json.dumps({"rows": rows, "linearity": round(linearity, 2)}, indent=2) + "\n")


if __name__ == "__main__":
    main()
