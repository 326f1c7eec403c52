"""Known people first: what strangers ask for takes the time that is left."""

import asyncio
import time
from collections.abc import Coroutine, MutableMapping
from itertools import pairwise
from typing import Any, Protocol

import httpx2
import pytest
from starlette.types import Message, Receive

from prime.app import Prime
from prime.web.precedence import FEW, MANY, Precedence
from prime.web.rounds import ROUND_SECONDS, Rounds

STRANGERS = 100
STEPS = 10


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient


class Crowd:
    """Strangers at work: each takes so many steps of a tenth of a round, and counts them."""

    def __init__(self, rounds: Rounds) -> None:
        self.steps = 0
        self._stepped = asyncio.Event()
        self.tasks = [asyncio.create_task(stepwise(rounds, self._work())) for _ in range(STRANGERS)]

    async def _work(self) -> None:
        for _ in range(STEPS):
            busy(ROUND_SECONDS / 10)
            self.steps += 1
            self._stepped.set()
            await asyncio.sleep(0)

    async def reach(self, steps: int) -> None:
        while self.steps < steps:
            self._stepped.clear()
            await self._stepped.wait()


def busy(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


async def answer(steps: int = 10) -> str:
    for _ in range(steps):
        await asyncio.sleep(0)
    return "answered"


async def stepwise(rounds: Rounds, work: Coroutine[Any, Any, Any]) -> Any:
    return await rounds.run(work)


async def nothing() -> Message:
    raise AssertionError


# --- rounds ---


async def test_somebody_known_meets_few_steps_of_strangers() -> None:
    rounds = Rounds()
    crowd = Crowd(rounds)
    await crowd.reach(1)
    before = crowd.steps
    rounds.begin_known("somebody")
    assert await answer() == "answered"
    rounds.end_known("somebody")
    assert crowd.steps - before <= 20  # one or two; without precedence a hundred, and without rounds a thousand
    await asyncio.gather(*crowd.tasks)
    assert crowd.steps == STRANGERS * STEPS


async def test_a_round_is_short_however_many_there_are() -> None:
    """What is neither known nor a stranger's, such as Prime's own work, has its turn in each round."""
    crowd = Crowd(Rounds())
    await asyncio.sleep(0)
    longest = 0
    while not all(task.done() for task in crowd.tasks):
        before = crowd.steps
        await asyncio.sleep(0)
        longest = max(longest, crowd.steps - before)
    assert longest <= 12
    assert crowd.steps == STRANGERS * STEPS


async def test_strangers_go_on_while_somebody_is_always_being_answered() -> None:
    rounds = Rounds()
    rounds.begin_known("somebody")
    crowd = Crowd(rounds)
    await crowd.reach(50)
    rounds.end_known("somebody")
    await asyncio.gather(*crowd.tasks)


async def test_after_a_long_step_strangers_rest() -> None:
    rounds = Rounds()
    times: list[tuple[float, float]] = []

    async def parse() -> None:
        began = time.perf_counter()
        busy(10 * ROUND_SECONDS)
        times.append((began, time.perf_counter()))

    await asyncio.gather(*(stepwise(rounds, parse()) for _ in range(4)))
    for (began, ended), (later, _) in pairwise(times):
        assert later - ended > 1.9 * (ended - began)


async def test_results_errors_and_cancellations_go_through() -> None:
    rounds = Rounds()
    assert await rounds.run(answer()) == "answered"

    async def fail() -> None:
        await asyncio.sleep(0)
        raise LookupError("it")

    with pytest.raises(LookupError, match="it"):
        await rounds.run(fail())

    heard: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            heard.append("cancelled")
            raise

    waiting = asyncio.create_task(stepwise(rounds, wait()))
    await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.cancelled()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await rounds.run(wait())
    assert heard == ["cancelled"] * 2


async def test_who_gives_up_while_waiting_leaves_the_others_alone() -> None:
    crowd = Crowd(Rounds())
    await asyncio.sleep(0)
    for task in crowd.tasks[::2]:
        task.cancel()
    await asyncio.gather(*crowd.tasks, return_exceptions=True)
    assert [task.cancelled() for task in crowd.tasks] == [True, False] * (STRANGERS // 2)


# --- the door ---


class Inside:
    """Strangers who wait for something other than their own words; how many were let in at once."""

    def __init__(self) -> None:
        self.now = self.most = self.done = 0

    async def serve(self, _receive: Receive) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        self.done += 1


@pytest.mark.parametrize(("is_around", "most"), [(False, MANY), (True, FEW)])
async def test_so_many_are_let_in_at_once(is_around: bool, most: int) -> None:
    precedence, inside = Precedence(), Inside()
    if is_around:
        assert await precedence.first(answer()) == "answered"
    await asyncio.gather(*(precedence.behind(inside.serve, nothing) for _ in range(2 * MANY)))
    assert (inside.most, inside.done) == (most, 2 * MANY)


async def test_who_sends_slowly_takes_nobodys_place() -> None:
    precedence, inside = Precedence(), Inside()
    sent = asyncio.Event()

    async def slow() -> Message:
        await sent.wait()
        return {"type": "http.request"}

    async def read(receive: Receive) -> None:
        await receive()

    await precedence.first(answer())
    slow_ones = [asyncio.create_task(precedence.behind(read, slow)) for _ in range(2 * MANY)]
    async with asyncio.timeout(5):
        await precedence.behind(inside.serve, nothing)
    sent.set()
    await asyncio.gather(*slow_ones)


async def test_who_waits_long_makes_room() -> None:
    precedence, inside = Precedence(), Inside()
    never = asyncio.Event()

    async def listen(_receive: Receive) -> None:
        await never.wait()

    lasting = [asyncio.create_task(precedence.behind(listen, nothing)) for _ in range(MANY)]
    async with asyncio.timeout(10):
        await precedence.behind(inside.serve, nothing)
    for task in lasting:
        task.cancel()
    await asyncio.gather(*lasting, return_exceptions=True)


async def test_who_is_gone_before_being_let_in_is_not_waited_for() -> None:
    precedence, inside = Precedence(), Inside()
    tasks = [asyncio.create_task(precedence.behind(inside.serve, nothing)) for _ in range(2 * MANY)]
    await asyncio.sleep(0)
    for task in tasks[MANY:]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.gather(*(precedence.behind(inside.serve, nothing) for _ in range(2 * MANY)))
    assert (inside.most, inside.done) == (MANY, 3 * MANY)


# --- the whole app ---


PUBLIC = ("/", "/api/auth/me", "/readyz", "/api/directory/search?q=x")


@pytest.mark.parametrize("path", PUBLIC)
async def test_noise_on_any_path_does_not_hold_the_owner_up(owned: Site, path: str) -> None:
    """All strangers are there before the owner comes, and most of them are still there when the owner leaves."""
    token = await owned.prime.parts.accounts.links.make()
    await owned.http.get(f"/api/auth/verify?token={token}")
    assert (await owned.http.get("/api/channels")).status_code == 200
    answered: list[str] = []
    strangers = [asyncio.create_task(_stranger(owned, path, answered)) for _ in range(STRANGERS)]
    await asyncio.sleep(0)
    assert (await owned.http.get("/api/channels")).status_code == 200
    before = len(answered)
    await asyncio.gather(*strangers)
    assert before < STRANGERS / 2
    assert len(answered) == STRANGERS


async def _stranger(site: Site, path: str, answered: list[str]) -> None:
    path, _, query = path.partition("?")

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answered.append(path)

    scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": query.encode(),
             "headers": [(b"host", b"127.0.0.1:8787")], "client": ("198.51.100.7", 5000), "server": ("127.0.0.1", 8787),
             "scheme": "http", "http_version": "1.1", "root_path": ""}  # fmt: skip
    await site.prime.app(scope, receive, send)
