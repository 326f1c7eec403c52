"""The session gate: a route is closed until it is listed here as public.

With no owner set the instance is open, and then it listens on loopback only; the gate still checks the Host header, so
that a page on another site cannot reach it through a name that it points at this machine.
"""

import hmac
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from prime.core.errors import Forbidden, Unauthorized
from prime.web.errors import error_response
from prime.web.identity import NOBODY, OWNER, Identity

SESSION_COOKIE = "prime_session"

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
    (frozenset({"POST"}), "/telegram/webhook/{secret}"),
    # What the owner has published on this instance; an address of anything else is not found.
    (frozenset({"GET", "HEAD"}), "/site/{slug}/{path:path}"),
)

# Operator routes: the admin token opens these and nothing else.
OPERATOR_PREFIXES = ("/api/admin/", "/metrics")

# What is no route and not under these is the page itself, which anyone may load; it holds nothing before it asks the API.
CLOSED_PREFIXES = ("/api", "/events", "/mcp", "/metrics", "/openapi.json", "/docs", "/telegram", "/prime", "/a2a")

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class SessionSource(Protocol):
    """Finds the session that a cookie's token opens."""

    async def find(self, token: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """How the instance is set up."""

    owner_set: bool
    admin_token: str | None
    # Names by which this instance may be addressed, beside loopback; empty means any.
    hosts: frozenset[str]


class SessionGate:
    """ASGI middleware: finds out who asks, and turns away who may not."""

    def __init__(
        self, app: ASGIApp, policy: GatePolicy, sessions: SessionSource, routed: Callable[[Scope], bool]
    ) -> None:
        self._app = app
        self._routed = routed
        self._policy = policy
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        refusal = self._check_host(connection)
        if refusal is None:
            identity = await self._identify(connection)
            scope["prime.identity"] = identity
            refusal = self._check_route(scope, identity)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await error_response(refusal)(scope, receive, send)

    def _check_host(self, connection: HTTPConnection) -> Forbidden | None:
        if not self._policy.hosts or connection.scope.get("prime.local"):
            return None
        host = _host_name(connection.headers.get("host", ""))
        if host in LOOPBACK_NAMES or host in self._policy.hosts:
            return None
        return Forbidden(
            f"This instance does not answer to the name {host!r}.",
            code="unknown_host",
            hint="Use the address that `prime serve` printed, or set PRIME_PUBLIC_URL.",
        )

    async def _identify(self, connection: HTTPConnection) -> Identity:
        if not self._policy.owner_set or connection.scope.get("prime.local"):
            return OWNER
        token = connection.cookies.get(SESSION_COOKIE)
        session_id = await self._sessions.find(token) if token else None
        if session_id:
            return Identity("owner", session_id)
        admin = connection.headers.get("x-prime-admin")
        if admin and self._policy.admin_token and _same(admin, self._policy.admin_token):
            return Identity("operator")
        return NOBODY

    def _check_route(self, scope: Scope, identity: Identity) -> Unauthorized | Forbidden | None:
        path: str = scope["path"]
        if identity.role == "owner":
            return None
        # What the app routes is closed wherever it lies, so that a route that nobody thought of here is not open.
        if not is_closed(scope.get("method", "GET"), path, routed=self._routed(scope)):
            return None
        if identity.role == "operator":
            if path.startswith(OPERATOR_PREFIXES):
                return None
            return Forbidden("The admin token opens operator routes only.", hint="Sign in as the owner.")
        return Unauthorized(
            "Sign in first.", hint="Ask for a link on the sign-in page, or run `prime login` on the machine."
        )


def is_closed(method: str, path: str, *, routed: bool) -> bool:
    """Whether a request to this path needs a session; `routed` says that a route, and not the page, would answer it."""
    if any(method in methods and _matches(pattern, path) for methods, pattern in PUBLIC):
        return False
    return routed or any(path == prefix or path.startswith(f"{prefix}/") for prefix in CLOSED_PREFIXES)


def _matches(pattern: str, path: str) -> bool:
    return _compiled(pattern).fullmatch(path) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    deep = re.sub(r"\\\{[^/{}]+?:path\\\}", ".*", re.escape(pattern))
    return re.compile(re.sub(r"\\\{[^/]+?\\\}", "[^/]+", deep))


def _host_name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
