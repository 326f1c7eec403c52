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


async def test_a_second_project_leaves_the_first_in_sight(serve: Serve) -> None:
    served, open_page = await serve(PRIME_AUTOSTOP_MS="0")
    page = await open_page()
    for wish, plans in (
        ("Launch our lamp in Berlin in March, we need a factory", 1),
        ("Plan a party for 20 people in Graz", 2),
    ):
        await page.locator("#compose").fill(wish)
        await page.locator("#compose").press("Enter")
        await expect(page.locator(".plan")).to_have_count(plans, timeout=30_000)
    await page.goto(served.address + "/room")
    await expect(page.locator(".plan-sheet")).to_contain_text("arty")
    await expect(page.locator(".added")).to_contain_text("amp")
    await page.locator(".added").get_by_role("link").click()
    await expect(page.locator(".marked")).to_contain_text("lamp")


async def test_names_of_one_tier_stand_between_the_marks_of_the_language(serve: Serve) -> None:
    _, open_page = await serve(PRIME_AUTOSTOP_MS="0")
    page = await open_page(locale="zh-CN")
    await page.locator("#compose").fill("公司年会，120人，1月23日，预算12万")
    await page.locator("#compose").press("Enter")
    several = page.locator(".plan-names").filter(has_text="餐饮")
    await expect(several).to_contain_text("、", timeout=30_000)
    await expect(several).not_to_contain_text(",")
