"""Signing in, guests, and notifications."""

import asyncio
import json
import re
from typing import Any
from urllib.error import HTTPError

import pytest
from playwright.async_api import Page, expect
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
    await expect(page).to_have_url(f"{open_page.address}/tools")
    await page.goto(open_page.address)
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


async def test_a_notification_opens_the_very_question_and_its_button_answers(
    open_worked: Opener, worked: Served
) -> None:
    await worked.ask("POST", "/api/tools/prime", {"agentId": "phone", "sessionId": "s-push"})
    calls = {name: asyncio.create_task(call_mkdir(worked, name)) for name in ("first", "second")}
    asked = {name: await question_about(worked, name) for name in calls}
    page = await open_worked("/rules", permissions=["notifications"], height=500)
    await page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    await deliver(page, open_worked.address, {**NOTE, "url": f"/questions/{asked['second']}"})
    shown = await page.evaluate(
        """async () => {
          const registration = await navigator.serviceWorker.ready;
          for (let n = 0; n < 300; n++) {
            const [first] = await registration.getNotifications();
            if (first) return [first.title, first.body, first.data.url];
            await new Promise(done => setTimeout(done, 100));
          }
        }"""
    )
    assert shown == [NOTE["title"], NOTE["body"], f"/questions/{asked['second']}"]
    await click(page)
    await expect(page).to_have_url(f"{open_worked.address}/questions/{asked['second']}")
    card = page.locator(f"#card-{asked['second']}")
    await expect(card).to_be_focused()
    await expect(card).to_be_in_viewport()

    # From the lock screen: the page need not even be looked at.
    buttons = [{"action": "yes", "title": "Yes", "answer": {"choice": "yes"}}]
    await deliver(page, open_worked.address, {**NOTE, "questionId": asked["first"], "actions": buttons})
    await click(page, "yes")
    assert not (await calls["first"])["isError"]
    assert (worked.workspace / "first").is_dir()
    await expect(page.locator(f"#card-{asked['first']}")).to_have_count(0)

    await card.get_by_role("button", name="No", exact=True).click()
    with pytest.raises(HTTPError, match="403") as refused:
        await calls["second"]
    refused.value.close()
    # Whoever comes too late is told so.
    late = await open_worked(f"/questions/{asked['second']}", beside=page)
    await expect(late.get_by_text("it waits no more")).to_be_visible()


NOTE = {"title": "Prime asks", "body": "Make a folder?", "tag": "prime-question"}


async def call_mkdir(worked: Served, name: str) -> Any:
    call = {"arguments": {"folders": [name]}, "sessionId": "s-push", "agentId": "phone", "waitMs": 90_000}
    return await worked.ask("POST", "/api/tools/mkdir/call", call)


async def question_about(worked: Served, word: str) -> str:
    async with asyncio.timeout(20):
        while True:
            waiting = (await worked.ask("GET", "/api/questions?status=pending"))["items"]
            if found := [each["id"] for each in waiting if word in str(each["call"])]:
                return str(found[0])


async def deliver(page: Page, origin: str, note: dict[str, Any]) -> None:
    """As a push service would bring it, by Chromium's own tools."""
    session: Any = await page.context.new_cdp_session(page)
    found: asyncio.Queue[str] = asyncio.Queue()

    def heard(event: dict[str, list[dict[str, str]]]) -> None:
        for registration in event["registrations"]:
            found.put_nowait(registration["registrationId"])

    session.on("ServiceWorker.workerRegistrationUpdated", heard)
    await session.send("ServiceWorker.enable")
    told = {"origin": origin, "registrationId": await asyncio.wait_for(found.get(), 10), "data": json.dumps(note)}
    await session.send("ServiceWorker.deliverPushMessage", told)
    await session.detach()


async def click(page: Page, action: str = "") -> None:
    """What the browser does when the newest notification is clicked, or a button of it; no test can reach its own."""
    worker = page.context.service_workers[0]
    await worker.evaluate(
        """async (action) => {
          for (let n = 0; n < 300; n++) {
            const notification = (await registration.getNotifications()).at(-1);
            if (!notification) { await new Promise(done => setTimeout(done, 100)); continue; }
            const event = new NotificationEvent("notificationclick", { notification, action });
            const [done] = await new Promise(told => { event.waitUntil = (work) => told([work]); self.dispatchEvent(event); });
            return void (await done.catch(() => undefined));  // to bring the window to the front takes a real click
          }
        }""",
        action,
    )
