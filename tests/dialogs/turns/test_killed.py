"""`kill -9` at every boundary of a turn, in a real process, on both databases.

A boundary is before and after everything that is logged, asked of the mind or done by a tool. Whatever the moment, the next
process goes on where the first one was: no logged reply is asked for again, nothing that may have happened is done again,
nothing is lost.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

from prime.core.clock import SystemClock
from prime.rooms.records import OWNER, PRIME
from prime.store.folder import DataFolder
from prime.store.message import Message
from prime.store.store import Store

PROGRAM = Path(__file__).with_name("killed.py")
KILLED = -signal.SIGKILL
CHANNEL = "ch_killed"
NewDatabase = Callable[[], Awaitable[str]]
CopyDatabase = Callable[[str], Awaitable[str]]


class Houses:
    """Starts houses over data of the test's choice, and says how each ended."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def live(self, fatal: int, data: Path, url: str | None, ask: str) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{fatal}\t{data}\t{url or ''}\t{ask}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@pytest.fixture
def houses(tmp_path: Path) -> Iterator[Houses]:
    config = tmp_path / "config" / "prime"
    config.mkdir(parents=True)
    (config / "policy.json").write_text('{"allow": {"write": true}}')
    empty = {"XDG_DATA_HOME": str(tmp_path / "xdg"), "XDG_CONFIG_HOME": str(tmp_path / "config"), "PATH": str(tmp_path)}
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_")} | empty
    command = [sys.executable, str(PROGRAM)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield Houses(process)
        assert process.stdin
        process.stdin.close()


async def logged(data: Path, url: str | None) -> list[Message]:
    store = await Store.open(DataFolder(data), url, SystemClock())
    try:
        return await store.log.page(CHANNEL, limit=1000)
    finally:
        await store.close()


def code_of(result: Message) -> str | None:
    error = result.body.get("error")
    return str(cast("Mapping[str, object]", error)["code"]) if error else None


def check(messages: list[Message], replied: set[int], witness: list[str]) -> set[str]:
    """All that must hold at the end; the codes of the calls' results."""
    seen = [line.split() for line in witness]
    asked_again = {int(what) for run, verb, what in seen if (run, verb) == ("2", "ask")}
    assert asked_again.isdisjoint(replied), "a logged reply was asked for again"
    assert [m.text for m in messages if m.kind == "text" and m.actor_id == OWNER] == ["Go."]
    assert [m.text for m in messages if m.kind == "text" and m.actor_id == PRIME] == ["First.", "Done."]
    calls = [str(m.body["callId"]) for m in messages if m.kind == "tool_call"]
    results = {str(m.body["callId"]): code_of(m) for m in messages if m.kind == "tool_result"}
    assert calls == ["c1", "c2", "c3"]
    assert sorted(results) == calls
    assert len([m for m in messages if m.kind == "tool_result"]) == 3
    ran = Counter(what for _, verb, what in seen if verb == "ran")
    for call_id, code in results.items():
        x = call_id[1:]
        if x != "1":
            assert ran[x] <= 1, "what may have happened was done again"
        assert code in {None, "uncertain"}
        assert code is not None or ran[x] >= 1, "a result without a run"
    assert [m.body.get("outcome") for m in messages if m.body.get("step") == "ended"] == ["said"]
    return {code for code in results.values() if code}


class Ground:
    """Data on which nothing was said yet, made once; every boundary gets a copy."""

    def __init__(self, houses: Houses, folder: Path, copy: CopyDatabase | None) -> None:
        self._houses = houses
        self._folder = folder
        self._copy = copy
        self._url: str | None = None

    async def prepare(self, url: str | None) -> None:
        (self._folder / "ground").mkdir()
        self._url = url
        assert self._houses.live(0, self._folder / "ground", url, "prepare") == 0

    async def kill_at(self, number: int, ask: str) -> set[str] | None:
        """One life that ends at the boundary and one that goes on; None when there is no such boundary."""
        data = self._folder / f"data-{ask}-{number}"
        shutil.copytree(self._folder / "ground", data, ignore=shutil.ignore_patterns("*.sock"))
        url = await self._copy(self._url) if self._copy and self._url else None
        ended = self._houses.live(number, data, url, ask)
        assert ended in {0, KILLED}
        before = await logged(data, url)
        replied = {step for m in before if isinstance(step := m.body.get("step"), int)}
        if ended == KILLED:
            assert self._houses.live(0, data, url, ask) == 0
        codes = check(await logged(data, url), replied, (data / "witness").read_text().splitlines())
        return codes if ended == KILLED else None


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest) -> tuple[NewDatabase, CopyDatabase] | None:
    if request.param == "sqlite":
        return None
    return request.getfixturevalue("new_postgresql_url"), request.getfixturevalue("copy_postgresql")


@pytest.fixture
async def ground(databases: tuple[NewDatabase, CopyDatabase] | None, houses: Houses, tmp_path: Path) -> Ground:
    ground = Ground(houses, tmp_path, databases[1] if databases else None)
    await ground.prepare(await databases[0]() if databases else None)
    return ground


@pytest.mark.timeout(240)
async def test_a_kill_at_some_boundaries(ground: Ground) -> None:
    for number in (8, 17, 22, 27):
        await ground.kill_at(number, "allow")


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("ask", ["allow", "ask"])
async def test_a_kill_at_every_boundary(ask: str, ground: Ground, tmp_path: Path) -> None:
    if ask == "ask":
        (tmp_path / "config" / "prime" / "policy.json").unlink()
    number, codes = 1, set[str]()
    while (found := await ground.kill_at(number, ask)) is not None:
        codes |= found
        number += 1
    assert number > 25
    assert codes == {"uncertain"}
