"""The policy for tools as a document, one channel's switch, the export, and the figures about tools over HTTP."""

import json
from pathlib import Path
from typing import Protocol

import httpx2
import pytest

from prime.app import Prime
from prime.core.clock import FakeClock
from prime.rooms.records import HUB, OWNER
from prime.store.message import NewMessage
from prime.store.transfer import check_file
from prime.tools.policy.policy import Policy


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock


CAREFUL = {
    "allow": {"destructive": "deny", "billable": "ask", "network": "allow", "write": "ask"},
    "budget": {"limit": 5},
    "confirm": ["git push"],
    "deny": ["docker *"],
    "paths": {"read": ["/srv/data"], "write": []},
    "delegation": {"allowedTools": ["ls"], "effectRestrictions": {"network": False}},
}


@pytest.fixture(autouse=True)
def own_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The policy is a file of the owner's configuration, which no test may touch."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def policy_file(site: Site) -> Path:
    return site.prime.parts.settings.config_folder / "policy.json"


@pytest.mark.holds("D-PAGE-2")
async def test_a_policy_is_kept_as_it_was_written_and_holds(site: Site) -> None:
    before = (await site.http.get("/api/policy")).json()
    assert before["document"]["allow"] == dict.fromkeys(("destructive", "billable", "network", "write"), "ask")
    assert before["problem"] is None
    assert before["tiers"]["external"]["effectRestrictions"]["subprocess"] is False
    kept = await site.http.put("/api/policy", json={"document": CAREFUL, "version": before["version"]})
    assert kept.status_code == 200, kept.text
    assert (before["budget"], kept.json()["budget"]) == (None, {"limit": 5, "spent": 0, "left": 5})
    assert Policy.load(policy_file(site)) == Policy.from_json(CAREFUL)
    assert (await site.http.get("/api/policy")).json()["document"]["confirm"] == ["git push"]
    logged = await site.prime.parts.store.log.page(HUB, limit=50, kinds=("policy",))
    assert [(m.actor_id, m.body["key"]) for m in logged] == [(OWNER, "tools.policy")]


@pytest.mark.holds("D-PAGE-2")
async def test_a_policy_that_is_wrong_or_stale_changes_nothing(site: Site) -> None:
    version = (await site.http.get("/api/policy")).json()["version"]
    for wrong in ({"allow": {"everything": True}}, {"budget": {"limit": -1}}, {"paths": {"read": ["here"]}}, {"x": 1}):
        answer = await site.http.put("/api/policy", json={"document": wrong, "version": version})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_policy"), wrong
    stale = await site.http.put("/api/policy", json={"document": CAREFUL, "version": "0" * 16})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "policy_changed")
    assert not policy_file(site).exists()


async def test_a_broken_file_is_shown_as_such_and_can_be_mended(site: Site) -> None:
    file = policy_file(site)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{not json")
    shown = (await site.http.get("/api/policy")).json()
    assert "not valid JSON" in shown["problem"]
    mended = await site.http.put("/api/policy", json={"document": CAREFUL, "version": shown["version"]})
    assert mended.json()["problem"] is None


async def test_remarks_in_the_file_stay(site: Site) -> None:
    file = policy_file(site)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"x-why": "the shared machine", "confirm": ["rm"]}')
    version = (await site.http.get("/api/policy")).json()["version"]
    await site.http.put("/api/policy", json={"document": CAREFUL, "version": version})
    assert json.loads(file.read_text())["x-why"] == "the shared machine"


async def test_a_delegation_is_shown_by_what_it_leaves(site: Site) -> None:
    all_of_them = (await site.http.post("/api/policy/preview", json={"document": {"confirm": ["rm"]}})).json()
    assert all_of_them["left"] == all_of_them["of"] > 0
    nothing: list[str] = []
    none = {"document": {"delegation": {"allowedTools": nothing}}}
    assert (await site.http.post("/api/policy/preview", json=none)).json()["left"] == 0
    bad = await site.http.post("/api/policy/preview", json={"document": {"delegation": {"allow": "all"}}})
    assert bad.status_code == 400


async def test_an_export_is_whole_and_leaves_nothing_behind(site: Site, tmp_path: Path) -> None:
    await site.prime.parts.rooms.say(HUB, OWNER, "Keep this.")
    answer = await site.http.get("/api/export")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert ".jsonl" in answer.headers["content-disposition"]
    file = tmp_path / "export.jsonl"
    file.write_bytes(answer.content)
    assert check_file(file) > 1
    assert b"Keep this." in answer.content
    assert not list(site.prime.parts.store.folder.path.glob("export-*")), "nothing is left behind"


async def test_an_export_is_for_the_owner_alone(owned: Site) -> None:
    assert (await owned.http.get("/api/export")).status_code == 401
    operator = await owned.http.get("/api/export", headers={"x-prime-admin": "operator-token"})
    assert operator.status_code == 403


async def test_a_channel_is_paused_over_http(site: Site) -> None:
    actor = await site.prime.parts.rooms.add_actor("Bo", "agent", "echo")
    made = await site.http.post(
        "/api/channels", json={"name": "Hall", "tier": "team", "members": [actor.id], "brief": "Plan."}
    )
    channel = made.json()["id"]
    assert (await site.http.post(f"/api/channels/{channel}/pause")).json()["paused"] is True
    listed = {c["id"]: (c["driven"], c["paused"]) for c in (await site.http.get("/api/channels")).json()["items"]}
    assert listed[channel] == (True, True)
    assert listed[HUB] == (False, False)
    assert (await site.http.post(f"/api/channels/{channel}/resume")).json()["paused"] is False
    assert (await site.http.post(f"/api/channels/{HUB}/pause")).json()["error"]["code"] == "not_driven"
    assert (await site.http.post("/api/channels/ch_none/pause")).status_code == 404


async def test_tool_use_is_counted_by_tool(site: Site) -> None:
    for name, failed in (("ls", False), ("ls", True), ("git_status", False)):
        ended = NewMessage(
            channel_id=HUB, actor_id=OWNER, kind="tool_result", text="", body={"name": name, "isError": failed}
        )
        await site.prime.parts.store.log.append(ended)
    shown = (await site.http.get("/api/metrics")).json()
    assert (shown["totals"]["toolCalls"], shown["totals"]["toolFailures"]) == (3, 1)
    assert shown["tools"] == [{"name": "ls", "calls": 2}, {"name": "git_status", "calls": 1}]


async def test_a_scan_that_is_not_under_way_says_so(site: Site) -> None:
    assert (await site.http.get("/api/tools/scan")).json() == {"running": False, "done": 0, "of": 0}
