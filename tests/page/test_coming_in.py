"""Signing in, and guests."""

import re

import pytest
from playwright.async_api import Page, expect
from tests.page.conftest import Serve

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
    link = await served.said(r"http://\S+/api/auth/verify\?token=\S+")
    await page.goto(link)
    await expect(page).to_have_url(f"{open_page.address}/tools")
    # Whoever opens it once more, from the mail, is in already.
    await page.goto(link)
    await expect(page.get_by_text("You are signed in in this browser.")).to_be_visible()
    await expect(page.get_by_role("alert")).to_have_count(0)
    await page.get_by_role("link", name="Go on").click()
    await expect(page.get_by_role("heading", name="What shall we get done?")).to_be_visible()
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

    cut_off = await open_page("/invite#%E0%A4", ready="h2")
    await expect(cut_off.get_by_role("button", name="Come in")).to_be_disabled()
    guest = await open_page(url.removeprefix(open_page.address), ready="h2")
    await guest.get_by_role("button", name="Come in").click()
    await expect(guest.get_by_role("heading", name="Shared", level=2)).to_be_visible()
    await guest.locator("#compose").fill("Ada is here")
    await guest.keyboard.press("Enter")
    await expect(guest.locator(".sending")).to_have_count(0)
    await expect(guest.get_by_text("Hidden")).to_have_count(0)
    # On a phone as well there is only what is theirs, and home is their channel.
    await guest.set_viewport_size({"width": 360, "height": 740})
    await expect(guest.locator(".tabs a")).to_have_text(["Chat", "Channels"])
    await guest.locator(".brand").click()
    await expect(guest.get_by_role("heading", name="Shared", level=2)).to_be_visible()
    await expect(guest.locator(".log")).to_contain_text("Ada is here")
    await page.get_by_role("link", name="Prime", exact=True).last.click()
    await page.get_by_role("link", name=re.compile("Shared")).first.click()
    await expect(page.locator(".log")).to_contain_text("Ada is here")
    await expect(page.locator(".message", has_text="Ada is here").locator(".byline b")).to_have_text("Ada")
    # What everybody sees of themselves is "you"; the other has a name.
    await page.locator("#compose").fill("The owner is here, too")
    await page.keyboard.press("Enter")
    theirs = guest.locator(".message", has_text="The owner is here, too").locator(".byline b")
    await expect(theirs).to_have_text("The owner")
    await expect(guest.locator(".message", has_text="Ada is here").first.locator(".byline b")).to_have_text("You")
    # Among the browsers that are signed in, a guest's says whose it is.
    await page.goto(f"{open_page.address}/settings/account")
    await expect(page.locator(".line", has_text="Guest: Ada")).to_have_count(1)


async def test_whoever_is_signed_out_meanwhile_comes_back_to_where_they_were_with_what_they_wrote(serve: Serve) -> None:
    served, open_page = await serve(PRIME_OWNER_EMAIL="owner@example.com")

    async def come_in(page: Page) -> None:
        before = served.log
        await page.get_by_label("Your email").fill("owner@example.com")
        await page.get_by_role("button", name="Send the link").click()
        await page.goto(await served.said(r"http://\S+/api/auth/verify\?token=\S+", since=len(before)))

    page = await open_page("/", ready="h2")
    await come_in(page)
    await page.get_by_role("button", name="New channel").click()
    await page.get_by_role("dialog").get_by_label("Name", exact=True).fill("Long talk")
    await page.get_by_role("button", name="Make the channel").click()
    await expect(page.get_by_role("heading", name="Long talk", level=2)).to_be_visible()
    where = page.url
    await page.locator("#compose").fill("Said while nobody knew me")
    await page.context.clear_cookies()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("You are signed out. What you have written is kept")
    await come_in(page)
    await expect(page).to_have_url(where)
    await expect(page.locator(".log")).to_contain_text("Said while nobody knew me")
    await expect(page.locator(".not-sent, .sending")).to_have_count(0)
    said = await page.evaluate(f"async () => (await fetch('/api/channels/{where.rsplit('/', 1)[-1]}/messages')).text()")
    assert said.count("Said while nobody knew me") == 1
    open_page.forgive("401")
