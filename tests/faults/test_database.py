"""A database that restarts, cannot be reached for half a minute, or takes nothing: Prime says so, waits, and goes on; nothing
is lost. Rows that are not what the log says are found and made anew."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, cast

import asyncpg
import httpx2
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine
from tests.faults.postgresql import Cable, Postgresql
from tests.faults.replicas import Promised, Replica

from prime.app import Prime, open_prime
from prime.core.errors import Unavailable
from prime.core.settings import Settings
from prime.store.engines.damaged_pages import damage_in

WRITERS = 4
CUT_S = 30.0


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
    cable: Cable,
) -> None:
    """One of two replicas is cut off: it says that it cannot, the other goes on, and afterwards both agree."""
    cut_off, whole = await asyncio.to_thread(replicas, [own_postgresql.through(cable), own_postgresql.url])
    until = time.monotonic() + CUT_S + 10
    here = [
        asyncio.create_task(promised.write(lambda one=one: [one.url], f"w{n}", until))
        for n, one in enumerate((cut_off, whole))
    ]
    await asyncio.sleep(3)
    cable.pull()
    async with httpx2.AsyncClient(timeout=3) as client:
        before = len(promised.ids)
        await asyncio.sleep(CUT_S)
        assert len(promised.ids) > before  # the other one goes on
        assert (await client.get(f"{cut_off.url}/healthz")).status_code == 200  # it lives, and waits
        assert (await client.get(f"{cut_off.url}/readyz", timeout=20)).status_code == 503  # and says so
    cable.plug()
    await asyncio.gather(*here)
    for replica in (cut_off, whole):
        await promised.check(replica.url)


async def test_a_database_that_says_nothing_is_told_soon(
    own_postgresql: Postgresql, tmp_path: Path, cable: Cable
) -> None:
    """Nothing is refused and nothing comes: whoever asks whether Prime is ready is not held up by it."""
    async with opened(tmp_path, own_postgresql.through(cable)) as (_, client):
        assert (await client.get("/readyz")).status_code == 200
        cable.pull()
        async with asyncio.timeout(30):
            told = await asyncio.gather(*(client.get("/readyz") for _ in range(20)))
        assert {(one.status_code, one.json()["error"]["message"]) for one in told} == {
            (503, "The database does not answer.")
        }
        cable.plug()
        async with asyncio.timeout(60):
            while (await client.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def opened(data: Path, database: str | None) -> AsyncGenerator[tuple[Prime, httpx2.AsyncClient]]:
    """A Prime in this process, and somebody who asks it."""
    shared = {"PRIME_DATABASE_URL": database, "PRIME_SECRET_KEY": "0" * 64} if database else {}
    settings = Settings.load({"PRIME_DATA": str(data), "PRIME_TOOL_SCAN_MS": "0", "PRIME_MODEL": "offline", **shared})
    async with open_prime(settings) as prime:
        transport = httpx2.ASGITransport(app=prime.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787") as client:
            yield prime, client


# What the server calls it when its disk is full, its memory is used up, its disk fails, it is a copy to read from only, its
# disk can only be read, or is damaged.
@pytest.mark.parametrize("state", ["53100", "53200", "58030", "25006", "42501", "XX001"])
async def test_a_database_that_takes_nothing_is_told_and_read_from(
    tmp_path: Path, postgresql_url: str, state: str
) -> None:
    async with opened(tmp_path, postgresql_url) as (_, client):
        path = "/api/channels/ch_hub/messages"
        assert (await client.post(path, json={"text": "before"})).status_code == 201
        database: Any = await cast("Any", asyncpg).connect(postgresql_url)
        await database.execute(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '{state}'; END $$"
        )
        await database.execute("CREATE TRIGGER fail BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION fail()")
        refused = await client.post(path, json={"text": "lost?"})
        assert refused.status_code == 503, refused.text
        error = refused.json()["error"]
        assert ("no room" in error["message"], "PostgreSQL" in error["hint"]) == (True, True)
        for shown in (path, "/api/channels", "/api/brain/recall?q=before", "/api/feed"):
            assert (await client.get(shown)).status_code == 200, shown
        await database.execute("DROP TRIGGER fail ON message")
        await database.close()
        assert (await client.post(path, json={"text": "after"})).status_code == 201
        said = [item["text"] for item in (await client.get(path)).json()["items"] if item["actorId"] == "act_owner"]
        assert [word for word in said if word in {"before", "lost?", "after"}] == ["before", "after"]


@pytest.mark.long
@pytest.mark.timeout(200)
async def test_a_server_without_a_connection_left_is_told(own_postgresql: Postgresql, tmp_path: Path) -> None:
    async with opened(tmp_path, own_postgresql.url) as (_, client):
        path = "/api/channels/ch_hub/messages"
        assert (await client.post(path, json={"text": "before"})).status_code == 201
        taken: list[Any] = []

        async def take_all() -> None:
            with contextlib.suppress(asyncpg.TooManyConnectionsError):
                while True:
                    taken.append(await cast("Any", asyncpg).connect(own_postgresql.url))

        await take_all()
        assert (await client.post(path, json={"text": "by what it has"})).status_code == 201
        most = int(await taken[0].fetchval("SHOW max_connections"))
        while len(taken) < most:  # Prime is as quick to take one that became free
            own = [one.get_server_pid() for one in taken]
            await taken[0].execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                f" WHERE backend_type = 'client backend' AND pid <> ALL(ARRAY{own})"
            )
            await take_all()
        answers = [await client.post(path, json={"text": "lost?"}), *[await client.get(path) for _ in range(3)]]
        assert {answer.status_code for answer in answers} == {503}
        assert all("PostgreSQL" in answer.json()["error"]["hint"] for answer in answers)
        for one in taken:
            await one.close()
        assert (await client.post(path, json={"text": "after"})).status_code == 201
        said = {item["text"] for item in (await client.get(path)).json()["items"]}
        assert said >= {"before", "by what it has", "after"}


async def file_of(database: str, table: str) -> str:
    """Where the server keeps a table, once what it knows of it is there."""
    connection: Any = await cast("Any", asyncpg).connect(database)
    try:
        await connection.execute("CHECKPOINT")
        return await connection.fetchval(f"SELECT pg_relation_filepath('{table}')")
    finally:
        await connection.close()


@pytest.mark.long
@pytest.mark.timeout(200)
async def test_a_page_of_the_log_that_is_damaged_is_found_at_start(own_postgresql: Postgresql, tmp_path: Path) -> None:
    async with opened(tmp_path, own_postgresql.url) as (_, client):
        for number in range(30):
            await client.post("/api/channels/ch_hub/messages", json={"text": f"word {number} " * 50})
    await asyncio.to_thread(own_postgresql.scratch_over, await file_of(own_postgresql.url, "message"))

    with pytest.raises(Unavailable, match=r"damaged: invalid page") as refused:
        async with opened(tmp_path, own_postgresql.url):
            pass
    assert "prime backup restore" in str(refused.value.hint)
    told = await asyncio.to_thread(doctor, own_postgresql.url)
    assert (told["state"], "prime backup restore" in told["next"]) == ("bad", True)
    assert "is damaged: invalid page" in told["found"]


async def test_a_server_that_is_too_busy_to_name_its_tables_is_started_with(own_postgresql: Postgresql) -> None:
    """The look for damage at the start is short; whatever takes longer in it is left, and nobody is refused for it."""
    engine = create_async_engine(own_postgresql.url.replace("postgresql:", "postgresql+asyncpg:"))
    busy: Any = await cast("Any", asyncpg).connect(own_postgresql.url)
    try:
        async with engine.connect() as connection:
            await busy.execute("BEGIN; LOCK TABLE pg_catalog.pg_class IN ACCESS EXCLUSIVE MODE")
            assert await connection.run_sync(damage_in, seconds=0.2) is None
    finally:
        await busy.close()
        await engine.dispose()


async def test_who_could_not_look_at_everything_does_not_say_that_all_is_well(
    own_postgresql: Postgresql, tmp_path: Path
) -> None:
    """Another one has the table to itself: `prime doctor` says that it could not."""
    async with opened(tmp_path, own_postgresql.url):
        pass
    database: Any = await cast("Any", asyncpg).connect(own_postgresql.url)
    name = str(make_url(own_postgresql.url).database)
    await database.execute(f"ALTER DATABASE \"{name}\" SET lock_timeout = '300ms'")
    await database.execute("BEGIN; LOCK TABLE message IN ACCESS EXCLUSIVE MODE")
    told = await asyncio.to_thread(doctor, own_postgresql.url)
    await database.close()
    assert (told["state"], "nothing damaged" in told["found"]) == ("bad", False), told
    assert "could not be looked at" in told["found"]
    assert "nothing damaged" in (await asyncio.to_thread(doctor, own_postgresql.url))["found"]


def doctor(database: str) -> dict[str, str]:
    """What `prime doctor` says of the database."""
    command = [sys.executable, "-m", "prime", "doctor", "--json"]
    environment = os.environ | {"PRIME_DATABASE_URL": database, "PRIME_SECRET_KEY": "0" * 64}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    return next(one for one in json.loads(done.stdout) if one["name"] == "database")


@pytest.mark.long
@pytest.mark.timeout(200)
async def test_a_derived_page_that_is_damaged_is_found_at_start_and_made_anew(
    own_postgresql: Postgresql, tmp_path: Path
) -> None:
    path = "/api/channels/ch_hub/messages"
    async with opened(tmp_path, own_postgresql.url) as (_, client):
        for number in range(30):
            assert (await client.post(path, json={"text": f"word {number}"})).status_code == 201
        channels = [one["name"] for one in (await client.get("/api/channels")).json()["items"]]
    await asyncio.to_thread(own_postgresql.scratch_over, await file_of(own_postgresql.url, "derived.channel"))

    async with opened(tmp_path, own_postgresql.url) as (_, client):
        shown = await client.get(f"{path}?limit=200")
        assert shown.status_code == 200, shown.text
        assert {item["text"] for item in shown.json()["items"]} >= {f"word {number}" for number in range(30)}
        assert [one["name"] for one in (await client.get("/api/channels")).json()["items"]] == channels
        assert (await client.post("/api/admin/rebuild", json={})).json()["repaired"] == []


async def test_rows_that_say_something_else_than_the_log_are_found_and_made_anew(
    tmp_path: Path, database_url: str | None
) -> None:
    async with opened(tmp_path, database_url) as (prime, client):
        await client.post("/api/swarm/pause")  # what is said between two looks would keep them from being compared
        made = (await client.post("/api/channels", json={"name": "Deal", "tier": "team"})).json()
        path = f"/api/channels/{made['id']}/messages"
        assert (await client.post(path, json={"text": "We ship lamps."})).status_code == 201
        assert (await client.post("/api/admin/rebuild", json={})).json()["repaired"] == []
        wrongs = {
            "rooms": "UPDATE derived.channel SET tier = 'external' WHERE name = 'Deal'",
            "recall": "DELETE FROM derived.recall_fresh",
        }
        for name, wrong in wrongs.items():
            await prime.parts.store.database.derive(lambda c, w=wrong: c.execute(text(w)))
            assert (await client.post("/api/admin/rebuild", json={})).json()["repaired"] == [name]
        assert (await client.get(f"/api/channels/{made['id']}")).json()["tier"] == "team"
        found = (await client.get("/api/brain/recall?q=lamps")).json()["items"]
        assert {item["channelId"] for item in found} == {made["id"]}
