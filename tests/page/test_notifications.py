"""Notifications: turned on, tried, shown by the browser, and leading to the very question."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.error import HTTPError

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect
from tests.accounts.conftest import PushService
from tests.page.conftest import Opener, Serve, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

# What a browser without a window refuses: to subscribe. All else is its own, and the push service is a real one.
SUBSCRIBES = """subscription => {
  let now = null;
  const unsubscribe = async () => { now = null; return true; };
  PushManager.prototype.subscribe = async () => (now = { ...subscription, toJSON: () => subscription, unsubscribe });
  PushManager.prototype.getSubscription = async () => now;
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def push_service() -> AsyncIterator[PushService]:
    async with PushService.running() as service:
        yield service


async def test_the_test_button_reaches_this_browser(serve: Serve, push_service: PushService) -> None:
    served, open_page = await serve()
    page = await open_page("/settings/push", permissions=["notifications"])
    await expect(page.get_by_text("No device is told yet")).to_be_visible()
    await expect(page.get_by_role("button", name="Send a test")).to_have_count(0)
    await page.evaluate(SUBSCRIBES, push_service.subscription("/here"))
    await page.get_by_role("button", name="Tell this browser").click()
    await expect(page.locator(".lines .line")).to_contain_text("This browser")
    await page.get_by_role("button", name="Send a test").click()
    delivery, words = await push_service.next()
    assert (delivery.path, words["body"]) == ("/here", "Notifications reach this device.")
    await expect(page.get_by_role("status").filter(has_text="Sent to one device.")).to_be_visible()
    await expect(page.locator(".lines .line")).to_contain_text("Last told")
    await deliver(page, open_page.address, words)
    assert await shown(page) == ["Prime", "Notifications reach this device.", "/settings"]

    # It speaks as the page does, from the moment on that this changes.
    async with page.expect_response("**/api/push/subscribe"):
        await page.locator(".strip").get_by_role("button", name="中文").click()
    await page.get_by_role("button", name="发送测试").click()
    await expect(page.get_by_role("status").filter(has_text="已发到 1 台设备")).to_be_visible()
    assert (await push_service.next())[1]["body"] == "通知可以送达这台设备。"
    await page.get_by_role("button", name="在此浏览器关闭通知").click()
    await expect(page.get_by_text("还没有设备")).to_be_visible()
    assert (await served.ask("GET", "/api/push/devices"))["items"] == []


async def test_a_test_that_reaches_nobody_says_what_to_do(serve: Serve, push_service: PushService) -> None:
    served, open_page = await serve()
    page = await open_page("/settings/push", permissions=["notifications"])
    await page.evaluate(SUBSCRIBES, push_service.subscription("/here"))
    await page.get_by_role("button", name="Tell this browser").click()
    await expect(page.locator(".lines .line")).to_contain_text("This browser")
    down = {**push_service.subscription("/there"), "endpoint": "http://127.0.0.1:9/there"}
    await served.ask("POST", "/api/push/subscribe", down)
    push_service.answers["/here"] = [410]
    await page.get_by_role("button", name="Send a test").click()
    outcome = page.get_by_role("status").filter(has_text="could not be reached")
    await expect(outcome).to_contain_text("One device takes no notifications any more and was removed.")
    await expect(outcome).not_to_contain_text("Sent to")
    # What is left is the one that is down; this browser is told no more, and can be told again.
    await expect(page.locator(".lines .line")).to_have_count(1)
    await expect(page.locator(".lines .line")).to_contain_text("Could not be reached once.")
    await page.get_by_role("button", name="Forget").click()
    await expect(page.get_by_text("No device is told yet")).to_be_visible()
    await page.get_by_role("button", name="Tell this browser").click()
    await expect(page.locator(".lines .line")).to_contain_text("This browser")
    # Forgotten in the list, it is off here as well.
    await page.get_by_role("button", name="Forget").click()
    await expect(page.get_by_role("button", name="Tell this browser")).to_be_enabled()


async def test_a_notification_opens_the_very_question_and_its_button_answers(
    open_worked: Opener, worked: Served
) -> None:
    await worked.ask("POST", "/api/tools/prime", {"agentId": "phone", "sessionId": "s-push"})
    calls = {name: asyncio.create_task(call_mkdir(worked, name)) for name in ("first", "second")}
    asked = {name: await question_about(worked, name) for name in calls}
    page = await open_worked("/rules", permissions=["notifications"], height=500)
    await page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    await deliver(page, open_worked.address, {**NOTE, "url": f"/questions/{asked['second']}"})
    assert await shown(page) == [NOTE["title"], NOTE["body"], f"/questions/{asked['second']}"]
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
    """As a push service would bring it, by Chromium's own tools, which also tell when it is on the screen."""
    session: Any = await page.context.new_cdp_session(page)
    found: asyncio.Queue[str] = asyncio.Queue()
    displayed = asyncio.Event()

    def registered(event: dict[str, list[dict[str, str]]]) -> None:
        for registration in event["registrations"]:
            found.put_nowait(registration["registrationId"])

    def happened(event: dict[str, dict[str, str]]) -> None:
        if event["backgroundServiceEvent"]["eventName"] == "Notification displayed":
            displayed.set()

    session.on("ServiceWorker.workerRegistrationUpdated", registered)
    session.on("BackgroundService.backgroundServiceEventReceived", happened)
    await session.send("ServiceWorker.enable")
    # Earlier ones would be told again.
    await session.send("BackgroundService.clearEvents", {"service": "notifications"})
    await session.send("BackgroundService.startObserving", {"service": "notifications"})
    await session.send("BackgroundService.setRecording", {"service": "notifications", "shouldRecord": True})
    async with asyncio.timeout(15):
        told = {"origin": origin, "registrationId": await found.get(), "data": json.dumps(note)}
        await session.send("ServiceWorker.deliverPushMessage", told)
        await displayed.wait()
    await session.detach()


async def shown(page: Page) -> list[str]:
    """The title, the words and the way of the one notification that is there."""
    return await page.evaluate(
        """async () => {
          const [first] = await (await navigator.serviceWorker.ready).getNotifications();
          return [first.title, first.body, first.data.url];
        }"""
    )


async def click(page: Page, action: str = "") -> None:
    """What the browser does when the newest notification is clicked, or a button of it; no test can reach its own."""
    worker = page.context.service_workers[0]
    await worker.evaluate(
        """async (action) => {
          const notification = (await registration.getNotifications()).at(-1);
          const event = new NotificationEvent("notificationclick", { notification, action });
          const [done] = await new Promise(told => { event.waitUntil = (work) => told([work]); self.dispatchEvent(event); });
          await done.catch(() => undefined);  // to bring the window to the front takes a real click
        }""",
        action,
    )
