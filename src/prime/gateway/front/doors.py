"""The doors over HTTP: `/mcp` (streamable HTTP), `/mcp/sse` and `/mcp/ws`."""

import asyncio
import time
from collections.abc import Awaitable, Iterable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import cast
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from pydantic_core import to_json
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from prime.core.errors import Forbidden, JsonValue, PrimeError, TooLarge, Unauthorized, wire_codes
from prime.gateway.front.batches import Batch, batch_in
from prime.gateway.front.events import EventStreams
from prime.gateway.front.frames import LARGEST, Number, unknown_version
from prime.gateway.front.numbers import Numbers
from prime.gateway.front.plain import PlainAnswer
from prime.gateway.front.posted import Posted
from prime.gateway.front.quick import QuickCall, speaks
from prime.gateway.front.server import Front
from prime.gateway.front.sessions import CALLER, Caller, Session, Sessions, connection_key, hashed_key
from prime.gateway.front.streams import serve_texts
from prime.gateway.front.together import answer_together
from prime.gateway.front.uses import Uses
from prime.gateway.tokens import Client, Tokens

# A session over HTTP that nobody uses for so long is closed.
RESTS_S = 30 * 60.0
_SWEEP_S = 60.0
# Bytes of a message as it is handed on, with numbers written in full: what may come in is measured before.
_REWRITTEN = 8 * LARGEST
_SESSION = "mcp-session-id"
_VERSION = "mcp-protocol-version"


class Doors:
    """ASGI endpoints. `owner` says that the session gate let the owner through, or that the instance is open."""

    def __init__(self, front: Front, sessions: Sessions, tokens: Tokens, own_origins: Iterable[str]) -> None:
        self._front = front
        self._quick = front.quick
        self._sessions = sessions
        self._tokens = tokens
        self._own_origins = frozenset(own_origins)
        self._manager = StreamableHTTPSessionManager(
            front.server, max_request_body_size=_REWRITTEN, session_idle_timeout=RESTS_S
        )
        # A little later than the SDK, so that nobody is forgotten who may still come.
        self._uses = Uses(time.monotonic, RESTS_S + _SWEEP_S)
        self._events = EventStreams(front)
        self._stop = asyncio.Event()
        self._open: dict[asyncio.Task[None], Client | None] = {}
        # Of sessions with requests in flight; a session is its holder's only.
        self._numbers: WeakValueDictionary[tuple[str, str | None], Numbers] = WeakValueDictionary()
        tokens.on_revoked = self._end
        self._ready = asyncio.Event()
        self._running = asyncio.create_task(self._run(), name="mcp-sessions")

    async def wait(self) -> None:
        await self._ready.wait()

    def end_streams(self) -> None:
        """Whatever a client only listens to is over: Prime is about to stop."""
        self._front.close()
        self._events.end()

    async def close(self) -> None:
        self.end_streams()
        for task in tuple(self._open):
            task.cancel()
        self._stop.set()
        await asyncio.wait([self._running])

    async def _run(self) -> None:
        # One task enters and leaves: the SDK's task group wants it so.
        async with self._manager.run():
            self._ready.set()
            while not self._stop.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), _SWEEP_S)
                for key in self._uses.rested():
                    self._sessions.end(key)

    # --- the doors ---

    async def http(self, scope: Scope, receive: Receive, send: Send, *, owner: bool) -> None:
        try:
            client = await self._enter(scope, owner=owner)
        except PrimeError as error:
            await _refuse(error)(scope, receive, send)
            return
        headers = Headers(scope=scope)
        session = headers.get(_SESSION)
        if session and (unknown := unknown_version(headers.get(_VERSION))) is not None:
            await JSONResponse(unknown, HTTPStatus.BAD_REQUEST)(scope, receive, send)
            return
        key = hashed_key("http", session) if session else connection_key()
        CALLER.set(Caller(key=key, client=client))
        if scope["method"] != "POST":
            await self._sdk(_known_to_sdk(scope, client), receive, send, key)
            return
        first = await receive()
        given = batch_in(await _whole(first, receive), self._found(key, client)) if _begins_batch(first) else None
        if given is None:
            await self._one(first, scope, receive, send)
        else:
            await answer_together(Batch.of(given), scope, receive, send, self._one)

    async def _one(self, first: Message, scope: Scope, receive: Receive, send: Send) -> None:
        """One message that was posted; `first` is its first piece."""
        caller, headers = CALLER.get(), Headers(scope=scope)
        key, client, session = caller.key, caller.client, headers.get(_SESSION)
        body = await _whole(first, receive)
        if len(body) > LARGEST:
            await _refuse(_too_large())(scope, receive, send)
            return
        numbers = None
        if session and speaks(headers.get(_VERSION)):
            numbers = self._numbers.setdefault((key, client.id if client else None), Numbers(own=True))
            hurries = _takes_json(headers) and self._uses.may_hurry(key)
            if hurries and await self._quickly(body, key, client, numbers, session, send):
                return
        posted = Posted.of(body, numbers)
        if posted.wrong is not None:
            await JSONResponse(posted.wrong, HTTPStatus.BAD_REQUEST)(scope, receive, send)
            return
        scope = _known_to_sdk(scope, client)
        accepted = headers.get("accept", "")
        only = "text/event-stream" not in accepted
        if only and accepted in {"", "*/*", "application/json"}:
            scope = _accepting_all(scope)
        first = {"type": "http.request", "body": posted.body, "more_body": False}
        try:
            await self._sdk(scope, _again(first, receive), PlainAnswer(send, posted, only=only), key)
        finally:
            posted.answered()

    async def _sdk(self, scope: Scope, receive: Receive, send: Send, key: str) -> None:
        """The SDK's own way."""
        with self._uses.seen(key):
            await self._tracked(self._manager.handle_request(scope, receive, send), CALLER.get().client)
        if scope["method"] == "DELETE" and self._found(key, CALLER.get().client):
            self._quick.end(key)
            self._sessions.end(key)
        if self._sessions.find(key) is None:
            self._uses.forget(key)

    def _found(self, key: str, client: Client | None) -> Session | None:
        session = self._sessions.find(key)
        return session if session is not None and session.client == client else None

    async def _quickly(
        self, body: bytes, key: str, client: Client | None, numbers: Numbers, session: str, send: Send
    ) -> bool:
        """Whether a message went the short way, and is answered."""
        if self._quick.cancel(key, body):
            await _answer(send, session, None)
            return True
        call = self._quick.read(key, client, body)
        if call is None or (known := numbers.begin(call.number)) is None:
            return False  # what has an id that is in flight is refused there
        await self._tracked(self._call(call, known, numbers, session, send), client)
        return True

    async def _call(self, call: QuickCall, known: Number, numbers: Numbers, session: str, send: Send) -> None:
        try:
            said = await self._quick.answer(call)
        finally:
            numbers.end(known)
        await _answer(send, session, said)

    async def sse(self, scope: Scope, receive: Receive, send: Send, *, owner: bool) -> None:
        try:
            client = await self._enter(scope, owner=owner)
            if scope["method"] == "GET":
                await self._tracked(self._events.follow(receive, send, client), client)
                return
            if scope["method"] == "POST":
                await self._events.take(scope, receive, client, LARGEST)
        except PrimeError as error:
            await _refuse(error)(scope, receive, send)
            return
        if scope["method"] == "POST":
            answer = Response("Accepted", HTTPStatus.ACCEPTED)
        else:
            answer = JSONResponse({}, HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, POST"})
        await answer(scope, receive, send)

    async def websocket(self, scope: Scope, receive: Receive, send: Send, *, owner: bool) -> None:
        socket = WebSocket(scope, receive, send)
        try:
            client = await self._enter(scope, owner=owner)
        except PrimeError as error:
            await socket.send_denial_response(_refuse(error))
            return
        offered = cast("list[str]", scope.get("subprotocols", []))
        await socket.accept(subprotocol="mcp" if "mcp" in offered else None)
        await self._tracked(self._talk(socket, client), client)

    async def _talk(self, socket: WebSocket, client: Client | None) -> None:
        async def take() -> str | bytes | None:
            try:
                message: Message = await socket.receive()
            except (RuntimeError, WebSocketDisconnect):
                return None
            if message["type"] != "websocket.receive":
                return None
            token = _bearer(Headers(scope=socket.scope)) if client is not None else None
            if token is not None and await self._tokens.find(token) is None:
                await socket.close(1008, "The token is over.")
                return None
            text = message.get("text") or message.get("bytes") or b""
            if len(text) > LARGEST:
                await socket.close(1009, "The message is too large.")
                return None
            return text

        async def say(text: str) -> None:
            with suppress(RuntimeError, WebSocketDisconnect):  # it has gone, which `take` notices
                await socket.send_text(text)

        key = connection_key()
        try:
            await serve_texts(self._front, key, client, take, say)
        finally:
            self._sessions.end(key)
            over = asyncio.current_task() not in self._open
            with suppress(RuntimeError, WebSocketDisconnect):
                await (socket.close(1008, "The token is over.") if over else socket.close())

    async def _tracked(self, work: Awaitable[None], client: Client | None) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._open[task] = client
        ending = asyncio.create_task(self._end_later(client)) if client and client.expires_at is not None else None
        try:
            await work
        except asyncio.CancelledError:
            if task in self._open:
                raise
            task.uncancel()  # its token was revoked, or is over: the connection just ends
        finally:
            self._open.pop(task, None)
            if ending is not None:
                ending.cancel()

    async def _end_later(self, client: Client) -> None:
        if client.expires_at is not None:
            await self._tokens.until_over(client.expires_at)
            self._end(client.id)

    def _end(self, client_id: str) -> None:
        """End what a client has open."""
        for task in [task for task, whose in self._open.items() if whose is not None and whose.id == client_id]:
            del self._open[task]
            task.cancel()

    # --- who comes in ---

    async def _enter(self, scope: Scope, *, owner: bool) -> Client | None:
        """The client that a token names, None for the owner; others are turned away."""
        headers = Headers(scope=scope)
        self._check_origin(headers)
        if int(headers.get("content-length") or 0) > LARGEST:
            raise _too_large()
        if (token := _bearer(headers)) is not None:
            client = await self._tokens.find(token)
            if client is not None:
                return client
            raise Unauthorized("This token is not known here.", code="unknown_token", hint="`prime mcp token create`.")
        if owner:
            return None
        raise Unauthorized("MCP needs a token here.", code="token_required", hint="`prime mcp token create NAME`.")

    def _check_origin(self, headers: Headers) -> None:
        origin = headers.get("origin")
        if origin is None or origin in self._own_origins:
            return
        with suppress(ValueError):
            if urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != "":
                return
        raise Forbidden("This request comes from another site's page.", code="foreign_origin")


def _too_large() -> TooLarge:
    return TooLarge(f"A message may have {LARGEST:,} bytes.")


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _known_to_sdk(scope: Scope, client: Client | None) -> Scope:
    """The SDK binds sessions to this: another token's session is not found."""
    if client is None:
        return scope
    return {**scope, "user": AuthenticatedUser(AccessToken(token="", client_id=client.id, scopes=[]))}


def _accepting_all(scope: Scope) -> Scope:
    kept = [(name, value) for name, value in scope["headers"] if name != b"accept"]
    return {**scope, "headers": [*kept, (b"accept", b"application/json, text/event-stream")]}


def _takes_json(headers: Headers) -> bool:
    accepted = headers.get("accept", "")
    return not accepted or "application/json" in accepted or "*/*" in accepted


def _begins_batch(first: Message) -> bool:
    return first["type"] == "http.request" and first.get("body", b"").lstrip()[:1] == b"["


async def _whole(first: Message, receive: Receive) -> bytes:
    """The body, and `first` holds all of it then; one that is too large is not read to its end."""
    first["body"] = first.get("body", b"")
    while first.get("more_body") and len(first["body"]) <= LARGEST:
        following = await receive()
        first["body"] += following.get("body", b"")
        first["more_body"] = following["type"] == "http.request" and following.get("more_body", False)
    return first["body"]


def _again(first: Message, receive: Receive) -> Receive:
    """`receive` with the message that was taken from it before the others."""
    taken = [first]

    async def following() -> Message:
        return taken.pop() if taken else await receive()

    return following


async def _answer(send: Send, session: str, said: Mapping[str, JsonValue] | None) -> None:
    """The response to a call; accepted and nothing more for one that was given up."""
    body = b"" if said is None else to_json(said)
    status = HTTPStatus.ACCEPTED if said is None else HTTPStatus.OK
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"mcp-session-id", session.encode("latin-1", "replace")),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _refuse(error: PrimeError) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else None
    return JSONResponse({"error": error.as_json()}, wire_codes(error).http, headers)
