"""Ten thousand calls in a row: memory stays flat, and no descriptor and no process is left."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prime.tools.pipeline import ToolCall
from prime.tools.tool import Tool

CALLS = 10_000
# Caches and the allocator have filled up by then.
SETTLED = 1_500
# What tables of recent sessions, SQLite's pages and the log's own bookkeeping may still take.
GROWTH_KIB = 12 * 1024


def _resident_kib() -> int:
    gc.collect()
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def _descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def _children() -> set[int]:
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        found |= {int(pid) for pid in (task / "children").read_text().split()}
    return found


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_ten_thousand_calls_leave_nothing_behind(
    open_house: Callable[..., Any], programs: Callable[..., Tool]
) -> None:
    house = await open_house(programs("hello", "echo hello"), mode="off")
    session = house.session()

    async def call(times: int) -> None:
        for _ in range(times):
            result = await house.workshop.pipeline.call(ToolCall(name="hello"), session)
            assert not result.is_error

    await call(SETTLED)
    memory, descriptors, children = _resident_kib(), _descriptors(), _children()
    await call(CALLS - SETTLED)
    assert _resident_kib() - memory < GROWTH_KIB
    assert _descriptors() <= descriptors
    assert _children() <= children
    assert len(await house.store.log.after(0, 3 * CALLS)) >= 2 * CALLS
