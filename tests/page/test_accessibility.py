"""axe finds nothing in any view, light and dark, wide and narrow."""

from pathlib import Path
from typing import Literal, TypedDict

import pytest
from playwright.async_api import Page, expect
from tests.page.conftest import Opener, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async () => (await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }))
  .violations.map(v => ({ id: v.id, nodes: v.nodes.map(n => `${n.html.slice(0, 160)} ${n.failureSummary}`) }))"""
# Within the page, as its links do: axe stays loaded, and nothing is fetched anew.
GO = "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }"
SETTLED = """async () => {
  for (let calm = 0; calm < 4; await new Promise(requestAnimationFrame)) {
    calm = document.querySelector('.view .bones, .talk-bones, .rooms .bones') ? 0 : calm + 1;
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
    *("/settings/backups", "/settings/model", "/tools/policy"),
)


class Violation(TypedDict):
    id: str
    nodes: list[str]


async def violations(page: Page) -> list[Violation]:
    return await page.evaluate(RUN)


@pytest.mark.parametrize(("color_scheme", "width"), [("light", 1280), ("dark", 360)])
async def test_every_view(
    open_worked: Opener,
    worked: Served,
    color_scheme: Literal["light", "dark"],
    width: int,
) -> None:
    if not [each for each in (await worked.ask("GET", "/api/questions"))["items"] if each["kind"] == "decision"]:
        await worked.ask("POST", "/api/chat", {"text": PROJECT})
    page = await open_worked("/", width=width, color_scheme=color_scheme, bypass_csp=True)
    await expect(page.locator(".card.ask[data-card]").first).to_be_visible(timeout=60_000)
    await worked.ask("POST", "/api/swarm/pause")
    await page.add_script_tag(path=AXE)
    found = {"/": await violations(page)}
    talk = (await worked.ask("POST", "/api/channels", {"name": f"Talk {width}", "tier": "team"}))["id"]
    await worked.ask("POST", f"/api/channels/{talk}/messages", {"text": TALK})
    for path in (f"/c/{talk}", *VIEWS):
        await page.evaluate(GO, path)
        await page.evaluate(SETTLED)
        found[path] = await violations(page)
        assert not await page.evaluate("() => document.documentElement.scrollWidth > innerWidth"), path
    assert not {path: wrong for path, wrong in found.items() if wrong}


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
async def test_the_dialogs(open_page: Opener, color_scheme: Literal["light", "dark"]) -> None:
    page = await open_page("/rules", color_scheme=color_scheme, bypass_csp=True)
    await page.add_script_tag(path=AXE)
    for key in ("Control+k", "?", "n"):
        await page.keyboard.press(key)
        await page.get_by_role("dialog").wait_for()
        assert not await violations(page)
        await page.keyboard.press("Escape")
        await page.get_by_role("dialog").wait_for(state="detached")


async def test_the_way_in(open_page: Opener) -> None:
    page = await open_page("/sign-in", ready="h2", bypass_csp=True)
    await page.add_script_tag(path=AXE)
    assert not await violations(page)
