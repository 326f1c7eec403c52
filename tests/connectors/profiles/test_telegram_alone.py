"""Of several replicas one opens the personal account, and another takes over when that one ends."""

import asyncio
from dataclasses import replace
from pathlib import Path

from prime.app import open_prime
from prime.connectors.connectors import BEAT_SECONDS, ELSEWHERE, Connectors, Setup
from prime.connectors.profiles.telegram.client import Kept, Told
from prime.connectors.profiles.telegram.mock import MockTelegramUser, World
from prime.connectors.profiles.telegram.profile import TelegramProfile
from prime.connectors.publish.folder import FolderPublisher
from prime.core.clock import FakeClock
from prime.core.http import NetworkPolicy
from prime.core.settings import Settings
from prime.hub.gate.gate import Gate
from prime.store.leases import Leases

SETUP = Setup(base_url="http://127.0.0.1:8787", policy=NetworkPolicy(), always=frozenset({"telegram"}))


async def until_connected(connectors: Connectors, clock: FakeClock) -> None:
    async with asyncio.timeout(60):
        while connectors.status("telegram").state != "connected":
            clock.advance(BEAT_SECONDS)
            await asyncio.sleep(0.01)  # the database is in other threads


async def test_one_replica_at_a_time_opens_the_account(tmp_path: Path) -> None:
    clock, world = FakeClock(), World()
    open_now: set[int] = set()

    class Watched(MockTelegramUser):
        def __init__(self, number: int) -> None:
            super().__init__(clock, world)
            self._number = number

        async def open(self, api_id: int, api_hash: str, kept: Kept, told: Told) -> str | None:
            assert not open_now
            open_now.add(self._number)
            return await super().open(api_id, api_hash, kept, told)

        async def close(self) -> None:
            open_now.discard(self._number)
            await super().close()

    async with open_prime(Settings.load({"PRIME_DATA": str(tmp_path)}), clock=clock) as prime:
        parts = prime.parts
        replicas: list[Connectors] = []
        for number in (1, 2):
            store = replace(parts.store, leases=Leases(parts.store.database))
            gate = await Gate.open(
                parts.settings, store, parts.rooms, clock, mind=lambda: parts.hub.mind, secrets=parts.secrets.values
            )
            made = TelegramProfile(lambda n=number: Watched(n))
            replicas.append(Connectors(store, parts.secrets, clock, gate, SETUP, [made]))
        first, second = replicas
        await first.start()
        await second.start()
        assert open_now == {1}
        assert (first.status("telegram").state, second.status("telegram").state) == ("connected", "connecting")
        assert "Another replica" in second.status("telegram").detail
        await first.close()
        await until_connected(second, clock)
        assert open_now == {2}
        await second.close()
        assert open_now == set()


async def test_what_the_owner_does_at_one_replica_is_done_at_the_others(tmp_path: Path) -> None:
    clock, world = FakeClock(), World()
    async with open_prime(Settings.load({"PRIME_DATA": str(tmp_path)}), clock=clock) as prime:
        parts = prime.parts
        replicas: list[Connectors] = []
        for _ in range(2):
            store = replace(parts.store, leases=Leases(parts.store.database))
            gate = await Gate.open(
                parts.settings, store, parts.rooms, clock, mind=lambda: parts.hub.mind, secrets=parts.secrets.values
            )
            made = [TelegramProfile(lambda: MockTelegramUser(clock, world)), FolderPublisher()]
            replicas.append(Connectors(store, parts.secrets, clock, gate, SETUP, made))
        first, second = replicas
        for name in first.names():
            await first.disconnect(name)
        await first.start()
        await second.start()
        states = [one.status(name).state for one in replicas for name in one.names()]
        assert states == ["off"] * 4
        for name in first.names():
            await first.connect(name)
        await second.follow()
        assert (second.status("telegram").state, second.status("telegram").detail) == ("connecting", ELSEWHERE)
        assert second.status("folder").state == "connected"
        before = second.connector("folder").sender
        await second.follow()
        assert second.connector("folder").sender is before  # nothing new, nothing done
        for name in second.names():
            await second.disconnect(name)
        await first.follow()
        assert {one.status(name).state for one in replicas for name in one.names()} == {"off"}
        await second.connect("telegram")
        await first.follow()
        assert first.status("telegram").detail == ELSEWHERE
        await second.close()  # and when that one ends, the other takes over, though it was not the one that was asked
        await until_connected(first, clock)
        await first.close()


async def test_a_kept_session_without_its_api_id_is_said_and_nothing_else_is_held_up(tmp_path: Path) -> None:
    mocked = {"PRIME_DATA": str(tmp_path), "PRIME_TG_USER_MOCK": "1"}
    async with open_prime(Settings.load(mocked), clock=FakeClock()) as prime:
        await prime.parts.connectors.connect("telegram")
        assert prime.parts.connectors.status("telegram").state == "connected"
    async with open_prime(Settings.load({"PRIME_DATA": str(tmp_path)}), clock=FakeClock()) as prime:
        status = prime.parts.connectors.status("telegram")
        assert (status.state, "API id" in status.detail) == ("failed", True)
