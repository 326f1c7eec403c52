"""An agent whose directory is not there yet says so, when it tries again, and that it was found."""

import asyncio
import logging
from typing import cast

import pytest

from prime.core.clock import FakeClock
from prime.core.errors import Unavailable
from prime.core.http import GuardedClient
from prime.network.tasks import Card
from prime.sdk.membership import RETRY_SECONDS, Membership


class _Answer:
    status, ok = 200, True

    def json(self) -> object:
        return {"agentId": "agent_1", "token": "secret"}


class _Directory:
    """Away at first."""

    def __init__(self) -> None:
        self.asked = asyncio.Queue[str]()
        self.there = False

    async def request(self, _method: str, url: str, **_given: object) -> _Answer:
        self.asked.put_nowait(url.rpartition("/")[2])
        if not self.there:
            raise Unavailable("Nobody answers.")
        return _Answer()


async def test_a_directory_that_comes_later_is_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "prime.sdk")
    clock, directory = FakeClock(), _Directory()
    card = Card(id="echo", name="Echo", base_url="http://127.0.0.1:9000")
    place = Membership(cast("GuardedClient", directory), "http://127.0.0.1:8787/", card, clock, lambda _: None)
    place.start()
    try:
        async with asyncio.timeout(10):
            assert await directory.asked.get() == "register"
            directory.there = True
            while directory.asked.empty():
                await asyncio.sleep(0)
                clock.advance(RETRY_SECONDS)
            assert [await directory.asked.get(), await directory.asked.get()] == ["register", "heartbeat"]
            for _ in range(10):  # what comes right after the answer
                await asyncio.sleep(0)
    finally:
        await place.stop()
    assert caplog.messages == [
        "the directory at http://127.0.0.1:8787: Nobody answers. Trying again in 5 s.",
        "the directory at http://127.0.0.1:8787 answers now",
    ]
