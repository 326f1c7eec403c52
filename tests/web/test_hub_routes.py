"""The hub over HTTP: questions with rules, the swarm's switch, metrics, actors and members."""

import asyncio
from typing import Protocol

import httpx2
import pytest

from prime.app import Prime
from prime.core.clock import FakeClock
from prime.rooms.questions import Asking


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock


async def asked(site: Site, text: str = "Shall we paint the door?") -> tuple[str, str]:
    parts = site.prime.parts
    actor = await parts.rooms.add_actor("Bo", "agent", "echo")
    channel = await parts.rooms.create_channel("Hall", tier="business_relation", members=[actor.id])
    said = await parts.rooms.say(channel.id, actor.id, text)
    question = await parts.questions.ask(Asking(text=text, channel_id=channel.id, sources=(said.id,)))
    return question.id, channel.id


async def test_an_answer_becomes_a_brief_and_a_rule(site: Site) -> None:
    question, channel = await asked(site)
    preview = await site.http.post(f"/api/questions/{question}/preview-rule", json={"text": "Doors are green."})
    assert preview.json() == {"text": "Doors are green.", "resolves": []}
    answer = await site.http.post(
        f"/api/questions/{question}/answer", json={"text": "Green.", "makeRule": "Doors are green."}
    )
    assert answer.json()["question"]["status"] == "answered"
    rule = answer.json()["rule"]
    assert (rule["text"], rule["fromQuestionId"], rule["hits"], rule["active"]) == (
        "Doors are green.", question, 0, True,
    )  # fmt: skip
    shown = (await site.http.get(f"/api/channels/{channel}/messages")).json()["items"]
    assert [m["text"] for m in shown if m["kind"] == "brief"] == ["Green."]
    assert [r["id"] for r in (await site.http.get("/api/rules")).json()["items"]] == [rule["id"]]
    changed = await site.http.patch(f"/api/rules/{rule['id']}", json={"text": "Doors are blue."})
    assert changed.json()["text"] == "Doors are blue."
    revoked = await site.http.delete(f"/api/rules/{rule['id']}")
    assert revoked.json()["active"] is False
    status = (await site.http.get("/api/status")).json()
    assert status["counters"] == {"autoResolved": 0, "asked": 1, "answered": 1, "rules": 0}
    again = await site.http.post(f"/api/questions/{question}/answer", json={"text": "Red."})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "already_settled")
    answered = (await site.http.get("/api/questions", params={"status": "answered"})).json()["items"]
    assert [q["id"] for q in answered] == [question]
    assert (await site.http.patch("/api/rules/rule_none", json={"active": True})).status_code == 404
    assert (await site.http.patch(f"/api/rules/{rule['id']}", json={"text": ""})).status_code == 400


async def test_a_rule_may_be_worded_by_the_mind(site: Site) -> None:
    question, _ = await asked(site)
    answer = await site.http.post(f"/api/questions/{question}/answer", json={"text": "Green.", "makeRule": True})
    assert "Green" in answer.json()["rule"]["text"]


@pytest.mark.parametrize(("rule", "wrong"), [("r" * 2_001, "2,000"), ("", "needs a text"), ("\u200b", "needs a text")])
async def test_a_rule_that_cannot_be_is_refused_before_the_answer_is_taken(site: Site, rule: str, wrong: str) -> None:
    question, _ = await asked(site)
    refused = await site.http.post(f"/api/questions/{question}/answer", json={"text": "Green.", "makeRule": rule})
    told = refused.json()["error"]
    assert (refused.status_code, told["field"]) == (400, "makeRule")
    assert wrong in told["message"]
    assert (await site.prime.parts.questions.get(question)).status == "pending"


async def test_words_that_nobody_can_see_are_refused(site: Site) -> None:
    question, channel = await asked(site)
    for path in ("chat", f"channels/{channel}/messages", f"questions/{question}/answer"):
        refused = await site.http.post(f"/api/{path}", json={"text": "\u200b\u2060 "})
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, "text"), path


async def test_the_switch(site: Site) -> None:
    paused = (await site.http.post("/api/swarm/pause")).json()
    assert (paused["running"], paused["pausedBecause"], paused["pausedCode"]) == (False, "Paused by you.", "owner")
    assert (await site.http.get("/api/status")).json()["running"] is False
    resumed = (await site.http.post("/api/swarm/resume")).json()
    assert (resumed["running"], resumed["pausedBecause"]) == (True, None)


async def test_a_pause_is_told_live(site: Site) -> None:
    events = site.prime.app.events.listen(None)
    await anext(events)
    await site.http.post("/api/swarm/pause")
    data = b""
    async with asyncio.timeout(10):
        while b"Paused by you." not in data:
            data += await anext(events)
    assert b"event: status" in data


async def test_metrics_are_a_point_for_every_step(site: Site) -> None:
    question, _ = await asked(site)
    site.clock.advance(90)
    await site.http.post(f"/api/questions/{question}/answer", json={"text": "Green."})
    shown = (await site.http.get("/api/metrics")).json()
    assert (shown["stepMs"], shown["questionsPerHour"]) == (60_000, 1)
    assert len(shown["items"]) in {60, 61}
    assert (shown["totals"]["asked"], shown["totals"]["answered"]) == (1, 1)
    assert shown["totals"]["timeToAnswerMs"] == 90_000
    assert sum(point["asked"] for point in shown["items"]) == 1
    # The status counts the same: an approval of a tool call is no decision.
    await site.prime.parts.questions.ask(Asking(text="Run rm?", kind="approval"))
    counters = (await site.http.get("/api/status")).json()["counters"]
    assert (counters["asked"], counters["answered"]) == (1, 1)
    hourly = (await site.http.get("/api/metrics", params={"stepMs": 3_600_000, "since": 1_767_222_000_000})).json()
    assert sum(point["answered"] for point in hourly["items"]) == 1
    for wrong in ({"stepMs": 61_000}, {"since": 5, "until": 4}, {"since": 0}, {"stepMs": 0}):
        assert (await site.http.get("/api/metrics", params=wrong)).status_code == 400


async def test_actors_join_and_leave(site: Site) -> None:
    made = await site.http.post(
        "/api/actors",
        json={"name": "Bob", "kind": "agent", "connector": "claude_code", "settings": {"command": ["no-such-agent"]}},
    )
    assert (made.status_code, made.json()["online"]) == (201, False)
    wrong = await site.http.post("/api/actors", json={"name": "X", "kind": "agent", "connector": "pigeon"})
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "connector")
    shell = {"connector": "claude_code", "settings": {"command": ["sh", "-c", "my-agent '{task}'"]}}
    unsafe = await site.http.post("/api/actors", json={"name": "X", "kind": "agent", **shell})
    assert (unsafe.status_code, unsafe.json()["error"]["field"]) == (400, "settings.command")
    assert "echo" in (await site.http.get("/api/actors/connectors")).json()["items"]
    channel = (await site.http.post("/api/channels", json={"name": "Build", "tier": "team"})).json()["id"]
    joined = await site.http.post(f"/api/channels/{channel}/members", json={"actorId": made.json()["id"]})
    assert made.json()["id"] in joined.json()["items"]
    left = await site.http.delete(f"/api/channels/{channel}/members/{made.json()['id']}")
    assert made.json()["id"] not in left.json()["items"]
    missing = await site.http.post(f"/api/channels/{channel}/members", json={"actorId": "act_nobody"})
    assert missing.status_code == 404


@pytest.mark.holds("D-HUB-10")
async def test_only_the_owner_answers_pauses_and_changes_rules(owned: Site) -> None:
    for method, path in (
        ("POST", "/api/questions/q_1/answer"), ("POST", "/api/questions/q_1/preview-rule"),
        ("POST", "/api/swarm/pause"), ("POST", "/api/swarm/resume"), ("DELETE", "/api/rules/rule_1"),
        ("PATCH", "/api/rules/rule_1"), ("GET", "/api/metrics"), ("POST", "/api/actors"), ("POST", "/api/chat"),
    ):  # fmt: skip
        refused = await owned.http.request(method, path, json={})
        assert refused.status_code == 401, path
