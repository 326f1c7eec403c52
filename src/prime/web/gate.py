"""The session gate: a route is closed until it is listed here as public.

With no owner set the instance is open, and then it listens on loopback only; the gate still checks the Host header, so
that a page on another site cannot reach it through a name that it points at this machine.
"""

import asyncio
import hmac
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prime.accounts.accounts import Visitor
from prime.accounts.sessions import Sessions
from prime.core.clock import Clock
from prime.core.errors import Forbidden, PrimeError, Unauthorized
from prime.core.http.addresses import is_loopback
from prime.core.rate import RateBucket
from prime.network.limits import network_of
from prime.web.bodies import SAFE_METHODS, same_host
from prime.web.cookies import Cookies, leave_foreign_out
from prime.web.errors import error_response
from prime.web.identity import NOBODY, OWNER, Identity
from prime.web.lasting import is_lasting, serve_while_signed_in
from prime.web.precedence import Precedence

# (methods, path). `{…}` stands for one segment, `{…:path}` for any number. Everything that the app routes and that is not
# here needs a session.
PUBLIC: Sequence[tuple[frozenset[str], str]] = (
    (frozenset({"GET", "HEAD"}), "/healthz"),
    (frozenset({"GET", "HEAD"}), "/readyz"),
    (frozenset({"POST"}), "/api/auth/request"),
    (frozenset({"GET"}), "/api/auth/verify"),
    (frozenset({"POST"}), "/api/auth/logout"),
    (frozenset({"GET"}), "/api/auth/me"),
    (frozenset({"GET", "HEAD"}), "/.well-known/prime-agent.json"),
    (frozenset({"GET", "HEAD"}), "/.well-known/agent-card.json"),
    (frozenset({"POST"}), "/prime/message"),
    (frozenset({"GET"}), "/prime/task/{task_id}"),
    (frozenset({"POST"}), "/a2a"),
    (frozenset({"POST"}), "/api/agent-callback"),
    (frozenset({"POST"}), "/api/directory/register"),
    (frozenset({"POST"}), "/api/directory/heartbeat"),
    (frozenset({"POST"}), "/api/directory/move"),
    (frozenset({"POST"}), "/api/directory/deregister"),
    (frozenset({"POST"}), "/api/directory/contact"),
    (frozenset({"GET"}), "/api/directory/search"),
    (frozenset({"GET"}), "/api/directory/agents"),
    (frozenset({"POST"}), "/api/claim/request"),
    (frozenset({"GET"}), "/api/claim/verify"),
    (frozenset({"POST"}), "/api/invite/accept"),
    (frozenset({"POST"}), "/telegram/webhook/{secret}"),
    # What the owner has published on this instance; an address of anything else is not found.
    (frozenset({"GET", "HEAD"}), "/site/{slug}/{path:path}"),
)

# Without the owner's session these want a token of their own, which they check themselves (`prime.gateway.front.doors`).
OWN_TOKENS: Sequence[tuple[frozenset[str], str]] = (
    (frozenset({"GET", "POST", "DELETE"}), "/mcp"),
    (frozenset({"GET", "POST"}), "/mcp/sse"),
    (frozenset({"GET"}), "/mcp/ws"),
)

# Operator routes: the admin token opens these and nothing else.
OPERATOR_PREFIXES = ("/api/admin/", "/metrics")

# What is no route and not under these is the page itself, which anyone may load; it holds nothing before it asks the API.
CLOSED_PREFIXES = ("/api", "/events", "/mcp", "/metrics", "/openapi.json", "/docs", "/telegram", "/prime", "/a2a")

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[\w.-]+))(?::\d*)?", re.ASCII)

# As browsers say where a request comes from; another port of this machine is the same site.
_FOREIGN = frozenset({"cross-site", "same-site"})

# A proxy that speaks for somebody else says so in one of these.
FORWARDED = ("x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "forwarded", "x-real-ip", "via")


# Whoever is turned away more often than this waits for each further answer, so that noise costs little.
NOISE_BURST, NOISE_PER_SECOND = 500, 20
# So do all together, when they are many: noise from a thousand addresses is noise.
CROWD_BURST, CROWD_PER_SECOND = 1000, 100
NOISE_WAIT_SECONDS = 1.0
# Each that waits holds a connection; beyond so many they are answered at once and must come again by a new one.
MOST_WAITING = 2000


class SessionSource(Protocol):
    """Finds whom a cookie's token belongs to."""

    @property
    def sessions(self) -> Sessions: ...

    async def find(self, token: str) -> Visitor | None: ...


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """How the instance is set up."""

    owner_set: bool
    admin_token: str | None
    # Names by which this instance may be addressed, beside loopback; empty means any.
    hosts: frozenset[str]


@dataclass(frozen=True, slots=True)
class Behind:
    """What lies behind the gate: the whole app, the few routes that a guest has, which paths are routes at all, and
    the address of the page."""

    app: ASGIApp
    guests: ASGIApp
    routed: Callable[[Scope], bool]
    origin: str


class SessionGate:
    """ASGI middleware: finds out who asks, and turns away who may not. A guest never reaches the owner's routes."""

    def __init__(
        self, behind: Behind, policy: GatePolicy, sessions: SessionSource, cookies: Cookies, clock: Clock
    ) -> None:
        self._behind = behind
        self._policy = policy
        self._sessions = sessions
        self._cookies = cookies
        self._clock = clock
        self._noise = RateBucket(clock=clock, burst=NOISE_BURST, per_second=NOISE_PER_SECOND)
        self._crowd = RateBucket(clock=clock, burst=CROWD_BURST, per_second=CROWD_PER_SECOND, max_keys=1)
        self._waiting = 0
        self._precedence = Precedence()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._behind.app(scope, receive, send)
            return
        leave_foreign_out(scope)
        connection = HTTPConnection(scope)
        visitor = await self._visitor(connection)
        identity = scope["prime.identity"] = self._identify(connection, visitor)
        refusal = (
            self._check_host(connection)
            or self._check_socket_origin(connection)
            or self._check_route(scope, identity)
            or self._check_page(connection)
        )
        if refusal is not None:
            await self._turn_away(refusal, scope, receive, send)
        elif identity.role == "nobody":
            await self._precedence.behind(lambda taken: self._admit(scope, None, taken, send), receive)
        else:
            _keep_connection(scope, identity)
            await self._precedence.first(self._admit(scope, visitor, receive, send))

    async def _admit(self, scope: Scope, visitor: Visitor | None, receive: Receive, send: Send) -> None:
        app = self._behind.guests if self._is_for_guests(scope) else self._behind.app
        renewing = self._renewing(scope, visitor, send)
        if visitor is not None and is_lasting(scope):
            await serve_while_signed_in(app, scope, receive, renewing, self._sessions.sessions, visitor.session_id)
        else:
            await app(scope, receive, renewing)

    async def _turn_away(self, refusal: PrimeError, scope: Scope, receive: Receive, send: Send) -> None:
        too_loud = self._noise.try_take(_address(scope)) or self._crowd.try_take("all")
        if too_loud and self._waiting >= MOST_WAITING:
            send = _closing(send)
        elif too_loud:
            self._waiting += 1
            try:
                # Real time: it is the sender who waits.
                await asyncio.sleep(NOISE_WAIT_SECONDS)
            finally:
                self._waiting -= 1
        await self._precedence.behind(lambda taken: _refuse(refusal, scope, taken, send), receive)

    def _check_host(self, connection: HTTPConnection) -> Forbidden | None:
        if not self._policy.hosts or connection.scope.get("prime.local"):
            return None
        named = connection.headers.getlist("host")
        host = _host_name(named[0]) if len(named) == 1 else ""  # of two, everybody on the way may heed another
        if host in LOOPBACK_NAMES or host in self._policy.hosts:
            return None
        return Forbidden(
            f"This instance does not answer to the name {host!r}.",
            code="unknown_host",
            hint="Use the address that `prime serve` printed, or set PRIME_PUBLIC_URL.",
        )

    def _check_socket_origin(self, connection: HTTPConnection) -> Forbidden | None:
        """A page elsewhere may open a WebSocket with the owner's cookie; no other rule of the browser stops it."""
        origin = connection.headers.get("origin")
        if connection.scope["type"] != "websocket" or origin is None:
            return None
        if origin == self._behind.origin or same_host(origin, connection.headers.get("host", "")):
            return None
        return Forbidden("This connection comes from another site's page.", code="foreign_origin")

    def _check_page(self, connection: HTTPConnection) -> Forbidden | None:
        """A page elsewhere may ask for anything by a picture or a script; it learns nothing, but it would be done, and by
        an open instance for the owner. Going there, by a link and not by a form, is another thing."""
        headers = connection.headers
        if headers.get("sec-fetch-site") not in _FOREIGN:
            return None
        if not has_own_token(connection.scope["path"]):  # nobody follows a link to those
            by_a_link = headers.get("sec-fetch-mode") == "navigate" and connection.scope.get("method") in SAFE_METHODS
            if by_a_link or not self._is_closed(connection.scope):
                return None
        return Forbidden("This request comes from another site's page.", code="foreign_origin")

    async def _visitor(self, connection: HTTPConnection) -> Visitor | None:
        asked = self._policy.owner_set or _is_from_outside(connection)
        token = self._cookies.session_token(connection) if asked else None
        # One that we made may be anybody's who ever signed in; a made-up one costs no look.
        if not token or not self._sessions.sessions.is_ours(token):
            return None
        return await self._precedence.first(self._sessions.find(token))

    def _identify(self, connection: HTTPConnection, visitor: Visitor | None) -> Identity:
        if connection.scope.get("prime.local"):
            return OWNER
        if not self._policy.owner_set and not _is_from_outside(connection):
            return OWNER
        if visitor is not None:
            return Identity(visitor.role, visitor.session_id, visitor.reach)
        admin = connection.headers.get("x-prime-admin")
        if admin and self._policy.admin_token and _same(admin, self._policy.admin_token):
            return Identity("operator")
        return NOBODY

    def _check_route(self, scope: Scope, identity: Identity) -> PrimeError | None:
        if identity.role in {"owner", "guest"} or not self._is_closed(scope):
            return None
        if identity.role == "operator":
            if scope["path"].startswith(OPERATOR_PREFIXES):
                return None
            return Forbidden("The admin token opens operator routes only.", hint="Sign in as the owner.")
        if not self._policy.owner_set:
            return Unauthorized(
                "Sign in first: this Prime is open on its own machine only.",
                code="owner_required",
                hint="Run `prime login` on the machine and open the link that it prints, or set PRIME_OWNER_EMAIL.",
            )
        return Unauthorized(
            "Sign in first.", hint="Ask for a link on the sign-in page, or run `prime login` on the machine."
        )

    def _is_closed(self, scope: Scope) -> bool:
        method, path = scope.get("method", "GET"), scope["path"]
        if is_public(method, path):
            return False
        # What the app routes is closed wherever it lies, so that a route that nobody thought of here is not open.
        return is_under_closed(path) or self._behind.routed(scope)

    def _is_for_guests(self, scope: Scope) -> bool:
        return scope["prime.identity"].role == "guest" and self._is_closed(scope)

    def _renewing(self, scope: Scope, visitor: Visitor | None, send: Send) -> Send:
        """The same `send`, which also gives the browser its new token when the time for one has come."""
        if visitor is None or visitor.new_token is None:
            return send
        seconds = max(1, (visitor.expires_at - self._clock.now_ms()) // 1000)
        header = self._cookies.session_header(scope, visitor.new_token, seconds)

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and not _sets_cookie(message):
                message["headers"] = [*message["headers"], header]
            await send(message)

        return with_cookie


def _keep_connection(scope: Scope, identity: Identity) -> None:
    keep = scope.get("prime.keep")  # of `prime.web.patience`
    if keep is not None:
        keep(identity.reach.guest_id if identity.reach else None)


async def _refuse(refusal: PrimeError, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": refusal.error_code})
    else:
        await error_response(refusal)(scope, receive, send)


def _closing(send: Send) -> Send:
    """The same, and the connection ends with the answer."""

    async def closing(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"connection", b"close")]
        await send(message)

    return closing


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return network_of(client[0]) if client else "here"


def _sets_cookie(message: Message) -> bool:
    # Signing in or out in this very answer has the last word.
    return any(name.lower() == b"set-cookie" for name, _ in message["headers"])


def is_public(method: str, path: str) -> bool:
    """Whether anybody may ask for this."""
    exact, patterns = _public()
    methods = exact.get(path)
    if methods is not None:
        return method in methods
    return any(method in methods and pattern.fullmatch(path) for methods, pattern in patterns)


def has_own_token(path: str) -> bool:
    """Whether a door that looks at a token itself stands there."""
    return any(path == door for _, door in OWN_TOKENS)


def is_under_closed(path: str) -> bool:
    return path.startswith(CLOSED_PREFIXES) and any(
        path == prefix or path.startswith(f"{prefix}/") for prefix in CLOSED_PREFIXES
    )


@cache
def _public() -> tuple[dict[str, frozenset[str]], list[tuple[frozenset[str], re.Pattern[str]]]]:
    """The table, by exact path where it has one: this is asked with every request."""
    exact: dict[str, frozenset[str]] = {}
    patterns: list[tuple[frozenset[str], re.Pattern[str]]] = []
    for methods, path in (*PUBLIC, *OWN_TOKENS):
        if "{" in path:
            patterns.append((methods, _pattern(path)))
        else:
            exact[path] = exact.get(path, frozenset()) | methods
    return exact, patterns


def _pattern(path: str) -> re.Pattern[str]:
    deep = re.sub(r"\\\{[^/{}]+?:path\\\}", ".*", re.escape(path))
    return re.compile(re.sub(r"\\\{[^/]+?\\\}", "[^/]+", deep))


def _is_from_outside(connection: HTTPConnection) -> bool:
    """Whether a proxy brings this, or may: then "on this machine" would mean everyone."""
    if connection.scope.get("prime.local"):
        return False
    # One that says nothing and puts our own address for the name still gives itself away: nginx, unless told otherwise,
    # speaks HTTP/1.0, which no browser does.
    if connection.scope.get("http_version") == "1.0" or any(name in connection.headers for name in FORWARDED):
        return True
    return not is_loopback(_host_name(connection.headers.get("host", "")))


def _host_name(host: str) -> str:
    """The name without its port; nothing where there is more, which others on the way may read differently."""
    found = _HOST.fullmatch(host)
    return (found["address"] or found["name"]).lower() if found else ""


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
