"""Nothing that a program started is left behind, whatever it tries."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from prime.core.process import Command, Containment, Limits, Namespace, guard, run

# Each leaves processes behind in another way, then hangs; $0 is the mark.
ESCAPES = {
    "hangs": 'sleep 1000 "$0" & sleep 1000; :',
    "ignores signals": "trap '' TERM INT HUP; while :; do sleep 1; done",
    "leaves its group": 'setsid sh -c "trap \\"\\" TERM HUP; sleep 1000; : $0" & sleep 1000',
    "forks twice": '(setsid sh -c "setsid sleep 1000 & sleep 1000; : $0" &) ; sleep 1000',
}
# Doubles six times and stops by itself, so that a broken limit does not take the machine with it.
BOMB = "grow() { sleep 30 & [ $1 = 0 ] || { grow $(($1 - 1)) & grow $(($1 - 1)) & }; wait; }; grow 6"
LEAVES = '(setsid sh -c "trap \\"\\" TERM HUP; sleep 1000; : $0" >/dev/null 2>&1 &) ; echo started'


@pytest.mark.parametrize("escape", ESCAPES)
async def test_a_timeout_ends_everything(
    within: Containment, mark: str, living: Callable[[], int], escape: str
) -> None:
    command = Command(argv=("sh", "-c", ESCAPES[escape], mark), limits=Limits(wall_s=0.5))
    done = await run(command, within=within)
    assert done.timed_out
    assert done.duration_s < 5
    assert living() == 0


async def test_the_end_of_the_program_ends_its_children(
    within: Containment, mark: str, living: Callable[[], int]
) -> None:
    done = await run(Command(argv=("sh", "-c", LEAVES, mark)), within=within)
    assert (done.stdout, done.ok) == (b"started\n", True)
    assert living() == 0


async def test_cancelling_ends_everything(
    within: Containment, mark: str, living: Callable[[], int], until: Callable[[Callable[[], bool]], None]
) -> None:
    argv = ("sh", "-c", f"{ESCAPES['forks twice']}", mark)
    task = asyncio.create_task(run(Command(argv=argv), within=within))
    await asyncio.to_thread(until, lambda: living() >= 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert living() == 0


# What bubblewrap is while it sets a sandbox up: it has made the first process and not yet said which one it is.
SETTING_UP = "#!/bin/sh\n(sleep 1000; :) & wait\n"


async def test_a_sandbox_that_is_still_being_set_up_is_ended_whole(
    tmp_path: Path, mark: str, living: Callable[[], int], until: Callable[[Callable[[], bool]], None]
) -> None:
    bwrap = tmp_path / "bwrap"
    bwrap.write_text(SETTING_UP)
    bwrap.chmod(0o755)
    task = asyncio.create_task(run(Command(argv=("sh", "-c", ":", mark)), within=Namespace(str(bwrap))))
    await asyncio.to_thread(until, lambda: living() >= 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(until, lambda: living() == 0)


async def test_a_fork_bomb_stays_within_the_process_limit(
    within: Containment, mark: str, living: Callable[[], int]
) -> None:
    command = Command(argv=("bash", "-c", BOMB, mark), limits=Limits(processes=40, wall_s=20))
    done = await run(command, within=within)
    assert done.stopped == "processes"
    assert living() == 0


async def test_too_much_output_from_a_grandchild(within: Containment, mark: str, living: Callable[[], int]) -> None:
    argv = ("sh", "-c", '(setsid sh -c "cat /dev/zero; : $0" &); sleep 1000', mark)
    done = await run(Command(argv=argv, limits=Limits(stdout_bytes=1000, wall_s=20)), within=within)
    assert done.stopped == "output"
    assert living() == 0


def test_the_end_of_prime_ends_everything(
    within: Containment, mark: str, living: Callable[[], int], until: Callable[[Callable[[], bool]], None]
) -> None:
    """kill -9 of the process that runs a program leaves nothing of the program."""
    script = (
        "import asyncio, sys\n"
        "from prime.core.process import Command, Subreaper, containment, run\n"
        "within = Subreaper() if sys.argv[1] == 'subreaper' else containment()\n"
        "asyncio.run(run(Command(argv=('sh', '-c', sys.argv[2], sys.argv[3])), within=within))\n"
    )
    argv = [sys.executable, "-c", script, within.name, ESCAPES["leaves its group"], mark]
    owner = subprocess.Popen(argv)
    until(lambda: living() >= 4)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    until(lambda: living() == 0)


def test_the_end_of_prime_while_a_program_starts_ends_it_too(
    mark: str, living: Callable[[], int], until: Callable[[Callable[[], bool]], None]
) -> None:
    """Killed between the program's start and the guard's word of it: nobody reads that word, and nothing is left."""
    spec = json.dumps({"cwd": None, "rlimits": []})
    (heard, status), (gate, opener) = os.pipe(), os.pipe()
    argv = [sys.executable, "-I", "-S", guard.__file__, str(status), str(gate), spec]
    os.close(heard)
    held = subprocess.Popen([*argv, "/bin/sh", "-c", ESCAPES["forks twice"], mark], pass_fds=(status, gate))
    os.close(status)
    os.close(gate)
    try:
        until(lambda: living() >= 3)
    finally:
        os.close(opener)
    held.wait(timeout=10)
    until(lambda: living() == 0)


def test_no_process_and_no_descriptor_is_left(within: Containment) -> None:
    """In a process that has no other children than these: the suite's own come and go."""
    script = (
        "import asyncio, os, sys\n"
        "from prime.core.process import Command, Subreaper, containment, run, start\n"
        "from prime.core.process.guard import children\n"
        "within = Subreaper() if sys.argv[1] == 'subreaper' else containment()\n"
        "async def some():\n"
        "    await run(Command(argv=('cat',), stdin=b'x'), within=within)\n"
        "    await run(Command(argv=('cat',), pty=True), within=within)\n"
        "    async with await start(Command(argv=('cat',)), within=within):\n"
        "        pass\n"
        "async def main():\n"
        "    await some()\n"
        "    before = len(os.listdir('/proc/self/fd'))\n"
        "    for _ in range(10):\n"
        "        await some()\n"
        "    print(len(os.listdir('/proc/self/fd')) - before, len(children(os.getpid())))\n"  # zombies are children
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", script, within.name], capture_output=True, text=True, check=True)
    assert done.stdout == "0 0\n"


def test_nothing_is_left_to_a_prime_that_is_everybodys_parent(within: Containment) -> None:
    """As the first process of a container, which inherits what others leave behind."""
    script = (
        "import asyncio, sys\n"
        "from prime.core.process import Command, Subreaper, containment, run\n"
        "from prime.core.process.guard import become_subreaper, children\n"
        "become_subreaper()\n"
        "within = Subreaper() if sys.argv[1] == 'subreaper' else containment()\n"
        "async def main():\n"
        "    for _ in range(5):\n"
        "        await run(Command(argv=('sh', '-c', 'setsid sleep 300 & echo')), within=within)\n"
        "asyncio.run(main())\n"
        "import os; print(len(children(os.getpid())))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, within.name], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
