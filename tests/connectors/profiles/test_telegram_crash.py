"""The personal account and a process that is killed between a send and its record."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

import httpx2
import pytest
from tests.connectors.profiles.conftest import Owner, Telegram
from tests.connectors.profiles.mtproto.exchange import ServerKey

from prime.app import open_prime
from prime.core.settings import Settings

ANA = 42
# A Prime that knows the stand-in's key as well as Telegram's.
PROGRAM = """
import sys
from telethon.crypto import rsa
rsa.add_key(sys.argv.pop(1), old=False)
from prime.__main__ import main
main()
"""


Start = Callable[[dict[str, str]], "subprocess.Popen[str]"]


@pytest.fixture
def start(server_key: ServerKey) -> Iterator[Start]:
    """Starts Prime in a process of its own, which knows the stand-in."""
    started: list[subprocess.Popen[str]] = []

    def one(variables: dict[str, str]) -> "subprocess.Popen[str]":
        words = [sys.executable, "-c", PROGRAM, server_key.public, "serve", "--port", "0"]
        started.append(subprocess.Popen(words, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield one
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.holds("D-HUB-23")
async def test_kill_9_after_telegram_took_it(tmp_path: Path, telegram: Telegram, start: Start) -> None:
    telegram.account.person(ANA, "Ana Reyes")
    address, port = telegram.centre.address
    variables = {"PRIME_DATA": str(tmp_path / "data"), "PRIME_TG_DC": f"{address}:{port}", "PRIME_TOOL_SCAN_MS": "0"}
    killed = start(variables)
    url = (await asyncio.to_thread(cast("IO[str]", killed.stdout).readline)).split()[-1]
    async with httpx2.AsyncClient(base_url=url, timeout=60) as http:
        first = Owner(cast("object", None), http)  # pyright: ignore[reportArgumentType]  (it is in another process)
        await first.sign_in()
        telegram.account.write(ANA, "When do you open?")
        drafts: list[dict[str, object]] = []
        async with asyncio.timeout(30):
            while not drafts:
                drafts = (await http.get("/api/drafts")).json()["items"]
        telegram.account.hung.add("messages.SendMessage")
        path = f"/api/drafts/{drafts[0]['id']}/approve"
        click = asyncio.create_task(http.post(path, json={"text": "At nine."}))
        await telegram.until(lambda: telegram.account.sent)
        killed.kill()
        await asyncio.gather(click, return_exceptions=True)
        await asyncio.to_thread(killed.wait)

    telegram.account.hung.clear()
    telegram.account.write(ANA, "Hello?", quietly=True)
    async with open_prime(Settings.load(variables)) as prime:
        transport = httpx2.ASGITransport(app=prime.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787", timeout=60) as http:
            second = Owner(prime, http)
            # Telegram knows that it arrived; and what came meanwhile is there.
            assert {d["trigger"]: d["status"] for d in await second.drafts(2)} == {
                "When do you open?": "sent",
                "Hello?": "pending",
            }
    assert [sent.text for sent in telegram.account.sent] == ["At nine."]
    assert telegram.account.asked.count("messages.SendMessage") == 1
