"""`kill -9` at every boundary of a turn, in a real process, on both databases.

A boundary is before and after everything that is logged, asked of the mind or done by a tool. Whatever the moment, the next
process goes on where the first one was: no logged reply is asked for again, nothing that may have happened is done again,
nothing is lost.
"""

import os
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


async def kill_at(number: int, houses: Houses, folder: Path, new_url: NewDatabase | None, ask: str) -> set[str] | None:
    """One life that ends at the boundary and one that goes on; None when there is no such boundary."""
    data = folder / f"data-{ask}-{number}"
    data.mkdir()
    url = await new_url() if new_url else None
    ended = houses.live(number, data, url, ask)
    assert ended in {0, KILLED}
    before = await logged(data, url)
    replied = {step for m in before if isinstance(step := m.body.get("step"), int)}
    if ended == KILLED:
        assert houses.live(0, data, url, ask) == 0
    codes = check(await logged(data, url), replied, (data / "witness").read_text().splitlines())
    return codes if ended == KILLED else None


@pytest.fixture
def new_url(request: pytest.FixtureRequest) -> NewDatabase | None:
    return None if request.param == "sqlite" else request.getfixturevalue("new_postgresql_url")


both = pytest.mark.parametrize("new_url", ["sqlite", "postgresql"], indirect=True)


@both
@pytest.mark.timeout(240)
async def test_a_kill_at_some_boundaries(houses: Houses, tmp_path: Path, new_url: NewDatabase | None) -> None:
    for number in (8, 17, 22, 27):
        await kill_at(number, houses, tmp_path, new_url, "allow")


@both
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("ask", ["allow", "ask"])
async def test_a_kill_at_every_boundary(ask: str, houses: Houses, tmp_path: Path, new_url: NewDatabase | None) -> None:
    if ask == "ask":
        (tmp_path / "config" / "prime" / "policy.json").unlink()
    number, codes = 1, set[str]()
    while (found := await kill_at(number, houses, tmp_path, new_url, ask)) is not None:
        codes |= found
        number += 1
    assert number > 25
    assert codes == {"uncertain"}
