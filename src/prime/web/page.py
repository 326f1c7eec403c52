"""The built page: files with their types and caching, the strict policy for what it may load, and the way back to it.

Any path that is no file and no route is a place inside the page (the address bar says where you are), so it gets the
page's index.
"""

import os
import stat
from http import HTTPStatus
from importlib import resources
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prime.web.assets import ASK_EACH_TIME, FOREVER, Assets

# The page loads from itself alone; nothing inline, nothing from elsewhere, and nobody may frame it.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)

HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)

# Where the public address is https. Browsers pay no heed to it over http, which the machine itself may use.
ENCRYPTED = (b"strict-transport-security", b"max-age=31536000")

# Answers that say nothing about it are somebody's own: no browser and no proxy keeps them.
PRIVATE = (b"cache-control", b"no-store")

NOT_BUILT = (
    "<!doctype html><title>Prime</title><h1>Prime is running, its page is not built</h1>"
    "<p>Run <code>scripts/setup</code> in the source checkout and reload.</p>"
)


class SafeHeaders:
    """ASGI middleware: every answer carries the headers that keep a browser from being used against its owner."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._headers = (*HEADERS, PRIVATE, *((ENCRYPTED,) if https else ()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(h for h in self._headers if h[0] not in there)]
            await send(message)

        await self._app(scope, receive, with_headers)


def find_page() -> Path | None:
    """The page in the installed package, else the build of a source checkout."""
    packaged = Path(str(resources.files("prime.web"))) / "built_page"
    checkout = Path(__file__).resolve().parents[3] / "web" / "dist"
    return next((folder for folder in (packaged, checkout) if (folder / "index.html").is_file()), None)


class PageFiles:
    """Serves the page; what the app does wherever no route answers. Where programs look, that is an error.

    Chunks carry a hash of their content in their name and never change; the rest is asked about each time.
    """

    def __init__(self, folder: Path | None) -> None:
        self._files = StaticFiles(directory=folder) if folder else None
        self._assets = Assets()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(scope)(scope, receive, send)

    def _answer(self, scope: Scope) -> ASGIApp:
        path = scope["path"].lstrip("/")
        if scope["type"] != "http" or path.partition("/")[0] in {"api", ".well-known"}:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        if scope["method"] not in {"GET", "HEAD"}:
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
        if self._files is None:
            return HTMLResponse(NOT_BUILT, 503)
        hashed = path.startswith("assets/chunks/")
        if found := _find(self._files, path):
            return self._assets.get(*found).answer(Headers(scope=scope), FOREVER if hashed else ASK_EACH_TIME)
        if found := _find(self._files, "index.html"):
            return self._assets.get(*found).answer(Headers(scope=scope), ASK_EACH_TIME)
        return HTMLResponse(NOT_BUILT, 503)  # it is being built anew


def _find(files: StaticFiles, path: str) -> tuple[str, os.stat_result] | None:
    """A file of the page, and nothing outside it."""
    try:
        full_path, found = files.lookup_path(path)
    except OSError:  # a name that no file can have
        return None
    return (full_path, found) if found is not None and stat.S_ISREG(found.st_mode) else None
