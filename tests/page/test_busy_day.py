"""A model that takes its time, and more things waiting than fit: the page stays true and readable."""

import asyncio
import re
from urllib.error import HTTPError

import pytest
from playwright.async_api import Page, expect
from tests.mind.model.conftest import Answers, FakeProvider, Hangs
from tests.page.conftest import Serve, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ASKED = 55  # more than one page of the API


async def test_a_model_that_hangs_is_stopped_and_many_calls_wait(serve: Serve) -> None:
    provider = FakeProvider("openai", answering=lambda body: Hangs() if "lamp" in str(body) else Answers("ready"))
    await provider.start()
    try:
        served, open_page = await serve(PRIME_MODEL="")
        page = await open_page("/settings/model")
        await _connect(page, provider.url)
        await _stop(page, served)
        await _many_wait(page, served)
        await _field_has_the_focus_every_time(page)
        open_page.forgive("409")
    finally:
        await provider.stop()


async def test_who_has_spent_what_may_be_spent_counts_anew(serve: Serve) -> None:
    provider = FakeProvider("openai", answering=lambda _: Answers("Ready."))
    await provider.start()
    try:
        served, open_page = await serve(PRIME_MODEL="", PRIME_MAX_LLM_CALLS="2")
        page = await open_page("/settings/model")
        await _connect(page, provider.url)
        anew = page.get_by_role("button", name="Count anew")
        # Trying the model took both.
        await expect(page.locator(".strip")).to_contain_text("2 of 2")
        await anew.click()
        await expect(anew).to_have_count(0)
        status = await served.ask("GET", "/api/status")
        assert status["running"]
        assert status["calls"]["used"] < status["calls"]["cap"]
    finally:
        await provider.stop()


async def _connect(page: Page, url: str) -> None:
    """The strip says at once what Prime thinks with."""
    await page.get_by_label("Another server").check()
    await page.get_by_label("Address").fill(f"{url}/v1")
    await page.get_by_label("Model", exact=True).fill("slow-1")
    await page.get_by_role("button", name="Try it").click()
    await page.get_by_role("button", name="Use it").click()
    await expect(page.locator(".strip")).to_contain_text("openai:slow-1")


async def _stop(page: Page, served: Served) -> None:
    """Stop stands beside the field, where it does not run away from the pointer."""
    ada = await served.ask("POST", "/api/actors", {"name": "Ada", "kind": "agent", "connector": "llm_generic"})
    wanted = {"name": "Workbench", "kind": "group", "tier": "team", "members": [ada["id"]]}
    channel = await served.ask("POST", "/api/channels", wanted)
    await page.goto(f"{served.address}/c/{channel['id']}")
    await page.locator("#compose").fill("What does a lamp cost?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".writing")).to_contain_text("Ada")
    await page.locator(".compose").get_by_role("button", name="Stop").click()
    await expect(
        page.locator(".aside-line", has_text="Stopped.").get_by_role("button", name="Try again")
    ).to_be_visible()
    await expect(page.locator(".compose").get_by_role("button", name="Stop")).to_have_count(0)
    # What is tried again cannot be tried twice at once; what came of it then is the one that can.
    again = page.get_by_role("button", name="Try again")
    await again.click()
    await expect(page.locator(".compose").get_by_role("button", name="Stop")).to_be_visible()
    await expect(again).to_have_count(0)
    await page.locator(".compose").get_by_role("button", name="Stop").click()
    await expect(page.locator(".aside-line", has_text="Stopped.")).to_have_count(2)
    await expect(again).to_have_count(1)


async def _many_wait(page: Page, served: Served) -> None:
    """Each is there once; the first are whole, the others unfold when somebody turns to them."""

    async def call(number: int) -> None:
        wanted = {"arguments": {"folders": [f"offers/{number}"]}, "sessionId": "s", "agentId": "me", "waitMs": 0}
        with pytest.raises(HTTPError, match="409"):
            await served.ask("POST", "/api/tools/mkdir/call", wanted)

    await served.ask("POST", "/api/tools/prime", {"agentId": "me", "sessionId": "s"})
    await asyncio.gather(*(call(number) for number in range(ASKED)))
    await page.goto(f"{served.address}/room")
    cards = page.locator(".waits .card[data-card]")
    await expect(page.locator(".waits h2 .count")).to_have_text(str(ASKED))
    await expect(cards).to_have_count(30)
    last = cards.nth(29)
    await expect(last.get_by_role("button", name="Yes, once")).to_have_count(0)
    await last.get_by_role("button", name=re.compile("offers")).click()
    await expect(last).to_be_focused()
    await expect(last.get_by_role("button", name="Yes, once")).to_be_visible()
    await page.get_by_role("button", name="Show 25 more").click()
    await expect(cards).to_have_count(ASKED)


async def _field_has_the_focus_every_time(page: Page) -> None:
    """What is typed right after the key is searched for, and does not act as keys."""
    for _ in range(2):
        await page.locator(".rail").get_by_role("link", name="Rules").click()
        await page.locator("h2", has_text="Rules").click()
        await page.keyboard.press("/")
        await expect(page.get_by_role("searchbox")).to_be_focused()
    await page.keyboard.type("nec")
    await expect(page).to_have_url(re.compile(r"/recall\?q=nec"))
