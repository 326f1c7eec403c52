"""MCP servers on the page: one that is killed is seen to come back, without a reload, and a call says what happened."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect
from tests.page.conftest import Opener, Served
from tests.ready import ReadyPrime

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ECHO = Path(__file__).parents[1] / "gateway" / "servers" / "echo.py"
# Takes its time to start, so that a person can see that it is being started.
SLOW = f"import runpy, sys, time; time.sleep(1); runpy.run_path({str(ECHO)!r}, run_name='__main__')"


@pytest_asyncio.fixture(loop_scope="session")
async def with_server(tmp_path: Path, ready_prime: ReadyPrime) -> Any:
    served = Served(ready_prime, tmp_path, {"PRIME_PRIMING_MODE": "off"})
    entry = {"command": sys.executable, "args": ["-c", SLOW], "effects": {"subprocess": False, "network": False}}
    config = tmp_path / "config" / "prime" / "mcp.json"
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"mcpServers": {"echo": entry}}))
    await served.start()
    yield served
    await served.kill()


async def test_a_killed_server_is_seen_to_come_back(with_server: Served, browser: Any) -> None:
    opener = Opener(browser, with_server.address)
    page = await opener("/tools/servers")
    card = page.locator(".panel", has_text="echo")
    await expect(card.locator(".badge").first).to_have_text("Running")
    await expect(card).not_to_contain_text("Started again")
    calling = await opener("/tools/t/echo__slow", beside=page)
    await calling.get_by_label("seconds").fill("30")
    await calling.get_by_role("button", name="Run it").click()
    await _until_called(with_server)
    os.kill(_pid_of(with_server, "echo.py"), signal.SIGKILL)
    await expect(card.locator(".badge").first).to_have_text("Restarting")
    await expect(card).to_contain_text("echo ended")
    await expect(card.locator(".badge").first).to_have_text("Running")
    await expect(card).to_contain_text("Started again once.")
    await expect(card).not_to_contain_text("echo ended")
    # The call that was on its way says what became of it, and the next one works.
    await expect(calling.locator(".outcome")).to_contain_text("echo ended")
    await expect(calling.locator(".outcome")).to_contain_text("it is started again")
    assert (await calling.locator(".outcome").inner_text()).count("it is started again") == 1
    await calling.get_by_label("seconds").fill("0")
    await calling.get_by_role("button", name="Run it").click()
    await expect(calling.locator(".outcome")).to_contain_text("done")
    await opener.end()


async def _until_called(served: Served) -> None:
    """A call that takes a while is on record before it ends."""
    async with asyncio.timeout(15):
        while "tool_call" not in [  # noqa: ASYNC110 - another process records it
            m["kind"] for m in (await served.ask("GET", "/api/channels/ch_hub/messages"))["items"]
        ]:
            await asyncio.sleep(0.05)


def _pid_of(served: Served, word: str) -> int:
    """The holder of the server's process: a child of Prime's."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == served.pid and word in (folder / "cmdline").read_text():
                return int(folder.name)
        except OSError:
            continue
    raise AssertionError(f"{word} does not run")
