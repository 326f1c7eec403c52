"""Acting as the owner over HTTP, with Telegram played in memory: a message arrives, a draft, an approval, a class."""

import asyncio
import json
from typing import Protocol

import httpx2
import pytest

from prime.app import Prime
from prime.core.clock import FakeClock


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock


class OpenSite(Protocol):
    async def __call__(self, base_url: str = ..., **variables: str) -> Site: ...


MARA = "ch_pp_tg_710001"


async def drafts(site: Site, count: int, status: str = "pending", channel: str = MARA) -> list[dict[str, object]]:
    """Drafts of a channel, once there are as many."""
    async with asyncio.timeout(20):
        while True:
            head = await site.prime.parts.store.log.head()
            page = (await site.http.get("/api/drafts", params={"status": status})).json()["items"]
            found = [d for d in page if d["channelId"] == channel]
            if len(found) >= count:
                return found
            try:
                await asyncio.wait_for(site.prime.parts.store.heads.wait_beyond(head), 0.05)
            except TimeoutError:
                site.clock.advance(1)  # the mock's people write after a while


@pytest.fixture
async def mocked(open_site: OpenSite) -> Site:
    return await open_site(PRIME_TG_USER_MOCK="1")


@pytest.mark.holds("D-HUB-10")
async def test_from_a_message_to_an_answer_that_goes_by_itself(mocked: Site) -> None:
    [draft] = await drafts(mocked, 1)
    assert (draft["connector"], draft["status"]) == ("telegram", "pending")
    assert "invoice" in str(draft["trigger"])
    channel = (await mocked.http.get(f"/api/channels/{MARA}")).json()
    assert (channel["kind"], channel["tier"], channel["name"]) == ("dm", "external", "Mara Lindqvist")
    edited = "The invoice for the workshop is in your mailbox now."
    done = await mocked.http.post(f"/api/drafts/{draft['id']}/approve", json={"text": edited})
    assert (done.status_code, done.json()["status"], done.json()["edited"]) == (200, "sent", True)
    again = (await mocked.http.post(f"/api/drafts/{draft['id']}/approve", json={"text": "and again"})).json()
    assert (again["status"], again["text"]) == ("sent", edited)
    messages = (await mocked.http.get(f"/api/channels/{MARA}/messages")).json()["items"]
    assert [m["text"] for m in messages if m["kind"] == "text" and m["actorId"] == "act_owner"] == [edited]
    [learned] = (await mocked.http.get("/api/autonomy/classes")).json()["items"]
    assert learned["text"] == edited

    await mocked.http.post("/api/autonomy/policy", json={"perConnector": {"telegram": "auto_learned"}})
    # She asks for the next invoice.
    sent = await drafts(mocked, 2, status="sent")
    assert (sent[0]["decidedBy"], sent[0]["class"]) == ("policy", learned["id"])
    assert "invoice" in str(sent[0]["text"])
    everything = (await mocked.http.get("/api/sent")).json()["items"]
    assert [d["id"] for d in everything] == [d["id"] for d in sent]


async def test_the_next_such_message_waits_when_the_mode_says_so(mocked: Site) -> None:
    [draft] = await drafts(mocked, 1)
    await mocked.http.post(f"/api/drafts/{draft['id']}/approve", json={"text": "The invoice is in your mailbox."})
    [second] = await drafts(mocked, 1)
    assert second["id"] != draft["id"]
    assert len((await mocked.http.get("/api/sent")).json()["items"]) == 1


async def test_the_policy_over_http(mocked: Site) -> None:
    first = (await mocked.http.get("/api/autonomy")).json()
    assert (first["mode"], first["modes"]) == ("draft", ["draft", "auto_learned", "full"])
    assert (first["allowColdContact"], first["sources"]) == (False, {"mode": "default", "allowColdContact": "default"})
    patch = {"mode": "auto_learned", "perConnector": {"telegram": "full"}, "allowColdContact": True}
    second = (await mocked.http.post("/api/autonomy/policy", json=patch)).json()
    assert (second["mode"], second["perConnector"], second["allowColdContact"]) == (
        "auto_learned", {"telegram": "full"}, True)  # fmt: skip
    assert (await mocked.http.get("/api/status")).json()["autonomyMode"] == "auto_learned"
    third = (await mocked.http.post("/api/autonomy/policy", json={"perConnector": {"telegram": None}})).json()
    assert (third["perConnector"], third["mode"]) == ({}, "auto_learned")
    fourth = (await mocked.http.post("/api/autonomy/policy", json={"mode": None, "allowColdContact": None})).json()
    assert (fourth["mode"], fourth["sources"]["mode"], fourth["allowColdContact"]) == ("draft", "default", False)
    guessed = await mocked.http.post("/api/autonomy/policy", json={"allowColdContact": "yes"})
    assert (guessed.status_code, "allowColdContact" in guessed.text) == (400, True)
    for unknown in ("drafts/no-such/preview", "drafts/no-such"):
        assert (await mocked.http.get(f"/api/{unknown}")).status_code == 404
    assert (await mocked.http.post("/api/drafts/no-such/approve")).status_code == 404
    assert (await mocked.http.delete("/api/autonomy/classes/no-such")).status_code == 404
    for bad in ({"mode": "yolo"}, {"perConnector": {"telegrm": "full"}}, {"modus": "full"}, {"perConnector": 3}):
        answer = await mocked.http.post("/api/autonomy/policy", json=bad)
        assert answer.status_code == 400, bad
        assert (await mocked.http.get("/api/autonomy")).json()["mode"] == "draft"


async def test_the_environment_seeds_the_policy(open_site: OpenSite) -> None:
    site = await open_site(PRIME_AUTONOMY_MODE="auto_learned", PRIME_ALLOW_COLD="1")
    shown = (await site.http.get("/api/autonomy")).json()
    assert (shown["mode"], shown["allowColdContact"]) == ("auto_learned", True)
    assert shown["sources"] == {"mode": "environment", "allowColdContact": "environment"}


async def test_only_the_owner_decides(owned: Site) -> None:
    for method, path in (
        ("GET", "/api/drafts"), ("POST", "/api/drafts/drf_x/approve"), ("POST", "/api/drafts/drf_x/reject"),
        ("POST", "/api/autonomy/policy"), ("GET", "/api/sent"), ("GET", "/api/connectors"),
        ("PUT", "/api/connectors/telegram"), ("DELETE", "/api/autonomy/classes/cls_a"),
    ):  # fmt: skip
        assert (await owned.http.request(method, path, json={})).status_code == 401, path
        operator = {"x-prime-admin": "operator-token"}
        assert (await owned.http.request(method, path, json={}, headers=operator)).status_code == 403, path


async def test_signing_in_step_by_step(open_site: OpenSite) -> None:
    site = await open_site(PRIME_TG_USER_MOCK="1")
    http = site.http
    await http.post("/api/connectors/telegram/disconnect", json={"forget": True})
    wrong = await http.put("/api/connectors/telegram", json={"settings": {"api_id": "not a number"}})
    assert wrong.status_code == 400
    given = {"api_id": "12345", "api_hash": "0123456789abcdef", "phone": "+49 170 22"}
    shown = (await http.put("/api/connectors/telegram", json={"settings": given})).json()
    assert "0123456789abcdef" not in json.dumps(shown)
    asked = (await http.post("/api/connectors/telegram/connect")).json()["status"]
    assert (asked["state"], [a["name"] for a in asked["asks"]]) == ("asking", ["code"])
    again = (await http.post("/api/connectors/telegram/answer", json={"answers": {"code": "00000"}})).json()["status"]
    assert (again["state"], "not right" in again["detail"]) == ("asking", True)
    two = (await http.post("/api/connectors/telegram/answer", json={"answers": {"code": "12345"}})).json()["status"]
    assert [a["name"] for a in two["asks"]] == ["password"]
    done = (await http.post("/api/connectors/telegram/answer", json={"answers": {"password": "correct horse"}})).json()
    assert done["status"]["state"] == "connected"
    assert "mock-session" not in json.dumps(done)
    assert "mock-session" not in (await http.get("/api/secrets")).text
    late = await http.post("/api/connectors/telegram/answer", json={"answers": {"code": "12345"}})
    assert (late.status_code, late.json()["error"]["code"]) == (409, "not_asking")


async def test_after_a_restart_nothing_is_lost(open_site: OpenSite) -> None:
    site = await open_site(PRIME_TG_USER_MOCK="1")
    [draft] = await drafts(site, 1)
    await site.http.post("/api/connectors/telegram/disconnect", json={})
    refused = await site.http.post(f"/api/drafts/{draft['id']}/approve", json={})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "connector_not_connected")
    [still] = await drafts(site, 1)
    assert (still["status"], still["reason"]) == ("pending", "connector not connected")
    await site.http.post("/api/connectors/telegram/connect")
    assert (await site.http.post(f"/api/drafts/{draft['id']}/approve")).json()["status"] == "sent"
