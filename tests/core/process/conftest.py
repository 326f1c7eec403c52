"""Both ways of holding a program, and a way to count what is left of one."""

import os
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from prime.core.process import Containment, Subreaper, containment


@pytest.fixture(params=["namespace", "subreaper"])
def within(request: pytest.FixtureRequest) -> Containment:
    return Subreaper() if request.param == "subreaper" else containment()


@pytest.fixture
def mark() -> str:
    """A word for a program's arguments by which its processes are found again."""
    return f"mark-{uuid.uuid4().hex}"


@pytest.fixture
def living(mark: str) -> Callable[[], int]:
    """How many processes carry the mark in their arguments or environment. A zombie has neither, and is one of
    `children`."""

    def count() -> int:
        found = 0
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit() or int(folder.name) == os.getpid():
                continue
            try:
                carried = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
            except OSError:
                continue
            found += mark.encode() in carried
        return found

    return count


@pytest.fixture
def children() -> Callable[[], set[str]]:
    """Children of this process, zombies among them; the suite itself may have some."""
    return lambda: {pid for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()}


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Wait for another process to get somewhere; real processes have no clock that a test could set."""

    def wait(reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not reached():
            assert time.monotonic() < deadline, "it never got there"
            time.sleep(0.01)

    return wait
