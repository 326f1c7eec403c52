"""Resources: the workspace and nothing outside it, Prime's records, changes, and writing with the owner's leave."""

import asyncio
import base64
import contextlib
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError
from tests.gateway.conftest import House, OpenHouse

from prime.core.errors import Conflict, Forbidden, InvalidInput, NotFound, PrimeError
from prime.core.private_folders import kept_private
from prime.gateway.resources.files import LARGEST, WorkspaceFiles
from prime.rooms.records import HUB, OWNER, PRIME
from prime.rooms.tier import Tier
from prime.tools.pipeline import CallSession, ToolCall
from prime.tools.policy.tiers import tier_delegation
from prime.tools.priming import PrimeRequest

ALLOW = '{"allow": {"write": true, "destructive": true}}'


@pytest.fixture
def files(tmp_path: Path) -> WorkspaceFiles:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("# A")
    (root / "sub" / "b.bin").write_bytes(b"\x00\xff")
    (root / ".env").write_text("KEY=1")
    (tmp_path / "outside.txt").write_text("secret")
    (root / "link").symlink_to(tmp_path / "outside.txt")
    (root / "folder").symlink_to(tmp_path)
    (root / "inner").symlink_to(root / "a.md")
    return WorkspaceFiles(root)


def test_text_and_blobs_have_their_types(files: WorkspaceFiles) -> None:
    listed = {str(one["name"]): one["mimeType"] for one in files.listed()}
    assert listed == {"a.md": "text/markdown", "sub/b.bin": "application/octet-stream"}
    text = files.read(files.uri(files.root / "a.md")).as_json()
    blob = files.read(files.uri(files.root / "sub" / "b.bin")).as_json()
    assert text["text"] == "# A"
    assert base64.b64decode(str(blob["blob"])) == b"\x00\xff"
    assert files.read(files.uri(files.root / "inner")).data == b"# A"


def test_primes_own_folders_are_no_part_of_the_workspace(files: WorkspaceFiles) -> None:
    with kept_private(files.root / "sub"):
        assert [one["name"] for one in files.listed()] == ["a.md"]
        with pytest.raises(Forbidden):
            files.read(files.uri(files.root / "sub" / "b.bin"))


@pytest.mark.parametrize(
    "path",
    ["link", "folder/outside.txt", "../outside.txt", "sub/../../outside.txt", ".env", "%2e%2e/outside.txt", ".", ""],
)
def test_nothing_outside_and_nothing_hidden_is_reached(files: WorkspaceFiles, path: str) -> None:
    uri = f"file://{files.root}/{path}"
    for attempt in (lambda: files.read(uri), lambda: files.write(uri, b"x"), lambda: files.delete(uri)):
        with pytest.raises(Forbidden):
            attempt()
    assert (files.root.parent / "outside.txt").read_text() == "secret"


def test_of_many_writers_with_one_etag_one_is_in_time(files: WorkspaceFiles) -> None:
    uri = files.uri(files.root / "a.md")
    etag = str(cast("dict[str, Any]", files.read(uri).as_json()["_meta"])["etag"])
    ready = threading.Barrier(8)

    def write(number: int) -> bool:
        ready.wait()
        try:
            files.write(uri, f"by {number}".encode(), etag)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(write, range(8))) == 1


def test_what_can_never_be_written_is_said_so(files: WorkspaceFiles) -> None:
    for path in ("sub", "x" * 300, f"sub/{'y' * 300}/z"):
        with pytest.raises(InvalidInput):
            files.write(f"file://{files.root}/{path}", b"x")
    with pytest.raises(InvalidInput):
        files.refuse_folder(f"file://{files.root}/sub")


@pytest.mark.parametrize("uri", ["http://x/a", "file://other/etc/passwd", "file:///a\0b", "file:///a?b", "a.md", ""])
def test_other_addresses_are_none(files: WorkspaceFiles, uri: str) -> None:
    with pytest.raises((InvalidInput, Forbidden, ValueError)):
        files.read(uri)


@given(st.lists(st.sampled_from(["..", ".", "sub", "link", "folder", "a.md", "%2e%2e", "//", "x"]), max_size=6))
def test_no_way_leads_out(names: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "root"
        (root / "sub").mkdir(parents=True)
        (root / "a.md").write_text("inside")
        (Path(place) / "x").write_text("outside")
        (root / "folder").symlink_to(place)
        (root / "link").symlink_to(Path(place) / "x")
        files = WorkspaceFiles(root)
        uri = f"file://{root}/" + "/".join(names)
        with contextlib.suppress(PrimeError):
            assert files.read(uri).data == b"inside"
        with contextlib.suppress(PrimeError):
            files.write(uri, b"new")
        assert (Path(place) / "x").read_text() == "outside"
        assert sorted(os.listdir(place)) == ["root", "x"]  # noqa: PTH208


def test_writing_is_whole_and_guarded(files: WorkspaceFiles) -> None:
    uri = files.uri(files.root / "new" / "deep.txt")
    first = files.write(uri, b"one")
    with pytest.raises(Conflict, match="not what it was"):
        files.write(uri, b"two", "0" * 32)
    files.write(uri, b"two", first.etag)
    assert files.read(uri).data == b"two"
    assert os.listdir(files.root / "new") == ["deep.txt"]  # noqa: PTH208
    with pytest.raises(Conflict):
        files.delete(uri, first.etag)
    files.delete(uri, files.read(uri).etag)
    with pytest.raises(NotFound):
        files.read(uri)
    with pytest.raises(NotFound):
        files.delete(uri)


def test_odd_files_are_refused(files: WorkspaceFiles) -> None:
    os.mkfifo(files.root / "pipe")
    with (files.root / "large").open("wb") as file:
        file.truncate(LARGEST + 1)
    for name in ("pipe", "large", "sub"):
        with pytest.raises(PrimeError):
            files.read(files.uri(files.root / name))


async def test_reading_and_listing_over_the_wire(house: House) -> None:
    (house.workspace / "notes.md").write_text("remember")
    await house.prime.parts.hub.say("hello there")
    async with house.client() as client:
        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        assert f"file://{house.workspace}/notes.md" in listed
        assert {"prime://feed", "prime://channel/ch_hub"} <= set(listed)
        templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        assert f"file://{house.workspace}/{{+path}}" in templates
        for uri, words in (
            (f"file://{house.workspace}/notes.md", "remember"),
            ("prime://channel/ch_hub", "hello there"),
            ("prime://tool/find_tools", "Look up tools"),
            ("prime://feed", "items"),
        ):
            contents: Any = (await client.read_resource(uri)).contents
            assert words in contents[0].text
        for uri in ("file:///etc/passwd", "prime://channel/none", "prime://what", "gopher://x", "prime://script/none"):
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            assert refused.value.error.code in {-32602, -32001}


async def _raw(client: Any, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return await client.session._dispatcher.send_raw_request(method, params, None)


@pytest.mark.holds("D-RUN-5")
async def test_writing_passes_the_policy_and_the_log(open_house: OpenHouse) -> None:
    house = await open_house({})
    uri = f"file://{house.workspace}/out.txt"
    async with house.client(primed=False) as client:
        with pytest.raises(MCPError, match="prime"):
            await _raw(client, "resources/write", {"uri": uri, "text": "x"})
        await client.call_tool("prime", {"agentId": "a", "sessionId": "s"})
        writing = asyncio.create_task(_raw(client, "resources/write", {"uri": uri, "name": "out", "text": "hello"}))
        questions = house.prime.parts.questions
        async with asyncio.timeout(20):
            while not (asked := await questions.waiting()):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert not (house.workspace / "out.txt").exists()
        await questions.answer(asked[0].id, choice="yes")
        told = await writing
    assert (told["uri"], told["name"], told["code"]) == (uri, "out", 200)
    assert told["message"] == "Resource written successfully"
    assert (house.workspace / "out.txt").read_text() == "hello"
    log = await house.prime.parts.store.log.after(0)
    assert [m.kind for m in log if m.body.get("name") == "write_resource"][-2:] == ["tool_call", "tool_result"]


async def test_deleting_and_mistakes(open_house: OpenHouse) -> None:
    house = await open_house({})
    (house.folder / "config" / "prime" / "policy.json").write_text(ALLOW)
    uri = f"file://{house.workspace}/out.txt"
    async with house.client() as client:
        await _raw(client, "resources/write", {"uri": uri, "blob": base64.b64encode(b"\x00\x01").decode()})
        assert (house.workspace / "out.txt").read_bytes() == b"\x00\x01"
        for params in (
            {"uri": uri},
            {"uri": uri, "text": "a", "blob": "YQ=="},
            {"uri": uri, "blob": "!!"},
            {"uri": uri, "text": "x", "etag": "f" * 32},
            {"uri": f"file://{house.folder}/escaped.txt", "text": "x"},
            {"uri": f"file://{house.workspace}/.git/hooks/pre-commit", "text": "x"},
        ):
            with pytest.raises(MCPError):
                await _raw(client, "resources/write", params)
        assert not (house.folder / "escaped.txt").exists()
        told = await _raw(client, "resources/delete", {"uri": uri})
        assert told["code"] == 200
        with pytest.raises(MCPError):
            await _raw(client, "resources/delete", {"uri": uri})
    assert not (house.workspace / "out.txt").exists()


async def test_changes_are_told_to_those_who_watch(house: House) -> None:
    file = house.workspace / "watched.md"
    file.write_text("one")
    uri = f"file://{house.workspace}/watched.md"
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        params: Any = getattr(message, "params", None)
        if getattr(params, "uri", None):
            heard.put_nowait(str(params.uri))

    async with house.client(message_handler=hear) as client:
        await _raw(client, "resources/subscribe", {"uri": uri})
        await _raw(client, "resources/subscribe", {"uri": "prime://channel/ch_hub"})
        with pytest.raises(MCPError):
            await _raw(client, "resources/subscribe", {"uri": "file:///etc/passwd"})
        await asyncio.sleep(0.5)  # the watch on the disk begins in a thread of its own
        file.write_text("two")
        await house.prime.parts.rooms.say("ch_hub", "act_owner", "news")
        async with asyncio.timeout(20):
            found = {await heard.get(), await heard.get()}
        assert found == {uri, "prime://channel/ch_hub"}
        await _raw(client, "resources/unsubscribe", {"uri": uri})
        await _raw(client, "resources/unsubscribe", {"uri": "prime://channel/ch_hub"})
        assert (await house.gateway.front()).changes.watched == set()


@pytest.mark.parametrize("tier", ["business_relation", "team"])
async def test_from_a_channel_nothing_else_is_read(house: House, tier: Tier) -> None:
    """A counterpart that talks an agent into reading gets no further than the agent's own channel."""
    rooms, workshop = house.prime.parts.rooms, house.prime.parts.workshop
    await rooms.say(HUB, OWNER, "My lowest price is 900.")
    here = await rooms.create_channel("Here", kind="group", tier=tier, members=[])
    there = await rooms.create_channel("There", kind="group", tier=tier, members=[])
    session = CallSession(
        session_id=f"channel:{here.id}",
        agent_id=PRIME,
        actor_id=PRIME,
        cwd=workshop.channel_folder(here.id),
        channel_id=here.id,
        tier=tier,
        delegation=tier_delegation(tier),
        wait_s=0,
    )
    session.cwd.mkdir(parents=True)
    await workshop.sessions.prime(PrimeRequest(agent_id=PRIME, session_id=session.session_id))

    async def read(uri: str) -> str | None:
        result = await workshop.pipeline.call(ToolCall(name="read_resource", arguments={"uri": uri}), session)
        return None if result.is_error else str(cast("dict[str, object]", result.structured)["text"])

    closed = [f"prime://channel/{HUB}", "prime://channel/%63h_hub", f"prime://channel/{there.id}", "prime://feed"]
    assert [await read(uri) for uri in [*closed, "prime://script/shared/x", "prime://nothing"]] == [None] * 6
    assert await read(f"prime://channel/{here.id}") == "# Here\n"
    assert "find_tools" in (await read("prime://tool/find_tools") or "")
