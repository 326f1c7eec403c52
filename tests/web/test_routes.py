"""Every route: what it does, and what it says to bad input."""

import asyncio
from typing import Protocol

import httpx2

from prime.app import Prime
from prime.core.clock import FakeClock
from prime.rooms.questions import Asking
from prime.store.message import NewMessage
from prime.web.cursor import encode_cursor


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock


def refused(answer: httpx2.Response, status: int, code: str) -> dict[str, object]:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json"), answer.text
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"].endswith((".", "?")) or error["message"]
    return error


async def made(site: Site, name: str = "Team", **more: object) -> str:
    answer = await site.http.post("/api/channels", json={"name": name, "tier": "team", **more})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def said(site: Site, channel: str, text: str, **more: object) -> dict[str, object]:
    answer = await site.http.post(f"/api/channels/{channel}/messages", json={"text": text, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_status_health_and_settings(site: Site) -> None:
    status = (await site.http.get("/api/status")).json()
    assert status["open"] is True
    assert status["model"] == "offline"
    assert status["calls"] == {"used": 0, "cap": 400}
    assert (await site.http.get("/healthz")).json() == {"ok": True}
    assert (await site.http.get("/readyz")).json() == {"ok": True, "keeps": True, "because": None}
    settings = (await site.http.get("/api/settings")).json()["items"]
    assert {"PRIME_HOST", "PRIME_OWNER_EMAIL"} <= {s["name"] for s in settings}


async def test_channels_from_first_to_last(site: Site) -> None:
    actor = (await site.http.post("/api/actors", json={"name": "Bo", "kind": "agent"})).json()
    channel = (
        await site.http.post(
            "/api/channels",
            json={"name": " Sales\u202e ", "tier": "external", "members": [actor["id"]], "brief": "Sell"},
        )
    ).json()
    assert (channel["name"], channel["tier"], channel["kind"]) == ("Sales", "external", "group")
    assert set(channel["members"]) == {"act_owner", "act_prime", actor["id"]}
    path = f"/api/channels/{channel['id']}"
    assert (await site.http.get(path)).json() == channel
    brief = (await site.http.get(f"{path}/messages")).json()["items"][-1]
    assert (brief["kind"], brief["text"]) == ("brief", "Sell")
    assert channel["lastWords"] == "Sell"
    renamed = await site.http.patch(path, json={"name": "More", "readUpTo": brief["id"]})
    assert (renamed.json()["name"], renamed.json()["unread"]) == ("More", 0)
    refused(await site.http.patch(path, json={"name": "Never", "readUpTo": "msg_nobody"}), 404, "not_found")
    assert (await site.http.get(path)).json()["name"] == "More"
    assert (await site.http.patch(path, json={"closed": True})).status_code == 200
    assert channel["id"] not in [c["id"] for c in (await site.http.get("/api/channels")).json()["items"]]
    refused(await site.http.post(f"{path}/messages", json={"text": "late"}), 409, "conflict")
    refused(await site.http.patch("/api/channels/ch_hub", json={"closed": True}), 409, "conflict")


async def test_a_channel_tells_what_was_said_last_in_it(site: Site) -> None:
    async def told(channel: str) -> object:
        items = (await site.http.get("/api/channels")).json()["items"]
        return next(each["lastWords"] for each in items if each["id"] == channel)

    silent, spoken = await made(site, "Silent"), await made(site, "Spoken")
    await site.http.post(f"/api/channels/{spoken}/pause")  # nobody answers what is said there
    await said(site, spoken, "Before")
    last = await said(site, spoken, "灯" * 500)
    assert await told(silent) is None
    assert await told(spoken) == "灯" * 160
    about_a_file = NewMessage(channel_id=spoken, actor_id="act_prime", kind="note", text="plan.png: image/png")
    await site.prime.parts.store.log.append(about_a_file)
    assert await told(spoken) == "灯" * 160
    await site.prime.parts.store.erase([str(last["id"])], by="act_owner")
    assert await told(spoken) == "Before"


async def test_pages_lead_through_everything_once(site: Site) -> None:
    channel = await made(site)
    for number in range(7):
        await said(site, channel, str(number))
    seen: list[str] = []
    cursor = None
    while True:
        query = f"?limit=3&cursor={cursor}" if cursor else "?limit=3"
        page = (await site.http.get(f"/api/channels/{channel}/messages{query}")).json()
        seen = [m["text"] for m in page["items"] if m["actorId"] == "act_owner"] + seen  # Prime answers between them
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert [t for t in seen if t] == [str(n) for n in range(7)]
    for number in range(3):
        await made(site, f"c{number}")
    names: list[str] = []
    query = "?limit=2"
    while query:
        page = (await site.http.get(f"/api/channels{query}")).json()
        names += [c["name"] for c in page["items"]]
        query = f"?limit=2&cursor={page['nextCursor']}" if page["nextCursor"] else ""
    assert names == ["Prime", "Team", "c0", "c1", "c2"]


async def test_a_cursor_beyond_everything_is_an_empty_page(site: Site) -> None:
    assert (await site.http.get(f"/api/channels?cursor={encode_cursor(10**17)}")).json()["items"] == []


async def test_around_shows_the_page_with_the_message(site: Site) -> None:
    channel, other = await made(site), await made(site, "Other")
    ids = [(await said(site, channel, str(n)))["id"] for n in range(9)]
    for limit in (1, 2, 3, 50):
        for wanted in ids:
            page = (await site.http.get(f"/api/channels/{channel}/messages?around={wanted}&limit={limit}")).json()
            assert wanted in [m["id"] for m in page["items"]]
    elsewhere = await site.http.get(f"/api/channels/{other}/messages?around={ids[0]}")
    refused(elsewhere, 404, "not_found")
    assert elsewhere.json()["error"]["channelId"] == channel, "a card leads to what was said in several rooms"


async def test_the_same_key_is_one_message(site: Site) -> None:
    channel = await made(site)
    both = await asyncio.gather(*(said(site, channel, "hi", idempotencyKey="k") for _ in range(5)))
    assert len({m["id"] for m in both}) == 1
    first = (await site.http.post("/api/chat", json={"text": "hi", "idempotencyKey": "k"})).json()
    again = (await site.http.post("/api/chat", json={"text": "hi", "idempotencyKey": "k"})).json()
    assert first == again


async def test_text_survives_and_a_long_one_becomes_an_attachment(site: Site) -> None:
    channel = await made(site)
    text = 'quote " back\\ 中文 🙂 \u202e \r\n\t <script>'
    assert (await said(site, channel, text))["text"] == text
    assert (await said(site, channel, "a\u0000b"))["text"] == "ab"
    long = await said(site, channel, "长" * 30_000)
    body = long["body"]
    assert isinstance(body, dict)
    whole = await site.http.get(f"/api/attachments/{body['fullTextAttachmentId']}")
    assert whole.text == "长" * 30_000


async def test_prime_answers_in_the_hub(site: Site) -> None:
    answer = await site.http.post("/api/chat", json={"text": "Budget is 5,000 EUR"})
    assert answer.json()["channelId"] == "ch_hub"
    await site.prime.parts.hub.stop()
    last = (await site.http.get("/api/channels/ch_hub/messages")).json()["items"][-1]
    assert last["actorId"] == "act_prime"
    assert last["sources"] == [answer.json()["messageId"]]


async def test_actors(site: Site) -> None:
    created = await site.http.post("/api/actors", json={"id": "act_bo", "name": "Bo", "kind": "human"})
    assert created.json() == {"id": "act_bo", "name": "Bo", "kind": "human", "connector": "echo", "online": True}
    await site.http.post("/api/actors", json={"id": "act_bo", "name": "Bob", "kind": "human"})
    names = {a["id"]: a["name"] for a in (await site.http.get("/api/actors")).json()["items"]}
    assert names == {"act_owner": "You", "act_prime": "Prime", "act_bo": "Bob"}
    taken = await site.http.post("/api/actors", json={"id": "act_owner", "name": "Eve", "kind": "human"})
    refused(taken, 409, "conflict")


async def test_questions(site: Site) -> None:
    questions = site.prime.parts.questions
    decision = await questions.ask(Asking(text="Sign?"))
    approval = await questions.ask(Asking(text="Run?", kind="approval", call={"tool": "rm"}))
    pending = (await site.http.get("/api/questions?status=pending")).json()["items"]
    assert [q["id"] for q in pending] == [decision.id, approval.id]
    path = f"/api/questions/{decision.id}"
    refused(await site.http.post(f"{path}/answer", json={}), 400, "invalid_input")
    refused(await site.http.post(f"/api/questions/{approval.id}/answer", json={"text": "ok"}), 400, "invalid_input")
    now = site.clock.now_ms()
    refused(await site.http.post(f"{path}/snooze", json={"untilMs": now}), 400, "invalid_input")
    snoozed = (await site.http.post(f"{path}/snooze", json={"untilMs": now + 1000})).json()
    assert snoozed["status"] == "snoozed"
    assert len((await site.http.get("/api/questions?status=pending")).json()["items"]) == 1
    site.clock.advance(2)
    assert len((await site.http.get("/api/questions?status=pending")).json()["items"]) == 2
    both = await asyncio.gather(*(site.http.post(f"{path}/answer", json={"text": t}) for t in ("yes", "no")))
    assert sorted(a.status_code for a in both) == [200, 409]
    refused(await site.http.post(f"{path}/answer", json={"text": "again"}), 409, "already_settled")
    refused(await site.http.post("/api/questions/q_x/answer", json={"text": "x"}), 404, "not_found")
    counters = (await site.http.get("/api/status")).json()["counters"]
    assert (counters["asked"], counters["answered"]) == (1, 1), "an approval is no question of the directive engine"
    assert [q["id"] for q in (await site.http.get("/api/questions?limit=1")).json()["items"]] == [approval.id]


async def test_attachments(site: Site) -> None:
    files = {"file": ("../a\u202eb.html", b"<script>1</script>", "text/html")}
    shown = (await site.http.post("/api/attachments", files=files)).json()
    assert shown["name"] == "ab.html"
    got = await site.http.get(f"/api/attachments/{shown['id']}")
    assert got.content == b"<script>1</script>"
    assert got.headers["content-type"] == "application/octet-stream"
    assert got.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in got.headers["content-security-policy"]
    png = (
        await site.http.post("/api/attachments", files={"file": ("p.png", b"\x89PNG\r\n\x1a\nx", "image/png")})
    ).json()
    assert (await site.http.get(f"/api/attachments/{png['id']}")).headers["content-type"] == "image/png"
    assert (await said(site, "ch_hub", "see", attachmentIds=[png["id"]]))["body"] == {"attachmentIds": [png["id"]]}
    missing = await site.http.post("/api/chat", json={"text": "see", "attachmentIds": ["att_x"]})
    refused(missing, 404, "not_found")
    refused(await site.http.post("/api/attachments", files={"wrong": ("a", b"x")}), 400, "invalid_input")
    refused(await site.http.post("/api/attachments", json={}), 400, "invalid_input")


async def test_operators(site: Site) -> None:
    message = await said(site, "ch_hub", "erase me", attachmentIds=[
        (await site.http.post("/api/attachments", files={"file": ("a", b"x")})).json()["id"]
    ])  # fmt: skip
    await site.prime.parts.brain.notes.catch_up()  # a note that came later would be one more to erase
    backup = (await site.http.post("/api/admin/backup")).json()
    assert [b["name"] for b in (await site.http.get("/api/admin/backups")).json()["items"]] == [backup["name"]]
    erased = (await site.http.post("/api/admin/erase", json={"messageIds": [message["id"]]})).json()
    assert erased["messageIds"][0] == message["id"]  # and what was noted about its attachment
    assert len(erased["attachmentIds"]) == 1
    assert erased["backups"] == [backup["name"]]
    refused(await site.http.post("/api/admin/erase", json={"messageIds": [message["id"]]}), 409, "conflict")
    refused(await site.http.post("/api/admin/erase", json={"messageIds": ["msg_x"]}), 404, "not_found")
    shown = (await site.http.get("/api/channels/ch_hub/messages")).json()["items"]
    assert next(m["text"] for m in shown if m["id"] == message["id"]) == ""
    rebuilt = (await site.http.post("/api/admin/rebuild", json={})).json()
    assert rebuilt["names"] == site.prime.parts.store.projector.names
    refused(await site.http.post("/api/admin/rebuild", json={"name": "nothing"}), 404, "not_found")
    assert (await site.http.get("/api/admin/rebuild")).json()["running"] is False


async def test_an_unexpected_error_names_itself_and_tells_nothing_more(site: Site) -> None:
    await site.prime.parts.store.database.close()
    answer = await site.http.get("/api/channels")
    assert answer.status_code in {500, 503}
    assert "Traceback" not in answer.text
    assert set(answer.json()["error"]) <= {"code", "message", "hint", "incident"}
    assert (await site.http.post("/api/channels/ch_hub/messages", json={"text": "x"})).status_code in {500, 503}
