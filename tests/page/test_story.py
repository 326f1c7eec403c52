"""The whole story, as a new user would live it: nothing, a war room, an answer, a rule, quieter."""

import re

import pytest
from playwright.async_api import Locator, Page, expect
from tests.page.conftest import Serve, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_from_nothing_to_a_learned_rule(serve: Serve) -> None:
    served, open_page = await serve(PRIME_AUTOSTOP_MS="0")
    page = await open_page()
    await expect(page.get_by_role("heading", name="What shall we get done?")).to_be_visible()
    await expect(page.locator(".first-offline")).to_contain_text("offline engine")
    await page.get_by_role("button", name="Launch something").click()
    await expect(page.locator("#compose")).to_have_value(re.compile("espresso"))
    await page.get_by_role("button", name="Send").click()

    await expect(page.locator(".plan")).to_be_visible()
    await expect(page.locator("nav.rooms .room")).not_to_have_count(1)
    card = _asked(page)
    await expect(card).to_be_visible(timeout=60_000)
    asked = await card.get_by_role("heading").inner_text()
    matter = await _words_behind(served, (await card.get_attribute("id") or "").removeprefix("card-"))

    await _why(page)
    await _follow_source(page)
    await _step_through(page)
    await _make_rule(page)
    await expect(page.get_by_role("heading", name=asked)).to_have_count(0)

    await page.get_by_role("link", name="Rules").click()
    await expect(page.locator(".rule-text")).to_have_count(1)
    await _pause_and_go_on(page)
    await page.get_by_role("link", name="War room").click()
    await expect(page.locator(".room-map .spot")).not_to_have_count(0)
    await _settled_by_the_rule(page, served, matter)
    await expect(page.get_by_role("heading", name=asked)).to_have_count(0)
    await page.get_by_role("link", name="Insight").click()
    await expect(page.locator(".tiles")).to_contain_text("Settled for you")
    await page.get_by_role("button", name="Show the numbers").first.click()
    await expect(page.locator(".numbers table").first).to_be_visible()
    # Every step of the tour was taken on the way.
    await expect(page.get_by_role("complementary", name="First steps")).to_contain_text("That is all of it")
    status = await served.ask("GET", "/api/status")
    assert status["counters"]["rules"] == 1
    assert status["counters"]["autoResolved"] >= 1


def _asked(page: Page) -> Locator:
    """The first question whose answer can hold in every room: a signature is given in one room alone."""
    return page.locator(".card.ask[data-card]").filter(has_not_text=re.compile("signed|agreement")).first


async def _words_behind(served: Served, question_id: str) -> str:
    """What somebody said that made Prime ask."""
    question = next(
        q for q in (await served.ask("GET", "/api/questions?status=pending"))["items"] if q["id"] == question_id
    )
    page = f"/api/channels/{question['channelId']}/messages?limit=100&around={question['sources'][0]}"
    return next(m["text"] for m in (await served.ask("GET", page))["items"] if m["id"] == question["sources"][0])


async def _settled_by_the_rule(page: Page, served: Served, matter: str) -> None:
    """It grows quieter: somebody else comes with the same matter, and the rule settles it without the owner."""
    rule = (await served.ask("GET", "/api/rules"))["items"][0]
    stranger = {"version": "0.1", "type": "message", "from": {"name": "Nora", "endpoint": "https://nora.invalid"}}
    await served.ask("POST", "/prime/message", {**stranger, "text": matter, "messageId": "m1"})
    await page.get_by_role("button", name="Settled", exact=True).click()
    item = page.locator(".feed-item.settled", has=page.locator(f"a[href='/rules#{rule['id']}']")).first
    await expect(item).to_be_visible(timeout=60_000)
    await expect(page.locator(".feed-item:not(.settled)")).to_have_count(0)
    await page.reload()  # what was chosen is chosen afterwards, too
    await expect(page.get_by_role("button", name="Settled", exact=True)).to_have_attribute("aria-pressed", "true")
    await item.get_by_role("button", name="Why").click()
    await expect(item.locator(".feed-trace")).to_contain_text(re.compile(r"\w"))
    await item.locator(f"a[href='/rules#{rule['id']}']").click()
    await expect(page.locator(".panel .hits").first).to_have_text(re.compile("has settled [1-9]"))


async def _why(page: Page) -> None:
    card = _asked(page)
    await card.locator(".why-fold summary").first.click()
    await expect(card.locator(".weights li")).not_to_have_count(0)


async def _follow_source(page: Page) -> None:
    await _asked(page).locator(".source").first.click()
    await expect(page.locator(".row.marked")).to_be_in_viewport()


async def _step_through(page: Page) -> None:
    """By the keyboard: k is the way back of j, and r begins an answer in one's own words."""
    cards = page.locator(".card[data-card]")
    await page.locator(".log").focus()
    await page.keyboard.press("j")
    await expect(cards.first).to_be_focused()
    if await cards.count() > 1:
        await page.keyboard.press("j")
        await expect(cards.nth(1)).to_be_focused()
        await page.keyboard.press("k")
        await expect(cards.first).to_be_focused()
    await page.keyboard.press("r")
    await expect(cards.first.get_by_placeholder("Or in your own words")).to_be_focused()
    await page.keyboard.press("k")
    await expect(cards.first.get_by_placeholder("Or in your own words")).to_have_value("k")
    await page.keyboard.press("Backspace")


async def _make_rule(page: Page) -> None:
    """By the keyboard: j goes from card to card, 1 chooses, e sends."""
    wanted = await _asked(page).get_attribute("id")
    card = page.locator(f"#{wanted}")
    await page.locator(".log").focus()
    for _ in range(await page.locator(".card.ask[data-card]").count()):
        await page.keyboard.press("j")
        if await page.evaluate("() => document.activeElement.id") == wanted:
            break
    await expect(card).to_be_focused()
    await page.keyboard.press("1")
    await card.get_by_label("Make this a rule").check()
    await expect(card.get_by_label("The rule")).not_to_have_value("")
    await expect(card.locator(".rule-maker")).to_contain_text(re.compile("would (not )?have settled"))
    await card.focus()
    await page.keyboard.press("e")
    await expect(page.locator(".notice")).to_contain_text("Learned:")


async def _pause_and_go_on(page: Page) -> None:
    strip = page.locator(".strip")
    await strip.get_by_role("button", name="Pause all").click()
    await expect(page.locator(".pulse")).to_have_text("Paused")
    await strip.get_by_role("button", name="Go on").click()
    await expect(page.locator(".pulse")).to_have_text("Running")


async def test_the_same_on_a_phone_where_a_question_can_wait(serve: Serve) -> None:
    served, open_page = await serve(PRIME_AUTOSTOP_MS="0")
    page = await open_page("/", width=360, height=740)
    await page.locator(".waits").get_by_role("button", name="Find somebody").click()
    await expect(page.locator("#compose")).to_have_value(re.compile("bookkeeper"))
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".plan")).to_be_visible()
    await page.get_by_role("link", name=re.compile("Waiting")).click()
    card = page.locator(".card.ask[data-card]").first
    await expect(card).to_be_visible(timeout=30_000)
    await card.locator(".option").first.click()
    await card.get_by_role("button", name="Answer").click()
    assert not await page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
    await page.get_by_role("link", name="Channels").click()
    await page.get_by_role("link", name="War room").click()
    await expect(page.locator(".room-map .spot")).not_to_have_count(0)
    assert not await page.evaluate("() => document.documentElement.scrollWidth > innerWidth")
    await _a_question_can_wait(served, await open_page())


async def _a_question_can_wait(served: Served, page: Page) -> None:
    card = page.locator(".card.ask[data-card]").first
    await expect(card).to_be_visible(timeout=60_000)
    await page.locator(".strip").get_by_role("button", name="Pause all").click()
    await expect(page.locator(".pulse")).to_have_text("Paused")
    question = (await card.get_attribute("id") or "").removeprefix("card-")
    await card.get_by_label("Later").select_option("In an hour")
    await expect(page.locator(f"#card-{question}")).to_have_count(0)
    snoozed = (await served.ask("GET", "/api/questions?status=snoozed"))["items"]
    assert [each["id"] for each in snoozed] == [question]
