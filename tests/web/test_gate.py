"""The session gate: every route is closed until it is listed as public."""

from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Protocol

import httpx2
import pytest
from fastapi.routing import iter_route_contexts

from prime.app import Prime, gate_policy, open_prime
from prime.core.clock import FakeClock
from prime.core.errors import InvalidInput
from prime.core.http.addresses import is_loopback
from prime.core.settings import Settings
from prime.web.gate import OPERATOR_PREFIXES, OWN_TOKENS, PUBLIC, is_public, is_under_closed
from prime.web.local import LocalDoor


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient
    clock: FakeClock


OpenSite = Callable[..., Awaitable[Site]]


def routes(site: Site) -> Iterator[tuple[str, str]]:
    """Every method and path that the app routes, found by walking the app itself."""
    for context in iter_route_contexts(site.prime.app.routes.routes):
        path = str(context.path)
        for method in sorted(context.methods or ()):  # a WebSocket has none
            yield method, path


def filled(path: str) -> str:
    return path.replace("{", "x").replace("}", "x").replace(":path", "")


async def test_all_routes_are_closed_unless_listed(owned: Site) -> None:
    found = list(routes(owned))
    assert len(found) > 20
    open_ones = {path for _, path in PUBLIC}
    for method, path in found:
        answer = await owned.http.request(method, filled(path))
        if any(path == listed for _, listed in OWN_TOKENS):
            assert answer.status_code == 401, (method, path)
        elif any(method in methods and path == listed for methods, listed in PUBLIC):
            assert answer.status_code != 401, (method, path)
        else:
            assert answer.status_code == 401, (method, path)
            if method != "HEAD":
                assert answer.json()["error"]["code"] == "unauthorized"
    assert open_ones <= {path for _, path in found}  # nothing is listed that is not there


async def test_a_route_that_nobody_listed_is_closed_wherever_it_lies(owned: Site) -> None:
    owned.prime.app.routes.add_api_route("/new/place", lambda: {"secret": 1})
    owned.prime.app.routes.router.routes.insert(0, owned.prime.app.routes.router.routes.pop())
    assert (await owned.http.get("/new/place")).status_code == 401
    assert (await owned.http.get("/new/elsewhere")).status_code in {200, 503}  # the page, built or not


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/", "/api/nothing", "/api//status", "/api/./status", "/api/%73tatus", "/api/auth/../status", "/api/auth/me/x",
     "/events", "/events/", "/openapi.json", "/metrics", "/mcp/x", "/prime/message", "/a2a"],
)  # fmt: skip
async def test_closed_prefixes_are_closed_however_they_are_spelled(owned: Site, path: str) -> None:
    url = httpx2.URL("http://127.0.0.1:8787").copy_with(raw_path=path.encode())
    assert (await owned.http.get(url)).status_code == 401


def test_methods_count() -> None:
    assert is_public("POST", "/api/auth/request")
    assert not is_public("GET", "/api/auth/request")
    assert not is_public("GET", "/healthz/more")
    assert is_public("GET", "/prime/task/task_1")
    assert not is_public("GET", "/prime/task/task_1/more")
    assert not is_under_closed("/channels/ch_1")
    assert not is_under_closed("/apidocs")
    assert is_under_closed("/api")


async def test_open_mode_is_the_owner(site: Site) -> None:
    me = (await site.http.get("/api/auth/me")).json()
    assert (me["role"], me["open"]) == ("owner", True)
    assert (await site.http.post("/api/admin/backup")).status_code == 201


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "X-Real-IP"])
async def test_open_mode_is_not_for_who_comes_through_a_proxy(site: Site, header: str) -> None:
    answer = await site.http.get("/api/status", headers={header: "203.0.113.9"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "owner_required")
    assert (await site.http.get("/healthz", headers={header: "203.0.113.9"})).status_code == 200
    nobody = (await site.http.get("/api/auth/me", headers={header: "203.0.113.9"})).json()
    assert (nobody["role"], nobody["open"]) == ("nobody", False)


async def test_with_its_public_address_alone_prime_is_reached_from_outside_by_a_link_of_the_machine(
    tmp_path: Path,
) -> None:
    settings = Settings.load({"PRIME_DATA": str(tmp_path), "PRIME_PUBLIC_URL": "https://prime.example.com"})
    async with open_prime(settings) as prime:
        transport = httpx2.ASGITransport(app=prime.app)
        async with httpx2.AsyncClient(transport=transport, base_url="https://prime.example.com") as phone:
            # Also when the proxy does not say that it is one.
            assert (await phone.get("/api/status")).status_code == 401
            assert (await phone.post("/api/admin/backup")).status_code == 401
            token = await prime.parts.accounts.links.make()
            assert (await phone.get(f"/api/auth/verify?token={token}")).is_redirect
            assert (await phone.get("/api/status")).status_code == 200
            me = (await phone.get("/api/auth/me")).json()
            assert (me["role"], me["open"]) == ("owner", False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787") as here:
            assert (await here.get("/api/status")).status_code == 200


@pytest.mark.holds("D-HUB-4")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.com", "127.0.0.1.example.com", "2130706433"])
def test_open_mode_is_for_loopback_only(host: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        gate_policy(Settings.load({"PRIME_HOST": host}))
    assert refusal.value.error_code == "owner_required"
    assert gate_policy(Settings.load({"PRIME_HOST": host, "PRIME_OWNER_EMAIL": "me@example.com"})).owner_set


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost", "LocalHost"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.holds("D-HUB-17")
async def test_the_admin_token_opens_operator_routes_and_nothing_else(owned: Site) -> None:
    token = {"x-prime-admin": "operator-token"}
    for method, path in routes(owned):
        if any(path == listed for _, listed in (*PUBLIC, *OWN_TOKENS)):
            continue
        answer = await owned.http.request(method, filled(path), headers=token)
        if path.startswith(OPERATOR_PREFIXES):
            assert answer.status_code != 401, path
            right = path == "/api/admin/sign-in-link"  # for the person at the machine alone
            assert (answer.status_code == 403) == right, path
        else:
            assert answer.status_code == 403, path
    for wrong in ("", "operator-toke", "operator-tokenn", "é"):
        answer = await owned.http.get("/api/admin/backups", headers=[(b"x-prime-admin", wrong.encode())])
        assert answer.status_code == 401


async def test_without_a_token_set_none_opens_anything(open_site: OpenSite) -> None:
    site = await open_site(PRIME_OWNER_EMAIL="me@example.com", PRIME_ADMIN_TOKEN="")
    for shown in ("", "None", "x"):
        assert (await site.http.get("/api/admin/backups", headers={"x-prime-admin": shown})).status_code == 401


async def link(site: Site) -> str:
    """A link as `prime login` makes it, for any browser."""
    return f"/api/auth/verify?token={await site.prime.parts.accounts.links.make()}"


async def test_a_link_works_once_and_opens_a_session(owned: Site) -> None:
    path = await link(owned)
    answer = await owned.http.get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = SimpleCookie(answer.headers.get_list("set-cookie")[0])["prime_session"]
    assert cookie["httponly"]
    assert cookie["samesite"].lower() == "lax"
    assert not cookie["secure"]  # http on loopback; see below for https
    assert int(cookie["max-age"]) == 30 * 24 * 3600
    me = (await owned.http.get("/api/auth/me")).json()
    assert (me["role"], me["open"]) == ("owner", False)
    assert (await owned.http.get("/api/status")).json()["open"] is False
    again = await owned.http.get(path)
    assert (again.status_code, again.json()["error"]["code"]) == (401, "link_spent")
    assert (await owned.http.post("/api/auth/logout")).json() == {"ok": True}
    assert (await owned.http.get("/api/status")).status_code == 401
    owned.http.cookies.set("prime_session", cookie.value)
    assert (await owned.http.get("/api/status")).status_code == 401  # ended at the server, too


async def test_links_and_sessions_run_out(owned: Site) -> None:
    late, early = await link(owned), await link(owned)
    owned.clock.advance(15 * 60 - 1)
    assert (await owned.http.get(early)).status_code == 303
    owned.clock.advance(1)
    assert (await owned.http.get(late)).status_code == 401
    assert (await owned.http.get("/api/status")).status_code == 200
    owned.clock.advance(30 * 24 * 3600)
    assert (await owned.http.get("/api/status")).status_code == 401


@pytest.mark.parametrize("token", ["", "x", "é", "%00", "a" * 300, "' OR 1=1 --"])
async def test_a_made_up_token_opens_nothing(owned: Site, token: str) -> None:
    assert (await owned.http.get(f"/api/auth/verify?token={token}")).status_code in {400, 401}
    if token.isascii() and "%" not in token:
        owned.http.cookies.set("prime_session", token)
        assert (await owned.http.get("/api/status")).status_code == 401


async def test_over_https_the_cookie_is_for_https_only(open_site: OpenSite) -> None:
    site = await open_site(
        "https://prime.example.com", PRIME_OWNER_EMAIL="me@example.com", PRIME_PUBLIC_URL="https://prime.example.com"
    )
    answer = await site.http.get(await link(site))
    assert "secure" in answer.headers["set-cookie"].lower()
    foreign = await site.http.get("/api/auth/me", headers={"host": "evil.example"})
    assert foreign.status_code == 403


async def test_being_local_cannot_be_claimed_from_outside(owned: Site) -> None:
    for headers in (
        {"prime.local": "1"},
        {"x-prime-local": "true"},
        {"host": "prime.sock"},
        {"x-forwarded-for": "127.0.0.1"},
    ):
        answer = await owned.http.post("/api/admin/sign-in-link", headers=headers)
        assert answer.status_code in {401, 403}, headers
    through_the_socket = httpx2.ASGITransport(app=LocalDoor(owned.prime.app))
    async with httpx2.AsyncClient(transport=through_the_socket, base_url="http://prime.sock") as local:
        made = await local.post("/api/admin/sign-in-link", json={})
        assert made.status_code == 201
        url = made.json()["url"]
    assert url.startswith("http://127.0.0.1:8787/api/auth/verify?token=")  # never from a Host header
    assert (await owned.http.get(url)).status_code == 303


async def test_signed_in_the_owner_reaches_everything(owned: Site) -> None:
    await owned.http.get(await link(owned))
    for method, path in routes(owned):
        lasting = {"/events", *(listed for _, listed in OWN_TOKENS)}
        wants_more = {"/api/auth/verify", "/api/claim/verify", "/api/priming/script"}
        if method == "GET" and "{" not in path and path not in lasting | wants_more:
            answer = await owned.http.get(path, params={"agentId": "act_prime"})
            assert answer.status_code == 200, path


@pytest.mark.parametrize(
    ("version", "header"),
    [
        ("1.0", None),
        ("1.1", b"via"),
        ("1.1", b"x-forwarded-host"),
        ("1.1", b"x-forwarded-proto"),
        ("1.1", b"x-real-ip"),
    ],
)
async def test_open_is_not_open_through_a_proxy_that_says_little(
    site: Site, version: str, header: bytes | None
) -> None:
    """A proxy that puts our own address for the name and says nothing of whom it speaks for."""
    assert await _status(site, "1.1", None) == 200
    assert await _status(site, version, header) == 401


async def _status(site: Site, version: str, header: bytes | None) -> int:
    answers: list[int] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answers.append(message["status"])

    headers = [(b"host", b"127.0.0.1:8787"), *([(header, b"x")] if header else [])]
    scope = {"type": "http", "method": "GET", "path": "/api/channels", "raw_path": b"/api/channels", "query_string": b"",
             "headers": headers, "client": ("127.0.0.1", 5000), "server": ("127.0.0.1", 8787), "scheme": "http",
             "http_version": version, "root_path": ""}  # fmt: skip
    await site.prime.app(scope, receive, send)
    return answers[0]


async def test_strangers_send_no_files(owned: Site) -> None:
    """Forms may be large and slow; no public route takes one."""
    for path in ("/api/auth/request", "/api/invite/accept", "/api/directory/register"):
        answer = await owned.http.post(path, files={"file": ("a.txt", b"x" * 100_000, "text/plain")})
        assert answer.status_code == 415, path
