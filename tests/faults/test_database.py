"""A database that restarts or cannot be reached for half a minute: Prime says so, waits, and goes on; nothing is lost."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import httpx2
import pytest

WRITERS = 4
CUT_S = 30.0


class Replica(Protocol):
    url: str


class Promised(Protocol):
    ids: dict[str, str]

    async def write(self, urls: Callable[[], list[str]], name: str, until: float, patience: float = 200) -> None: ...
    async def check(self, url: str) -> None: ...


class Cable(Protocol):
    folder: Path

    async def lay(self) -> None: ...
    async def take_away(self) -> None: ...
    def pull(self) -> None: ...
    def plug(self) -> None: ...


class Postgresql(Protocol):
    url: str
    socket: Path
    folder: Path

    def through(self, cable: Cable) -> str: ...
    def restart(self) -> None: ...


Start = Callable[..., list[Replica]]


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_a_database_that_restarts_under_load(
    own_postgresql: Postgresql, replicas: Start, promised: Promised
) -> None:
    started = await asyncio.to_thread(replicas, own_postgresql.url, 2)
    until = time.monotonic() + 20
    writers = [
        asyncio.create_task(promised.write(lambda: [one.url for one in started], f"w{n}", until))
        for n in range(WRITERS)
    ]
    for _ in range(2):
        await asyncio.sleep(5)
        await asyncio.to_thread(own_postgresql.restart)
    await asyncio.gather(*writers)
    assert len(promised.ids) >= WRITERS
    for replica in started:
        await promised.check(replica.url)


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_half_a_minute_without_the_database(
    own_postgresql: Postgresql,
    replicas: Start,
    promised: Promised,
    cable: Callable[[Path, Path], Cable],
) -> None:
    """One of two replicas is cut off: it says that it cannot, the other goes on, and afterwards both agree."""
    folder = own_postgresql.folder / "cable"
    folder.mkdir()
    way = cable(own_postgresql.socket, folder)
    await way.lay()
    try:
        cut_off, whole = await asyncio.to_thread(replicas, [own_postgresql.through(way), own_postgresql.url])
        until = time.monotonic() + CUT_S + 10
        here = [
            asyncio.create_task(promised.write(lambda one=one: [one.url], f"w{n}", until))
            for n, one in enumerate((cut_off, whole))
        ]
        await asyncio.sleep(3)
        way.pull()
        async with httpx2.AsyncClient(timeout=3) as client:
            before = len(promised.ids)
            await asyncio.sleep(CUT_S)
            assert len(promised.ids) > before  # the other one goes on
            assert (await client.get(f"{cut_off.url}/healthz")).status_code == 200  # it lives, and waits
        way.plug()
        await asyncio.gather(*here)
        for replica in (cut_off, whole):
            await promised.check(replica.url)
    finally:
        way.plug()
        await way.take_away()
