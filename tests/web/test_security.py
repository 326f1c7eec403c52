"""Attacks that have a name, each tried on the whole app."""

import asyncio
import json
import logging
import socket
import time
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any, Protocol

import httpx2
import pytest
from fastapi.routing import iter_route_contexts

from prime.app import Prime
from prime.core.clock import FakeClock
from prime.core.errors import Unavailable
from prime.core.redaction import Redactor
from prime.core.settings import LogForm, Settings
from prime.web.bodies import SAFE_METHODS
from prime.web.gate import CROWD_BURST, NOISE_BURST, NOISE_WAIT_SECONDS, is_public
from prime.web.logs import LineFormatter, settings_secrets

OWNER = "me@example.com"


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock


class Serving(Protocol):
    @property
    def url(self) -> str: ...
    @property
    def process(self) -> "object": ...


Serve = Callable[..., Serving]


def mutations(site: Site) -> Iterator[tuple[str, str]]:
    for context in iter_route_contexts(site.prime.app.routes.routes):
        for method in sorted((context.methods or set()) - SAFE_METHODS):
            yield method, str(context.path).replace("{", "x").replace("}", "x")


async def test_no_page_elsewhere_can_change_anything(site: Site) -> None:
    """CSRF, on every mutation that there is, with the owner's rights."""
    tried = 0
    for method, path in mutations(site):
        foreign = await site.http.request(method, path, json={}, headers={"origin": "https://evil.example"})
        assert foreign.status_code == 403, (method, path)
        # What a form or an image can send without asking the browser for leave.
        for kind in ("text/plain", "application/x-www-form-urlencoded"):
            simple = await site.http.request(method, path, content=b'{"text":"x"}', headers={"content-type": kind})
            rpc = path == "/a2a" or path.startswith("/mcp")
            assert rpc or simple.status_code == 415, (method, path, kind)
        # A form without fields, of a browser that does not say from which page.
        sent = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
        empty = await site.http.request(method, path, headers=sent)
        assert is_public(method, path) or empty.status_code == 403, (method, path)
        tried += 1
    assert tried > 20


@pytest.mark.parametrize("where", ["cross-site", "same-site"])
async def test_no_page_elsewhere_has_anything_done_by_a_picture_or_a_script(site: Site, where: str) -> None:
    async def ask(path: str, **said: str) -> int:
        headers = {f"sec-fetch-{name}": value for name, value in said.items()}
        return (await site.http.get(path, headers=headers)).status_code

    for path in ("/api/status", "/api/export", "/api/tools", "/metrics", "/openapi.json"):
        assert await ask(path, site=where, mode="no-cors") == 403, path
    assert await ask("/api/status", site=where, mode="navigate") == 200  # a link
    assert await ask("/api/status", site="same-origin", mode="cors") == 200
    assert await ask("/api/directory/agents", site=where, mode="cors") == 200  # which anyone may read


@pytest.mark.parametrize("where", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["no-cors", "navigate", "cors"])
async def test_no_page_elsewhere_opens_a_door_of_mcp(site: Site, where: str, mode: str) -> None:
    """An open instance lets its machine in without a token; a picture's address would hold a stream open."""
    headers = {"sec-fetch-site": where, "sec-fetch-mode": mode}
    for method, path in (("GET", "/mcp/sse"), ("GET", "/mcp"), ("POST", "/mcp"), ("DELETE", "/mcp")):
        answer = await site.http.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_origin"), (method, path)


async def test_every_answer_keeps_frames_and_guesses_away(site: Site) -> None:
    """Clickjacking and sniffing."""
    for path in ("/", "/api/status", "/nothing/here", "/api/nothing", "/openapi.json", "/healthz"):
        headers = (await site.http.get(path)).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        assert (headers["x-frame-options"], headers["x-content-type-options"]) == ("DENY", "nosniff")
        assert headers["x-request-id"].startswith("req_")


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/assets/../../../etc/passwd",
     "/....//....//etc/passwd", "/%5c..%5c..%5cetc", "/api/attachments/..%2f..%2fprime.db", "/api/attachments/../secrets.key",
     "//etc/passwd", "/assets/%252e%252e/secrets.key"],
)  # fmt: skip
async def test_no_path_leads_out(site: Site, path: str) -> None:
    url = httpx2.URL("http://127.0.0.1:8787").copy_with(raw_path=path.encode())
    answer = await site.http.get(url)
    assert b"root:" not in answer.content
    assert b"SQLite format" not in answer.content
    assert answer.status_code in {200, 400, 404, 503}
    if answer.status_code == 200:
        assert answer.headers["content-type"].startswith("text/html")  # the page itself


async def test_a_name_with_line_breaks_makes_no_header(site: Site) -> None:
    """Header injection by a file's name."""
    name = 'a"\r\nSet-Cookie: prime_session=x\r\n.txt'
    disposition = b"form-data; name=\"file\"; filename*=UTF-8''a%0d%0aSet-Cookie%3a%20x%3d1.txt"
    body = b"--b\r\nContent-Disposition: " + disposition + b"\r\n\r\nx\r\n--b--\r\n"
    kept = await site.prime.parts.store.attachments.put(name, "text/plain\r\nX-Evil: 1", b"x")
    sent = await site.http.post(
        "/api/attachments", content=body, headers={"content-type": "multipart/form-data; boundary=b"}
    )
    ids = [kept.id, *([sent.json()["id"]] if sent.status_code == 201 else [])]
    for attachment_id in ids:
        answer = await site.http.get(f"/api/attachments/{attachment_id}")
        assert "set-cookie" not in answer.headers
        assert "x-evil" not in answer.headers
        assert not any("\n" in value or "\r" in value for value in answer.headers.values())


async def test_an_error_tells_no_inside(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_self: object) -> None:
        raise RuntimeError("password=hunter2 in /home/someone/secret.py")

    monkeypatch.setattr(type(site.prime.parts.questions), "counts", broken)
    answer = await site.http.get("/api/status")
    assert answer.status_code == 500
    assert "hunter2" not in answer.text
    assert "secret.py" not in answer.text
    assert answer.json()["error"]["incident"].startswith("err_")


async def test_figures_are_for_operators(owned: Site) -> None:
    assert (await owned.http.get("/metrics")).status_code == 401
    answer = await owned.http.get("/metrics", headers={"x-prime-admin": "operator-token"})
    assert answer.headers["content-type"].startswith("text/plain")
    lines = [line for line in answer.text.splitlines() if line and not line.startswith("#")]
    values = {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines}
    assert values["prime_log_messages"] >= 3
    assert values['prime_http_requests_total{method="GET",status="401"}'] == 1
    assert values['prime_http_request_seconds_bucket{le="+Inf"}'] == values["prime_http_request_seconds_count"] == 1


async def test_the_owner_takes_no_longer_than_a_stranger(owned: Site) -> None:
    """Measured, in turns; what is left is noise. The address is not even looked at before the answer."""
    took: dict[str, list[float]] = {OWNER: [], "you@example.com": []}
    for _ in range(40):
        for email, times in took.items():
            owned.clock.advance(60)
            began = time.perf_counter()
            await owned.http.post("/api/auth/request", json={"email": email})
            times.append(time.perf_counter() - began)
    # The quickest of each: what else the machine does makes the others longer.
    mine, theirs = (min(times) for times in took.values())
    assert 0.4 < mine / theirs < 2.5


async def status_for(site: Site, address: str) -> int:
    return (await start_for(site, address))["status"]


async def start_for(site: Site, address: str) -> MutableMapping[str, Any]:
    """What a stranger at this address is answered; without a client in between, for there are many."""
    answers: list[MutableMapping[str, Any]] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answers.append(message)

    headers = [(b"host", b"127.0.0.1:8787")]
    scope = {"type": "http", "method": "GET", "path": "/api/status", "raw_path": b"/api/status", "query_string": b"",
             "headers": headers, "client": (address, 5000), "server": ("127.0.0.1", 8787), "scheme": "http",
             "http_version": "1.1", "root_path": ""}  # fmt: skip
    await site.prime.app(scope, receive, send)
    return answers[0]


@pytest.mark.parametrize(("addresses", "burst"), [(1, NOISE_BURST), (500, CROWD_BURST)])
async def test_who_makes_noise_is_made_to_wait_and_the_owner_is_not(owned: Site, addresses: int, burst: int) -> None:
    token = await owned.prime.parts.accounts.links.make()
    await owned.http.get(f"/api/auth/verify?token={token}")
    places = [f"198.51.{n // 250}.{n % 250}" for n in range(addresses)]
    for n in range(burst):
        assert await status_for(owned, places[n % addresses]) == 401
    began = time.monotonic()
    waiting = [asyncio.create_task(status_for(owned, places[n % addresses])) for n in range(20)]
    assert (await owned.http.get("/api/status")).status_code == 200
    assert await asyncio.gather(*waiting) == [401] * 20
    assert time.monotonic() - began >= NOISE_WAIT_SECONDS


async def test_beyond_so_many_who_wait_the_next_is_sent_away_at_once(
    owned: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prime.web.gate.MOST_WAITING", 1)
    for _ in range(NOISE_BURST):
        await status_for(owned, "198.51.0.1")
    answers = await asyncio.gather(*(start_for(owned, "198.51.0.1") for _ in range(3)))
    assert [(b"connection", b"close") in each["headers"] for each in answers] == [False, True, True]


# --- a real server ---


def raw(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=60)


def test_what_a_proxy_says_counts_only_from_one_that_is_trusted(serve: Serve) -> None:
    """Addresses that are claimed do not get around the limit; a trusted proxy's do tell people apart."""

    def statuses(url: str) -> list[int]:
        with httpx2.Client(base_url=url) as http:
            return [
                http.post(
                    "/api/auth/request", json={"email": "x@example.com"}, headers={"x-forwarded-for": f"203.0.113.{n}"}
                ).status_code
                for n in range(8)
            ]

    trusting = serve(PRIME_OWNER_EMAIL=OWNER)
    assert statuses(trusting.url) == [200] * 8  # loopback is trusted unless said otherwise
    wary = serve(
        PRIME_OWNER_EMAIL=OWNER, PRIME_TRUSTED_PROXIES="10.0.0.1", data=Path(str(trusting.__dict__["data"]) + "2")
    )
    assert statuses(wary.url) == [200] * 5 + [429] * 3


@pytest.mark.parametrize("form", ["json", "text"])
def test_the_log_has_names_and_no_secrets(serve: Serve, form: str) -> None:
    secrets = {"PRIME_ADMIN_TOKEN": "c4n4ry-admin-token", "PRIME_SECRET_KEY": "c4n4ry-secret-key-c4n4ry"}
    server = serve(PRIME_OWNER_EMAIL=OWNER, PRIME_LOG=form, **secrets)
    with httpx2.Client(base_url=server.url) as http:
        admin = {"x-prime-admin": secrets["PRIME_ADMIN_TOKEN"]}
        assert http.get("/metrics", headers=admin).status_code == 200
        named = http.get("/api/auth/me?c4n4ry").headers["x-request-id"]
        turned_away = http.get("/api/status").headers["x-request-id"]
        http.get("/api/auth/verify?token=c4n4ry-link", headers={"cookie": "prime_session=c4n4ry-session"})
        http.get("/x%0a2026-01-01T00:00:00.000Z%20ERROR%20prime:%20forged")
    with raw(server.url) as encrypted:  # TLS at a port that has none
        encrypted.sendall(bytes.fromhex("16030100c8010000c40303") + bytes(193))
        assert encrypted.recv(1000).startswith(b"HTTP/1.1 400")
    with raw(server.url) as upgrading:  # to what is not spoken here
        host = server.url.removeprefix("http://")
        upgrading.sendall(
            f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n".encode()
        )
        assert upgrading.recv(1000).startswith(b"HTTP/1.1 200")
    process = server.process
    process.terminate()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    _, log = process.communicate(timeout=20)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    lines = str(log).splitlines()  # pyright: ignore[reportUnknownArgumentType]
    assert "Invalid HTTP request" not in str(log)  # pyright: ignore[reportUnknownArgumentType]
    assert "upgrade" not in str(log)  # pyright: ignore[reportUnknownArgumentType]
    assert "c4n4ry" not in str(log)  # pyright: ignore[reportUnknownArgumentType]
    assert turned_away not in str(log)  # pyright: ignore[reportUnknownArgumentType]
    assert not any(line.startswith("2026-01-01T00:00:00.000Z ERROR") for line in lines)
    if form == "json":
        assert named in {json.loads(line).get("requestId") for line in lines}


@pytest.mark.parametrize("form", ["json", "text"])
def test_whoever_writes_a_line_no_secret_is_in_it(form: LogForm) -> None:
    settings = Settings.load({"PRIME_ADMIN_TOKEN": "operator-c4n4ry"})
    formatter = LineFormatter(form, Redactor(settings_secrets(settings)))
    key = "sk-ant-" + "a1" * 12
    error = ValueError(f"not with {key}")
    trouble = (ValueError, error, None)
    record = logging.LogRecord("prime", 40, __file__, 1, f"operator-c4n4ry and {key}", None, trouble)
    line = formatter.format(record)
    assert line.count("[redacted]") >= 3
    assert "c4n4ry" not in line
    assert key not in line


def test_a_record_is_one_line_whatever_it_holds() -> None:
    formatter = LineFormatter("text", Redactor([]))
    forged = "a name\n2026-01-01T00:00:00.000Z ERROR prime: forged\r\x1b[31m\u2028"
    line = formatter.format(logging.LogRecord("prime", logging.INFO, "", 0, "%s", (forged,), None))
    assert (len(line.splitlines()), line.isprintable()) == (1, True)
    trouble = (ValueError, ValueError(forged), None)
    many = formatter.format(logging.LogRecord("prime", logging.ERROR, "", 0, "failed", None, trouble)).split("\n")
    assert all(part.isprintable() for part in many)
    assert all(part.startswith("    ") for part in many[1:])


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_database_that_is_away_is_a_line_and_no_page(form: LogForm) -> None:
    """Whatever goes round meets it at each turn, for as long as it is away."""
    formatter = LineFormatter(form, Redactor([]))
    error = Unavailable("The database does not answer.", hint="Try again.")
    record = logging.LogRecord("prime", 40, __file__, 1, "trying again", None, (Unavailable, error, None))
    line = formatter.format(record)
    assert "trying again" in line
    assert "The database does not answer. Try again." in line
    assert "Unavailable" not in line  # as a traceback would have it


def test_a_slow_sender_is_let_go_and_others_are_served(serve: Serve) -> None:
    """Slow heads hold connections, not the server."""
    server = serve()
    slow = [raw(server.url) for _ in range(50)]
    for connection in slow:
        connection.sendall(b"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le")
    with httpx2.Client(base_url=server.url) as http:
        began = time.monotonic()
        assert http.get("/healthz").status_code == 200
        assert time.monotonic() - began < 10
    for connection in slow:
        connection.close()


@pytest.mark.parametrize(
    "request_",
    [b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 200_000 + b"\r\n\r\n", b"\0\1\2garbage\r\n\r\n",
     b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
     b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
    ids=["long header", "garbage", "two lengths", "long path"],
)  # fmt: skip
def test_odd_requests_break_nothing(serve: Serve, request_: bytes) -> None:
    server = serve()
    with raw(server.url) as connection:
        connection.sendall(request_)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    assert answer == b"" or answer.split()[1] in {b"200", b"400", b"404", b"414", b"431", b"503"}
    with httpx2.Client(base_url=server.url) as http:
        assert http.get("/healthz").status_code == 200


def test_it_stops_within_ten_seconds_while_people_listen(serve: Serve) -> None:
    server = serve()
    with raw(server.url) as listening, raw(server.url) as unfinished:
        listening.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert listening.recv(100)
        unfinished.sendall(
            b"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
        )
        process = server.process
        began = time.monotonic()
        process.terminate()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        assert process.wait(timeout=15) in {0, -15}  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        assert time.monotonic() - began < 10


async def test_cookies_of_others_cost_nothing(owned: Site) -> None:
    """Python's reader of cookies takes ten seconds over this one, and nobody else is served meanwhile."""
    foreign = 'prime_session="' + "\\" * 60_000 + '"'
    began = time.process_time()
    assert (await owned.http.get("/api/auth/me", headers={"cookie": foreign})).json()["role"] == "nobody"
    assert time.process_time() - began < 2


async def test_our_cookies_are_found_among_others(owned: Site) -> None:
    token = await owned.prime.parts.accounts.links.make()
    await owned.http.get(f"/api/auth/verify?token={token}")
    session = owned.http.cookies["prime_session"]
    owned.http.cookies.clear()
    among = f'a="x; y"; prime_session=; b={"c" * 9000};prime_session={session} ; theme=dark'
    assert (await owned.http.get("/api/auth/me", headers={"cookie": among})).json()["role"] == "owner"


async def test_a_websocket_of_another_page_is_refused(owned: Site) -> None:
    token = await owned.prime.parts.accounts.links.make()
    await owned.http.get(f"/api/auth/verify?token={token}")
    cookie = "; ".join(f"{name}={value}" for name, value in owned.http.cookies.items())
    sent: asyncio.Queue[dict[str, object]] = asyncio.Queue()
    scope = {
        "type": "websocket", "path": "/mcp/ws", "raw_path": b"/mcp/ws", "query_string": b"", "scheme": "ws",
        "headers": [(b"host", b"127.0.0.1:8787"), (b"origin", b"https://evil.example"), (b"cookie", cookie.encode())],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8787), "subprotocols": [], "http_version": "1.1", "root_path": "",
    }  # fmt: skip

    async def receive() -> dict[str, object]:
        return {"type": "websocket.connect"}

    await asyncio.wait_for(owned.prime.app(scope, receive, sent.put), 10)  # pyright: ignore[reportArgumentType]
    assert sent.get_nowait()["type"] == "websocket.close"
