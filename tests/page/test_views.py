"""Everything else that the API can do, done in the page: dialogs, files, recall, the network, settings."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Route, expect
from tests.page.conftest import MakeChannel, Opener, Say, Served

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SCRIPT = """---
title: How we write offers
---

### record human_text_record

``````markdown
---
genseq: 1
msgId: m1
grammar: markdown
---
Keep offers short.
``````
"""


def pdf(text: str) -> bytes:
    """A page with one line on it."""
    stream = f"BT /F1 18 Tf 40 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return (
        out
        + b"xref\n0 %d\n0000000000 65535 f \n" % size
        + table
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(out))
    )


async def test_a_dialog_begins_with_a_script_and_becomes_one(open_page: Opener, served: Served) -> None:
    folder = served.workspace / ".minds" / "priming" / "team_shared"
    folder.mkdir(parents=True)
    (folder / "offers.md").write_text(SCRIPT)
    page = await open_page()
    await page.get_by_role("button", name="New channel").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name", exact=True).fill("Offer")
    await expect(dialog.get_by_label(re.compile("<none>.*An empty history"))).to_be_checked()
    await dialog.get_by_role("button", name="More…").click()
    await dialog.get_by_label("Name or title").fill("offers")
    await dialog.get_by_label("How we write offers").check()
    await expect(dialog.get_by_label("Show what the script put in")).to_be_checked()
    await dialog.get_by_role("button", name="Make the channel").click()
    await expect(page.locator(".log")).to_contain_text("Keep offers short.")

    for overwrite in (False, True):
        await page.get_by_role("button", name="More about this channel").click()
        await page.get_by_role("menuitem", name="Keep the course as a script").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name").fill("kept")
        await expect(dialog).to_contain_text(".minds/priming/individual/act_prime/kept.md")
        await dialog.get_by_role("button", name="Save").click()
        if overwrite:
            await dialog.get_by_role("button", name="Replace it").click()
        await expect(dialog).to_have_count(0)
    assert (served.workspace / ".minds/priming/individual/act_prime/kept.md").is_file()
    open_page.forgive("409")

    await page.get_by_role("button", name="More about this channel").click()
    await page.get_by_role("menuitem", name="What a model is shown").click()
    await expect(page.get_by_role("dialog").locator(".token-bar span")).not_to_have_count(0)
    await page.keyboard.press("Escape")
    await page.get_by_role("link", name="Scripts").click()
    await page.get_by_role("link", name=re.compile("kept.md")).click()
    await expect(page.locator(".records")).to_contain_text("Keep offers short.")


async def test_a_script_is_checked_as_it_is_written(open_page: Opener) -> None:
    page = await open_page("/scripts/check")
    await page.get_by_label("Text").fill("prose")
    await expect(page.get_by_role("alert")).to_contain_text("Line 1:")
    await page.get_by_label("Text").fill(SCRIPT)
    await expect(page.locator(".note")).to_have_text("This is a script with 1 record.")


async def test_a_pdf_is_dropped_read_and_found_again(open_page: Opener, make_channel: MakeChannel) -> None:
    page = await open_page(f"/c/{await make_channel('Deck')}")
    deck = {"name": "deck.pdf", "mimeType": "application/pdf", "buffer": pdf("Turnover grew to 48 213 in Lisbon")}
    await page.locator("input[type=file]").set_input_files(deck)  # pyright: ignore[reportArgumentType]
    await expect(page.locator(".upload small")).to_be_visible()
    await page.locator("#compose").fill("The deck")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".log .file")).to_contain_text("deck.pdf")
    await expect(page.locator(".note-of-file")).to_be_visible(timeout=30_000)
    await page.get_by_role("link", name="Recall").first.click()
    await page.get_by_label("A few words").fill("turnover lisb")
    hit = page.locator(".hit", has_text="48 213")
    await expect(hit.first).to_be_visible()
    await expect(page).to_have_url(re.compile(r"/recall\?q=turnover"))
    await page.reload()
    await hit.first.click()
    await expect(page.locator(".row.marked")).to_be_in_viewport()


async def test_a_room_that_is_entered_while_the_page_begins_is_shown(
    open_page: Opener, make_channel: MakeChannel
) -> None:
    page = await open_page(f"/c/{await make_channel('Hurried')}")
    await page.locator("#compose").fill("The heliograph stands on the roof")
    await page.get_by_role("button", name="Send").click()
    await page.goto(f"{page.url.partition('/c/')[0]}/recall?q=heliograph")
    await expect(page.locator(".hit").first).to_be_visible()
    come = asyncio.Event()

    async def late(route: Route) -> None:
        await come.wait()
        await route.continue_()

    await page.route(re.compile(r"/api/channels(\?.*)?$"), late)
    await page.reload()
    await page.locator(".hit").first.click()
    await expect(page).to_have_url(re.compile("/c/ch_"))
    come.set()
    await expect(page.locator(".row.marked")).to_be_in_viewport()


async def test_a_pasted_picture_is_attached(open_page: Opener, make_channel: MakeChannel) -> None:
    page = await open_page(f"/c/{await make_channel('Pictures')}")
    await page.evaluate(
        """async () => {
          const canvas = Object.assign(document.createElement('canvas'), { width: 8, height: 8 });
          canvas.getContext('2d').fillRect(0, 0, 8, 8);
          const blob = await new Promise(done => canvas.toBlob(done));
          const clipboardData = new DataTransfer();
          clipboardData.items.add(new File([blob], 'shot.png', { type: 'image/png' }));
          document.querySelector('#compose').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
        }"""
    )
    await expect(page.locator(".upload small")).to_be_visible()
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".log .picture img")).to_be_visible()
    await expect(page.locator(".sending")).to_have_count(0)
    await page.reload()
    await expect(page.locator(".log .picture img")).to_have_attribute("alt", "shot.png")
    # What was read in it stands below, without the picture once more.
    await expect(page.locator(".note-of-file")).to_be_visible()
    await expect(page.locator(".log .picture img")).to_have_count(1)


async def test_a_pasted_text_that_is_too_long_to_be_said_becomes_a_file(
    open_page: Opener, make_channel: MakeChannel
) -> None:
    page = await open_page(f"/c/{await make_channel('Long paste')}")
    await page.locator("#compose").fill("See here.")
    await page.evaluate(
        """() => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', 'The kettle is quince yellow. ' + 'And so on. '.repeat(90_000));
          document.querySelector('#compose').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
        }"""
    )
    await expect(page.locator(".upload small")).to_be_visible()
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".log .file")).to_contain_text("Pasted text.txt")
    await expect(page.locator(".log .message", has_text="See here.").first).to_be_visible()
    await expect(page.locator(".note-of-file")).to_contain_text("quince yellow")


async def test_a_second_prime_is_connected_by_its_address(open_page: Opener, worked: Served) -> None:
    page = await open_page("/network")
    await page.get_by_label("Address").fill(worked.address)
    await page.get_by_role("button", name="Connect").click()
    await expect(page.locator("#compose")).to_be_visible()
    await page.locator("#compose").fill("Hello over there")
    await page.keyboard.press("Enter")
    await expect(page.locator(".log .message", has_text="Hello over there")).to_be_visible()
    await page.get_by_role("link", name="Network").click()
    card = page.locator(".panel", has_text=worked.address)
    # It is called Prime as this one is, and told apart by where it is.
    await expect(card.get_by_role("heading", name=f"Prime at {worked.address.removeprefix('http://')}")).to_be_visible()
    await page.get_by_label("Name, owner or capability").fill("nobody here")
    await expect(page.get_by_text("Nobody fits")).to_be_visible()
    await expect(page).to_have_url(re.compile(r"/network\?q=nobody"))
    await page.get_by_label("Name, owner or capability").fill("")
    await card.get_by_role("link", name="Go to the channel").click()
    await expect(page.locator(".log .message", has_text="Hello over there")).to_be_visible()


async def test_secrets_are_written_and_never_shown(open_page: Opener) -> None:
    page = await open_page("/settings/secrets")
    await page.get_by_label("Name").fill("MY_TOKEN")
    await page.get_by_label("Value").fill("hunter2hunter2")
    await page.get_by_role("button", name="Keep it").click()
    await expect(page.locator(".lines")).to_contain_text("MY_TOKEN")
    assert "hunter2" not in await page.content()
    await page.get_by_role("button", name="Forget MY_TOKEN").click()
    await expect(page.locator(".line", has_text="MY_TOKEN")).to_have_count(0)


async def test_a_backup_and_a_token_are_made(open_page: Opener) -> None:
    page = await open_page("/settings/backups")
    await page.get_by_role("button", name="Back up now").click()
    await expect(page.locator(".lines .line")).not_to_have_count(0)
    await page.goto(f"{open_page.address}/tools/clients")
    await page.get_by_label("Name").fill("laptop")
    await page.get_by_role("button", name="Make a token").click()
    await expect(page.get_by_text("It is shown only now.")).to_be_visible()
    await expect(page.locator(".lines")).to_contain_text("laptop")


async def test_a_variable_is_changed_while_prime_runs(open_page: Opener, served: Served) -> None:
    page = await open_page("/settings/variables")
    await page.get_by_label("Find a variable").fill("PRIME_ASK_NECESSITY_MIN")
    row = page.locator(".line", has_text="PRIME_ASK_NECESSITY_MIN")
    await row.get_by_label("PRIME_ASK_NECESSITY_MIN").fill("0.85")
    await row.get_by_role("button", name="Set").click()
    await expect(row).to_contain_text("set here")
    values = {each["name"]: each["value"] for each in (await served.ask("GET", "/api/settings"))["items"]}
    assert values["PRIME_ASK_NECESSITY_MIN"] == 0.85


async def test_the_policy_for_tools_is_edited_and_only_narrows(open_worked: Opener, worked: Served) -> None:
    page = await open_worked("/tools/policy")
    await page.get_by_role("group", name="Use the network").get_by_label("Never").check()
    await page.get_by_label("Always ask before").fill("git push")
    await page.get_by_role("group", name="Tools").get_by_label("Only these").check()
    await page.get_by_label("Only these tools").fill("ls")
    await expect(page.locator(".policy .note")).to_contain_text("This leaves")
    await page.get_by_label("No starting of programs").check()
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("This holds now.")).to_be_visible()
    document = (await worked.ask("GET", "/api/policy"))["document"]
    assert (document["allow"]["network"], document["confirm"]) == ("deny", ["git push"])
    assert document["delegation"] == {"allowedTools": ["ls"], "effectRestrictions": {"subprocess": False}}
    await page.reload()
    await expect(page.get_by_label("No starting of programs")).to_be_checked()
    # What it would leave is asked for a moment after the last key, and that answer is a no as well.
    async with page.expect_response(lambda r: r.url.endswith("/api/policy/preview") and r.status == 400):
        await page.get_by_label("May be read, too").fill("not/whole")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("/paths/read/0")
    open_worked.forgive("400")
    version = (await worked.ask("GET", "/api/policy"))["version"]
    await worked.ask("PUT", "/api/policy", {"document": {"confirm": ["rm"]}, "version": version})


async def test_a_channel_is_paused_while_the_others_go_on(open_page: Opener, served: Served) -> None:
    agent = await served.ask("POST", "/api/actors", {"name": "Bo", "kind": "agent", "connector": "echo"})
    wanted = {"name": "Quiet room", "tier": "team", "members": [agent["id"]], "brief": "Plan the shelves."}
    channel = (await served.ask("POST", "/api/channels", wanted))["id"]
    page = await open_page("/room")
    row = page.locator(".room-row", has_text="Quiet room")
    await row.get_by_role("button", name="Pause Quiet room").click()
    await expect(row).to_contain_text("Paused")
    await row.get_by_role("link").click()
    await expect(page.get_by_text("Nobody speaks here until it goes on.")).to_be_visible()
    await page.get_by_role("button", name="Go on in Quiet room").click()
    await expect(page.get_by_text("Nobody speaks here until it goes on.")).to_have_count(0)
    ops = [m["body"].get("op") for m in (await served.ask("GET", f"/api/channels/{channel}/messages"))["items"]]
    assert ops.count("paused") == ops.count("resumed") == 1


async def test_everything_is_exported_as_one_file(open_worked: Opener) -> None:
    page = await open_worked("/settings/backups")
    async with page.expect_download() as begun:
        await page.get_by_role("link", name="Export everything").click()
    download = await begun.value
    assert download.suggested_filename.endswith(".jsonl")
    file = Path(await download.path())
    lines = (await asyncio.to_thread(file.read_text)).splitlines()
    assert (json.loads(lines[0])["prime"], json.loads(lines[-1])["end"]) == ("export", True)


async def test_every_tab_of_the_settings_stands_in_one_row_beside_what_waits(open_page: Opener) -> None:
    page = await open_page("/settings", width=1280)
    rows = await page.locator(".view-tabs a").evaluate_all("tabs => new Set(tabs.map(t => t.offsetTop)).size")
    assert (await page.locator(".view-tabs a").count(), rows) == (10, 1)


async def test_a_fact_is_told_in_words_and_not_in_marks(open_page: Opener, make_channel: MakeChannel, say: Say) -> None:
    await say(await make_channel("Marked", quiet=True), ["The lantern is **crimson**."])
    page = await open_page("/recall/facts?subject=lantern")
    row = page.locator("tr", has_text="The lantern")
    await expect(row.locator("td").first).to_have_text("is crimson")


async def test_a_channel_with_one_long_word_for_a_name_stays_in_its_place_among_those_to_choose(
    open_page: Opener, make_channel: MakeChannel
) -> None:
    await make_channel("W" * 100, quiet=True)
    page = await open_page("/settings/people")
    choices = page.locator(".member-list")
    await expect(choices).to_contain_text("WWW")
    assert await choices.evaluate("list => list.scrollWidth <= list.clientWidth")
