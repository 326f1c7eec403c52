"""A hard bound on the number of processes for root, whom the kernel's usual one (RLIMIT_NPROC) does not bind.

It is a control group of its own for each program, where the machine lets root make one. Elsewhere Prime counts
(`watch`), which is a moment slower than a fork bomb.
"""

import contextlib
import functools
import itertools
import os
import threading
from pathlib import Path
from typing import Self

_numbers = itertools.count()


class ProcessGroup:
    """A control group that holds at most so many processes."""

    def __init__(self, folder: Path) -> None:
        self.members = folder / "cgroup.procs"
        self._folder = folder

    @classmethod
    def of_size(cls, most: int) -> Self | None:
        """A new one; None where the machine has none to give, or where it is not needed."""
        parent = _parent()
        if parent is None:
            return None
        folder = parent / f"prime-{os.getpid()}-{next(_numbers)}"
        try:
            folder.mkdir()
            (folder / "pids.max").write_text(str(most))
        except OSError:
            return None
        return cls(folder)

    def resize(self, most: int) -> None:
        """Have it hold at most so many from now on."""
        (self._folder / "pids.max").write_text(str(most))

    def add_this_thread(self) -> bool:
        """Take in the calling thread alone; False where the machine's groups hold whole processes only."""
        tasks = self._folder / "tasks"  # version 1 has it
        if not tasks.exists():
            return False
        tasks.write_text(str(threading.get_native_id()))
        return True

    def add(self, pid: int) -> None:
        """Take in a process; its children follow."""
        with contextlib.suppress(ProcessLookupError):
            self.members.write_text(str(pid))

    def remove(self) -> bool:
        """When nothing is left in it; False when there is."""
        try:
            self._folder.rmdir()
        except OSError:
            return False
        return True


@functools.cache
def _parent() -> Path | None:
    """Where groups with a bound on processes can be made: version 1 has a tree for it, version 2 one for all."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(OSError):
        for line in Path("/proc/mounts").read_text().splitlines():
            _, place, kind, options, *_ = line.split()
            root = Path(place)
            if kind == "cgroup" and "pids" in options.split(","):
                return _usable(root)
            if kind == "cgroup2" and "pids" in (root / "cgroup.subtree_control").read_text().split():
                return _usable(root)
    return None


def _usable(root: Path) -> Path | None:
    trial = root / f"prime-{os.getpid()}-trial"
    try:
        trial.mkdir()
        usable = (trial / "pids.max").exists()
        trial.rmdir()
    except OSError:
        return None
    return root if usable else None
