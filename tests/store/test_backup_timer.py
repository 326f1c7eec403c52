"""Backups by the clock: when they are due, who takes them, and who is told."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from prime.app import Prime, open_prime
from prime.core.clock import FakeClock
from prime.core.errors import InvalidInput
from prime.core.settings import Settings
from prime.store.backup import restore, verify
from prime.store.folder import DataFolder

Opened = Callable[..., Awaitable[tuple[Prime, FakeClock]]]
HOUR = 3600


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    async with AsyncExitStack() as stack:

        async def open_one(**variables: str) -> tuple[Prime, FakeClock]:
            clock = FakeClock()
            settings = Settings.load({"PRIME_DATA": str(tmp_path / "data"), **variables})
            return await stack.enter_async_context(open_prime(settings, clock=clock)), clock

        yield open_one


async def test_one_is_taken_when_the_newest_is_too_old(opened: Opened) -> None:
    prime, clock = await opened(PRIME_BACKUP_KEEP="2")
    timer, backups = prime.parts.backup_timer, prime.parts.backups
    assert await timer.take_if_due() is None
    clock.advance(6 * HOUR)
    first = await timer.take_if_due()
    assert first is not None
    assert await timer.take_if_due() is None
    for _ in range(3):
        clock.advance(6 * HOUR)
        assert await timer.take_if_due()
    assert len(backups.list()) == 2
    assert first.name not in {b.name for b in backups.list()}


async def test_one_that_is_started_every_day_is_backed_up_as_well(tmp_path: Path) -> None:
    """A laptop is on for fewer hours than lie between two backups."""
    settings = Settings.load({"PRIME_DATA": str(tmp_path / "data")})
    clock = FakeClock()
    for _ in range(2):
        async with open_prime(settings, clock=clock) as prime:
            assert await prime.parts.backup_timer.take_if_due() is None
            clock.advance(3 * HOUR)
    async with open_prime(settings, clock=clock) as prime:
        assert await prime.parts.backup_timer.take_if_due()


async def test_a_clock_that_was_a_year_ahead_ends_no_backups(opened: Opened) -> None:
    prime, clock = await opened(PRIME_BACKUP_KEEP="2")
    timer, backups = prime.parts.backup_timer, prime.parts.backups
    clock.advance(8760 * HOUR)
    wrong = await timer.take_if_due()
    assert wrong is not None
    os.utime(
        backups.path(wrong.name), (clock.now_ms() / 1000, clock.now_ms() / 1000)
    )  # the system's clock was wrong as well
    clock.advance(-8760 * HOUR)
    made = await timer.take_if_due()
    assert made is not None
    os.utime(backups.path(made.name), (clock.now_ms() / 1000, clock.now_ms() / 1000))
    assert await timer.take_if_due() is None, "one is enough"
    assert backups.list()[0].name == made.name, "and it is the newest"
    clock.advance(6 * HOUR)
    assert await timer.take_if_due()


async def test_the_owner_changes_the_interval_while_prime_runs(opened: Opened) -> None:
    prime, clock = await opened()
    await prime.parts.tuning.change({"PRIME_BACKUP_INTERVAL_MS": 1000})
    clock.advance(1)
    assert await prime.parts.backup_timer.take_if_due()
    await prime.parts.tuning.change({"PRIME_BACKUP_INTERVAL_MS": 0})
    clock.advance(1000 * HOUR)
    assert await prime.parts.backup_timer.take_if_due() is None


async def test_while_another_replica_does_it_this_one_does_not(opened: Opened) -> None:
    from prime.store.leases import Leases

    prime, clock = await opened()
    clock.advance(6 * HOUR)
    other = Leases(prime.parts.store.database)
    assert await other.acquire("backup", 60_000)
    assert await prime.parts.backup_timer.take_if_due() is None


async def test_with_a_passphrase_each_is_all_that_another_machine_needs(opened: Opened, tmp_path: Path) -> None:
    prime, clock = await opened(PRIME_BACKUP_PASSPHRASE="correct horse")
    await prime.parts.secrets.put("bank", "hunter2hunter2")
    clock.advance(6 * HOUR)
    made = await prime.parts.backup_timer.take_if_due()
    assert made
    with pytest.raises(InvalidInput, match="sealed"):
        verify(prime.parts.backups.path(made.name))
    elsewhere = tmp_path / "elsewhere"
    restore(prime.parts.backups.path(made.name), DataFolder(elsewhere), "correct horse")
    async with open_prime(Settings.load({"PRIME_DATA": str(elsewhere)})) as again:
        assert await again.parts.secrets.use("bank") == "hunter2hunter2"


@dataclass
class Webhook:
    """Answers with these statuses, one after the other, and keeps what it was told."""

    url: str
    statuses: list[int]
    heard: "asyncio.Queue[bytes]"

    async def next(self, clock: FakeClock) -> dict[str, object]:
        async with asyncio.timeout(20):
            while self.heard.empty():
                clock.advance(0.05)
                await asyncio.sleep(0)
        return json.loads(self.heard.get_nowait())


@pytest.fixture
async def webhook() -> AsyncIterator[Webhook]:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
        )
        hook.heard.put_nowait(await reader.readexactly(length))
        writer.write(f"HTTP/1.1 {hook.statuses.pop(0)} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    hook = Webhook(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook", [], asyncio.Queue())
    yield hook
    server.close()


async def test_the_webhook_is_told_after_each_and_told_no_secret(opened: Opened, webhook: Webhook) -> None:
    webhook.statuses = [500, 200]
    prime, clock = await opened(PRIME_BACKUP_WEBHOOK=webhook.url)
    made = await prime.parts.backup_timer.take(passphrase="c4n4ry")
    told = [await webhook.next(clock), await webhook.next(clock)]  # the first try fails, and it is tried again
    assert told[0] == told[1]
    assert (told[0]["event"], told[0]["name"], told[0]["size"]) == ("backup", made.name, made.size)
    assert set(told[0]) == {"event", "name", "size", "createdAt", "id"}


async def test_a_webhook_that_refuses_is_not_asked_again(opened: Opened, webhook: Webhook) -> None:
    webhook.statuses = [410, 200]
    prime, clock = await opened(PRIME_BACKUP_WEBHOOK=webhook.url)
    await prime.parts.backup_timer.take()
    await webhook.next(clock)
    status = "sending"
    async with asyncio.timeout(20):
        while status in {"waiting", "sending"}:
            clock.advance(0.05)
            status = await prime.parts.store.database.read(
                lambda c: c.exec_driver_sql("SELECT status FROM outbox WHERE topic = 'backup_webhook'").scalar_one()
            )
    assert status == "failed"
    assert webhook.statuses == [200], "nobody came for it"


async def test_a_failure_is_said_where_the_owner_looks(opened: Opened, tmp_path: Path) -> None:
    prime, clock = await opened()
    blocked = tmp_path / "data" / "backups"
    blocked.write_text("a file where the folder should be")
    clock.advance(6 * HOUR)
    head = await prime.parts.store.log.head()
    async with asyncio.timeout(20):
        while not [m for m in await prime.parts.store.log.after(head) if m.body.get("op") == "backup_failed"]:
            clock.advance(1)
