"""axe finds nothing in the main views, light and dark, wide and narrow."""

from pathlib import Path
from typing import Literal, TypedDict

import pytest
from playwright.async_api import Page
from tests.page.conftest import Opener, Say

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async () => (await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }))
  .violations.map(v => ({ id: v.id, nodes: v.nodes.map(n => `${n.html.slice(0, 120)} ${n.failureSummary}`) }))"""


class Violation(TypedDict):
    id: str
    nodes: list[str]


async def violations(page: Page) -> list[Violation]:
    await page.add_script_tag(path=AXE)
    return await page.evaluate(RUN)


TALK = [
    "# Plan\n\n- [x] one\n- [ ] two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint(1)\n```\n\n> quoted `code`"
]


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
async def test_the_main_views(open_page: Opener, say: Say, color_scheme: Literal["light", "dark"], width: int) -> None:
    await say("ch_hub", TALK)
    for path in ("/", "/c/ch_hub", "/channels"):
        page = await open_page(path, width=width, color_scheme=color_scheme, bypass_csp=True)
        assert not await violations(page)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
async def test_the_first_run_and_the_dialogs(open_page: Opener, color_scheme: Literal["light", "dark"]) -> None:
    page = await open_page(color_scheme=color_scheme, bypass_csp=True)
    await page.get_by_role("heading", name="What shall we get done?").wait_for()
    assert not await violations(page)
    for key in ("Control+k", "?", "n"):
        await page.keyboard.press(key)
        await page.get_by_role("dialog").wait_for()
        assert not await violations(page)
        await page.keyboard.press("Escape")
        await page.get_by_role("dialog").wait_for(state="detached")
