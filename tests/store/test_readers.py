"""Threads that read: the one that read last is asked first, and nobody waits while another rests."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from prime.store.engines.readers import Readers


@pytest.fixture
def readers() -> Iterator[Readers]:
    made = Readers(3, "reader")
    yield made
    made.close()


def thread() -> str:
    return threading.current_thread().name


async def test_one_after_the_other_they_are_read_by_one_thread(readers: Readers) -> None:
    assert {await readers.run(thread) for _ in range(50)} == {"reader_0"}


async def test_at_once_they_are_read_by_several_and_none_is_left_behind(readers: Readers) -> None:
    together = threading.Barrier(3)

    def meet() -> str:
        together.wait(10)
        return thread()

    names = await asyncio.gather(*(readers.run(meet) for _ in range(9)))
    assert set(names) == {"reader_0", "reader_1", "reader_2"}


async def test_a_failure_goes_to_who_asked_and_a_waiter_may_leave(readers: Readers) -> None:
    def fail() -> None:
        raise ValueError("no")

    go_on = threading.Event()
    left = asyncio.ensure_future(readers.run(lambda: go_on.wait(10)))
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        await left
    with pytest.raises(ValueError, match="no"):
        await readers.run(fail)
    go_on.set()
    assert await readers.run(thread)


async def test_what_waits_is_done_before_the_end() -> None:
    readers = Readers(1, "reader")
    waiting = [readers.run(lambda n=n: n) for n in range(20)]
    await asyncio.to_thread(readers.close)
    assert await asyncio.gather(*waiting) == list(range(20))
    with pytest.raises(RuntimeError):
        readers.run(thread)
