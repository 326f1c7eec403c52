"""Groups of bounded size that programs are born into: they serve one after the other and are gone with Prime."""

import subprocess
import sys
from pathlib import Path

import pytest

from prime.core.process import Command, Limits, run
from prime.core.process.lanes import lanes


@pytest.fixture(autouse=True)
def lane_of_this_machine() -> None:
    lane = lanes().take(8)
    if lane is None:
        pytest.skip("not root, or no control groups of version 1")
    lanes().give_back(lane)


PROGRAM = """
import asyncio
from pathlib import Path
from prime.core.process import Command, Limits, run

async def main():
    command = Command(argv=("cat", "/proc/self/cgroup"), limits=Limits(processes=4))
    first, second = await run(command), await run(command)
    assert first.stdout == second.stdout, "the second program got a group of its own"
    print(first.stdout.decode())

asyncio.run(main())
"""


def test_programs_are_born_into_a_group_that_goes_with_prime() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    (line,) = [line for line in done.stdout.splitlines() if ":pids:" in line]
    group = line.rpartition(":")[2]
    assert "/prime-" in group
    assert not Path(f"/sys/fs/cgroup/pids{group}").exists()


async def test_the_bound_holds_from_the_first_moment() -> None:
    script = "i=0; while [ $i -lt 20 ]; do sleep 5 & i=$((i+1)); done; wait; echo all"
    outcome = await run(Command(argv=("sh", "-c", script), limits=Limits(processes=6, wall_s=10)))
    assert b"all" not in outcome.stdout


def _threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


async def test_a_program_that_cannot_start_gives_its_lane_back() -> None:
    before = _threads()
    for _ in range(5):
        with pytest.raises(Exception, match="not an executable"):
            await run(Command(argv=("/no/such/program",), limits=Limits(processes=4)))
    assert _threads() <= before + 1
