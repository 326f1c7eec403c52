"""Programs that stay and are spoken to."""

import asyncio
from collections.abc import Callable

import pytest

from prime.core.errors import TooLarge, Unavailable
from prime.core.process import Command, Containment, Limits, start


def stays(*argv: str, limits: Limits | None = None) -> Command:
    return Command(argv=argv, limits=limits or Limits(wall_s=None))


async def test_line_by_line(within: Containment) -> None:
    async with await start(stays("cat"), within=within) as process:
        for line in (b"one\n", b"two\n"):
            await process.write(line)
            assert await process.readline() == line
        assert process.running
        process.close_input()
        assert await process.readline() == b""
        assert (await process.wait()).ok


async def test_more_than_a_pipe_holds_in_both_directions(within: Containment) -> None:
    data = b"x" * 2_000_000
    async with await start(stays("cat"), within=within) as process:
        writing = asyncio.create_task(process.write(data))
        seen = 0
        while seen < len(data):
            seen += len(await process.read())
        await writing
        assert seen == len(data)


async def test_what_was_said_at_the_end_is_not_lost(within: Containment) -> None:
    async with await start(stays("sh", "-c", "echo last; echo why >&2; exit 5"), within=within) as process:
        done = await process.wait()
        assert (done.exit_code, done.stderr) == (5, b"why\n")
        assert await process.readline() == b"last\n"
        assert await process.readline() == b""


async def test_stderr_keeps_its_tail(within: Containment) -> None:
    limits = Limits(wall_s=None, stderr_bytes=4)
    async with await start(stays("sh", "-c", "echo 123456789 >&2", limits=limits), within=within) as process:
        done = await process.wait()
        assert (done.stderr, done.truncated) == (b"789\n", True)


async def test_asked_to_end(within: Containment) -> None:
    script = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
    async with await start(stays("sh", "-c", script), within=within) as process:
        assert await process.readline() == b"ready\n"
        process.terminate()
        assert await process.readline() == b"bye\n"
        assert (await process.wait()).ok


async def test_killed_with_everything(within: Containment, mark: str, living: Callable[[], int]) -> None:
    script = "trap '' TERM; (setsid sh -c \"sleep 1000; : $0\" &); echo ready; sleep 1000"
    process = await start(stays("sh", "-c", script, mark), within=within)
    assert await process.readline() == b"ready\n"
    process.kill()
    done = await process.wait()
    assert (done.stopped, process.running, living()) == ("killed", False, 0)


async def test_writing_to_what_is_gone(within: Containment) -> None:
    async with await start(stays("sh", "-c", "echo broken >&2; exit 1"), within=within) as process:
        await process.wait()
        with pytest.raises(Unavailable, match="broken"):
            await process.write(b"x\n")


async def test_a_line_without_end(within: Containment) -> None:
    limits = Limits(wall_s=None, stdout_bytes=10_000)
    async with await start(stays("cat", "/dev/zero", limits=limits), within=within) as process:
        with pytest.raises(TooLarge):
            await process.readline()


async def test_cancelling_a_wait_leaves_it_running(within: Containment) -> None:
    async with await start(stays("cat"), within=within) as process:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(process.wait(), 0.05)
        await process.write(b"still here\n")
        assert await process.readline() == b"still here\n"
