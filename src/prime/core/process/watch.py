"""Count what a running program uses with all its children: the kernel bounds processes one by one only."""

import contextlib
import os
import sys
from pathlib import Path

from prime.core.process.command import Limits, Stop
from prime.core.process.guard import descendants

TICK_S = 0.02
# For a program that waits for its work: what the kernel bounds is bounded all the same.
RESTING_TICK_S = 0.5
_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


def is_needed(limits: Limits) -> bool:
    """Whether any limit is about the whole tree."""
    return not (limits.processes is None and limits.memory_bytes is None and limits.cpu_s is None)


def exceeded(root: int, limits: Limits) -> Stop | None:
    """Which limit the tree below and including `root` breaks, if any. `root`, the namespace's own, is not counted."""
    tree = descendants(root, sys.maxsize if limits.processes is None else limits.processes + 1)
    if limits.processes is not None and len(tree) > limits.processes:
        return "processes"
    if limits.memory_bytes is not None and sum(map(_memory, tree)) > limits.memory_bytes:
        return "memory"
    if limits.cpu_s is not None and _cpu([root, *tree]) > limits.cpu_s:
        return "cpu"
    return None


def _memory(pid: int) -> int:
    """Bytes that are in memory only because of this process: anonymous and shared, not mapped files."""
    total = 0
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_bytes().splitlines():
            if line.startswith((b"RssAnon:", b"RssShmem:")):
                total += int(line.split()[1]) * 1024
    return total


def _cpu(pids: list[int]) -> float:
    """Seconds of processor time, of children that have ended too."""
    ticks = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / _CLOCK_TICKS
