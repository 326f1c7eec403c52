"""Start a Prime with a sample project, wait until there is something to see, and take pictures of the main views."""

import asyncio
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast
from urllib.request import Request, urlopen

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright

PROJECT = (
    "We launch a home espresso machine in Germany in March. Find three retail partners, qualify the first leads and "
    "prepare a landing page. The budget is 5,000."
)
PROJECT_ZH = "我们三月在德国推出家用意式咖啡机。请找三家零售伙伴，筛选首批潜在客户，并做好落地页。预算 5,000。"
QUICK = {
    "PRIME_MODEL": "offline",
    "PRIME_TICK_MS": "400",
    "PRIME_DIRECTIVE_MS": "500",
    "PRIME_ASK_MIN_GAP_MS": "0",
    "PRIME_UPDATE_MIN_GAP_MS": "600000",  # the wish, the plan and the first news fit on one screen
    "PRIME_AUTOSTOP_MS": "0",
}
PATIENCE_S = 150
COLOURS = 256
LARGEST = 150_000

HIDE_BANNER = "sessionStorage.setItem('prime:open-banner', 'folded'); localStorage.setItem('prime:tour', 'ended')"


@dataclass(frozen=True)
class Shot:
    name: str
    path: str
    width: int = 1360
    height: int = 850
    theme: Literal["light", "dark"] = "light"
    locale: str = "en-GB"
    act: Callable[[Page], Awaitable[None]] | None = None


async def open_why(page: Page) -> None:
    card = page.locator(".card.ask[data-card]").first
    await card.locator(".why-fold summary").first.click()
    await card.locator(".weights").wait_for()


async def fill_tool(page: Page) -> None:
    await page.get_by_label("folders *").fill("offers\nsite")
    await page.locator(".would code").wait_for()


SHOTS = (
    Shot("main", "/c/ch_hub"),
    Shot("main-dark", "/c/ch_hub", theme="dark", act=open_why),
    Shot("war-room", "/room"),
    Shot("insight", "/insight"),
    Shot("tool", "/tools/t/mkdir", act=fill_tool),
    Shot("phone", "/", width=390, height=844),
    Shot("phone-room", "/room", width=390, height=844, theme="dark"),
)
SHOTS_ZH = (Shot("chinese", "/c/ch_hub", locale="zh-CN"),)


def ask(address: str, method: str, path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = Request(address + path, data, {"content-type": "application/json"}, method=method)
    with urlopen(request, timeout=30) as answer:
        return json.load(answer)


async def until_busy(address: str) -> None:
    """Until a few things wait for the owner and a few were settled."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            counters = ask(address, "GET", "/api/status")["counters"]
            if counters["asked"] >= 1 and counters["autoResolved"] >= 2:
                return
            await asyncio.sleep(1)


def settle_some(address: str) -> None:
    """Answer one question of several and make a rule of it, so that rules and figures have something to show."""
    waiting = [q for q in ask(address, "GET", "/api/questions?status=pending")["items"] if q["suggestions"]]
    if len(waiting) > 1:
        answer = {"text": waiting[0]["suggestions"][0], "makeRule": True}
        ask(address, "POST", f"/api/questions/{waiting[0]['id']}/answer", answer)


def draws_chinese() -> bool:
    """Whether a font of this machine has Chinese in it; where nobody can say, it is taken for granted."""
    lister = shutil.which("fc-list")
    return not lister or bool(subprocess.run([lister, ":charset=4e2d"], capture_output=True, check=False).stdout)


async def take(browser: Browser, address: str, shot: Shot, folder: Path) -> None:
    context = await browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme=shot.theme,
        locale=shot.locale,
        reduced_motion="reduce",
    )
    await context.add_init_script(HIDE_BANNER)
    page = await context.new_page()
    await page.goto(address + shot.path)
    await page.locator(".pulse", has_text=re.compile("Running|Paused|运行中|已暂停")).wait_for()
    await page.wait_for_timeout(1200)  # the last words to arrive, not a test
    if shot.act:
        await shot.act(page)
        await page.wait_for_timeout(400)
    save(await page.screenshot(), folder / f"{shot.name}.png")
    await context.close()


def save(picture: bytes, path: Path) -> None:
    """With few colours: the page has few, and the repository is to stay small. The most frequent are kept as they are, so
    that no ground or mark changes its colour; only the shades between letters and their ground are moved.
    """
    whole = Image.open(io.BytesIO(picture)).convert("RGB")
    counted = sorted(whole.getcolors(whole.width * whole.height) or [], reverse=True)[:COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for _, colour in counted for channel in cast("tuple[int, int, int]", colour)])
    image = whole.quantize(palette=palette, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path}  {size:,} bytes")
    if size > LARGEST:
        sys.exit(f"{path} is larger than {LARGEST:,} bytes.")


async def take_all(project: str, shots: tuple[Shot, ...], folder: Path, **settings: str) -> None:
    """Of a Prime of its own, which works on the project meanwhile."""
    data = Path(tempfile.mkdtemp(prefix="prime-screenshots-"))
    own = {"XDG_CONFIG_HOME": str(data / "config"), "XDG_DATA_HOME": str(data), "PRIME_WORKSPACE": str(data)}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "prime", "serve", "--port", "0", "--data", str(data / "data")),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**{k: v for k, v in os.environ.items() if not k.startswith("PRIME_")}, **QUICK, **own, **settings},
    )
    try:
        assert process.stdout
        found = re.search(r"http://\S+", (await process.stdout.readline()).decode())
        assert found, "prime serve did not say where it runs"
        address = found[0]
        ask(address, "POST", "/api/chat", {"text": project})
        await until_busy(address)
        await asyncio.sleep(8)
        settle_some(address)
        await asyncio.sleep(6)
        chromium = os.environ.get("PRIME_CHROMIUM") or shutil.which("chromium")
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for shot in shots:
                await take(browser, address, shot, folder)
            await browser.close()
    finally:
        process.kill()
        await process.communicate()
        shutil.rmtree(data, ignore_errors=True)


async def main(folder: Path) -> None:
    if not draws_chinese():
        sys.exit(
            "No font here has Chinese in it, and the pictures would show boxes. Install one, such as Noto Sans SC."
        )
    await take_all(PROJECT, SHOTS, folder, PRIME_TG_USER_MOCK="1")
    await take_all(PROJECT_ZH, SHOTS_ZH, folder)


if __name__ == "__main__":
    wanted = Path(sys.argv[1])
    wanted.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(wanted))
