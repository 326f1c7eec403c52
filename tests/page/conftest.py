"""A real `prime serve` and a real Chromium. Whatever the browser complains about fails the test."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright


@dataclass
class Served:
    """A `prime serve` process that can be killed and started again at the same address."""

    data: Path
    address: str = ""
    _process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        port = self.address.rsplit(":", 1)[-1] or "0"
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PRIME_", "OPENAI_", "ANTHROPIC_"))}
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "prime", "serve", "--port", port, "--data", str(self.data)),
            stdout=asyncio.subprocess.PIPE,
            env={**environment, "PRIME_MODEL": "offline"},
        )
        assert self._process.stdout
        greeting = (await asyncio.wait_for(self._process.stdout.readline(), 30)).decode()
        found = re.search(r"http://\S+", greeting)
        assert found, f"prime serve said {greeting!r}"
        self.address = found[0]

    async def kill(self) -> None:
        """As `kill -9` does."""
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.communicate()


@dataclass
class Tab:
    """A page in the browser, with everything that the browser complained about."""

    page: Page
    complaints: list[str] = field(default_factory=list[str])

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text} ({message.location['url']})")


@dataclass
class Opener:
    """Opens the page in a browser window of its own, or in a further tab of the same one."""

    browser: Browser
    address: str
    tabs: list[Tab] = field(default_factory=list[Tab])

    async def __call__(
        self,
        path: str = "/",
        *,
        beside: Page | None = None,
        width: int = 1280,
        height: int = 800,
        locale: str = "en-GB",
        color_scheme: Literal["light", "dark"] = "light",
        bypass_csp: bool = False,
    ) -> Page:
        context: BrowserContext = (
            beside.context
            if beside
            else await self.browser.new_context(
                viewport={"width": width, "height": height},
                locale=locale,
                color_scheme=color_scheme,
                bypass_csp=bypass_csp,
                reduced_motion="reduce",
            )
        )
        context.set_default_timeout(15_000)
        tab = Tab(await context.new_page())
        tab.page.on("console", tab.hear)
        tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
        self.tabs.append(tab)
        await tab.page.goto(self.address + path)
        await tab.page.locator(".pulse", has_text=re.compile("Running|运行中")).wait_for()
        return tab.page

    def forgive(self, *parts: str) -> None:
        """Complaints that a test provokes on purpose."""
        for tab in self.tabs:
            tab.complaints[:] = [c for c in tab.complaints if not any(part in c for part in parts)]


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    server = Served(tmp_path / "data")
    await server.start()
    yield server
    await server.kill()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    chromium = os.environ.get("PRIME_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.fixture
async def open_page(browser: Browser, served: Served) -> AsyncIterator[Opener]:
    opener = Opener(browser, served.address)
    yield opener
    complaints = [complaint for tab in opener.tabs for complaint in tab.complaints]
    assert not complaints, complaints


MakeChannel = Callable[[str], Awaitable[str]]
Say = Callable[[str, Sequence[str]], Awaitable[None]]


@pytest.fixture
async def say(served: Served, browser: Browser) -> AsyncIterator[Say]:
    """Puts messages into a channel past the page, through the API."""
    context = await browser.new_context(base_url=served.address)

    async def post(channel_id: str, texts: Sequence[str]) -> None:
        for text in texts:
            answer = await context.request.post(f"/api/channels/{channel_id}/messages", data={"text": text})
            assert answer.ok, await answer.text()

    yield post
    await context.close()


@pytest.fixture
async def make_channel(served: Served, browser: Browser) -> AsyncIterator[MakeChannel]:
    """Makes a channel of a name through the API and gives its id."""
    context = await browser.new_context(base_url=served.address)

    async def make(name: str) -> str:
        answer = await context.request.post("/api/channels", data={"name": name, "kind": "group", "tier": "team"})
        assert answer.ok, await answer.text()
        return str((await answer.json())["id"])

    yield make
    await context.close()
