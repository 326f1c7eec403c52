"""A dialog is made with the history of its startup scripts, or not at all."""

import asyncio
from typing import TYPE_CHECKING, cast

import pytest

from prime.core.errors import PrimeError
from prime.core.json_text import Json, JsonObject
from prime.dialogs.scripts.records import AgentThought, AgentWords, FuncCall, FuncResult, GenStart
from prime.dialogs.scripts.refs import individual, parse_ref, shared

if TYPE_CHECKING:
    from tests.dialogs.conftest import House  # only a name: fixtures come from pytest


@pytest.mark.holds("D-SCR-5")
async def test_a_dialog_begins_with_its_script(house: "House") -> None:
    ref = house.script("team_shared/probe")
    channel = await house.dialog(ref, brief="Find out where we are.")
    assert channel["priming"] == {"scriptRefs": [ref], "showInUi": True}
    assert channel["course"] == 1
    messages = await house.messages(str(channel["id"]))
    assert [m.kind for m in messages] == ["channel", "brief", "text", "tool_call", "tool_result", "text"]
    history = messages[2:]
    assert {(m.course, m.source_tag) for m in history} == {(1, "priming_script")}
    assert [m.actor_id for m in history] == ["act_owner", "act_prime", "act_prime", "act_prime"]
    # One transaction: nothing came between, and all of it has one time.
    assert [m.seq for m in messages] == list(range(messages[0].seq, messages[0].seq + 6))
    found = await house.get(f"/api/channels/{channel['id']}")
    assert found["unread"] == 1, "the brief is news; what the owner chose is not"
    recent = await house.get("/api/priming/recent", agentId="act_prime")
    assert [item["scriptRef"] for item in cast("list[JsonObject]", recent["items"])] == [ref]


async def test_hidden_in_the_page_and_nowhere_else(house: "House") -> None:
    ref = house.script("team_shared/probe")
    shown = await house.dialog(ref)
    hidden = await house.dialog(priming={"scriptRefs": [ref], "showInUi": False})
    assert hidden["priming"] == {"scriptRefs": [ref], "showInUi": False}
    histories = [[(m.kind, m.text) for m in await house.messages(str(c["id"]))] for c in (shown, hidden)]
    assert histories[0] == histories[1]


async def test_no_script_is_a_plain_channel(house: "House") -> None:
    before = await house.state()
    nothing: JsonObject = {"scriptRefs": [], "showInUi": True}
    for priming in (None, nothing):
        channel = await house.dialog(priming=priming)
        assert channel["priming"] is None
        assert [m.kind for m in await house.messages(str(channel["id"]))] == ["channel"]
    assert (await house.state())[2] == before[2]


@pytest.mark.holds("D-SCR-5")
async def test_scripts_belong_to_the_channels_agent(house: "House") -> None:
    for name in ("ux", "dev"):
        await house.post("/api/actors", {"id": f"act_{name}", "name": name, "kind": "agent"}, 201)
    await house.post("/api/actors", {"id": "act_ann", "name": "Ann", "kind": "human"}, 201)
    own = house.script("individual/act_ux/probe")
    for_ux = house.script("team_shared/for-ux", members=["act_ux"])
    for_all = house.script("team_shared/for-all")
    members = ["act_ann", "act_ux"]
    channel = await house.dialog(own, for_ux, for_all, members=members)
    messages = await house.messages(str(channel["id"]))
    assert {m.actor_id for m in messages[1:]} == {"act_owner", "act_ux"}
    recent = await house.get("/api/priming/recent", agentId="act_ux")
    assert len(cast("list[object]", recent["items"])) == 3
    before = await house.state()
    for ref in (own, for_ux):
        for others in (["act_dev"], ["act_ann"], [], ["act_dev", "act_ux"]):
            assert await _refused(house, 403, ref, members=others) == "forbidden"
    assert await house.state() == before


BAD_SCRIPTS = {
    "empty": "",
    "old": "### user\n\nhello\n",
    "type": "### record nobody_record\n\n``````markdown\n---\ngenseq: 1\n---\n``````\n",
    "field": "### record agent_words_record\n\n``````markdown\n---\ngenseq: 1\nmood: good\n---\n\nx\n``````\n",
    "enum": "### record agent_words_record\n\n``````markdown\n---\ngenseq: -1\n---\n\nx\n``````\n",
    "fence": "### record agent_words_record\n\n``````markdown\n---\ngenseq: 1\n---\n\nhalf a fence",
    "text": "### record gen_start_record\n\n``````markdown\n---\ngenseq: 1\n---\n\ntext\n``````\n",
    "result": "### record func_result_record\n\n``````markdown\n---\ngenseq: 1\nid: a\nname: ls\n---\n\nx\n``````\n",
    "50 MB": "x" * (50 * 1024 * 1024),
}


@pytest.mark.holds("D-SCR-5")
async def test_a_bad_script_creates_nothing(house: "House") -> None:
    good, bad = house.script("team_shared/good"), house.script("team_shared/bad")
    for what, content in BAD_SCRIPTS.items():
        (house.workspace / parse_ref(bad).path).write_text(content)
        before = await house.state()
        status = 413 if what == "50 MB" else 400
        await _refused(house, status, good, bad)
        await _refused(house, status, bad)
        assert await house.state() == before, what


@pytest.mark.holds("D-SCR-4")
async def test_names_that_lead_elsewhere(house: "House") -> None:
    names = (
        "team_shared/../x",
        "/etc/passwd",
        "team_shared/a\0b",
        "team_shared/a\\b",
        "elsewhere/x",
        "individual/x",
        "",
    )
    encoded = (
        "team_shared/%2e%2e/x",
        "team_shared/..%2fx",
        "team_shared/．．/x",
        "team_shared/‥/x",
        "team_shared/a/../../x",
    )
    before = await house.state()
    for ref in (*names, *encoded):
        await _refused(house, 400, ref)
        assert await house.state() == before, ref


async def test_missing_swapped_and_changed_scripts(house: "House") -> None:
    ref = house.script("team_shared/probe")
    listed = await house.get("/api/priming/scripts")
    assert [item["scriptRef"] for item in cast("list[JsonObject]", listed["items"])] == [ref]
    file = house.workspace / parse_ref(ref).path
    # Changed between listing and creating: what is there now counts.
    file.write_text(file.read_text().replace("It is a Linux machine.", "It is a toaster."))
    channel = await house.dialog(ref)
    assert (await house.messages(str(channel["id"])))[-1].text == "It is a toaster."
    outside = house.workspace.parent / "outside.md"
    outside.write_bytes(file.read_bytes())
    file.unlink()
    before = await house.state()
    assert await _refused(house, 404, ref) == "not_found"
    file.symlink_to(outside)
    assert await _refused(house, 403, ref) == "forbidden"
    file.unlink()
    assert await house.state() == before


async def test_wrong_bodies(house: "House") -> None:
    ref = house.script("team_shared/probe")
    before = await house.state()
    wrong: list[Json] = [
        {"scriptRefs": ref},
        {"scriptRefs": [ref], "show": True},
        {"scriptRefs": [1]},
        {},
        [],
        {"scriptRefs": [ref for _ in range(21)]},
        {"scriptRefs": [ref], "showInUi": "perhaps"},
    ]
    for priming in wrong:
        await house.dialog(priming=priming, status=400)
    await house.dialog(ref, members=["act_nobody"], status=400)
    assert await house.state() == before


async def test_what_the_log_cannot_hold_is_refused_whole(house: "House") -> None:
    # What the log cannot hold comes after a text that it would have put away as an attachment.
    first = AgentWords(genseq=1, content="x" * 70_000)
    body = house.script(
        "team_shared/body", first, FuncCall(genseq=1, id="a", name="b", arguments={"c": "d" * 1_100_000})
    )
    text = house.script("team_shared/text", first, AgentWords(genseq=1, content="字" * 5_000_000))
    before = await house.state()
    for ref in (body, text):
        assert await _refused(house, 413, ref) == "too_large"
        assert await house.state() == before, ref


# It is refused before a database is asked for anything.
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_too_many_records(house: "House") -> None:
    ref = house.script("team_shared/many", GenStart(genseq=1))
    file = next(house.workspace.rglob("many.md"))
    head, heading, record = file.read_text().partition("### record")
    file.write_text(head + (heading + record) * 100_000)
    before = await house.state()
    assert await _refused(house, 413, ref) == "too_large"
    assert await house.state() == before


async def test_long_texts_and_thoughts(house: "House") -> None:
    ref = house.script(
        "team_shared/long",
        AgentThought(genseq=1, content="Hm."),
        AgentWords(genseq=1, content="长" * 100_000),
        FuncCall(genseq=1, id="a", name="ls", arguments={}),
        FuncResult(genseq=1, id="a", name="ls", content="x" * 70_000),
    )
    channel = await house.dialog(ref)
    messages = await house.messages(str(channel["id"]))
    assert [m.audience for m in messages if m.kind == "thought"] == ["hub"]
    assert sum("fullTextAttachmentId" in m.body for m in messages) == 2


async def test_two_dialogs_at_once_are_both_remembered(house: "House") -> None:
    refs = [house.script(f"team_shared/s{number}") for number in range(6)]
    await asyncio.gather(*(house.dialog(ref) for ref in refs))
    recent = await house.get("/api/priming/recent", agentId="act_prime")
    assert {str(item["scriptRef"]) for item in cast("list[JsonObject]", recent["items"])} == set(refs)


@pytest.mark.holds("D-SCR-6")
async def test_recent_scripts_that_are_gone_are_left_out(house: "House") -> None:
    refs = [house.script(f"team_shared/s{number:02}") for number in range(23)]
    for ref in refs:
        await house.dialog(ref)
    (house.workspace / shared("s22").path).unlink()
    recent = await house.get("/api/priming/recent", agentId="act_prime")
    listed = [item["scriptRef"] for item in cast("list[JsonObject]", recent["items"])]
    assert listed == [f"team_shared/s{number:02}" for number in range(21, 2, -1)]
    assert (await house.get("/api/priming/recent", agentId="act_ux"))["items"] == []


async def test_a_dialog_is_there_though_recents_cannot_be_written(house: "House") -> None:
    ref = house.script("team_shared/probe")
    (house.workspace / ".dialogs").write_text("in the way")
    assert (await house.dialog(ref))["priming"] is not None


async def test_searching(house: "House") -> None:
    house.script("individual/act_ux/mine")
    house.script("individual/act_dev/theirs")
    house.script("team_shared/a/b/shared")
    broken = house.workspace / shared("broken").path
    broken.write_text("### user\n")
    found = await house.get("/api/priming/scripts", agentId="act_ux")
    items = cast("list[JsonObject]", found["items"])
    assert [item["scriptRef"] for item in items] == ["individual/act_ux/mine", "team_shared/a/b/shared"]
    assert items[0].keys() >= {"scriptRef", "title", "path", "warnings"}
    summary = cast("JsonObject", found["warningSummary"])
    assert summary["skippedCount"] == 1
    assert "broken.md" in str(summary["samples"])
    narrowed = await house.get("/api/priming/scripts", agentId="act_ux", q="SHARED b")
    assert [item["path"] for item in cast("list[JsonObject]", narrowed["items"])] == [shared("a/b/shared").path]
    assert len(cast("list[object]", (await house.get("/api/priming/scripts"))["items"])) == 3
    for number in range(60):
        house.script(f"team_shared/n{number}")
    assert len(cast("list[object]", (await house.get("/api/priming/scripts"))["items"])) == 50
    await house.get("/api/priming/scripts", 400, agentId="../x")
    await house.get("/api/priming/recent", 400, agentId="a/b")
    await house.get("/api/priming/recent", 400)


def test_members_are_folders() -> None:
    with pytest.raises(PrimeError):
        individual("act/ux", "a")


async def _refused(house: "House", status: int, *refs: str, **more: object) -> str:
    answer = await house.dialog(*refs, status=status, **more)
    return str(cast("JsonObject", answer["error"])["code"])
