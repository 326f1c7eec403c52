"""What may come in at all: how large, how deep, of which type, from which page.

Bodies are counted while they stream in, so a sender cannot make Prime hold more than the cap, whatever it announces.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prime.core.errors import Forbidden, InvalidInput, PrimeError, TimedOut, TooLarge
from prime.web.errors import error_response
from prime.web.identity import identity_of

MAX_JSON = 1024 * 1024
MAX_UPLOAD = 12 * 1024 * 1024 + 64 * 1024  # the file, and the form around it
MAX_DEPTH = 64
# Values in what a stranger sends: looking at each, and at what is wrong with each, takes longer than sending it.
MAX_STRANGE_VALUES = 16_384
BODY_SECONDS = 30.0
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
UNSUPPORTED_MEDIA_TYPE = 415


# What a JSON-RPC endpoint answers to a body that is over a cap.
RpcRefusal = Callable[[], Mapping[str, object]]


class BodyGuard:
    """ASGI middleware in front of every route.

    `rpc` names paths that answer everything as JSON-RPC: they look at the content type themselves, and are told here
    how to refuse a body that is too large or too deep.
    """

    def __init__(self, app: ASGIApp, own_origins: Iterable[str], rpc: Mapping[str, RpcRefusal] | None = None) -> None:
        self._app = app
        self._own_origins = frozenset(own_origins)
        self._rpc = rpc or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        safe = scope["method"] in SAFE_METHODS
        refusal = _check_address(scope) or (None if safe else self._check_origin(headers))
        if refusal:
            await error_response(refusal)(scope, receive, send)
            return
        if safe:
            await self._app(scope, receive, send)
            return
        media_type = headers.get("content-type", "").split(";")[0].strip().lower()
        has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
        is_form = media_type == "multipart/form-data" and scope["path"] not in self._rpc
        # No public route takes files, so that strangers have none to send.
        if is_form and identity_of(HTTPConnection(scope)).role != "nobody":
            await self._stream(scope, receive, send)
        elif media_type == "application/json" or not has_body or scope["path"] in self._rpc:
            await self._buffer(scope, receive, send)
        else:
            wrong = InvalidInput(
                f"A body of type {media_type or 'unknown'} is not taken.",
                code="unsupported_media_type",
                hint="Send application/json.",
            )
            await error_response(wrong, UNSUPPORTED_MEDIA_TYPE)(scope, receive, send)

    def _check_origin(self, headers: Headers) -> PrimeError | None:
        origin = headers.get("origin")
        if origin is None or origin in self._own_origins or same_host(origin, headers.get("host", "")):
            return None
        return Forbidden("This request comes from another site's page.", code="foreign_origin")

    def _refusal(self, scope: Scope, otherwise: ASGIApp) -> ASGIApp:
        rpc = self._rpc.get(scope["path"])
        return JSONResponse(rpc()) if rpc else otherwise

    async def _buffer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take the whole body first: small, and its depth must be known before anyone parses it."""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await self._read(receive)
        except TimeoutError:
            await _too_slow()(scope, receive, send)
            return
        if body is None:
            return
        if len(body) > MAX_JSON:
            await self._refusal(scope, _too_large(MAX_JSON))(scope, receive, send)
            return
        # UTF-16 and UTF-32 have NULs; JSON is UTF-8, and there they may not stand.
        if b"\0" in body and scope["path"] not in self._rpc:
            await error_response(InvalidInput("JSON must be UTF-8.", code="not_utf8"))(scope, receive, send)
            return
        if _deeper_than(body, MAX_DEPTH):
            deep = TooLarge(f"JSON may nest {MAX_DEPTH} levels deep.", code="too_deep")
            await self._refusal(scope, error_response(deep, 400))(scope, receive, send)
            return
        if _is_strange(scope) and _holds_more_than(body, MAX_STRANGE_VALUES):
            full = TooLarge(f"JSON may hold {MAX_STRANGE_VALUES:,} values.", code="too_many_values", hint="Send less.")
            await self._refusal(scope, error_response(full))(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """The body, or as much of it as shows that it is too large; None when the sender went away."""
        body = bytearray()
        more = True
        while more and len(body) <= MAX_JSON:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            more = message.get("more_body", False)
        return bytes(body)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the body on as it comes: it may be large, and take as long as its sender keeps sending."""
        taken = 0
        complete = answered = False
        refusal: ASGIApp | None = None

        async def counted() -> Message:
            nonlocal taken, complete, refusal
            try:
                async with asyncio.timeout(None if complete else BODY_SECONDS):
                    message = await receive()
            except TimeoutError:
                refusal = _too_slow()
                raise _RefusedError from None
            complete = not message.get("more_body", False)
            taken += len(message.get("body", b""))
            if taken > MAX_UPLOAD:
                refusal = error_response(
                    TooLarge(f"A file may have {MAX_UPLOAD >> 20} MB.", hint="Send a smaller file.")
                )
                raise _RefusedError
            return message

        async def watched(message: Message) -> None:
            nonlocal answered
            # The form's reader turns every trouble into an answer of its own; this one has a better one.
            if refusal is None or answered:
                answered = True
                await send(message)

        with contextlib.suppress(_RefusedError):
            await self._app(scope, counted, watched)
        if refusal is not None and not answered:
            await refusal(scope, receive, send)


class _RefusedError(Exception):
    pass


def _too_slow() -> ASGIApp:
    return error_response(TimedOut("The body did not come in time."), 408)


def _too_large(cap: int) -> ASGIApp:
    return error_response(TooLarge(f"A body may have {cap:,} bytes.", hint="Send less, or in several parts."))


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _is_strange(scope: Scope) -> bool:
    """Whether nobody knows the sender. Clients of MCP have a token, which is looked at before the body is read."""
    return identity_of(HTTPConnection(scope)).role == "nobody" and not scope["path"].startswith("/mcp")


# What opens is a step down, what closes a step up; everything else is left out.
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _deeper_than(body: bytes, limit: int) -> bool:
    """Whether brackets nest deeper than the limit; those in strings do not count.

    Nothing here goes byte by byte in Python: a megabyte would hold everybody else up for a tenth of a second.
    """
    if body.count(b"[") + body.count(b"{") <= limit:
        return False
    steps = memoryview(_outside_strings(body).translate(_STEPS, _NO_BRACKETS)).cast("b")
    return limit + 1 in accumulate(steps)


def _holds_more_than(body: bytes, limit: int) -> bool:
    """Whether there are more values than the limit, by the commas between them and the brackets around them."""
    marks = (b",", b"[", b"{")
    if sum(map(body.count, marks)) <= limit:
        return False
    return sum(map(_outside_strings(body).count, marks)) > limit


def _outside_strings(body: bytes) -> bytes:
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(unescaped.split(b'"')[::2])


def _check_address(scope: Scope) -> PrimeError | None:
    # No name of anything holds a NUL, and databases and file systems choke on it.
    if "\0" in scope["path"] or b"%00" in scope["query_string"] or b"\0" in scope["query_string"]:
        return InvalidInput("An address cannot hold a NUL character.", code="bad_address")
    return None


def same_host(origin: str, host: str) -> bool:
    """Whether a page of this origin is a page of this host."""
    try:
        return bool(host) and urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False
