"""Questions answered by the keyboard: the next key is told, and one key is enough for whoever has turned to the question."""

import asyncio

import pytest
from playwright.async_api import Route, expect
from tests.page.conftest import Serve

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

WISH = "Launch a home espresso machine in Germany in March. Find three retail partners. The budget is 5,000."


async def test_two_keys_answer_anywhere_and_one_key_in_the_question(serve: Serve) -> None:
    served, open_page = await serve(PRIME_AUTOSTOP_MS="0")
    await served.ask("POST", "/api/chat", {"text": WISH})
    page = await open_page()
    cards = page.locator(".card.ask[data-card]")
    await expect(cards.nth(1)).to_be_visible(timeout=60_000)
    await served.ask("POST", "/api/swarm/pause")
    await expect(page.locator(".pulse")).to_have_text("Paused")
    first, second = [await cards.nth(n).get_attribute("id") for n in (0, 1)]

    await page.locator(".log").focus()
    await page.keyboard.press("Shift+Digit1")  # nobody has turned to a question: it only chooses
    answer = page.locator(f"#{first}").get_by_role("button", name="Answer")
    await expect(answer).to_be_enabled()
    await expect(answer.locator("kbd")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.locator(f"#{first}")).to_have_count(0)

    await page.locator(".log").focus()
    await page.keyboard.press("j")
    await expect(page.locator(f"#{second}")).to_be_focused()
    wanted = await page.locator(f"#{second} .option").nth(1).locator("span").inner_text()
    await page.keyboard.press("Shift+Digit2")
    await expect(page.locator(f"#{second}")).to_have_count(0)
    answered = (await served.ask("GET", "/api/questions?status=answered"))["items"]
    assert wanted in {question["answer"]["text"] for question in answered}


async def test_a_rule_follows_the_answer_and_the_tour_goes_on_with_it(serve: Serve) -> None:
    """Who sends at once what they chose last must not send the rule of what they chose before."""
    served, open_page = await serve(PRIME_AUTOSTOP_MS="0")
    await served.ask("POST", "/api/chat", {"text": WISH})
    page = await open_page()
    tour = page.get_by_role("complementary", name="First steps")
    card = page.locator(".card.ask[data-card]").first
    await expect(card).to_be_visible(timeout=60_000)
    await expect(tour).to_contain_text("See who works on it")
    await served.ask("POST", "/api/swarm/pause")
    card = page.locator(f"#{await card.get_attribute('id')}")
    rule = card.get_by_label("The rule")
    await card.locator(".option").nth(0).click()
    await card.get_by_label("Make this a rule").check()
    await expect(rule).not_to_have_value("")
    of_the_first = await rule.input_value()

    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    await page.route("**/preview-rule", hold)
    await card.locator(".option").nth(1).click()
    await expect(rule).to_have_value("")
    await expect(card).to_contain_text("Wording the rule")
    await card.get_by_role("button", name="Answer").click()
    await expect(card).to_have_count(0)
    held.set()
    [learned] = (await served.ask("GET", "/api/rules"))["items"]
    assert learned["text"] != of_the_first
    # Nobody has opened the war room: whoever has answered knows who works there.
    await expect(tour).to_contain_text("Watch it grow quieter")
