"""Token buckets by a clock that stands still."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.core.clock import FakeClock
from prime.core.errors import InvalidInput, RateLimited
from prime.core.rate import RateBucket


def bucket(clock: FakeClock, per_second: float = 2, burst: float = 3, max_keys: int = 100) -> RateBucket:
    return RateBucket(clock=clock, per_second=per_second, burst=burst, max_keys=max_keys)


def test_burst_then_rate():
    clock = FakeClock()
    rate = bucket(clock)
    assert [rate.try_take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert rate.try_take("b") == 0, "keys do not share"
    clock.advance(0.5)
    assert rate.try_take("a") == 0
    assert rate.try_take("a") == 0.5
    clock.advance(60)
    assert [rate.try_take("a") for _ in range(4)] == [0, 0, 0, 0.5], "never more than the burst"


def test_a_refusal_takes_nothing():
    rate = bucket(FakeClock())
    assert rate.try_take("a", 2) == 0
    assert rate.try_take("a", 3) == 1.0
    assert rate.try_take("a", 1) == 0


@given(st.lists(st.tuples(st.floats(0, 3), st.integers(1, 3)), max_size=40))
def test_never_more_than_burst_plus_rate_times_time(steps: list[tuple[float, int]]):
    clock = FakeClock()
    rate = bucket(clock)
    start, taken = clock.monotonic(), 0
    for pause, n in steps:
        clock.advance(pause)
        if rate.try_take("a", n) == 0:
            taken += n
        assert taken <= 3 + 2 * (clock.monotonic() - start) + 1e-6


@given(st.integers(1, 3))
def test_the_promised_wait_is_enough(n: int):
    clock = FakeClock()
    rate = bucket(clock, per_second=0.25)
    assert rate.try_take("a", 3) == 0
    clock.advance(rate.try_take("a", n))
    assert rate.try_take("a", n) == 0


def test_memory_is_bounded():
    clock = FakeClock()
    rate = bucket(clock, max_keys=10)
    for number in range(1000):
        rate.try_take(str(number))
    assert len(rate) == 10
    for number in range(40):
        clock.advance(60)
        rate.try_take(f"later {number}")
    assert len(rate) <= 3, "what has filled up is forgotten"


@pytest.mark.parametrize(
    ("per_second", "burst", "keys"), [(0, 1, 1), (-1, 1, 1), (1, 0, 1), (1, 1, 0), (float("nan"), 1, 1)]
)
def test_wrong_settings(per_second: float, burst: float, keys: int):
    with pytest.raises(InvalidInput):
        bucket(FakeClock(), per_second, burst, keys)


@pytest.mark.parametrize("n", [4, -1, float("nan")])
def test_what_never_fits_is_an_error(n: float):
    with pytest.raises(InvalidInput):
        bucket(FakeClock()).try_take("a", n)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_waiting_in_order():
    clock = FakeClock()
    rate = bucket(clock, per_second=1, burst=1)
    done: list[int] = []

    async def worker(number: int) -> None:
        await rate.take("a")
        done.append(number)

    tasks = [asyncio.ensure_future(worker(n)) for n in range(3)]
    await settle()
    assert done == [0]
    clock.advance(1)
    await settle()
    assert done == [0, 1]
    clock.advance(1)
    await asyncio.gather(*tasks)
    assert done == [0, 1, 2]


async def test_a_wait_that_is_too_long_fails_at_once():
    rate = bucket(FakeClock(), per_second=0.1, burst=1)
    await rate.take("a", max_wait=0)
    with pytest.raises(RateLimited) as caught:
        await rate.take("a", max_wait=5)
    assert caught.value.data["retryAfter"] == pytest.approx(10)
    assert rate.try_take("a") == pytest.approx(10), "nothing was booked"


async def test_a_cancelled_wait_gives_its_tokens_back():
    rate = bucket(FakeClock(), per_second=1, burst=1)
    await rate.take("a")
    waiting = asyncio.ensure_future(rate.take("a"))
    await settle()
    assert rate.try_take("a") == pytest.approx(2)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert rate.try_take("a") == pytest.approx(1)
