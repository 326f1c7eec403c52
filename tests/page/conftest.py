"""A real `prime serve` and a real Chromium, shared by all tests here. Whatever the browser complains about fails the test.

Two servers are shared: in one of them nobody has spoken in the owner's room yet, in the other there is work to see.
"""

import asyncio
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Literal
from urllib.request import Request, urlopen

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright, expect
from tests.ready import ReadyPrime

# A busy machine is slow, not wrong.
expect.set_options(timeout=15_000)

QUICK = {
    "PRIME_TICK_MS": "150",
    "PRIME_DIRECTIVE_MS": "200",
    "PRIME_ASK_MIN_GAP_MS": "0",
    "PRIME_UPDATE_MIN_GAP_MS": "0",
}


@dataclass
class Served:
    """A `prime serve` process that can be killed and started again at the same address."""

    prime: ReadyPrime
    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Sequence[str] = ()
    address: str = ""
    _process: "subprocess.Popen[str] | None" = None

    @property
    def workspace(self) -> Path:
        return self.folder / "work"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    async def start(self) -> None:
        port = self.address.rsplit(":", 1)[-1] or "0"
        self.workspace.mkdir(parents=True, exist_ok=True)
        foreign = ("PRIME_", "OPENAI_", "ANTHROPIC_", "GEMINI_", "XDG_")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
        own = {
            "PRIME_MODEL": "offline",
            "PRIME_TOOL_SCAN_MS": "0",  # it would start every program of this machine
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_DATA_HOME": str(self.folder),
        }
        with (self.folder / "log").open("ab") as log:
            before = log.tell()
            self._process = self.prime.start(
                *("serve", "--port", port, "--data", str(self.folder / "data"), *self.options),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.workspace,
                env={**environment, **own, **QUICK, **self.settings},
            )
        self.address = await self.said(r"running at (http://\S+)", since=before)

    async def said(self, pattern: str, *, since: int = 0) -> str:
        """What it printed, as soon as it has."""

        def look() -> str:
            late = time.monotonic() + 40
            while time.monotonic() < late:
                if found := re.findall(pattern, self.log[since:]):
                    return str(found[-1])
                time.sleep(0.05)  # a real process is the point: it says when it is there
            raise AssertionError(f"prime serve did not say {pattern}: {self.log[-2000:]}")

        return await asyncio.to_thread(look)

    async def kill(self) -> None:
        """As `kill -9` does."""
        if self._process and self._process.poll() is None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)

    async def ask(self, method: str, path: str, body: object = None) -> Any:
        """The API, past the page."""

        def ask() -> Any:
            data = None if body is None else json.dumps(body).encode()
            request = Request(self.address + path, data, {"content-type": "application/json"}, method=method)
            with urlopen(request, timeout=100) as answer:
                return json.load(answer)

        return await asyncio.to_thread(ask)


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
        ready: str | None = ".pulse",
        permissions: Sequence[str] = (),
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
                permissions=list(permissions),
            )
        )
        context.set_default_timeout(15_000)
        tab = Tab(await context.new_page())
        tab.page.on("console", tab.hear)
        tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
        self.tabs.append(tab)
        await tab.page.goto(self.address + path)
        if ready == ".pulse":
            await tab.page.locator(".pulse", has_text=re.compile("Running|Paused|运行中|已暂停")).wait_for()
        elif ready:
            await tab.page.locator(ready).first.wait_for()
        return tab.page

    def forgive(self, *parts: str) -> None:
        """Complaints that a test provokes on purpose."""
        for tab in self.tabs:
            tab.complaints[:] = [c for c in tab.complaints if not any(part in c for part in parts)]

    def forgive_absence(self) -> None:
        """What a browser says when a server is killed on purpose, whatever was under way at that moment."""
        self.forgive("net::ERR_", "Failed to load resource")

    async def end(self) -> None:
        complaints = [complaint for tab in self.tabs for complaint in tab.complaints]
        for context in {tab.page.context for tab in self.tabs}:
            await context.close()
        assert not complaints, complaints


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser() -> AsyncIterator[Browser]:
    chromium = os.environ.get("PRIME_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def served(tmp_path_factory: pytest.TempPathFactory, ready_prime: ReadyPrime) -> AsyncIterator[Served]:
    """Shared by all: tests make channels of their own, and leave the owner's room as it is on the first day."""
    server = Served(ready_prime, tmp_path_factory.mktemp("served"))
    await server.start()
    yield server
    await server.kill()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def worked(tmp_path_factory: pytest.TempPathFactory, ready_prime: ReadyPrime) -> AsyncIterator[Served]:
    """Shared as well, for tests that speak in the owner's room, call tools, or want drafts to look at."""
    server = Served(ready_prime, tmp_path_factory.mktemp("worked"), {"PRIME_TG_USER_MOCK": "1"})
    await server.start()
    yield server
    await server.kill()


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(browser: Browser, served: Served) -> AsyncIterator[Opener]:
    opener = Opener(browser, served.address)
    yield opener
    await opener.end()


@pytest_asyncio.fixture(loop_scope="session")
async def open_worked(browser: Browser, worked: Served) -> AsyncIterator[Opener]:
    opener = Opener(browser, worked.address)
    yield opener
    await opener.end()


Serve = Callable[..., Awaitable[tuple[Served, Opener]]]


@pytest_asyncio.fixture(loop_scope="session")
async def serve(browser: Browser, tmp_path: Path, ready_prime: ReadyPrime) -> AsyncIterator[Serve]:
    """A Prime for one test alone, with settings of its own, and a way to open its page."""
    made: list[tuple[Served, Opener]] = []

    async def make(*options: str, **settings: str) -> tuple[Served, Opener]:
        folder = tmp_path / f"prime-{len(made)}"
        folder.mkdir()
        server = Served(ready_prime, folder, settings, options)
        await server.start()
        made.append((server, Opener(browser, server.address)))
        return made[-1]

    yield make
    try:
        for _, opener in made:
            await opener.end()
    finally:
        for server, _ in made:
            await server.kill()


MakeChannel = Callable[..., Awaitable[str]]
Say = Callable[[str, Sequence[str]], Awaitable[None]]


@pytest.fixture
def say(served: Served) -> Say:
    """Puts messages into a channel past the page, through the API."""

    def talk(channel_id: str, texts: Sequence[str]) -> None:
        connection = HTTPConnection(served.address.removeprefix("http://"), timeout=30)
        for text in texts:
            body, headers = json.dumps({"text": text}), {"content-type": "application/json"}
            connection.request("POST", f"/api/channels/{channel_id}/messages", body, headers)
            answer = connection.getresponse()
            assert answer.status == 201, answer.read()
            answer.read()
        connection.close()

    async def post(channel_id: str, texts: Sequence[str]) -> None:
        await asyncio.to_thread(talk, channel_id, texts)

    return post


@pytest.fixture
def make_channel(served: Served) -> MakeChannel:
    """Makes a channel of a name through the API and gives its id. In a quiet one nobody answers what is said there."""

    async def make(name: str, *, quiet: bool = False) -> str:
        wanted = {"name": name, "kind": "group", "tier": "team"}
        channel_id = str((await served.ask("POST", "/api/channels", wanted))["id"])
        if quiet:
            await served.ask("POST", f"/api/channels/{channel_id}/pause")
        return channel_id

    return make
