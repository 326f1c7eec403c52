"""axe finds nothing in any view or dialog: light and dark, wide and narrow, English and Chinese."""

from pathlib import Path
from typing import Literal, TypedDict

import pytest
from playwright.async_api import Page, expect
from tests.page.conftest import MakeChannel, Opener, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async () => (await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }))
  .violations.map(v => ({ id: v.id, nodes: v.nodes.map(n => `${n.html.slice(0, 160)} ${n.failureSummary}`) }))"""
# What the other theme can change.
CONTRAST = """async () => (await axe.run({ runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }))
  .violations.map(v => ({ id: v.id, nodes: v.nodes.map(n => `${n.html.slice(0, 160)} ${n.failureSummary}`) }))"""
# Within the page, as its links do: axe stays loaded, and nothing is fetched anew.
GO = "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }"
SETTLED = """async () => {
  for (let calm = 0; calm < 4; await new Promise(requestAnimationFrame)) {
    calm = document.querySelector('.view .bones, .talk-bones, .rooms .bones, dialog .bones') ? 0 : calm + 1;
  }
}"""

TALK = (
    "# Plan\n\n- [x] one\n- [ ] two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint(1)\n```\n\n> quoted `code`"
)
PROJECT = "We launch a home espresso machine in Germany in March. Find three retail partners. The budget is 5,000."
VIEWS = (
    *("/c/ch_hub", "/channels", "/room", "/recall?q=espresso", "/recall/facts", "/recall/facts?as=timeline"),
    *("/recall/state", "/rules", "/tools", "/tools/t/mkdir", "/tools/approved", "/tools/servers", "/tools/clients"),
    *("/scripts", "/scripts/check", "/network", "/insight", "/settings", "/settings/account", "/settings/people"),
    *("/settings/autonomy", "/settings/connectors", "/settings/push", "/settings/secrets", "/settings/variables"),
    *("/settings/backups", "/settings/model", "/tools/policy", "/tools/batch"),
)


Theme = Literal["light", "dark"]


class Violation(TypedDict):
    id: str
    nodes: list[str]


OTHER: dict[Theme, Theme] = {"light": "dark", "dark": "light"}


async def violations(page: Page, theme: Theme) -> list[Violation]:
    """In the theme that the page was opened in, and in the other one."""
    found: list[Violation] = await page.evaluate(RUN)
    await page.emulate_media(color_scheme=OTHER[theme])
    found += await page.evaluate(CONTRAST)
    await page.emulate_media(color_scheme=theme)
    return found


@pytest.mark.parametrize(
    ("color_scheme", "width", "locale"),
    [
        ("light", 1280, "en-GB"),
        ("dark", 360, "zh-CN"),
        pytest.param("dark", 1280, "zh-CN", marks=pytest.mark.long),
        pytest.param("light", 320, "en-GB", marks=pytest.mark.long),
    ],
)
async def test_every_view(open_worked: Opener, worked: Served, color_scheme: Theme, width: int, locale: str) -> None:
    if not [each for each in (await worked.ask("GET", "/api/questions"))["items"] if each["kind"] == "decision"]:
        await worked.ask("POST", "/api/chat", {"text": PROJECT})
    page = await open_worked("/", width=width, color_scheme=color_scheme, locale=locale, bypass_csp=True)
    await expect(page.locator(".card.ask[data-card]").first).to_be_visible(timeout=60_000)
    await worked.ask("POST", "/api/swarm/pause")
    await page.add_script_tag(path=AXE)
    found = {"/": await violations(page, color_scheme)}
    talk = (await worked.ask("POST", "/api/channels", {"name": f"Talk {width}", "tier": "team"}))["id"]
    await worked.ask("POST", f"/api/channels/{talk}/messages", {"text": TALK})
    for path in (f"/c/{talk}", *VIEWS):
        await page.evaluate(GO, path)
        await page.evaluate(SETTLED)
        found[path] = await violations(page, color_scheme)
        assert not await page.evaluate("() => document.documentElement.scrollWidth > innerWidth"), path
    assert not {path: wrong for path, wrong in found.items() if wrong}


ENTRIES = ("Name and members", "Keep the course as a script", "Courses", "What a model is shown", "Close the channel")


@pytest.mark.parametrize(("color_scheme", "width"), [("light", 1280), ("dark", 360)])
async def test_the_dialogs(open_page: Opener, make_channel: MakeChannel, color_scheme: Theme, width: int) -> None:
    channel = await make_channel(f"Dialogs {width}", quiet=True)
    page = await open_page(f"/c/{channel}", width=width, color_scheme=color_scheme, bypass_csp=True)
    await page.add_script_tag(path=AXE)

    async def check_and_leave() -> None:
        await page.get_by_role("dialog").wait_for()
        await page.evaluate(SETTLED)
        assert not await violations(page, color_scheme)
        assert not await page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
        await page.keyboard.press("Escape")
        await page.get_by_role("dialog").wait_for(state="detached")

    for key in ("Control+k", "?", "n"):
        await page.keyboard.press(key)
        await check_and_leave()
    for entry in ENTRIES:
        await page.get_by_role("button", name="More about this channel").click()
        await page.get_by_role("menuitem", name=entry).click()
        await check_and_leave()
    await page.locator(".strip .chip").first.click()
    await check_and_leave()


async def test_the_way_in(open_page: Opener) -> None:
    page = await open_page("/sign-in", ready="h2", bypass_csp=True)
    await page.add_script_tag(path=AXE)
    assert not await violations(page, "light")
