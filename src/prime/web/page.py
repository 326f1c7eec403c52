"""The built page: files with their types and caching, the strict policy for what it may load, and the way back to it.

Any path that is no file and no route is a place inside the page (the address bar says where you are), so it gets the
page's index.
"""

import hashlib
import os
import stat
from http import HTTPStatus
from importlib import resources
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import PathLike, StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)

NOT_BUILT = (
    "<!doctype html><title>Prime</title><h1>Prime is running, its page is not built</h1>"
    "<p>Run <code>scripts/setup</code> in the source checkout and reload.</p>"
)


class SafeHeaders:
    """ASGI middleware: every answer carries the headers that keep a browser from being used against its owner."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(h for h in HEADERS if h[0] not in there)]
            await send(message)

        await self._app(scope, receive, with_headers)


def find_page() -> Path | None:
    """The page in the installed package, else the build of a source checkout."""
    packaged = Path(str(resources.files("prime.web"))) / "built_page"
    checkout = Path(__file__).resolve().parents[3] / "web" / "dist"
    return next((folder for folder in (packaged, checkout) if (folder / "index.html").is_file()), None)


class PageAssets(StaticFiles):
    """Chunks carry a hash of their content in their name and never change; the rest is asked about each time."""

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        hashed = scope["path"].startswith("/assets/chunks/")
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if hashed else "no-cache"
        return response


class PageFiles:
    """Serves the page; what the app does wherever no route answers. Where programs look, that is an error."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._files = PageAssets(directory=folder) if folder else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (await self._answer(scope))(scope, receive, send)

    async def _answer(self, scope: Scope) -> ASGIApp:
        path = scope["path"].lstrip("/")
        if scope["type"] != "http" or path.partition("/")[0] in {"api", ".well-known"}:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        if scope["method"] not in {"GET", "HEAD"}:
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
        if self._files is None or self._folder is None:
            return HTMLResponse(NOT_BUILT, 503)
        if path != "index.html" and _is_file(self._files, path):
            return self._files
        return _index(self._folder / "index.html", Headers(scope=scope))


def _is_file(files: StaticFiles, path: str) -> bool:
    try:
        found = files.lookup_path(path)[1]
    except OSError:  # a name that no file can have
        return False
    return found is not None and stat.S_ISREG(found.st_mode)


def _index(path: Path, headers: Headers) -> Response:
    content = path.read_bytes()
    etag = f'"{hashlib.sha256(content).hexdigest()[:24]}"'
    kept = {"etag": etag, "cache-control": "no-cache"}
    known = [tag.strip().removeprefix("W/") for tag in headers.get("if-none-match", "").split(",")]
    if etag in known or "*" in known:
        return Response(status_code=304, headers=kept)
    return HTMLResponse(content, headers=kept)
