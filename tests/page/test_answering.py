"""Questions answered by the keyboard: the next key is told, and one key is enough for whoever has turned to the question."""

import pytest
from playwright.async_api import expect
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
