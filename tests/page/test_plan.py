"""A plan as the page shows it: in the language's own marks, and a sum by what it is."""

import pytest
from playwright.async_api import expect
from tests.page.conftest import Serve

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_sum_that_one_hopes_to_get_is_not_called_a_budget(serve: Serve) -> None:
    served, open_page = await serve(PRIME_AUTOSTOP_MS="0")
    page = await open_page(locale="zh-CN")
    await page.locator("#compose").fill("卖掉我的旧钢琴，最低8000元")
    await page.locator("#compose").press("Enter")
    await expect(page.locator(".plan-names").first).to_be_visible(timeout=30_000)
    await page.goto(served.address + "/room")
    aims = page.locator(".aims")
    await expect(aims).to_contain_text("期望金额")
    await expect(aims).not_to_contain_text("预算")
    await expect(aims).not_to_contain_text("income")


async def test_names_of_one_tier_stand_between_the_marks_of_the_language(serve: Serve) -> None:
    _, open_page = await serve(PRIME_AUTOSTOP_MS="0")
    page = await open_page(locale="zh-CN")
    await page.locator("#compose").fill("公司年会，120人，1月23日，预算12万")
    await page.locator("#compose").press("Enter")
    several = page.locator(".plan-names").filter(has_text="餐饮")
    await expect(several).to_contain_text("、", timeout=30_000)
    await expect(several).not_to_contain_text(",")
