"""Signing in: what a link is good for, what asking for one tells, and what becomes of sessions."""

import asyncio
import base64
import re
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from email.message import EmailMessage
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Protocol

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.certificates import certificate
from tests.web.conftest import running

from prime.accounts import queries
from prime.accounts.mail import MailServer, SmtpMailer
from prime.accounts.signing_in import MAIL_BURST, MOST_WAITING, NOBODY, Asker
from prime.app import Prime
from prime.core.clock import FakeClock
from prime.core.errors import Unavailable

OWNER = "me@example.com"


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock


class Mail(Protocol):
    url: str
    mails: "asyncio.Queue[EmailMessage]"
    refusing: int


class Serving(Protocol):
    url: str
    process: "object"


SMTP_WORDS = {b"EHLO": b"250-here\r\n250-AUTH PLAIN\r\n250 STARTTLS", b"AUTH": b"235 you", b"STARTTLS": b"220 go"}

OpenSite = Callable[..., Awaitable[Site]]
Said = dict[str, object]


@pytest.fixture
async def mailed(open_site: OpenSite, mail_server: Mail) -> Site:
    return await open_site(PRIME_OWNER_EMAIL=OWNER, PRIME_SMTP_URL=mail_server.url)


async def asked(site: Site, email: str = OWNER, path: str = "/api/auth/request") -> httpx2.Response:
    return await site.http.post(path, json={"email": email})


async def link_in(mail_server: Mail) -> str:
    mail = await asyncio.wait_for(mail_server.mails.get(), 10)
    found = re.search(r"https?://\S+/api/auth/verify\?token=(\S+)", mail.get_content())
    assert found
    return f"/api/auth/verify?token={found[1]}"


def other_browser(site: Site) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(app=site.prime.app)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787")


async def test_the_mail_brings_the_owner_in(mailed: Site, mail_server: Mail) -> None:
    assert (await asked(mailed, " ME@Example.com")).json() == {"ok": True}
    path = await link_in(mail_server)
    answer = await mailed.http.get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert (await mailed.http.get("/api/status")).status_code == 200
    assert "prime_browser" not in mailed.http.cookies  # used, and taken back


async def test_the_link_is_for_the_browser_that_asked(mailed: Site, mail_server: Mail) -> None:
    await asked(mailed)
    path = await link_in(mail_server)
    async with other_browser(mailed) as thief:
        for browser in (None, "x" * 43):
            if browser:
                thief.cookies.set("prime_browser", browser)
            answer = await thief.get(path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "other_browser")
            assert "prime_session" not in answer.headers.get("set-cookie", "")
        person = await thief.get(path, headers={"accept": "text/html,*/*"})
        assert (person.status_code, person.headers["location"]) == (303, "/sign-in?problem=other_browser")
    assert (await mailed.http.get(path)).status_code == 303  # and it was not used up by them
    assert (await mailed.http.get(path)).json()["error"]["code"] == "link_spent"


async def test_a_link_runs_out_after_fifteen_minutes(mailed: Site, mail_server: Mail) -> None:
    await asked(mailed)
    path = await link_in(mail_server)
    mailed.clock.advance(15 * 60)
    assert (await mailed.http.get(path)).json()["error"]["code"] == "link_spent"


async def test_of_many_clicks_at_once_one_gets_in(mailed: Site, mail_server: Mail) -> None:
    await asked(mailed)
    path = await link_in(mail_server)
    answers = await asyncio.gather(*(mailed.http.get(path) for _ in range(12)))
    assert sorted(a.status_code for a in answers) == [303] + [401] * 11


async def test_a_session_that_was_brought_along_is_not_taken_up(mailed: Site, mail_server: Mail) -> None:
    """Session fixation."""
    planted = "p" * 65
    mailed.http.cookies.set("prime_session", planted)
    await asked(mailed)
    answer = await mailed.http.get(await link_in(mail_server))
    given = SimpleCookie(answer.headers.get_list("set-cookie")[0])["prime_session"].value
    assert given != planted
    async with other_browser(mailed) as other:
        other.cookies.set("prime_session", planted)
        assert (await other.get("/api/status")).status_code == 401


async def test_asking_tells_nobody_who_the_owner_is(mailed: Site, mail_server: Mail) -> None:
    answers = [await asked(mailed, email) for email in (OWNER, "you@example.com", "x@" + "y" * 200)]
    shown = {(a.status_code, a.text, tuple(sorted(a.headers)), len(a.headers["set-cookie"])) for a in answers}
    assert len(shown) == 1
    mail = await asyncio.wait_for(mail_server.mails.get(), 10)
    assert mail["To"] == OWNER
    await asked(mailed)  # the worker takes one after the other, so strangers' turns are over when this one comes
    assert (await asyncio.wait_for(mail_server.mails.get(), 10))["To"] == OWNER
    assert mail_server.mails.empty()


async def test_a_stranger_costs_the_same_writes_as_the_owner(mailed: Site, mail_server: Mail) -> None:
    """What could be measured from outside is the work in the database; there is none that only one of them causes."""

    def rows() -> Awaitable[int]:
        return mailed.prime.parts.store.database.read(
            lambda c: int(c.exec_driver_sql("SELECT count(*) FROM sign_in_link").scalar_one())
        )

    for number, email in enumerate(["stranger@example.com", OWNER], start=1):
        await asked(mailed, email)
        if email == OWNER:
            await link_in(mail_server)
            assert await rows() == number


@pytest.mark.parametrize(
    "email",
    ["me@example.com\r\nBcc: all@example.com", "me@example.com\n", "me@example.com\x00", "<me@example.com>", "@@@", "x" * 255],
)  # fmt: skip
async def test_addresses_cannot_smuggle_anything(mailed: Site, mail_server: Mail, email: str) -> None:
    answer = await asked(mailed, email)
    assert answer.status_code in {200, 400}
    await asked(mailed)
    mail = await asyncio.wait_for(mail_server.mails.get(), 10)
    assert (mail["To"], mail["Bcc"]) == (OWNER, None)


async def test_what_a_database_refuses_ends_nobody_elses_mails(
    open_site: OpenSite, mail_server: Mail, postgresql_url: str
) -> None:
    """PostgreSQL takes no NUL, and one stranger's address with such a one was the last that was looked at."""
    settings = {"PRIME_DATABASE_URL": postgresql_url, "PRIME_SECRET_KEY": "ab" * 32}
    site = await open_site(PRIME_OWNER_EMAIL=OWNER, PRIME_SMTP_URL=mail_server.url, **settings)
    assert (await asked(site, "no\x00body@example.com")).json() == {"ok": True}
    await asked(site)
    assert (await site.http.get(await link_in(mail_server))).status_code == 303


async def test_one_address_may_ask_only_so_often(mailed: Site) -> None:
    statuses = [(await asked(mailed, f"x{n}@example.com")).status_code for n in range(6)]
    assert statuses == [200] * 5 + [429]
    late = await asked(mailed)
    assert (late.json()["error"]["code"], int(late.headers["retry-after"]) > 0) == ("rate_limited", True)
    mailed.clock.advance(31)
    assert (await asked(mailed)).status_code == 200


def at(site: Site, address: str) -> httpx2.AsyncClient:
    """A browser somewhere else."""
    transport = httpx2.ASGITransport(app=site.prime.app, client=(address, 5000))
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787")


async def ask_from(site: Site, address: str, times: int) -> None:
    async with at(site, address) as stranger:
        for _ in range(times):
            assert (await stranger.post("/api/auth/request", json={"email": OWNER})).json() == {"ok": True}


async def test_one_stranger_cannot_use_up_the_owners_mails(mailed: Site, mail_server: Mail) -> None:
    for _ in range(10):  # as often as they are let
        await ask_from(mailed, "198.51.100.7", 5)
        mailed.clock.advance(151)
    await asked(mailed)
    came = False
    while not came:
        came = (await mailed.http.get(await link_in(mail_server))).status_code == 303
    assert (await mailed.http.get("/api/auth/me")).json()["role"] == "owner"


async def test_a_browser_that_signed_in_before_is_heard_among_many(mailed: Site, mail_server: Mail) -> None:
    """Strangers at many addresses use up what is sent to one person."""
    token = await mailed.prime.parts.accounts.links.make()
    await mailed.http.get(f"/api/auth/verify?token={token}")
    await mailed.http.post("/api/auth/logout")
    known = mailed.http.cookies["prime_known"]
    assert (await mailed.http.get("/api/status")).status_code == 401  # it opens nothing
    for n in range(MAIL_BURST):
        await ask_from(mailed, f"198.51.100.{n}", 1)
    async with at(mailed, "203.0.113.1") as unknown, at(mailed, "203.0.113.1") as forging:
        forging.cookies.set("prime_known", known[:-1] + ("0" if known[-1] != "0" else "1"))
        for browser in (unknown, forging):
            await browser.post("/api/auth/request", json={"email": OWNER})
    await asked(mailed)
    paths = [await link_in(mail_server) for _ in range(MAIL_BURST + 1)]
    assert mail_server.mails.empty()
    assert (await mailed.http.get(paths[-1])).status_code == 303  # nobody else's came after those to strangers


async def test_a_browser_that_signed_in_before_is_heard_beside_a_stranger_at_its_address(mailed: Site) -> None:
    token = await mailed.prime.parts.accounts.links.make()
    await mailed.http.get(f"/api/auth/verify?token={token}")
    mailed.http.cookies.delete("prime_session")
    async with other_browser(mailed) as stranger:
        answers = [(await stranger.post("/api/auth/request", json={"email": OWNER})).status_code for _ in range(6)]
    assert answers[-1] == 429
    assert (await asked(mailed)).status_code == 200


async def test_a_known_browser_finds_room_in_a_queue_that_strangers_filled(mailed: Site, mail_server: Mail) -> None:
    sign_in, known = mailed.prime.parts.accounts.sign_in, mailed.prime.parts.accounts.links.vouch()
    # No step of the worker lies between these.
    for n in range(MOST_WAITING):
        sign_in.request("x@example.com", Asker(f"198.51.{n // 250}.{n % 250}"))
    sign_in.request(OWNER, Asker("203.0.113.1"))
    sign_in.request(OWNER, Asker("203.0.113.1", known=known))
    await link_in(mail_server)
    assert mail_server.mails.empty()


async def test_a_link_stays_good_while_others_are_asked_for(mailed: Site, mail_server: Mail) -> None:
    await asked(mailed)
    first = await link_in(mail_server)
    await ask_from(mailed, "198.51.100.7", 4)
    await asked(mailed)
    assert (await mailed.http.get(first)).status_code == 303


@pytest.mark.parametrize("asked_for", ["strasse@example.com", "STRASSE@example.com", "ſtraße@example.com"])
async def test_an_address_that_looks_like_the_owners_is_not_theirs(
    open_site: OpenSite, mail_server: Mail, asked_for: str
) -> None:
    """Folding would make one of them, and whoever has the other's mailbox would be the owner."""
    site = await open_site(PRIME_OWNER_EMAIL="Straße@example.com", PRIME_SMTP_URL=mail_server.url)
    await asked(site, asked_for)
    await asked(site, "STRAßE@example.com")
    mail = await asyncio.wait_for(mail_server.mails.get(), 10)
    assert mail["To"] == "Straße@example.com"
    assert mail_server.mails.empty()


async def test_tokens_cannot_be_tried_one_after_the_other(mailed: Site) -> None:
    statuses = [(await mailed.http.get(f"/api/auth/verify?token={n}")).status_code for n in range(25)]
    assert statuses[:20] == [401] * 20
    assert statuses[20:] == [429] * 5
    spent = await mailed.http.post("/api/invite/accept", json={"token": "x"})
    assert spent.status_code == 429


async def test_the_link_that_is_made_for_a_stranger_opens_nothing(mailed: Site) -> None:
    """One is made for everybody who asks, so that all take the same time; nobody is sent it."""
    token = await mailed.prime.parts.accounts.links.make(guest_id=NOBODY)
    answer = await mailed.http.get(f"/api/auth/verify?token={token}")
    assert (answer.status_code, dict(mailed.http.cookies)) == (404, {})


async def test_mail_that_is_refused_is_tried_again(mailed: Site, mail_server: Mail) -> None:
    mail_server.refusing = 1
    await asked(mailed)
    while mail_server.mails.empty():
        mailed.clock.advance(0.05)
        await asyncio.sleep(0)
    assert (await mailed.http.get(await link_in(mail_server))).status_code == 303


async def test_the_token_changes_every_day_and_the_session_stays(mailed: Site, mail_server: Mail) -> None:
    await asked(mailed)
    await mailed.http.get(await link_in(mail_server))
    first = mailed.http.cookies["prime_session"]
    mailed.clock.advance(24 * 3600)
    answers = await asyncio.gather(*(mailed.http.get("/api/status") for _ in range(5)))
    assert [a.status_code for a in answers] == [200] * 5
    [renewed] = [a.headers["set-cookie"] for a in answers if "set-cookie" in a.headers]  # one of them brings it
    cookie = SimpleCookie(renewed)["prime_session"]
    assert (cookie["httponly"], cookie["samesite"].lower(), int(cookie["max-age"])) == (True, "lax", 29 * 24 * 3600)
    assert mailed.http.cookies["prime_session"] == cookie.value != first
    async with other_browser(mailed) as old:
        old.cookies.set("prime_session", first)
        assert (await old.get("/api/status")).status_code == 200  # a request that was under way
        await mailed.http.get("/api/status")  # the new one is in use
        mailed.clock.advance(61)
        assert (await old.get("/api/status")).status_code == 401
    assert (await mailed.http.get("/api/status")).status_code == 200
    assert len((await mailed.http.get("/api/auth/sessions")).json()["items"]) == 1


async def test_a_new_token_that_got_lost_on_the_way_locks_nobody_out(mailed: Site, mail_server: Mail) -> None:
    await asked(mailed)
    await mailed.http.get(await link_in(mail_server))
    first = mailed.http.cookies["prime_session"]
    for _ in range(3):
        mailed.clock.advance(25 * 3600)
        assert (await mailed.http.get("/api/status")).status_code == 200
        mailed.http.cookies.set("prime_session", first, domain="127.0.0.1", path="/")


async def test_who_signs_out_on_the_day_of_a_new_token_is_out(owned: Site) -> None:
    await owned.http.get(f"/api/auth/verify?token={await owned.prime.parts.accounts.links.make()}")
    owned.clock.advance(25 * 3600)
    answer = await owned.http.post("/api/auth/logout")
    assert [SimpleCookie(each)["prime_session"].value for each in answer.headers.get_list("set-cookie")] == [""]
    assert "prime_session" not in owned.http.cookies


async def test_sessions_are_listed_and_ended(mailed: Site, mail_server: Mail) -> None:
    await asked(mailed)
    await mailed.http.get(await link_in(mail_server), headers={b"user-agent": b"Phone\x00 \xff"})
    async with other_browser(mailed) as laptop, other_browser(mailed) as lost:
        for browser in (laptop, lost):
            token = await mailed.prime.parts.accounts.links.make()
            await browser.get(f"/api/auth/verify?token={token}")
        items = (await mailed.http.get("/api/auth/sessions")).json()["items"]
        assert len(items) == 3
        assert [i["device"] for i in items if i["current"]] == ["Phone ÿ"]
        assert not any(token in str(items) for token in mailed.http.cookies.values())
        mine = (await lost.get("/api/auth/me")).json()["sessionId"]
        assert (await mailed.http.delete(f"/api/auth/sessions/{mine}")).json() == {"ok": True}
        assert (await lost.get("/api/status")).status_code == 401
        assert (await mailed.http.delete(f"/api/auth/sessions/{mine}")).status_code == 404
        assert (await mailed.http.delete("/api/auth/sessions")).json() == {"ended": 1}
        assert (await laptop.get("/api/status")).status_code == 401
    assert (await mailed.http.get("/api/status")).status_code == 200


@pytest.mark.parametrize(
    ("kind", "ended_by"),
    [("http", "/api/auth/sessions/{session}"), ("http", "/api/auth/sessions"), ("http", "/api/auth/logout"),
     ("http", "/api/invites/{guest}"), ("websocket", "/api/auth/sessions/{session}"), ("websocket", "/api/auth/logout")],
)  # fmt: skip
async def test_what_is_open_ends_with_its_session(owned: Site, kind: str, ended_by: str) -> None:
    accounts, sent, heard = owned.prime.parts.accounts, asyncio.Queue[Said](), asyncio.Queue[Said]()
    await owned.http.get(f"/api/auth/verify?token={await accounts.links.make()}")
    channel = (await owned.http.post("/api/channels", json={"name": "Project", "tier": "team"})).json()["id"]
    guest = (await owned.http.post("/api/invites", json={"name": "Ana", "channelIds": [channel]})).json()["guest"]["id"]
    opened = await accounts.sessions.open("phone", guest_id=guest if "guest" in ended_by else None)
    path = {"http": "/events", "websocket": "/mcp/ws"}[kind]
    headers = [(b"host", b"127.0.0.1:8787"), (b"cookie", f"prime_session={opened.token}".encode())]
    scope = {
        "type": kind, "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers,
        "client": ("127.0.0.1", 1), "scheme": "http", "http_version": "1.1", "server": ("127.0.0.1", 8787),
        "root_path": "", "subprotocols": [],
    }  # fmt: skip
    heard.put_nowait({"type": f"{kind}.connect"} if kind == "websocket" else {"type": "http.request"})
    serving = asyncio.create_task(owned.prime.app(scope, heard.get, sent.put))  # pyright: ignore[reportArgumentType]
    first = await asyncio.wait_for(sent.get(), 10)
    assert first.get("status") == 200 or first["type"] == "websocket.accept"
    async with other_browser(owned) as phone:
        phone.cookies.set("prime_session", opened.token)
        if ended_by.endswith("logout"):
            await phone.post(ended_by)
        else:
            await owned.http.delete(ended_by.format(session=opened.id, guest=guest))
        assert (await phone.get("/api/auth/me")).json()["role"] == "nobody"
    await asyncio.wait_for(serving, 10)
    after = [sent.get_nowait() for _ in range(sent.qsize())]
    ends = [said for said in after if said["type"] == "websocket.close" or said.get("more_body") is False]
    assert after[-1:] == ends  # once, and nothing behind it
    assert ends[0].get("code", 1008) == 1008


@pytest.mark.parametrize("role", ["owner", "guest"])
async def test_what_another_replica_ended_is_noticed(owned: Site, role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prime.web.lasting.LOOK_SECONDS", 0.01)
    parts = owned.prime.parts
    await owned.http.get(f"/api/auth/verify?token={await parts.accounts.links.make()}")
    channel = (await owned.http.post("/api/channels", json={"name": "Project", "tier": "team"})).json()["id"]
    guest, _ = await parts.accounts.guests.invite("Ana", [channel], None)
    opened = await parts.accounts.sessions.open("phone", guest_id=guest.id if role == "guest" else None)
    sent, never = asyncio.Queue[Said](), asyncio.Event()

    async def receive() -> Said:
        await never.wait()
        return {}

    scope = {
        "type": "http", "method": "GET", "path": "/events", "raw_path": b"/events", "query_string": b"", "headers":
        [(b"host", b"127.0.0.1:8787"), (b"cookie", f"prime_session={opened.token}".encode())], "scheme": "http",
        "client": ("127.0.0.1", 1), "http_version": "1.1", "server": ("127.0.0.1", 8787), "root_path": "",
    }  # fmt: skip
    serving = asyncio.create_task(owned.prime.app(scope, receive, sent.put))  # pyright: ignore[reportArgumentType]
    assert (await asyncio.wait_for(sent.get(), 10))["status"] == 200
    await parts.store.database.write(lambda c: queries.end_session(c, opened.id))
    await asyncio.wait_for(serving, 10)


async def test_what_another_replica_ended_is_heard_of_at_once(
    tmp_path: Path, new_postgresql_url: Callable[[], Awaitable[str]]
) -> None:
    """Who is signed out here hears nothing more there, where they have the stream open. A word alone ends nothing."""
    shared = {
        "PRIME_DATABASE_URL": await new_postgresql_url(),
        "PRIME_PUBLIC_URL": "http://127.0.0.1:8787",
        "PRIME_OWNER_EMAIL": OWNER,
    }
    async with running(tmp_path / "a", **shared) as here, running(tmp_path / "b", **shared) as there:
        opened = await here.prime.parts.accounts.sessions.open("phone")
        sent, never = asyncio.Queue[Said](), asyncio.Event()

        async def receive() -> Said:
            await never.wait()
            return {}

        scope = {
            "type": "http", "method": "GET", "path": "/events", "raw_path": b"/events", "query_string": b"", "headers":
            [(b"host", b"127.0.0.1:8787"), (b"cookie", f"prime_session={opened.token}".encode())], "scheme": "http",
            "client": ("127.0.0.1", 1), "http_version": "1.1", "server": ("127.0.0.1", 8787), "root_path": "",
        }  # fmt: skip
        serving = asyncio.create_task(there.prime.app(scope, receive, sent.put))  # pyright: ignore[reportArgumentType]
        assert (await asyncio.wait_for(sent.get(), 10))["status"] == 200
        parts = there.prime.parts
        heard = asyncio.Event()
        parts.store.whispers.listen("ended", lambda _: heard.set())
        here.prime.parts.store.whispers.tell("ended/x", {"sessionId": opened.id})
        await asyncio.wait_for(heard.wait(), 10)
        assert (await asyncio.wait_for(sent.get(), 10))["type"] == "http.response.body"
        assert not serving.done()
        await here.prime.parts.accounts.sessions.end(opened.id)
        await asyncio.wait_for(serving, 10)


async def test_behind_a_proxy_that_does_https_cookies_are_for_https(open_site: OpenSite) -> None:
    """Where nobody said what the public address is."""
    site = await open_site(base_url="https://127.0.0.1:8787", PRIME_OWNER_EMAIL=OWNER)
    answer = await site.http.get(f"/api/auth/verify?token={await site.prime.parts.accounts.links.make()}")
    session = SimpleCookie(answer.headers.get_list("set-cookie")[0])["__Host-prime_session"]
    assert (session["secure"], session["path"], session["domain"]) == (True, "/", "")


async def test_a_browser_that_is_signed_out_keeps_nothing_and_is_told_nothing(owned: Site) -> None:
    await owned.http.get(f"/api/auth/verify?token={await owned.prime.parts.accounts.links.make()}")
    point = ec.generate_private_key(ec.SECP256R1()).public_key()
    p256dh = base64.urlsafe_b64encode(point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)).decode()
    given = {"endpoint": "http://127.0.0.1:9/phone", "keys": {"p256dh": p256dh, "auth": "AAAAAAAAAAAAAAAAAAAAAA"}}
    assert (await owned.http.post("/api/push/subscribe", json=given)).json()["current"] is True
    answer = await owned.http.post("/api/auth/logout")
    assert answer.headers["clear-site-data"] == '"cache"'
    assert await owned.prime.parts.push.devices() == []


async def test_signing_the_others_out_leaves_guests_alone(owned: Site) -> None:
    accounts = owned.prime.parts.accounts
    await owned.http.get(f"/api/auth/verify?token={await accounts.links.make()}")
    await accounts.sessions.open("laptop")
    kept = await accounts.sessions.open("Ana's", guest_id="gst_ana")
    assert (await owned.http.delete("/api/auth/sessions")).json() == {"ended": 1}
    assert await accounts.sessions.is_open(kept.id)


async def test_over_https_cookies_are_for_this_host_over_https(open_site: OpenSite, mail_server: Mail) -> None:
    site = await open_site(
        "https://prime.example.com",
        PRIME_OWNER_EMAIL=OWNER,
        PRIME_PUBLIC_URL="https://prime.example.com",
        PRIME_SMTP_URL=mail_server.url,
    )
    await asked(site)
    path = await link_in(mail_server)
    answer = await site.http.get(path)
    for header in answer.headers.get_list("set-cookie"):
        assert header.startswith("__Host-")
        assert {"secure", "httponly", "path=/"} <= {part.strip().lower() for part in header.split(";")}
    status = await site.http.get("/api/status")
    assert (status.status_code, status.headers["strict-transport-security"]) == (200, "max-age=31536000")


async def test_over_http_nobody_is_bound_to_https(mailed: Site) -> None:
    assert "strict-transport-security" not in (await mailed.http.get("/healthz")).headers


async def test_links_lead_to_our_page_whatever_the_host_header_says(open_site: OpenSite, mail_server: Mail) -> None:
    """Host header poisoning, and open redirects."""
    site = await open_site(PRIME_HOST="0.0.0.0", PRIME_OWNER_EMAIL=OWNER, PRIME_SMTP_URL=mail_server.url)
    for headers in ({"host": "evil.example"}, {"x-forwarded-host": "evil.example"}):
        await site.http.post("/api/auth/request", json={"email": OWNER}, headers=headers)
        mail = await asyncio.wait_for(mail_server.mails.get(), 10)
        assert "evil.example" not in mail.as_string()
    token = await site.prime.parts.accounts.links.make()
    for more in ("&next=https://evil.example", "&redirect=//evil.example", "#//evil.example"):
        answer = await site.http.get(f"/api/auth/verify?token={token}{more}", headers={"host": "evil.example"})
        assert answer.headers.get("location", "/") in {"/", "/sign-in?problem=link_spent"}


def test_without_a_mail_server_the_console_has_the_link(serve: Callable[..., Serving], tmp_path: Path) -> None:
    server = serve(PRIME_OWNER_EMAIL=OWNER)
    with httpx2.Client(base_url=server.url) as http:
        assert http.post("/api/auth/request", json={"email": OWNER}).json() == {"ok": True}
        line = ""
        while "verify?token=" not in line:
            line = server.process.stdout.readline()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
            assert line
        assert http.get(str(line.split()[-1])).status_code == 303  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        assert http.get("/api/auth/me").json()["role"] == "owner"


@pytest.mark.parametrize("url", ["http://x", "smtp://", "smtp://[", "smtp://host:99999", "mail.example.com"])
async def test_a_mail_address_that_cannot_be_is_said_at_the_start(open_site: OpenSite, url: str) -> None:
    with pytest.raises(Exception, match="PRIME_SMTP_URL"):
        await open_site(PRIME_SMTP_URL=url)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1"])
async def test_a_password_goes_to_no_server_elsewhere_in_the_open(mail_server: Mail, host: str) -> None:
    """The second is this machine as well, but by its name nobody can tell."""
    url = mail_server.url.replace("smtp://127.0.0.1", f"smtp://me:s3cr3t@{host}")
    mailer = SmtpMailer(MailServer.read(url, default_sender="prime@example.com"))
    with pytest.raises(Unavailable) as refused:
        await mailer.send(OWNER, "Hello", "Hello")
    assert ("offers no encryption" in refused.value.message) == (host == "127.1")


async def test_mail_is_encrypted_wherever_a_server_elsewhere_can(tmp_path: Path) -> None:
    cert, key = certificate(tmp_path, "127.1")
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(cert, key)
    open_words, hidden_words = list[bytes](), list[bytes]()

    def converse(connection: socket.socket, heard: list[bytes]) -> None:
        with connection.makefile("rwb", buffering=0) as file:
            while line := file.readline():
                heard.append(line.split()[0].upper())
                if heard[-1] == b"DATA":
                    file.write(b"354 go on\r\n")
                    while file.readline() != b".\r\n":
                        pass
                file.write(SMTP_WORDS.get(heard[-1], b"250 fine") + b"\r\n")
                if heard[-1] == b"STARTTLS":
                    with suppress(OSError), tls.wrap_socket(connection, server_side=True) as hidden:
                        converse(hidden, hidden_words)
                    return

    def serve() -> None:
        connection, _ = door.accept()
        with connection:
            connection.sendall(b"220 here\r\n")
            converse(connection, open_words)

    async def send(host: str, context: ssl.SSLContext | None) -> None:
        serving = asyncio.create_task(asyncio.to_thread(serve))
        url = f"smtp://prime:password@{host}:{door.getsockname()[1]}"
        try:
            await SmtpMailer(MailServer.read(url, default_sender="p@example.com"), context).send(
                OWNER, "Sign in", "link"
            )
        finally:
            await serving

    with socket.create_server(("127.0.0.1", 0)) as door:
        await send("127.1", ssl.create_default_context(cafile=str(cert)))
        assert open_words == [b"EHLO", b"STARTTLS"]
        assert hidden_words == [b"EHLO", b"AUTH", b"MAIL", b"RCPT", b"DATA", b"QUIT"]
        with pytest.raises(Unavailable):  # somebody else's certificate: nothing is said
            await send("127.1", None)
        assert open_words == [b"EHLO", b"STARTTLS"] * 2
        await send("127.0.0.1", None)  # on this machine nobody listens in
        assert open_words[4:] == [b"EHLO", b"AUTH", b"MAIL", b"RCPT", b"DATA", b"QUIT"]
