"""Lines of a pipe, however they are cut into pieces."""

import asyncio
import json
import os
from collections.abc import Generator

import pytest

from prime.gateway.front.frames import LARGEST
from prime.gateway.front.input import PipedLines
from prime.gateway.front.stdio import next_message, says_goodbye


@pytest.fixture
def pipe() -> Generator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    os.close(ends[0])


async def test_lines_come_whole_and_in_order(pipe: tuple[int, int]) -> None:
    read, write = pipe
    lines = PipedLines(read)
    os.write(write, b"one\n\n  \ntwo\nthr")
    assert [await lines.next(), await lines.next()] == [b"one", b"two"]
    os.write(write, b"")
    os.write(write, b"ee")
    os.write(write, b"\nfour")
    os.close(write)
    assert [await lines.next(), await lines.next(), await lines.next()] == [b"three", b"four", None]
    assert lines.ended
    assert await lines.next() is None


async def test_a_line_longer_than_a_pipe_is_one_line(pipe: tuple[int, int]) -> None:
    read, write = pipe
    lines = PipedLines(read)
    long = b"x" * 1_000_000

    def send() -> None:
        for start in range(0, len(long), 65_536):
            os.write(write, long[start : start + 65_536])
        os.write(write, b"\nend\n")
        os.close(write)

    sending = asyncio.create_task(asyncio.to_thread(send))
    assert [await lines.next(), await lines.next(), await lines.next()] == [long, b"end", None]
    await sending


class Given:
    """Lines that are there already."""

    ended = False

    def __init__(self, *lines: bytes) -> None:
        self._lines = list(lines)

    async def next(self) -> bytes | None:
        return self._lines.pop(0) if self._lines else None


async def test_a_message_that_is_too_large_is_answered_and_the_next_one_is_heard(
    capfd: pytest.CaptureFixture[str],
) -> None:
    large = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "a" * LARGEST}}).encode()
    lines = Given(large, b"[" * (LARGEST + 1), b"next")
    assert [await next_message(lines), await next_message(lines)] == [b"next", None]
    told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [(one["id"], one["error"]["code"]) for one in told] == [(7, -32600), (None, -32600)]


def test_a_goodbye_is_known() -> None:
    assert says_goodbye(b'{"jsonrpc": "2.0", "method": "closed"}')
    assert says_goodbye(b'{"jsonrpc":"2.0","method":"notifications/closed"}')
    assert not says_goodbye(b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "closed"}}')
