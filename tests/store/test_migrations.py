import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect, select, text

import prime.app
from prime.core.clock import FakeClock
from prime.core.errors import Unavailable
from prime.store import tables
from prime.store.folder import DataFolder
from prime.store.migrations import STORE_MIGRATIONS, Migration
from prime.store.store import Store
from prime.store.tables import class_of

OpenStore = Callable[..., Awaitable[Store]]
pytestmark = pytest.mark.usefixtures("makes_its_tables")


def make(name: str) -> Callable[[Connection], None]:
    return lambda connection: connection.execute(text(f"CREATE TABLE {name} (n INTEGER)")).close()


async def names_of(store: Store) -> set[str]:
    return await store.database.read(lambda c: set(inspect(c).get_table_names()))


async def applied(store: Store) -> set[str]:
    return set(await store.database.read(lambda c: c.execute(select(tables.migration.c.id)).scalars().all()))


async def test_each_step_runs_once_in_order(open_store: OpenStore) -> None:
    ran: list[str] = []

    def step(name: str) -> Migration:
        return Migration(name, lambda _: ran.append(name))

    first = await open_store((), [step("x/1"), step("x/2")])
    await first.close()
    second = await open_store((), [step("x/1"), step("x/2"), step("y/1")])
    assert ran == ["x/1", "x/2", "y/1"]
    assert await applied(second) == {m.id for m in STORE_MIGRATIONS} | {"x/1", "x/2", "y/1"}


async def test_a_step_that_fails_leaves_nothing_behind(open_store: OpenStore) -> None:
    def half(connection: Connection) -> None:
        make("half")(connection)
        connection.execute(text("SELECT * FROM nobody"))

    with pytest.raises(Unavailable, match="nobody"):
        await open_store((), [Migration("a/1", make("whole")), Migration("a/2", half)])
    store = await open_store()
    assert not {"whole", "half"} & await names_of(store)
    assert await applied(store) == {m.id for m in STORE_MIGRATIONS}
    await store.close()
    mended = await open_store((), [Migration("a/1", make("whole")), Migration("a/2", make("half"))])
    assert {"whole", "half"} <= await names_of(mended)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_replicas_that_start_together_take_turns(open_store: OpenStore) -> None:
    stores = await asyncio.gather(
        *(open_store(prime.app.PROJECTIONS, prime.app.MIGRATIONS) for _ in range(5)), return_exceptions=True
    )
    assert [s for s in stores if isinstance(s, BaseException)] == []


@pytest.mark.parametrize("content", [b"this is no database" * 200, b"\0" * 4096])
async def test_a_damaged_database_is_said_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "prime.db").write_bytes(content)
    with pytest.raises(Unavailable, match="cannot be used"):
        await Store.open(DataFolder(tmp_path), None, FakeClock())


async def test_a_postgresql_that_is_not_there_is_said_so_without_the_password(tmp_path: Path) -> None:
    for url in ("postgresql://me:hunter2@127.0.0.1:9/x", "postgresql://me:hunter2@/x?host=/nowhere"):
        with pytest.raises(Unavailable, match="cannot be used") as told:
            await Store.open(DataFolder(tmp_path), url, FakeClock())
        assert "hunter2" not in str(told.value)


async def test_a_database_name_that_is_not_there_is_said_so(tmp_path: Path, postgresql_server: str) -> None:
    url = postgresql_server.replace("/postgres?", "/nobody?")
    with pytest.raises(Unavailable, match="nobody"):
        await Store.open(DataFolder(tmp_path), url, FakeClock())


def test_every_table_declares_its_class() -> None:
    """`prime.app` imports every package that owns tables."""
    assert {t.name for t in tables.metadata.tables.values()} >= {"message", "channel", "spend", "session"}
    for table in tables.metadata.tables.values():
        assert class_of(table) in {"log", "derived", "operational"}, table.name
        assert (table.schema == tables.DERIVED_SCHEMA) == (class_of(table) == "derived"), table.name


async def test_derived_tables_belong_to_a_projection_and_the_others_to_a_migration(open_store: OpenStore) -> None:
    store = await open_store(prime.app.PROJECTIONS, prime.app.MIGRATIONS)
    made = await names_of(store)
    folded = {t.name for projection in prime.app.PROJECTIONS for t in projection.tables} | {tables.cursor.name}
    for table in tables.metadata.tables.values():
        if class_of(table) == "derived":
            assert table.name in folded
        else:
            assert table.name in made
