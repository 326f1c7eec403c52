"""Looking after what Prime keeps: erasing, forgetting, courses, members, several calls, working things out anew."""

import re

import pytest
from playwright.async_api import Page, expect
from tests.page.conftest import MakeChannel, Opener, Say, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def choose(page: Page, entry: str) -> None:
    await page.get_by_role("button", name="More about this channel").click()
    await page.get_by_role("menuitem", name=entry).click()


async def said_in(served: Served, channel: str) -> list[str]:
    page = await served.ask("GET", f"/api/channels/{channel}/messages?limit=100")
    return [each["text"] for each in page["items"] if each["kind"] == "text"]


async def test_a_message_is_erased_after_a_question(
    open_page: Opener, served: Served, make_channel: MakeChannel, say: Say
) -> None:
    channel = await make_channel("Slips", quiet=True)
    await say(channel, ["My pin is 4711", "Something harmless"])
    page = await open_page(f"/c/{channel}")
    other = await open_page(f"/c/{channel}", beside=page)
    await expect(other.locator(".log")).to_contain_text("4711")
    row = page.locator(".row", has_text="4711")
    await row.hover()
    await row.get_by_role("button", name="Erase").click()
    dialog = page.get_by_role("dialog", name="Erase this message")
    await expect(dialog).to_contain_text("It cannot be undone")
    await dialog.get_by_role("button", name="Cancel").click()
    assert await said_in(served, channel) == ["My pin is 4711", "Something harmless"]
    await row.hover()
    await row.get_by_role("button", name="Erase").click()
    await dialog.get_by_role("button", name="Erase for good").click()
    await expect(page.locator(".notice")).to_contain_text("1 message erased.")
    # At its place, once; in other tabs, too; and when it is read anew.
    await page.reload()
    for tab in (page, other):
        await expect(tab.locator(".row").nth(1)).to_contain_text("This message was erased.")
        await expect(tab.get_by_text("This message was erased.")).to_have_count(1)
        await expect(tab.locator(".log")).not_to_contain_text("4711")
    assert await said_in(served, channel) == ["", "Something harmless"]


async def test_somebody_is_forgotten(open_page: Opener, served: Served) -> None:
    for text in ("Hello from Ada", "We could meet in June"):
        stranger = {"name": "Ada Forgettable", "endpoint": "https://ada.invalid"}
        message = {"version": "0.1", "type": "message", "from": stranger, "text": text, "messageId": text[:5]}
        await served.ask("POST", "/prime/message", message)
    page = await open_page("/settings/people")
    await page.get_by_label("Who", exact=True).last.select_option("Ada Forgettable")
    erase = page.get_by_role("button", name="Erase 2 messages for good")
    await expect(erase).to_be_disabled()
    await page.get_by_label("I want Ada Forgettable to be forgotten").check()
    await erase.click()
    await expect(page.locator(".note")).to_contain_text("2 messages erased.")
    found = await served.ask("GET", "/api/brain/recall?q=from:%22Ada%20Forgettable%22")
    assert found["items"] == []


async def test_a_channel_is_renamed_and_its_members_change(
    open_page: Opener, served: Served, make_channel: MakeChannel
) -> None:
    channel = await make_channel("Wrong name", quiet=True)
    page = await open_page(f"/c/{channel}")
    await choose(page, "Name and members")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name", exact=True).fill("Right name")
    await dialog.get_by_role("button", name="Rename").click()
    await dialog.get_by_label("Somebody new").fill("Ines")
    await dialog.get_by_role("button", name="Add").click()
    await expect(dialog.get_by_role("button", name="Remove Ines")).to_be_visible()
    assert len((await served.ask("GET", f"/api/channels/{channel}"))["members"]) == 3
    await dialog.get_by_role("button", name="Remove Ines").click()
    await expect(dialog).to_contain_text("Nobody beside you and Prime.")
    await dialog.get_by_role("button", name="Close").last.click()
    await expect(page.get_by_role("heading", name="Right name")).to_be_visible()
    assert (await served.ask("GET", f"/api/channels/{channel}"))["name"] == "Right name"


async def test_an_earlier_course_goes_on_and_the_dialog_is_taken_along(
    open_page: Opener, served: Served, make_channel: MakeChannel, say: Say
) -> None:
    channel = await make_channel("Twice", quiet=True)
    await say(channel, ["first course"])
    page = await open_page(f"/c/{channel}")
    await choose(page, "Courses")
    await page.get_by_role("dialog").get_by_role("button", name="Begin a new course").click()
    await expect(page.locator(".notice")).to_contain_text("Course 2 has begun.")
    await choose(page, "Courses")
    async with page.expect_download() as taken:
        await page.get_by_role("dialog").get_by_role("link", name="Download the dialog").click()
    assert (await taken.value).suggested_filename == f"{channel}.jsonl"
    await page.get_by_role("dialog").get_by_role("button", name="Go on with it").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert (await served.ask("GET", f"/api/channels/{channel}"))["course"] == 1


async def test_several_calls_wait_for_each_other(open_worked: Opener, worked: Served) -> None:
    (worked.workspace / "first.txt").write_text("second.txt")
    (worked.workspace / "second.txt").write_text("what the first one named")
    page = await open_worked("/tools")
    await page.get_by_role("link", name="Run several").click()
    await page.get_by_label("Tool", exact=True).first.fill("cat")
    await page.get_by_label("Arguments").first.fill("{")
    await expect(page.get_by_role("alert")).to_have_text("This is no JSON object.")
    await expect(page.get_by_role("button", name="Run them")).to_be_disabled()
    await page.get_by_label("Arguments").first.fill('{"files": ["first.txt"]}')
    await page.get_by_role("button", name="Add a call").click()
    second = page.locator(".panel", has_text="Call 2")
    await second.get_by_label("Tool", exact=True).fill("cat")
    await second.get_by_label("Arguments").fill('{"files": ["<c1 response>"]}')
    await second.get_by_label("c1").check()
    await page.get_by_role("button", name="Run them").click()
    await expect(second.locator(".outcome")).to_contain_text("what the first one named", timeout=60_000)


async def test_what_is_worked_out_is_worked_out_anew(open_page: Opener, make_channel: MakeChannel, say: Say) -> None:
    channel = await make_channel("Sums", quiet=True)
    await say(channel, ["The price of the lamp is 240 EUR."])
    page = await open_page(f"/recall/state?channel={channel}")
    await page.get_by_role("button", name="Sum up now").click()
    await expect(page.locator(".document")).to_contain_text("240 EUR")
    await expect(page.locator(".document")).not_to_contain_text("UTC")
    await page.get_by_role("link", name="Settings").click()
    await page.get_by_role("link", name="Backups").click()
    await expect(page.get_by_role("link", name="Export the dialogs")).to_have_attribute(
        "href", re.compile("redact=true")
    )
    await page.get_by_role("button", name="Work them out anew").click()
    await expect(page.locator(".note", has_text="messages read")).to_be_visible(timeout=60_000)


async def test_tabs_fold_where_they_do_not_fit(open_page: Opener) -> None:
    page = await open_page("/settings", width=360, height=740)
    fold = page.locator(".tabs-fold")
    await expect(fold.get_by_role("link", name="Backups")).to_be_hidden()
    await fold.locator("summary").click()
    await fold.get_by_role("link", name="Backups").click()
    await expect(fold.locator("summary")).to_have_text("Backups")
    await expect(fold.get_by_role("link", name="Model")).to_be_hidden()
    await expect(page.locator(".tabs [aria-current]")).to_contain_text("Channels")
