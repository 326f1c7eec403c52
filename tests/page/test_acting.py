"""What waits for a yes: drafts in the owner's name, and tool calls."""

import pytest
from playwright.async_api import expect
from tests.page.conftest import MakeChannel, Opener, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_draft_is_edited_approved_and_sent(open_worked: Opener, worked: Served) -> None:
    page = await open_worked()
    card = page.locator(".card.draft")
    await expect(card.first).to_be_visible(timeout=30_000)
    await expect(card.first.locator(".why")).not_to_be_empty()
    draft = (await worked.ask("GET", "/api/drafts?status=pending"))["items"][-1]
    mine = page.locator(f"#card-{draft['id']}")
    await expect(mine.locator(".quote")).to_have_text(draft["text"])
    await mine.get_by_role("button", name="Edit").click()
    await mine.get_by_label("Your words").fill("Thursday at three works.")
    await mine.get_by_role("button", name="Send this").click()
    await expect(mine).to_have_count(0)
    sent = (await worked.ask("GET", "/api/sent"))["items"][0]
    assert (sent["text"], sent["edited"]) == ("Thursday at three works.", True)
    await page.goto(f"{open_worked.address}/settings/connectors")
    await expect(page.get_by_text("Thursday at three works.")).to_be_visible()


async def test_what_was_read_on_x_is_drafted_to_be_copied(open_worked: Opener, worked: Served) -> None:
    await worked.ask("POST", "/api/connectors/x/connect")
    page = await open_worked("/settings/connectors")
    form = page.get_by_role("form", name="Draft an answer")
    await form.get_by_label("Who wrote it").fill("@noor")
    await form.get_by_label("What they wrote").fill("Will the slides be online somewhere?")
    await form.get_by_role("button", name="Draft an answer").click()
    card = page.locator(".card.draft", has_text="Will the slides be online")
    await expect(card.get_by_role("button", name="Copy")).to_be_visible()
    # Words of one's own are there after a reload, too.
    await card.get_by_role("button", name="Edit").click()
    await card.get_by_label("Your words").fill("On Thursday.")
    await page.reload()
    await expect(card.get_by_label("Your words")).to_have_value("On Thursday.")
    await card.get_by_role("button", name="Reject").click()
    await expect(card).to_have_count(0)


async def test_how_far_prime_may_go_is_what_the_server_says(open_worked: Opener, worked: Served) -> None:
    page = await open_worked("/settings/autonomy")
    await page.get_by_label("Sends what you have approved before").check()
    await expect(page.locator(".strip")).to_contain_text("Sends what you have approved before")
    assert (await worked.ask("GET", "/api/autonomy"))["mode"] == "auto_learned"
    await page.reload()
    await expect(page.get_by_label("Sends what you have approved before")).to_be_checked()


async def test_a_tool_is_tried_with_its_command_in_sight(open_worked: Opener, worked: Served) -> None:
    page = await open_worked("/tools")
    await page.get_by_label("Find a tool").fill("make folders")
    await page.get_by_role("link", name="mkdir").first.click()
    await expect(page.locator(".try")).to_contain_text("Fill in folders; the command appears here.")
    await expect(page.get_by_role("button", name="Run it")).to_be_disabled()
    await page.get_by_label("folders *").fill("made here")
    await expect(page.locator(".would code")).to_have_text("mkdir 'made here'")
    await expect(page.locator(".verdict")).to_have_text("Asks you before it runs.")
    await page.get_by_role("button", name="Run it").click()
    # The question stands right there, in the conversation that it belongs to, and in the pane as well.
    asked = page.locator(".waits .card.ask", has_text="mkdir")
    await expect(asked).to_be_visible()
    question = next(
        each
        for each in (await worked.ask("GET", "/api/questions?status=pending"))["items"]
        if each["kind"] == "approval"
    )
    beside = await open_worked(f"/c/{question['channelId']}")
    await expect(beside.locator(".approval-row").get_by_role("button", name="Yes, once")).to_be_visible()
    await page.locator(".try").get_by_role("button", name="Yes, once").click()
    await expect(page.locator(".outcome")).to_contain_text("Done")
    assert (worked.workspace / "made here").is_dir()
    # In the conversation it is folded, with what it may do; unfolded it keeps its name.
    call = beside.locator(".folded summary", has_text="mkdir").last
    await expect(call.locator(".badge")).to_have_text("Writes files")
    await call.click()
    await expect(call.get_by_text("mkdir", exact=True)).to_be_visible()


async def test_a_server_that_is_added_waits_for_a_yes_and_can_be_taken_out(open_worked: Opener, worked: Served) -> None:
    page = await open_worked("/tools/servers")
    await page.get_by_role("button", name="Add a server").click()
    await page.get_by_label("Name", exact=True).fill("files")
    await page.get_by_label("Command").fill("npx 'two words' .")
    await expect(page.locator(".argv code")).to_have_text(["npx", "two words", "."])
    await page.locator("form").get_by_role("button", name="Add a server").click()
    card = page.locator(".panel", has_text="files")
    await expect(card.locator(".badge").first).to_have_text("Waits to be looked at")
    await expect(page.locator(".waits .card.ask", has_text="An MCP server named files")).to_be_visible()
    await card.get_by_role("button", name="Remove files").click()
    await card.get_by_role("group").get_by_role("button", name="Remove", exact=True).click()
    await expect(page.get_by_text("No servers yet")).to_be_visible()
    await expect(page.locator(".waits .card.ask", has_text="An MCP server named files")).to_have_count(0)


async def test_a_tool_that_was_refused_does_not_run_and_always_can_be_taken_back(
    open_worked: Opener, worked: Served
) -> None:
    page = await open_worked("/tools/t/mkdir")
    await page.get_by_label("folders *").fill("not made")
    await page.get_by_role("button", name="Run it").click()
    await page.locator(".waits .card.ask").get_by_role("button", name="No", exact=True).click()
    await expect(page.locator(".try").get_by_role("alert")).to_be_visible()
    assert not (worked.workspace / "not made").exists()
    await page.get_by_label("folders *").fill("always made")
    await page.get_by_role("button", name="Run it").click()
    card = page.locator(".waits .card.ask")
    await card.get_by_role("button", name="Always").click()
    await card.get_by_role("button", name="Always").click()
    await expect(page.locator(".outcome")).to_contain_text("Done")
    await page.get_by_role("link", name="Tools").first.click()
    await page.get_by_role("link", name="Approved for always").click()
    await expect(page.locator(".panel")).to_contain_text("always made")
    await page.get_by_role("button", name="Ask again from now on").click()
    await expect(page.get_by_text("Nothing is approved for always")).to_be_visible()
    open_worked.forgive("403")


async def test_a_file_of_the_chat_is_published_and_taken_back(
    open_page: Opener, served: Served, make_channel: MakeChannel
) -> None:
    channel_id = await make_channel("Bakery", quiet=True)
    page = await open_page(f"/c/{channel_id}")
    site = {"name": "index.html", "mimeType": "text/html", "buffer": b"<h1>Bread</h1><p>Our margin is 40%.</p>"}
    await page.locator("input[type=file]").set_input_files(site)  # pyright: ignore[reportArgumentType]
    await expect(page.locator(".upload small")).to_be_visible()
    await page.locator("#compose").fill("The first page.")
    await page.keyboard.press("Enter")
    row = page.locator(".log .row", has_text="The first page.")
    await row.hover()
    await row.get_by_role("button", name="Publish").click()
    form = page.get_by_role("dialog")
    await expect(form.get_by_label("Title")).to_have_value("index")
    await form.get_by_label("Title").fill("Our bakery")
    await form.get_by_role("button", name="Prepare").click()
    # Exactly what leaves is in sight before it does, and what does not.
    card = page.locator(".card.draft", has_text="Our bakery")
    await card.locator(".leaving summary").click()
    await expect(card.locator(".leaving pre")).to_contain_text("Bread")
    await expect(card.locator(".leaving pre")).not_to_contain_text("margin")
    await expect(card.locator(".taken-out")).to_contain_text("margin")
    await expect(card.get_by_role("button", name="Edit")).to_have_count(0)
    await card.get_by_role("button", name="Publish this").click()
    await expect(card).to_have_count(0)
    sent = (await served.ask("GET", "/api/sent"))["items"][0]
    answer = await page.request.get(sent["url"])
    assert (answer.status, "Bread" in await answer.text(), "margin" in await answer.text()) == (200, True, False)
    await page.goto(f"{open_page.address}/settings/connectors")
    await page.locator(".line", has_text="Our bakery").get_by_role("button", name="Take back").click()
    await expect(page.locator(".line", has_text="Our bakery")).to_contain_text("Taken back")
    assert (await page.request.get(sent["url"])).status == 404
