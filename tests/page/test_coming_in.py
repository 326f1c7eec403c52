"""Signing in, guests, and notifications."""

import re
from typing import Any

import pytest
from playwright.async_api import expect
from tests.page.conftest import Opener, Serve, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_owner_signs_in_and_a_guest_sees_their_channel_only(serve: Serve) -> None:
    served, open_page = await serve(PRIME_OWNER_EMAIL="owner@example.com")
    page = await open_page("/api/auth/verify?token=wrong", ready="h2")
    await expect(page.get_by_role("alert")).to_contain_text("Ask for a new one")
    await page.goto(f"{open_page.address}/tools")
    await expect(page).to_have_url(f"{open_page.address}/sign-in")
    await page.get_by_label("Your email").fill("owner@example.com")
    await page.get_by_role("button", name="Send the link").click()
    await expect(page.get_by_role("status")).to_contain_text("a link is on its way")
    await page.goto(await served.said(r"http://\S+/api/auth/verify\?token=\S+"))
    await expect(page.get_by_role("heading", name="What shall we get done?")).to_be_visible()
    await page.goto(f"{open_page.address}/settings/account")
    await expect(page.get_by_text("This browser").last).to_be_visible()

    await page.get_by_role("link", name="Prime", exact=True).last.click()
    for name in ("Shared", "Hidden"):
        await page.get_by_role("button", name="New channel").click()
        await page.get_by_role("dialog").get_by_label("Name", exact=True).fill(name)
        await page.get_by_role("button", name="Make the channel").click()
        await expect(page.get_by_role("heading", name=name, level=2)).to_be_visible()
    await page.goto(f"{open_page.address}/settings/people")
    await page.get_by_label("Name").fill("Ada")
    await page.get_by_label("Shared").check()
    await page.get_by_role("button", name="Make the link").click()
    url = await page.locator(".note .mono").inner_text()

    guest = await open_page(url.removeprefix(open_page.address), ready="h2")
    await guest.get_by_role("button", name="Come in").click()
    await expect(guest.get_by_role("heading", name="Shared", level=2)).to_be_visible()
    await guest.locator("#compose").fill("Ada is here")
    await guest.keyboard.press("Enter")
    await expect(guest.locator(".sending")).to_have_count(0)
    await expect(guest.get_by_text("Hidden")).to_have_count(0)
    await page.get_by_role("link", name="Prime", exact=True).last.click()
    await page.get_by_role("link", name=re.compile("Shared")).first.click()
    await expect(page.locator(".log")).to_contain_text("Ada is here")


async def test_a_notification_opens_the_very_question(open_page: Opener, served: Served) -> None:
    page = await open_page(permissions=["notifications"])
    await page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    session: Any = await page.context.new_cdp_session(page)
    found: list[dict[str, str]] = []

    def heard(event: dict[str, list[dict[str, str]]]) -> None:
        found.extend(event["registrations"])

    session.on("ServiceWorker.workerRegistrationUpdated", heard)
    await session.send("ServiceWorker.enable")
    async with page.expect_event("console", predicate=lambda m: m.text == "told", timeout=10_000):
        await page.evaluate("() => setTimeout(() => console.log('told'), 300)")
    pushed = '{"title": "A question waits", "body": "Accept 40 units?", "url": "/rules", "tag": "prime-question"}'
    await session.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": open_page.address, "registrationId": found[-1]["registrationId"], "data": pushed},
    )
    shown = await page.evaluate(
        """async () => {
          const registration = await navigator.serviceWorker.ready;
          for (let n = 0; n < 50; n++) {
            const [first] = await registration.getNotifications();
            if (first) return [first.title, first.body, first.data.url];
            await new Promise(done => setTimeout(done, 100));
          }
        }"""
    )
    assert shown == ["A question waits", "Accept 40 units?", "/rules"]
    # What the worker tells the page when it is clicked.
    await page.evaluate(
        "() => navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data: { go: '/rules' } }))"
    )
    await expect(page).to_have_url(f"{open_page.address}/rules")
