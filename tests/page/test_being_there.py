"""Finding one's way: address, keyboard, small screens, dark, Chinese, first run, trouble."""

import asyncio
import re

import pytest
from playwright.async_api import Page, Route, expect
from tests.page.conftest import MakeChannel, Opener, Serve, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


UNTIL_READ = """async () => {
  while ((await (await fetch('/api/channels/ch_hub')).json()).unread) await new Promise(done => setTimeout(done, 100));
}"""


async def sideways(page: Page) -> bool:
    return await page.evaluate("() => document.documentElement.scrollWidth > innerWidth")


async def test_open_mode_and_the_offline_engine_are_said_plainly(open_page: Opener) -> None:
    page = await open_page()
    await expect(page.locator(".banner")).to_contain_text("PRIME_OWNER_EMAIL")
    await page.get_by_role("button", name="Hide").click()
    await expect(page.locator(".banner")).to_have_count(0)
    await expect(page.get_by_role("button", name="Open", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Offline engine").click()
    await expect(page.get_by_role("dialog")).to_contain_text("ANTHROPIC_API_KEY")


async def test_a_new_channel_has_an_address_that_a_reload_keeps(open_page: Opener) -> None:
    page = await open_page()
    await page.get_by_role("button", name="New channel").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label("Name")).to_be_focused()
    await dialog.get_by_role("button", name="Make the channel").click()
    await expect(dialog.get_by_role("alert")).to_have_text("Give it a name.")
    await dialog.get_by_label("Name").fill("Kaffeehaus GmbH")
    await dialog.get_by_label("Business relation").check()
    await dialog.get_by_label("Somebody new").fill("Nora")
    await dialog.get_by_label("Somebody new").press("Enter")
    await expect(dialog.get_by_label("Nora")).to_be_checked()
    await dialog.get_by_label("What is it for").fill("Terms and dates of the launch.")
    await dialog.get_by_role("button", name="Make the channel").click()
    await expect(page.get_by_role("heading", name="Kaffeehaus GmbH", level=2)).to_be_visible()
    await expect(page.locator(".sheet")).to_contain_text("Terms and dates of the launch.")
    await page.reload()
    await expect(page.get_by_role("heading", name="Kaffeehaus GmbH", level=2)).to_be_visible()
    await expect(page.locator(".talk-head .tag")).to_have_text("Business relation")
    row = page.locator("nav .room", has_text="Kaffeehaus GmbH")
    await expect(row).to_contain_text("Terms and dates of the launch.")


async def test_only_where_somebody_speaks_by_itself_is_there_something_to_pause(
    open_page: Opener, served: Served, make_channel: MakeChannel
) -> None:
    driven = await make_channel("Driven")
    dialog = await served.ask("POST", "/api/channels", {"name": "Only a dialog", "kind": "dm", "tier": "team"})
    page = await open_page(f"/c/{dialog['id']}")
    await page.get_by_role("button", name="More about this channel").click()
    await expect(page.get_by_role("menuitem", name="Search in this channel")).to_be_visible()
    await expect(page.get_by_role("menuitem", name="Pause")).to_have_count(0)
    await page.goto(f"{open_page.address}/c/{driven}")
    await page.get_by_role("button", name="More about this channel").click()
    await expect(page.get_by_role("menuitem", name="Pause")).to_be_visible()
    await page.get_by_role("link", name="War room").click()
    await expect(page.locator(".room-row", has_text="Driven").get_by_role("button")).to_have_count(1)
    await expect(page.locator(".room-row", has_text="Only a dialog").get_by_role("button")).to_have_count(0)


async def test_the_palette_finds_channels_places_actions_and_what_was_said(
    open_page: Opener, make_channel: MakeChannel
) -> None:
    channel_id = await make_channel("Hotel Lindner")
    page = await open_page()
    await page.locator("#compose").click()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("lind")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{open_page.address}/c/{channel_id}")
    for typed, path in (("backups", "/settings/backups"), ("zebra stripes", "/recall?q=zebra+stripes")):
        await page.keyboard.press("Control+k")
        await page.keyboard.type(typed)
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(open_page.address + path)
    await page.keyboard.press("Control+k")
    await page.keyboard.type("appearance: dark")
    await page.keyboard.press("Enter")
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")


async def test_what_is_typed_before_the_palette_knows_anything_goes_nowhere_else(
    open_page: Opener, make_channel: MakeChannel
) -> None:
    channel_id = await make_channel("Hotel Sacher")
    page = await open_page()
    held, asked = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        asked.set()
        await held.wait()
        await route.continue_()

    await page.context.route("**/assets/chunks/views-*.js", hold)
    await page.reload()
    await page.locator("#compose").click()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("sacher")
    await page.keyboard.press("Enter")
    await asyncio.wait_for(asked.wait(), 15)
    await expect(page.get_by_role("combobox")).to_have_value("sacher")
    await expect(page.locator("#compose")).to_have_value("")
    held.set()
    await expect(page).to_have_url(f"{open_page.address}/c/{channel_id}")


async def test_a_link_to_what_was_said_in_another_room_leads_there(
    open_page: Opener, served: Served, make_channel: MakeChannel
) -> None:
    """A question that several ask, or a card by a rule, goes back to the messages of several channels."""
    asked, where = await make_channel("Asked here", quiet=True), await make_channel("Said here", quiet=True)
    said = await served.ask("POST", f"/api/channels/{where}/messages", {"text": "The hall is ours."})
    page = await open_page(f"/c/{asked}/{said['id']}")
    await expect(page).to_have_url(f"{open_page.address}/c/{where}/{said['id']}")
    await expect(page.locator(".marked")).to_contain_text("The hall is ours.")
    open_page.forgive("404")


async def test_single_keys_never_act_while_typing(open_page: Opener, make_channel: MakeChannel) -> None:
    page = await open_page(f"/c/{await make_channel('Keys')}")
    await page.locator("#compose").press_sequentially("why? jkn")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.locator("#compose")).to_have_value("why? jkn")
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog")).to_contain_text("Find a channel, a place or an action")
    await page.get_by_label("Use single-key shortcuts").uncheck()
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_a_key_right_after_a_dialog_was_left_is_heard(open_page: Opener) -> None:
    page = await open_page("/rules")
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("dialog")).to_be_visible()
    # The browser has closed it, and tells the page a moment later.
    await page.evaluate(
        "() => { document.querySelector('dialog').close(); dispatchEvent(new KeyboardEvent('keydown', { key: '?' })); }"
    )
    await expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("n")
    await expect(page.get_by_role("dialog", name="New channel")).to_be_visible()


async def test_a_narrow_screen_has_tabs_and_never_scrolls_sideways(
    open_page: Opener, make_channel: MakeChannel
) -> None:
    await make_channel("A name that is far too long for the width of any telephone")
    page = await open_page("/", width=360, height=740)
    # Where nothing was ever said, the first tab is where one begins.
    await expect(page.locator(".waits").get_by_role("heading", name="What shall we get done?")).to_be_visible()
    assert not await sideways(page)
    await page.get_by_role("link", name="Channels").click()
    await expect(page.get_by_role("link", name="A name that is far")).to_be_visible()
    assert not await sideways(page)
    await page.get_by_role("link", name="A name that is far").click()
    await expect(page.locator("#compose")).to_be_visible()
    await page.locator("#compose").fill("x" * 400 + "\n\n```\n" + "y" * 400 + "\n```")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".log pre")).to_be_visible()
    assert not await sideways(page)
    sizes = await page.evaluate(
        "() => [...document.querySelectorAll('input[type=text], textarea')].map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert sizes
    assert min(sizes) >= 16


async def test_dark_follows_the_system_until_the_person_chooses(open_page: Opener) -> None:
    page = await open_page(color_scheme="dark")
    ground = "() => getComputedStyle(document.body).backgroundColor"
    assert await page.evaluate(ground) == "rgb(21, 22, 23)"
    await page.get_by_role("button", name="Appearance: As the system").click()
    assert await page.evaluate(ground) == "rgb(246, 245, 242)"
    await page.reload()
    assert await page.evaluate(ground) == "rgb(246, 245, 242)"


async def test_chinese_by_the_browser_and_by_choice(open_page: Opener) -> None:
    page = await open_page(locale="zh-CN")
    await expect(page.get_by_role("heading", name="想完成什么？")).to_be_visible()
    await expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    await page.locator(".strip").get_by_role("button", name="English").click()
    await expect(page.get_by_role("heading", name="What shall we get done?")).to_be_visible()
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("lang", "en")


async def test_enter_belongs_to_the_input_method_while_it_composes(
    open_page: Opener, make_channel: MakeChannel
) -> None:
    page = await open_page(f"/c/{await make_channel('Composing')}")
    field = page.locator("#compose")
    await field.fill("nihao")
    await field.dispatch_event("keydown", {"key": "Enter", "keyCode": 229, "isComposing": True})
    await expect(field).to_have_value("nihao")
    await field.press("Enter")
    await expect(field).to_have_value("")


async def test_a_channel_that_was_made_a_moment_ago_is_not_called_missing(
    open_page: Opener, make_channel: MakeChannel
) -> None:
    page = await open_page("/rules")
    # Nobody tells this page of it.
    await page.route("**/events", lambda route: route.abort())
    async with page.expect_response(re.compile(r"/api/channels(\?.*)?$")) as listed:
        await page.reload()
    await (await listed.value).finished()
    await expect(page.get_by_text("Nothing learned yet")).to_be_visible()
    channel_id = await make_channel("Brand new", quiet=True)
    await page.evaluate(
        "path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }",
        f"/c/{channel_id}",
    )
    await expect(page.locator(".talk").get_by_role("heading", name="Brand new")).to_be_visible()
    open_page.forgive("/events")


async def test_an_address_that_leads_nowhere_says_so(open_page: Opener) -> None:
    page = await open_page("/c/ch_nowhere")
    await expect(page.get_by_role("heading", name="There is no such channel.")).to_be_visible()
    await page.get_by_role("link", name="Go to your room").click()
    await expect(page.get_by_role("heading", name="What shall we get done?")).to_be_visible()
    open_page.forgive("404")


async def test_trouble_says_what_to_do_and_can_be_tried_again(open_page: Opener) -> None:
    page = await open_page("/c/ch_hub")
    body = '{"error": {"code": "internal", "message": "The database could not be read.", "hint": "Run prime doctor."}}'

    async def fail(route: Route) -> None:
        await route.fulfill(status=500, content_type="application/json", body=body)

    await page.route("**/api/**", fail)
    await page.reload()
    trouble = page.locator(".talk").get_by_role("alert")
    await expect(trouble).to_contain_text("The database could not be read.")
    await expect(trouble).to_contain_text("Run prime doctor.")
    await expect(page.locator(".pulse")).to_have_text("Has a problem")
    # Every pane says it, and one button tries all of it again.
    await expect(page.locator(".trouble.short")).to_have_count(2)
    await expect(page.get_by_role("button", name="Try again")).to_have_count(1)
    await page.unroute("**/api/**")
    await trouble.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("heading", name="What shall we get done?")).to_be_visible()
    await expect(page.locator(".pulse")).to_have_text("Running")
    open_page.forgive("500")


async def test_what_is_under_the_pointer_stays_there_when_something_arrives(open_worked: Opener) -> None:
    page = await open_worked("/rules")
    card = page.locator(".waits .card[data-card]").first
    await expect(card).to_be_visible(timeout=30_000)
    await card.hover(position={"x": 20, "y": 20})
    before = await card.evaluate("card => card.getBoundingClientRect().top")
    # As a new question is put above the drafts, whatever else there is.
    await page.evaluate(
        """() => {
          const arrived = Object.assign(document.createElement('article'), { className: 'card', textContent: 'New' });
          document.querySelector('.waits .cards').prepend(arrived);
        }"""
    )
    await expect(page.locator(".waits .card", has_text="New").first).to_have_count(1)
    assert abs(await card.evaluate("card => card.getBoundingClientRect().top") - before) < 2


async def test_what_was_seen_is_read_everywhere(open_worked: Opener, worked: Served) -> None:
    channel = await worked.ask("POST", "/api/channels", {"name": "Site builder", "tier": "team"})
    page = await open_worked(f"/c/{channel['id']}")
    await worked.ask("POST", "/api/chat", {"text": "Something that Prime answers"})
    hub = "nav .room[href='/c/ch_hub']"
    await expect(page.locator(hub).locator(".count")).to_be_visible()
    async with page.expect_response(lambda response: response.request.method == "PATCH") as marked:
        await page.locator(hub).click()
    assert (await marked.value).ok
    # Prime has answered in its own words, and they are read.
    await expect(page.locator(".log .face.prime").first).to_be_visible()
    await expect(page.locator(hub).locator(".count")).to_have_count(0)
    await worked.ask("POST", "/api/swarm/pause")
    await page.evaluate(UNTIL_READ)
    elsewhere = await open_worked("/channels", width=360)
    await expect(elsewhere.locator(hub)).to_be_visible()
    await expect(elsewhere.locator(hub).locator(".count")).to_have_count(0)
    await worked.ask("POST", "/api/swarm/resume")


async def test_the_first_steps_are_taken_in_the_product_and_can_be_skipped(open_page: Opener) -> None:
    page = await open_page()
    tour = page.get_by_role("complementary", name="First steps")
    await expect(tour).to_contain_text("Say what to get done")
    await tour.get_by_role("button", name="Write it").press("Enter")
    await expect(page.locator("#compose")).to_be_focused()
    await tour.get_by_role("button", name="Skip the tour").press("Enter")
    await expect(tour).to_have_count(0)
    await page.reload()
    await expect(page.get_by_role("heading", name="What shall we get done?")).to_be_visible()
    await expect(tour).to_have_count(0)
    await page.get_by_role("link", name="Settings").click()
    await page.get_by_role("button", name="Take the tour again").click()
    await expect(tour).to_be_visible()


async def test_a_long_room_in_which_the_owner_never_spoke_is_no_first_step_taken(serve: Serve) -> None:
    served, open_page = await serve(PRIME_AUTOSTOP_MS="0")

    async def fill_a_page() -> None:
        for _ in range(30):
            await served.ask("POST", "/api/swarm/pause")
            await served.ask("POST", "/api/swarm/resume")

    await fill_a_page()
    page = await open_page("/rules")
    tour = page.get_by_role("complementary", name="First steps")
    await expect(tour).to_contain_text("Say what to get done")
    await served.ask("POST", "/api/chat", {"text": "Is anybody there?"})
    await expect(tour).to_contain_text("See who works on it")
    await fill_a_page()
    async with page.expect_response(re.compile("/api/brain/recall")):
        await page.reload()
    await expect(tour).to_contain_text("See who works on it")


async def test_what_a_proxy_refuses_is_told_in_words(open_page: Opener, make_channel: MakeChannel) -> None:
    page = await open_page(f"/c/{await make_channel('Refused', quiet=True)}")

    async def refuse(route: Route) -> None:
        if route.request.method == "POST":
            await route.fulfill(status=413, content_type="text/html", body="<h1>413</h1>")
        else:
            await route.continue_()

    await page.route("**/messages*", refuse)
    await page.locator("#compose").fill("Very long")
    await page.keyboard.press("Enter")
    await expect(page.locator(".not-sent")).to_contain_text("too long or too large to be taken. Send it in parts")
    open_page.forgive("413")
