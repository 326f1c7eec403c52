"""The cookies: who is signed in, which browser asked for a link, and in which somebody signed in before. No script can
read any of them."""

import re

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import Scope

SESSION = "prime_session"
BROWSER = "prime_browser"
KNOWN = "prime_known"
KNOWN_SECONDS = 400 * 24 * 3600  # as long as browsers keep any


_OWN = frozenset(f"{prefix}{name}".encode() for prefix in ("", "__Host-") for name in (SESSION, BROWSER, KNOWN))
# What Prime puts into a cookie.
_VALUE = re.compile(rb"[A-Za-z0-9_.-]+")


def leave_foreign_out(scope: Scope) -> None:
    """Take every cookie that is not Prime's out of a request, before anybody reads them.

    Other programs at this host name send theirs along, and the readers of frameworks take quadratic time over some that
    nobody would set: one request of 60 kB held everybody up for ten seconds.
    """
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    if any(name == b"cookie" for name, _ in headers):
        pairs = [pair.strip() for name, value in headers if name == b"cookie" for pair in value.split(b";")]
        own = b"; ".join(pair for pair in pairs if _is_own(pair))
        others = [(name, value) for name, value in headers if name != b"cookie"]
        scope["headers"] = [*others, (b"cookie", own)] if own else others


def _is_own(pair: bytes) -> bool:
    name, _, value = pair.partition(b"=")
    return name in _OWN and _VALUE.fullmatch(value) is not None


class Cookies:
    """Cookies for this instance. Over https they are for https alone and for this host alone (`__Host-`)."""

    def __init__(self, base_url: str) -> None:
        self._https = base_url.startswith("https://")

    def session_token(self, connection: HTTPConnection) -> str | None:
        return connection.cookies.get(self._name(SESSION, connection.scope))

    def browser(self, connection: HTTPConnection) -> str | None:
        return connection.cookies.get(self._name(BROWSER, connection.scope))

    def known(self, connection: HTTPConnection) -> str | None:
        return connection.cookies.get(self._name(KNOWN, connection.scope))

    def keep_known(self, response: Response, scope: Scope, mark: str) -> None:
        self._set(response, self._name(KNOWN, scope), mark, KNOWN_SECONDS, scope)

    def keep_session(self, response: Response, scope: Scope, token: str, seconds: int) -> None:
        self._set(response, self._name(SESSION, scope), token, seconds, scope)

    def keep_browser(self, response: Response, scope: Scope, secret: str, seconds: int) -> None:
        self._set(response, self._name(BROWSER, scope), secret, seconds, scope)

    def forget(self, response: Response, scope: Scope, *names: str) -> None:
        for name in names:
            self._set(response, self._name(name, scope), "", 0, scope)

    def session_header(self, scope: Scope, token: str, seconds: int) -> tuple[bytes, bytes]:
        """The header for an answer that is made elsewhere."""
        carrier = Response()
        self.keep_session(carrier, scope, token, seconds)
        return b"set-cookie", carrier.headers["set-cookie"].encode()

    def _secure(self, scope: Scope) -> bool:
        # Behind a proxy that is trusted, the scheme is the browser's.
        return self._https or scope.get("scheme") == "https"

    def _name(self, name: str, scope: Scope) -> str:
        return f"__Host-{name}" if self._secure(scope) else name

    def _set(self, response: Response, name: str, value: str, seconds: int, scope: Scope) -> None:
        response.set_cookie(
            name, value, max_age=seconds, path="/", httponly=True, samesite="lax", secure=self._secure(scope)
        )
