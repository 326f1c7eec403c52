"""What a newcomer sees and does in the first seconds, on a large screen and on a small one."""

import asyncio

import pytest
from playwright.async_api import Page, Route, expect
from tests.page.conftest import MakeChannel, Opener

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CUT_OFF = """() => [...document.querySelectorAll('.strip > *')].filter(e => {
  if (!e.checkVisibility() || e.classList.contains('push')) return false;
  const {left, right} = e.getBoundingClientRect();
  return e.scrollWidth > e.clientWidth + 1 || left < 0 || right > innerWidth;
}).map(e => e.textContent)"""


async def test_who_begins_to_type_writes_the_wish(open_page: Opener) -> None:
    """Among the single keys are `n`, which makes a channel, and `c`: a sentence has both."""
    page = await open_page()
    await expect(page.locator("#compose")).to_be_focused()
    await page.keyboard.type("Launch a nice lamp")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.locator("#compose")).to_have_value("Launch a nice lamp")


async def test_a_screen_keyboard_does_not_cover_the_examples(open_page: Opener) -> None:
    page = await open_page("/c/ch_hub", width=360, height=740)
    await expect(page.get_by_role("button", name="Launch something")).to_be_visible()
    await expect(page.locator("#compose")).not_to_be_focused()


async def test_all_that_an_empty_prime_says_can_be_scrolled_to_the_edge_of_a_small_screen(open_page: Opener) -> None:
    page = await open_page("/", width=360, height=600)
    await expect(page.get_by_role("heading", name="What shall we get done?")).to_be_visible()
    # It is not cut off within the pane, above the tabs.
    first = page.locator(".waits .first")
    assert await first.evaluate("e => e.scrollHeight - e.clientHeight") == 0
    await page.get_by_role("link", name="How to connect a model").scroll_into_view_if_needed()
    await expect(page.get_by_role("link", name="How to connect a model")).to_be_in_viewport()


async def test_the_banner_comes_with_the_first_drawing_and_pushes_nothing_down(open_page: Opener) -> None:
    page = await open_page(ready=None)
    answered = asyncio.Event()

    async def hold(route: Route) -> None:
        await answered.wait()
        await route.continue_()

    await page.route("**/api/status", hold)
    await page.reload()
    await expect(page.locator(".banner")).to_contain_text("PRIME_OWNER_EMAIL")
    await expect(page.locator(".pulse")).to_have_text("Connecting")
    answered.set()
    await expect(page.locator(".pulse")).to_have_text("Running")


@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
async def test_the_strip_says_nothing_by_halves(open_page: Opener, locale: str) -> None:
    page = await open_page(locale=locale)
    for folded in (False, True):
        if folded:
            await page.locator(".banner button").click()
        for width in (360, 480, 680, 768, 900, 960, 1024, 1140, 1280):
            await page.set_viewport_size({"width": width, "height": 700})
            assert not await _cut_off(page), (folded, width)


async def _cut_off(page: Page) -> list[str]:
    return await page.evaluate(CUT_OFF)


async def test_every_place_is_at_hand_on_a_phone_however_many_channels_there_are(
    open_page: Opener, make_channel: MakeChannel
) -> None:
    for number in range(12):
        await make_channel(f"One of many {number}", quiet=True)
    page = await open_page("/channels", width=360, height=740)
    await expect(page.get_by_role("link", name="One of many 0")).to_be_attached()
    for place in ("War room", "Tools", "Settings"):
        await expect(page.get_by_role("link", name=place)).to_be_in_viewport()
    await page.get_by_role("link", name="Settings").click()
    await expect(page.get_by_role("heading", name="Settings")).to_be_visible()


async def test_why_a_file_was_refused_stands_in_one_line_beside_a_long_name(
    open_page: Opener, make_channel: MakeChannel
) -> None:
    page = await open_page(f"/c/{await make_channel('Too large', quiet=True)}")
    name = "a very long name for a file that somebody sends " * 3
    large = {"name": f"{name}.bin", "mimeType": "application/octet-stream", "buffer": b"x" * 13_000_000}
    await page.locator("input[type=file]").set_input_files([large])  # type: ignore[arg-type]
    refused = page.locator(".upload.bad")
    await expect(refused.get_by_role("alert")).to_contain_text("A file may have")
    box = await refused.bounding_box()
    assert box
    assert box["height"] < 40
    open_page.forgive("413")
