"""A Telegram on loopback that speaks MTProto, and a Prime whose personal account is there."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.connectors.conftest import Instance
from tests.connectors.profiles.mtproto.account import CODE, PHONE, Account
from tests.connectors.profiles.mtproto.exchange import ServerKey
from tests.connectors.profiles.mtproto.server import DataCentre, data_centre
from tests.connectors.profiles.mtproto.telethons import rsa

from prime.app import open_prime
from prime.core.settings import Settings

CREDENTIALS = {"api_id": "4321", "api_hash": "good-hash", "phone": f"+{PHONE}"}


@dataclass
class Telegram:
    """The stand-in and the account in it."""

    centre: DataCentre
    account: Account

    async def until(self, true: Callable[[], object]) -> None:
        """Wait until something is true of the account."""
        async with asyncio.timeout(20):
            while not true():
                self.account.changed.clear()
                await self.account.changed.wait()


@dataclass
class Owner(Instance):
    """A Prime whose owner signs in at Telegram."""

    async def answer(self, **given: str) -> dict[str, Any]:
        answer = await self.http.post("/api/connectors/telegram/answer", json={"answers": given})
        assert answer.status_code == 200, answer.text
        return answer.json()["status"]

    async def sign_in(self) -> None:
        assert (await self.connect("telegram", **CREDENTIALS))["state"] == "asking"
        assert (await self.answer(code=CODE))["state"] == "connected"

    async def said(self, number: int) -> list[dict[str, Any]]:
        """Everything in the conversation with somebody but Prime's proposals, oldest first."""
        items = (await self.http.get(f"/api/channels/ch_pp_tg_{number}/messages")).json()["items"]
        return [m for m in items if m["kind"] in {"text", "edit"} and not m["body"].get("proposal")]

    async def until(self, true: Callable[[], Awaitable[object]]) -> None:
        """Wait until something is true of what is written down."""
        async with asyncio.timeout(20):
            while not await true():  # noqa: ASYNC110  (a read mark is no message: nothing says that it has changed)
                await asyncio.sleep(0.01)


OpenOwner = Callable[[], Awaitable[Owner]]


@pytest.fixture(scope="session")
def server_key() -> ServerKey:
    made = ServerKey()
    rsa.add_key(made.public, old=False)
    return made


@pytest.fixture
async def telegram(server_key: ServerKey) -> AsyncIterator[Telegram]:
    account = Account()
    async with data_centre(account, server_key) as centre:
        yield Telegram(centre, account)


@pytest.fixture
async def open_owner(tmp_path: Path, telegram: Telegram) -> AsyncIterator[OpenOwner]:
    """Opens a Prime, as often as a test likes, over the same data; the one before it is closed."""
    address, port = telegram.centre.address
    settings = Settings.load({"PRIME_DATA": str(tmp_path / "data"), "PRIME_TG_DC": f"{address}:{port}"})
    async with AsyncExitStack() as stack:

        async def open_one() -> Owner:
            await stack.aclose()
            prime = await stack.enter_async_context(open_prime(settings))
            transport = httpx2.ASGITransport(app=prime.app, raise_app_exceptions=False)
            client = httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787", timeout=60)
            return Owner(prime, await stack.enter_async_context(client))

        yield open_one


@pytest.fixture
async def owner(open_owner: OpenOwner) -> Owner:
    return await open_owner()
