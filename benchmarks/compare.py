"""The regression guard: the ratios of two result files beside each other. Times are not compared; machines differ."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Change:
    """How one ratio moved."""

    where: str
    before: float
    after: float
    worse: bool


def compare(old: Path, new: Path, slack: float) -> int:
    """Print what became worse; 1 when anything did, 2 when a file cannot be read."""
    try:
        before, after = _rows(old), _rows(new)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        sys.stderr.write(f"This is no file of results: {problem}\n")
        return 2
    both = sorted(before.keys() & after.keys())
    changes = [change_of(key, before[key], after[key], slack) for key in both]
    for change in changes:
        print(f"{'WORSE' if change.worse else 'ok   '} {change.where}: {change.before:.2f} -> {change.after:.2f}")
    for key in sorted(before.keys() - after.keys()):
        print(f"gone  {' / '.join(key)}: it was not measured this time")
    worse = sum(change.worse for change in changes)
    print(f"{len(both)} ratios compared, {worse} worse.")
    return 1 if worse else 0


def change_of(key: tuple[str, str, str], before: dict[str, Any], after: dict[str, Any], slack: float) -> Change:
    """Worse is: outside the old spread by more than `slack`, with every repetition of the new one."""
    low, high = before["spread"]
    new_low, new_high = after["spread"]
    worse = new_high < low * (1 - slack) if before["higher_is_better"] else new_low > high * (1 + slack)
    return Change(" / ".join(key), before["ratio"], after["ratio"], worse)


def _rows(path: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Every comparison by benchmark, what and peer. Quick and full runs measure other sizes: they are kept apart."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for document in json.loads(path.read_text("utf-8"))["benchmarks"]:
        name = f"{document['name']} (quick)" if document.get("quick") else document["name"]
        for row in document.get("rows", []):
            found[name, row["what"], row["peer"]] = row
    return found
