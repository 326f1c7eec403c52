"""Saying something and seeing it: live, in every tab, and after the server was killed."""

import asyncio

import pytest
from playwright.async_api import Page, expect
from tests.page.conftest import MakeChannel, Opener, Say, Serve, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def send(page: Page, text: str) -> None:
    await page.locator("#compose").fill(text)
    await page.keyboard.press("Enter")


async def test_a_message_is_shown_and_kept(open_page: Opener, make_channel: MakeChannel) -> None:
    page = await open_page(f"/c/{await make_channel('Kept')}")
    await send(page, "Find **three** partners")
    said = page.locator(".log .message", has_text="Find three partners").first
    await expect(said.locator("strong")).to_have_text("three")
    await expect(page.locator(".sending")).to_have_count(0)
    await page.reload()
    await expect(page.locator(".log .face.owner")).to_have_count(1)


async def test_a_message_is_copied_and_its_link_leads_back_to_it(
    open_page: Opener, make_channel: MakeChannel, say: Say
) -> None:
    channel = await make_channel("Linked", quiet=True)
    await say(channel, ["The **first** word", *(f"Word {number}" for number in range(80))])
    page = await open_page(f"/c/{channel}", permissions=["clipboard-read", "clipboard-write"])
    first = page.locator(".log .message", has_text="The first word")
    await expect(page.locator(".log .message", has_text="Word 79")).to_be_visible()
    async with asyncio.timeout(15):
        while await first.count() == 0:  # what is older comes piece by piece
            await page.locator(".log").evaluate("log => log.scrollTo(0, 0)")
            await page.evaluate("() => new Promise(requestAnimationFrame)")
    await first.hover()
    await first.get_by_role("button", name="Copy", exact=True).click()
    await expect(page.locator(".notice", has_text="Copied")).to_be_visible()
    assert await page.evaluate("() => navigator.clipboard.readText()") == "The **first** word"
    await first.get_by_role("button", name="Copy link").click()
    await expect(page.locator(".notice", has_text="The link was copied")).to_be_visible()
    link = str(await page.evaluate("() => navigator.clipboard.readText()"))
    assert link.startswith(f"{open_page.address}/c/{channel}/msg_")
    # Opened by somebody who was never there: far above the newest words, in sight, and marked.
    elsewhere = await open_page(link.removeprefix(open_page.address))
    await expect(elsewhere.locator(".row.marked")).to_contain_text("The first word")
    await expect(elsewhere.locator(".row.marked")).to_be_in_viewport()


async def test_a_list_of_channels_repeats_what_was_said_last_also_after_a_reload(
    open_page: Opener, served: Served, make_channel: MakeChannel, say: Say
) -> None:
    channel = await make_channel("Repeated", quiet=True)
    await say(channel, ["The lamp is **blue**", "The lamp is green"])
    page = await open_page("/")
    row = page.locator("nav .room", has_text="Repeated")
    await expect(row).to_contain_text("The lamp is green")
    items = (await served.ask("GET", f"/api/channels/{channel}/messages"))["items"]
    last = next(each["id"] for each in items if each["text"] == "The lamp is green")  # facts may stand behind it
    await served.ask("POST", "/api/admin/erase", {"messageIds": [last]})
    await expect(row).to_contain_text("The lamp is blue")
    await page.goto(f"{open_page.address}/room")
    await expect(page.locator(".room-row", has_text="Repeated")).to_contain_text("The lamp is blue")


async def test_an_agent_answers_where_it_is_asked(open_page: Opener, served: Served) -> None:
    agent = await served.ask("POST", "/api/actors", {"name": "Mara", "kind": "agent", "connector": "llm_generic"})
    wanted = {"name": "Workshop", "tier": "team", "members": [agent["id"]]}
    page = await open_page(f"/c/{(await served.ask('POST', '/api/channels', wanted))['id']}")
    await send(page, "Is anybody there?")
    answer = page.locator(".log .message", has=page.locator(".byline b", has_text="Mara"))
    await expect(answer.locator(".md")).not_to_be_empty()


async def test_every_tab_and_every_browser_sees_it_live(open_page: Opener, make_channel: MakeChannel) -> None:
    place = f"/c/{await make_channel('Everywhere')}"
    first = await open_page(place)
    beside = await open_page(place, beside=first)
    elsewhere = await open_page(place)
    await send(beside, "Seen by everyone")
    for page in (first, elsewhere):
        await expect(page.locator(".log").get_by_text("Seen by everyone", exact=True)).to_be_visible()


async def test_when_the_listening_tab_is_closed_another_listens(open_page: Opener, make_channel: MakeChannel) -> None:
    place = f"/c/{await make_channel('Tabs')}"
    first = await open_page(place)
    second = await open_page(place, beside=first)
    third = await open_page(place, beside=first)
    await first.close()
    await send(third, "Still heard")
    await expect(second.locator(".log").get_by_text("Still heard", exact=True)).to_be_visible()


async def test_a_killed_server_loses_nothing_and_the_page_comes_back(serve: Serve) -> None:
    served, open_page = await serve()
    channel = await served.ask("POST", "/api/channels", {"name": "Kept", "kind": "group", "tier": "team"})
    page = await open_page(f"/c/{channel['id']}")
    await send(page, "Said before the kill")
    await expect(page.locator(".sending")).to_have_count(0)
    elsewhere = await open_page("/rules")
    await elsewhere.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    await elsewhere.reload()
    await expect(elsewhere.get_by_role("heading", name="Rules", level=2)).to_be_visible()

    await served.kill()
    await expect(page.locator(".pulse")).to_have_text("Reconnecting")
    await send(page, "Said while it was away")
    await expect(page.locator(".sending")).to_contain_text("Will be sent when Prime is back")
    # The page itself is there, also where it is opened anew.
    await elsewhere.goto(f"{open_page.address}/c/ch_hub")
    await expect(elsewhere.locator(".talk").get_by_role("alert")).to_contain_text("Prime does not answer.")
    await elsewhere.locator(".rail").get_by_role("link", name="Rules").click()
    await expect(elsewhere.locator(".view").get_by_role("alert")).to_contain_text("Prime does not answer.")

    await served.start()
    for each in (page, elsewhere):
        await expect(each.locator(".pulse")).to_have_text("Running", timeout=40_000)
    await expect(elsewhere.get_by_text("Nothing learned yet")).to_be_visible()
    await expect(page.locator(".sending")).to_have_count(0)
    await page.reload()
    for text in ("Said before the kill", "Said while it was away"):
        await expect(page.locator(".log .message", has_text=text)).to_have_count(1)
    open_page.forgive_absence()
    # Whenever a page is opened the browser looks for a newer worker by itself, also while the server is away.
    open_page.forgive("error occurred when fetching the script")


async def test_a_connection_that_died_unnoticed_is_told_and_made_up_for(
    open_page: Opener, say: Say, make_channel: MakeChannel
) -> None:
    channel_id = await make_channel("Tunnel", quiet=True)
    page = await open_page(f"/c/{channel_id}")
    await page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    # The stream that is open stays so for the browser; nothing else comes through.
    await page.context.set_offline(True)
    await expect(page.locator(".pulse")).to_have_text("Reconnecting")
    await send(page, "Said in the tunnel")
    await expect(page.locator(".sending")).to_contain_text("Will be sent when Prime is back")
    async with page.expect_request("**/events"):
        await page.context.set_offline(False)
    await expect(page.locator(".pulse")).to_have_text("Running")
    await expect(page.locator(".sending")).to_have_count(0)
    await expect(page.locator(".log .message", has_text="Said in the tunnel")).to_have_count(1)
    await say(channel_id, ["Heard behind it"])
    await expect(page.locator(".log").get_by_text("Heard behind it", exact=True)).to_be_visible()
    open_page.forgive_absence()


async def test_unsent_words_stay_with_their_channel(open_page: Opener, make_channel: MakeChannel) -> None:
    page = await open_page(f"/c/{await make_channel('Unsent')}")
    await page.locator("#compose").fill("Not yet finished")
    await page.reload()
    await expect(page.locator("#compose")).to_have_value("Not yet finished")


async def test_a_refused_message_says_why_and_can_be_discarded(open_page: Opener, make_channel: MakeChannel) -> None:
    page = await open_page(f"/c/{await make_channel('Refused')}")
    answer = '{"error": {"code": "invalid_input", "message": "That cannot be said here.", "hint": "Say it shorter."}}'
    await page.route(
        "**/messages", lambda route: route.fulfill(status=400, content_type="application/json", body=answer)
    )
    await send(page, "Refused")
    await expect(page.locator(".not-sent")).to_contain_text("That cannot be said here. Say it shorter.")
    await page.get_by_role("button", name="Discard").click()
    await expect(page.locator(".sending")).to_have_count(0)
    open_page.forgive("400")


async def test_what_others_write_never_becomes_part_of_the_page(
    open_page: Opener, say: Say, make_channel: MakeChannel
) -> None:
    channel_id = await make_channel("Hostile")
    hostile = "<img src=x onerror=alert(1)> <b>bold</b> [go](javascript:alert(1)) ![p](https://example.org/p.png)"
    await say(channel_id, [hostile, "[" * 30_000, "*a " * 10_000, "|a" * 5_000 + "\n" + "|-" * 900])
    page = await open_page(f"/c/{channel_id}")
    await expect(page.locator(".md", has_text="<b>bold</b>").first).to_contain_text("<img src=x onerror=alert(1)>")
    assert await page.locator(".md img, .md b, .md script, .md a[href^='javascript']").count() == 0
    await expect(page.locator(".md a", has_text="p").first).to_have_attribute("rel", "noopener noreferrer")


async def test_a_long_channel_keeps_few_rows_and_the_place(
    open_page: Opener, say: Say, make_channel: MakeChannel
) -> None:
    channel_id = await make_channel("Long", quiet=True)
    await say(channel_id, [f"Line {n}." for n in range(120)])
    page = await open_page(f"/c/{channel_id}")
    rows = page.locator(".log .row")
    await expect(rows.last).to_be_visible()
    await page.locator(".log").hover()
    most = 0
    for _ in range(75):
        before = await _middle_row(page)
        await page.mouse.wheel(0, -300)
        await page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        most = max(most, await rows.count())
        moved = await page.evaluate(
            "id => document.querySelector(`[data-id='${id}']`)?.getBoundingClientRect().top", before["id"]
        )
        assert moved is not None
        assert -1 <= moved - before["top"] <= 301
        if await page.locator(".log .row", has_text="Line 0.").count():
            break
    else:
        pytest.fail("the first message was not reached")
    # Three screenfuls and not many more, however long the channel is.
    assert most <= 60
    await page.locator(".to-latest").click()
    await expect(page.locator(".to-latest")).to_have_count(0)


async def _top(page: Page) -> float:
    """Where the message of the address is on the screen."""
    return await page.evaluate("() => document.querySelector('.row.marked')?.getBoundingClientRect().top ?? -9999")


@pytest.mark.parametrize("line", [3, 88], ids=["far back", "where the end is in sight"])
async def test_a_followed_link_stays_where_it_is_whatever_arrives(
    open_page: Opener, served: Served, say: Say, make_channel: MakeChannel, line: int
) -> None:
    channel_id = await make_channel(f"Held at {line}", quiet=True)
    await say(channel_id, [f"Line {n}." for n in range(90)])
    everything = (await served.ask("GET", f"/api/channels/{channel_id}/messages?limit=500"))["items"]
    wanted = next(message["id"] for message in everything if message["text"] == f"Line {line}.")
    listening = await open_page()
    page = await open_page(f"/c/{channel_id}/{wanted}", beside=listening)
    await expect(page.locator(".row.marked")).to_be_in_viewport()
    await expect(page.locator(".row.marked")).to_contain_text(f"Line {line}.")
    assert await page.locator(".log .row").count() < 90
    # Nor is it lost when a banner leaves less room for it.
    await page.set_viewport_size({"width": 1280, "height": 560})
    await expect(page.locator(".row.marked")).to_be_in_viewport(ratio=1)
    before = await _top(page)
    await say(channel_id, [f"Later {n}." for n in range(20)])
    await expect(page.locator(f"nav .room[href='/c/{channel_id}']")).to_contain_text("Later 19.")
    assert await _top(page) == before
    # Nor does it move when this tab takes over the connection, and everything is read again.
    async with page.expect_response(lambda answer: f"/api/channels/{channel_id}/messages" in answer.url) as read:
        await listening.close()
    await (await read.value).finished()
    await say(channel_id, ["After that."])
    await expect(page.locator(f"nav .room[href='/c/{channel_id}']")).to_contain_text("After that.")
    assert await _top(page) == before
    # Whoever moves on by themselves reaches the end.
    await page.locator(".to-latest").click()
    await expect(page.locator(".log .row", has_text="After that.")).to_be_in_viewport()


async def _middle_row(page: Page) -> dict[str, str | float]:
    return await page.evaluate(
        """() => {
          const pane = document.querySelector('.log').getBoundingClientRect();
          const row = [...document.querySelectorAll('.log [data-id]')]
            .find(row => row.getBoundingClientRect().bottom > pane.top + pane.height / 2);
          return { id: row.dataset.id, top: row.getBoundingClientRect().top };
        }"""
    )
