"""Guests: a session that reaches its channels, and nothing else."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Protocol

import httpx2
import pytest
from fastapi.routing import iter_route_contexts
from starlette.types import Receive, Scope, Send

from prime.accounts.guest import queries
from prime.accounts.guest.pace import BYTES, MESSAGES
from prime.accounts.guest.streams import STREAMS
from prime.app import Prime
from prime.core.clock import FakeClock
from prime.store.message import Audience, Kind, NewMessage
from prime.web.gate import is_public
from prime.web.guest import follow


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock


class Mail(Protocol):
    url: str
    mails: "asyncio.Queue[EmailMessage]"


OpenSite = Callable[..., Awaitable[Site]]


@dataclass
class Party:
    """An owner who is signed in, two channels, and a guest of the first of them."""

    owner: httpx2.AsyncClient
    guest: httpx2.AsyncClient
    site: Site
    mine: str
    other: str
    guest_id: str
    actor_id: str


def browser(site: Site) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(app=site.prime.app, raise_app_exceptions=False)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787")


async def signed_in(site: Site) -> None:
    token = await site.prime.parts.accounts.links.make()
    await site.http.get(f"/api/auth/verify?token={token}")


async def channel(site: Site, name: str, tier: str = "team") -> str:
    made = await site.http.post("/api/channels", json={"name": name, "tier": tier, "brief": f"about {name}"})
    return made.json()["id"]


async def invited(site: Site, channels: list[str], **more: object) -> tuple[str, str]:
    """The guest's id and the token of their link."""
    answer = await site.http.post("/api/invites", json={"name": "Ana", "channelIds": channels, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()["guest"]["id"], answer.json()["url"].partition("#")[2]


@pytest.fixture
async def party(owned: Site) -> Party:
    await signed_in(owned)
    mine, other = await channel(owned, "Project"), await channel(owned, "Money")
    await owned.http.post(f"/api/channels/{mine}/messages", json={"text": "the launch is on monday"})
    await owned.http.post(f"/api/channels/{other}/messages", json={"text": "the launch costs a million"})
    guest_id, token = await invited(owned, [mine])
    guest = browser(owned)
    assert (await guest.post("/api/invite/accept", json={"token": token})).json() == {"channelIds": [mine]}
    me = (await guest.get("/api/auth/me")).json()
    assert (me["role"], me["name"], me["channelIds"]) == ("guest", "Ana", [mine])
    return Party(owned.http, guest, owned, mine, other, guest_id, me["actorId"])


def routes(site: Site) -> Iterator[tuple[str, str]]:
    for context in iter_route_contexts(site.prime.app.routes.routes):
        for method in sorted(context.methods or {"GET"}):
            yield method, str(context.path)


GUEST_ROUTES = {
    ("GET", "/api/channels"),
    ("GET", "/api/channels/{channel_id}"),
    ("GET", "/api/channels/{channel_id}/messages"),
    ("POST", "/api/channels/{channel_id}/messages"),
    ("GET", "/api/actors"),
    ("GET", "/api/brain/recall"),
    ("POST", "/api/attachments"),
    ("GET", "/api/attachments/{attachment_id}"),
    ("GET", "/events"),
}


@pytest.mark.holds("D-HUB-9")
async def test_every_other_route_is_closed_to_a_guest(party: Party) -> None:
    tried = 0
    for method, path in routes(party.site):
        if is_public(method, path) or (method, path) in GUEST_ROUTES:
            continue
        answer = await party.guest.request(method, path.replace("{", "x").replace("}", "x"))
        assert answer.status_code == 403, (method, path)
        tried += 1
    assert tried > 20
    assert (await party.guest.get("/mcp")).status_code == 401  # a client's token opens it, a guest's session does not
    for path in ("/api/nothing", "/openapi.json", "/metrics", "/api", "/api/channels/", "/api//status"):
        assert (await party.guest.get(path)).status_code == 403, path


@pytest.mark.holds("D-HUB-10")
async def test_a_guest_decides_nothing_for_the_owner(party: Party) -> None:
    from prime.rooms.questions import Asking

    asked = await party.site.prime.parts.questions.ask(Asking(text="Sell?", channel_id=party.mine))
    for call in (
        party.guest.post(f"/api/questions/{asked.id}/answer", json={"text": "yes"}),
        party.guest.put("/api/settings", json={"values": {"PRIME_TICK_MS": 1}}),
        party.guest.put("/api/secrets/x", json={"value": "y"}),
        party.guest.post("/api/chat", json={"text": "hello"}),
        party.guest.post("/api/invites", json={"name": "Bo", "channelIds": [party.mine]}),
        party.guest.patch(f"/api/channels/{party.mine}", json={"name": "Mine now"}),
        party.guest.post("/api/admin/backup"),
        party.guest.get("/api/admin/backups", headers={"x-prime-admin": "operator-token"}),
    ):
        assert (await call).status_code == 403
    operator = browser(party.site)
    answer = await operator.post(
        f"/api/questions/{asked.id}/answer", json={"text": "yes"}, headers={"x-prime-admin": "operator-token"}
    )
    assert answer.status_code == 403
    assert (await party.site.prime.parts.questions.get(asked.id)).status == "pending"


async def test_a_guest_reads_and_writes_their_channel(party: Party) -> None:
    [shown] = (await party.guest.get("/api/channels")).json()["items"]
    assert (shown["id"], shown["name"]) == (party.mine, "Project")
    assert (await party.guest.get(f"/api/channels/{party.mine}")).json() == shown
    said = await party.guest.post(f"/api/channels/{party.mine}/messages", json={"text": "hello all"})
    assert (said.status_code, said.json()["actorId"]) == (201, party.actor_id)
    texts = [m["text"] for m in (await party.guest.get(f"/api/channels/{party.mine}/messages")).json()["items"]]
    assert texts[-1] == "hello all"
    assert "the launch is on monday" in texts
    owners = (await party.owner.get(f"/api/channels/{party.mine}/messages")).json()["items"]
    assert [m["text"] for m in owners if m["actorId"] == party.actor_id] == ["hello all"]
    actors = (await party.guest.get("/api/actors")).json()["items"]
    assert {a["id"] for a in actors} == {"act_owner", "act_prime", party.actor_id}


async def test_what_lies_elsewhere_is_not_there(party: Party) -> None:
    for channel_id in (party.other, "ch_hub", "ch_nobody"):
        for call in (
            party.guest.get(f"/api/channels/{channel_id}"),
            party.guest.get(f"/api/channels/{channel_id}/messages"),
            party.guest.post(f"/api/channels/{channel_id}/messages", json={"text": "x"}),
        ):
            answer = await call
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


async def test_what_the_hub_thinks_of_a_channel_is_not_its_guests(party: Party) -> None:
    log = party.site.prime.parts.store.log
    await log.append(
        NewMessage(channel_id=party.mine, actor_id="act_prime", kind="thought", text="hidden thought"),
        NewMessage(channel_id=party.mine, actor_id="act_prime", kind="decision", text="hidden decision"),
        NewMessage(channel_id=party.mine, actor_id="act_prime", kind="note", text="hidden note", audience="hub"),
    )
    shown = await party.guest.get(f"/api/channels/{party.mine}/messages")
    found = await party.guest.get("/api/brain/recall", params={"q": "hidden"})
    assert "hidden" not in shown.text
    assert found.json()["items"] == []


async def test_recall_is_within_their_channels(party: Party) -> None:
    hits = (await party.guest.get("/api/brain/recall", params={"q": "launch"})).json()["items"]
    assert {hit["channelId"] for hit in hits} == {party.mine}
    for q in (f"launch in:{party.other}", "million", "in:Money", "from:owner million"):
        found = (await party.guest.get("/api/brain/recall", params={"q": q})).json()["items"]
        assert all(hit["channelId"] == party.mine for hit in found), q
        assert "million" not in json.dumps([hit["snippet"] for hit in found])


async def upload(http: httpx2.AsyncClient, content: bytes) -> str:
    answer = await http.post("/api/attachments", files={"file": ("a.txt", content, "text/plain")})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def test_attachments_are_those_of_their_channels(party: Party) -> None:
    shown, hidden, unsaid = [await upload(party.owner, text) for text in (b"shown", b"hidden", b"unsaid")]
    await party.owner.post(f"/api/channels/{party.mine}/messages", json={"text": "see", "attachmentIds": [shown]})
    await party.owner.post(f"/api/channels/{party.other}/messages", json={"text": "see", "attachmentIds": [hidden]})
    assert (await party.guest.get(f"/api/attachments/{shown}")).content == b"shown"
    for attachment_id in (hidden, unsaid, "att_%", "%", "_"):
        assert (await party.guest.get(f"/api/attachments/{attachment_id}")).status_code == 404
    # Nor by taking it into a message of their own, in any way.
    for body in ({"text": hidden}, {"text": "x", "attachmentIds": [hidden]}):
        await party.guest.post(f"/api/channels/{party.mine}/messages", json=body)
        assert (await party.guest.get(f"/api/attachments/{hidden}")).status_code == 404
    own = await upload(party.guest, b"mine")
    said = await party.guest.post(f"/api/channels/{party.mine}/messages", json={"text": "x", "attachmentIds": [own]})
    assert said.status_code == 201
    assert (await party.owner.get(f"/api/attachments/{own}")).content == b"mine"


async def test_a_guest_does_not_fill_the_owners_disk(party: Party) -> None:
    pace = party.site.prime.parts.accounts.guests.pace
    for _ in range(MESSAGES):
        pace.say(party.guest_id)
    pace.bring(party.guest_id, BYTES - 10)
    said = await party.guest.post(f"/api/channels/{party.mine}/messages", json={"text": "and on"})
    brought = await party.guest.post("/api/attachments", files={"file": ("a.txt", b"more than that", "text/plain")})
    assert (said.status_code, brought.status_code) == (429, 429)
    assert int(said.headers["retry-after"]) >= 1
    party.site.clock.advance(1)
    said = await party.guest.post(f"/api/channels/{party.mine}/messages", json={"text": "later"})
    assert said.status_code == 201
    # The owner's own are not counted.
    assert (
        await party.owner.post("/api/attachments", files={"file": ("a.txt", b"mine", "text/plain")})
    ).status_code == 201


async def test_events_are_those_of_their_channels(party: Party) -> None:
    parts = party.site.prime.parts
    seen = parts.accounts.places.seal(await parts.store.log.head(), party.guest_id)
    await party.owner.post(f"/api/channels/{party.other}/messages", json={"text": "elsewhere"})
    thought = NewMessage(channel_id=party.mine, actor_id="act_prime", kind="thought", text="hidden thought")
    await parts.store.log.append(thought)
    await party.owner.post(f"/api/channels/{party.mine}/messages", json={"text": "here"})
    cookie = "; ".join(f"{name}={value}" for name, value in party.guest.cookies.items())
    sent: asyncio.Queue[dict[str, object]] = asyncio.Queue()
    never = asyncio.Event()
    scope = {
        "type": "http", "method": "GET", "path": "/events", "raw_path": b"/events", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"cookie", cookie.encode()), (b"last-event-id", seen.encode())],
        "client": ("127.0.0.1", 1), "scheme": "http", "http_version": "1.1", "server": ("127.0.0.1", 80), "root_path": "",
    }  # fmt: skip

    async def receive() -> dict[str, object]:
        await never.wait()
        return {}

    serving = asyncio.create_task(party.site.prime.app(scope, receive, sent.put))  # pyright: ignore[reportArgumentType]
    heard = b""
    while b"later" not in heard:
        part = await asyncio.wait_for(sent.get(), 10)
        heard += bytes(part.get("body", b""))  # pyright: ignore[reportArgumentType]
        if b"here" in heard and b"later" not in heard:
            await party.owner.post(f"/api/channels/{party.mine}/messages", json={"text": "later"})
            await party.owner.post("/api/chat", json={"text": "for prime alone"})
    # What is taken away or given while they listen is so from then on.
    await party.owner.put(f"/api/invites/{party.guest_id}/channels", json={"channelIds": [party.other]})
    await party.owner.post(f"/api/channels/{party.mine}/messages", json={"text": "taken away"})
    await party.owner.post(f"/api/channels/{party.other}/messages", json={"text": "given now"})
    while b"given now" not in heard:
        heard += bytes((await asyncio.wait_for(sent.get(), 10)).get("body", b""))  # pyright: ignore[reportArgumentType]
    await party.owner.delete(f"/api/invites/{party.guest_id}")
    await asyncio.wait_for(serving, 10)  # it ends with the invitation
    while not sent.empty():
        heard += bytes(sent.get_nowait().get("body", b""))  # pyright: ignore[reportArgumentType]
    for hidden in (b"elsewhere", b"for prime alone", b"hidden thought", b"taken away"):
        assert hidden not in heard


@pytest.mark.holds("D-HUB-9")
async def test_a_guest_cannot_tell_how_much_is_said_elsewhere(party: Party) -> None:
    said = await party.guest.post(f"/api/channels/{party.mine}/messages", json={"text": "hello"})
    path = f"/api/channels/{party.mine}/messages?limit=1"
    pages = [(await party.guest.get(path)).json() for _ in range(2)]
    assert "seq" not in said.json()
    assert "seq" not in pages[0]["items"][0]
    cursors = [page["nextCursor"] for page in pages]
    assert cursors[0] != cursors[1]  # though nothing was said in between
    older = [(await party.guest.get(f"{path}&cursor={cursor}")).json()["items"] for cursor in cursors]
    assert older[0] == older[1]
    owners = (await party.owner.get(path)).json()
    assert owners["items"][0]["seq"] > 0
    parts = party.site.prime.parts
    another = parts.accounts.places.seal(3, "gst_other")
    spoiled = cursors[0][:20] + ("A" if cursors[0][20] != "A" else "B") + cursors[0][21:]
    for wrong in (owners["nextCursor"], another, spoiled, "é" * 48, "A" * 48, "3"):
        assert (await party.guest.get(path, params={"limit": 1, "cursor": wrong})).status_code == 400
        heard = await party.guest.get("/events", headers={b"last-event-id": wrong.encode()})
        assert heard.status_code == 400, wrong


async def test_what_prime_made_a_word_of_is_not_the_guests(party: Party) -> None:
    log = party.site.prime.parts.store.log
    [source] = (await party.owner.get(f"/api/channels/{party.other}/messages?limit=1")).json()["items"]
    made = NewMessage(
        channel_id=party.mine, actor_id="act_prime", kind="text", text="so be it", sources=(source["id"],)
    )
    await log.append(made)
    assert source["id"] in (await party.owner.get(f"/api/channels/{party.mine}/messages")).text
    assert source["id"] not in (await party.guest.get(f"/api/channels/{party.mine}/messages")).text


async def test_the_owner_takes_channels_away_and_the_guest_out(party: Party) -> None:
    changed = await party.owner.put(f"/api/invites/{party.guest_id}/channels", json={"channelIds": [party.other]})
    assert changed.json()["channelIds"] == [party.other]
    assert (await party.guest.get(f"/api/channels/{party.mine}")).status_code == 404
    assert (await party.guest.get(f"/api/channels/{party.other}")).status_code == 200
    await party.site.prime.parts.rooms.leave(party.other, party.actor_id)  # out of the room is out, too
    assert (await party.guest.get("/api/channels")).json()["items"] == []
    assert (await party.owner.delete(f"/api/invites/{party.guest_id}")).json() == {"ok": True}
    assert (await party.guest.get("/api/channels")).status_code == 401
    assert (await party.owner.get("/api/invites")).json()["items"] == []
    assert {each["role"] for each in (await party.owner.get("/api/auth/sessions")).json()["items"]} == {"owner"}


@pytest.mark.parametrize(
    ("kind", "audience", "key", "seen"),
    [("text", "room", "attachmentIds", True), ("note", "room", "attachmentId", True), ("text", "hub", "attachmentIds", False),
     ("thought", "room", "attachmentIds", False), ("text", "room", "quoted", False)],
)  # fmt: skip
async def test_an_attachment_is_seen_where_a_visible_message_has_it(
    party: Party, kind: Kind, audience: Audience, key: str, seen: bool
) -> None:
    attachment_id = await upload(party.owner, b"plan")
    body = {key: [attachment_id] if key.endswith("Ids") else attachment_id}
    said = NewMessage(channel_id=party.mine, actor_id="act_prime", kind=kind, audience=audience, body=body)
    await party.site.prime.parts.store.log.append(said)
    assert (await party.guest.get(f"/api/attachments/{attachment_id}")).status_code == (200 if seen else 404)


async def test_who_was_removed_elsewhere_hears_no_further_word(party: Party) -> None:
    """By another replica, which cannot end a stream of this one."""
    parts = party.site.prime.parts
    reach = await parts.accounts.guests.reach(party.guest_id)
    assert reach is not None
    said = follow(parts, reach, None)
    await anext(said)
    await parts.store.database.write(lambda c: queries.remove_guest(c, party.guest_id))
    waiting = asyncio.create_task(anext(said, b"the end"))
    await party.owner.post(f"/api/channels/{party.other}/messages", json={"text": "elsewhere"})
    assert await asyncio.wait_for(waiting, 10) == b"the end"


async def test_a_guests_oldest_stream_ends_when_there_are_too_many(party: Party) -> None:
    parts = party.site.prime.parts
    reach = await parts.accounts.guests.reach(party.guest_id)
    assert reach is not None
    streams = [follow(parts, reach, None) for _ in range(STREAMS + 1)]
    for stream in streams:
        await anext(stream)
    heard = [asyncio.ensure_future(anext(stream, b"")) for stream in streams]
    await asyncio.sleep(0)
    await party.owner.post(f"/api/channels/{party.mine}/messages", json={"text": "hello"})
    first, *others = await asyncio.gather(*heard)
    assert first == b"" or await anext(streams[0], b"") == b""
    assert all(b"hello" in each for each in others)


async def test_the_server_is_told_whose_connection_it_is(party: Party) -> None:
    """By that it counts a guest's; the owner's it does not."""
    told: list[str | None] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await party.site.prime.app({**scope, "prime.keep": told.append}, receive, send)

    for who in (party.guest, party.owner, browser(party.site)):
        async with httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1:8787", cookies=who.cookies
        ) as seen:
            await seen.get("/api/channels")
    assert told == [party.guest_id, None]


async def test_a_room_that_is_closed_is_not_listed(party: Party) -> None:
    await party.site.prime.parts.rooms.close_channel(party.mine)
    assert (await party.guest.get("/api/channels")).json()["items"] == []


async def test_a_link_of_somebody_who_was_removed_is_gone(party: Party) -> None:
    token = await party.site.prime.parts.accounts.links.make(guest_id=party.guest_id)
    await party.owner.delete(f"/api/invites/{party.guest_id}")
    late = await browser(party.site).get(f"/api/auth/verify?token={token}")
    assert late.json()["error"]["code"] == "link_spent"


async def test_joining_a_room_by_another_way_opens_nothing(party: Party) -> None:
    """A mind may put people into rooms; only the owner lets guests in."""
    await party.site.prime.parts.rooms.join(party.other, party.actor_id)
    assert (await party.guest.get(f"/api/channels/{party.other}")).status_code == 404


async def test_an_invitation_works_once_for_a_week(owned: Site) -> None:
    await signed_in(owned)
    mine = await channel(owned, "Project")
    guest_id, token = await invited(owned, [mine])
    async with browser(owned) as one, browser(owned) as two:
        answers = await asyncio.gather(*(b.post("/api/invite/accept", json={"token": token}) for b in (one, two)))
        assert sorted(a.status_code for a in answers) == [200, 401]

        async def renewed() -> str:
            return (await owned.http.post(f"/api/invites/{guest_id}/link")).json()["url"].partition("#")[2]

        before, new = await renewed(), await renewed()
        answers = [(await two.post("/api/invite/accept", json={"token": each})).status_code for each in (before, new)]
        assert answers == [401, 200]
        again = await renewed()
        owned.clock.advance(7 * 24 * 3600)
        late = await two.post("/api/invite/accept", json={"token": again})
        assert (late.status_code, late.json()["error"]["code"]) == (401, "link_spent")
        for wrong in ("", "x", token, "é" * 65):
            assert (await two.post("/api/invite/accept", json={"token": wrong})).status_code in {400, 401}


async def test_the_owner_does_not_sign_out_by_trying_the_link(owned: Site) -> None:
    await signed_in(owned)
    _, token = await invited(owned, [await channel(owned, "Project")])
    assert (await owned.http.post("/api/invite/accept", json={"token": token})).status_code == 409
    assert (await owned.http.get("/api/auth/me")).json()["role"] == "owner"


@pytest.mark.parametrize(
    ("body", "status"),
    [({"channelIds": ["ch_hub"]}, 400), ({"channelIds": []}, 400), ({"channelIds": ["ch_nobody"]}, 404),
     ({"name": "\u200b"}, 400), ({"email": "a@b\r\nBcc: c@d"}, 400),
     ({"email": "not an address"}, 400), ({"email": "ME@example.com"}, 400),
     ({"channelIds": ["ch_hub", "ch_hub"]}, 400)],
)  # fmt: skip
async def test_invitations_that_make_no_sense(owned: Site, body: dict[str, object], status: int) -> None:
    await signed_in(owned)
    given = {"name": "Ana", "channelIds": [await channel(owned, "Project")], **body}
    assert (await owned.http.post("/api/invites", json=given)).status_code == status


async def test_mail_brings_the_invitation_and_later_sign_ins(open_site: OpenSite, mail_server: Mail) -> None:
    site = await open_site(PRIME_OWNER_EMAIL="me@example.com", PRIME_SMTP_URL=mail_server.url)
    await signed_in(site)
    mine = await channel(site, "Project")
    _, token = await invited(site, [mine], email="Ana@Example.com")
    mail = await asyncio.wait_for(mail_server.mails.get(), 10)
    assert (mail["To"], token in mail.get_content()) == ("ana@example.com", True)
    twice = await site.http.post("/api/invites", json={"name": "A", "channelIds": [mine], "email": "ANA@example.com"})
    assert twice.status_code == 409
    async with browser(site) as guest:
        await guest.post("/api/auth/request", json={"email": "ana@example.com"})
        path = link_in(await asyncio.wait_for(mail_server.mails.get(), 10))
        assert (await guest.get(path)).status_code == 303
        assert (await guest.get("/api/auth/me")).json()["role"] == "guest"


def link_in(mail: EmailMessage) -> str:
    found = re.search(r"/api/auth/verify\?token=\S+", mail.get_content())
    assert found
    return found[0]


async def test_a_contact_claims_their_profile(open_site: OpenSite, mail_server: Mail) -> None:
    site = await open_site(PRIME_OWNER_EMAIL="me@example.com", PRIME_SMTP_URL=mail_server.url)
    await signed_in(site)
    actor = (await site.http.post("/api/actors", json={"name": "Bo", "kind": "human"})).json()["id"]
    made = await site.http.post("/api/channels", json={"name": "With Bo", "tier": "external", "members": [actor]})
    mine = made.json()["id"]
    for wrong in ("act_owner", "act_prime", "act_nobody"):
        body = {"actorId": wrong, "email": "bo@example.com", "channelIds": [mine]}
        assert (await site.http.post("/api/ghosts", json=body)).status_code == 400
    body = {"actorId": actor, "email": "bo@example.com", "channelIds": [mine]}
    ghost = await site.http.post("/api/ghosts", json=body)
    assert (ghost.status_code, ghost.json()["ghost"], ghost.json()["acceptedAt"]) == (201, True, None)
    for email in ("bo@example.com", "bo@another.example"):
        assert (await site.http.post("/api/ghosts", json={**body, "email": email})).status_code == 409
    async with browser(site) as bo:
        assert (await bo.post("/api/claim/request", json={"email": "bo@example.com"})).json() == {"ok": True}
        assert (await bo.post("/api/claim/request", json={"email": "stranger@example.com"})).json() == {"ok": True}
        path = link_in(await asyncio.wait_for(mail_server.mails.get(), 10)).replace("/auth/", "/claim/")
        assert (await bo.get(path)).status_code == 303
        me = (await bo.get("/api/auth/me")).json()
        assert (me["role"], me["actorId"], me["channelIds"]) == ("guest", actor, [mine])
        said = await bo.post(f"/api/channels/{mine}/messages", json={"text": "it is me"})
        assert said.json()["actorId"] == actor
        await bo.post("/api/claim/request", json={"email": "bo@example.com"})
        assert (await bo.get(link_in(await asyncio.wait_for(mail_server.mails.get(), 10)))).status_code == 303
        kinds = [m["kind"] for m in (await site.http.get(f"/api/channels/{mine}/messages")).json()["items"]]
        assert kinds.count("system") == 1  # the room is told, once, that somebody speaks for this contact now
        await site.http.delete(f"/api/invites/{ghost.json()['id']}")
        assert (await bo.get("/api/channels")).status_code == 401
    assert actor in (await site.http.get(f"/api/channels/{mine}")).json()["members"]  # the contact stays


async def test_a_stranger_is_not_told_of_a_hundred_thousand_faults(owned: Site) -> None:
    def body(count: int) -> dict[str, int]:
        return {f"k{number}": 0 for number in range(count)}

    stranger = browser(owned)
    some = await stranger.post("/api/directory/deregister", json=body(10_000))
    assert (some.status_code, len(some.json()["error"]["problems"])) == (400, 20)
    many = await stranger.post("/api/directory/deregister", json=body(60_000))
    assert (many.status_code, many.json()["error"]["code"]) == (413, "too_many_values")
