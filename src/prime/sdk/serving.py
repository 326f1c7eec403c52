"""The agent's two doors: Prime Message and A2A, as one small ASGI app."""

import asyncio
import hashlib
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from prime.core.canonical import JSON, parse_json
from prime.core.clock import Clock
from prime.core.errors import Forbidden, NotFound, PrimeError, TimedOut, TooLarge, wire_codes
from prime.network.a2a.card import CARD_PATH as A2A_CARD_PATH
from prime.network.a2a.card import RPC_PATH, a2a_card
from prime.network.a2a.rpc import A2A, too_large
from prime.network.desk import Desk
from prime.network.signatures import HEADER, same_hash, verify
from prime.network.tasks import Caller, Card, TaskMissing
from prime.network.wire import CARD_PATH, MESSAGE_PATH, card_json, read_message, reply_json, task_json

# ASGI's own shapes.
_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False)  # plain ASCII, whatever the text
MAX_BODY = 1024 * 1024
BODY_SECONDS = 30.0
_TASK_PREFIX = "/prime/task/"
_SIGNATURE = HEADER.lower().encode()


_PATHS = frozenset({MESSAGE_PATH, RPC_PATH, CARD_PATH, A2A_CARD_PATH, "/healthz"})


class _NotTaken(PrimeError):
    """What HTTP itself has a status for."""

    def __init__(self, status: HTTPStatus, code: str, message: str) -> None:
        super().__init__(message, code=code)
        self.status = status


class AgentApp:
    """Serves an agent. `signing_key` is known once the agent is registered: then signed messages are verified."""

    def __init__(self, card: Card, desk: Desk, clock: Clock) -> None:
        self.card = card
        self.signing_key: str | None = None
        # What shows the directory that this agent is the one that registers there.
        self.prove: Callable[[str], str | None] = lambda _challenge: None
        self._desk = desk
        self._a2a = A2A(desk)
        self._clock = clock
        self._key = secrets.token_bytes(32)

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        try:
            status, answer = await self._route(scope, headers, receive)
        except _NotTaken as error:
            status, answer = error.status, _plain(error)
        except PrimeError as error:
            status, answer = wire_codes(error).http, _plain(error)
        await _respond(send, status, answer)

    async def _route(
        self, scope: _Scope, headers: dict[bytes, bytes], receive: _Receive
    ) -> tuple[int, dict[str, JSON]]:
        method, path = scope["method"], scope["path"]
        if method == "POST" and path == MESSAGE_PATH:
            return 200, await self._message(scope, headers, receive)
        if method == "POST" and path == RPC_PATH:
            return 200, await self._rpc(scope, headers, receive)
        if method in {"GET", "HEAD"}:
            if path == CARD_PATH:
                challenge = parse_qs(scope["query_string"].decode("latin-1")).get("challenge", [None])[0]
                proof = self.prove(challenge) if challenge else None
                return 200, card_json(self.card, challenge) | ({"proof": proof} if proof else {})
            if path == A2A_CARD_PATH:
                return 200, a2a_card(self.card)
            if path.startswith(_TASK_PREFIX):
                return 200, await self._task(path.removeprefix(_TASK_PREFIX), scope, headers)
            if path == "/healthz":
                return 200, {"ok": True}
        if path in _PATHS or path.startswith(_TASK_PREFIX):
            raise _NotTaken(HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", f"{method} is not for {path}.")
        raise NotFound("There is nothing here.", hint=f"The card is at {CARD_PATH}.")

    async def _message(self, scope: _Scope, headers: dict[bytes, bytes], receive: _Receive) -> dict[str, JSON]:
        _check_type(headers)
        body = await _body(receive)
        caller = self._caller(scope, headers, body)
        received = await self._desk.receive(read_message(parse_json(body)), caller)
        return reply_json(received, secret=self._secret(received.task.id))

    async def _rpc(self, scope: _Scope, headers: dict[bytes, bytes], receive: _Receive) -> dict[str, JSON]:
        try:
            body = await _body(receive)
        except TooLarge:
            return too_large()
        return await self._a2a.handle(
            body,
            Caller(address=_address(scope)),
            content_type=headers.get(b"content-type", b"").decode("latin-1"),
            version=headers.get(b"a2a-version", b"").decode("latin-1"),
        )

    async def _task(self, task_id: str, scope: _Scope, headers: dict[bytes, bytes]) -> dict[str, JSON]:
        given = headers.get(b"authorization", b"").decode("latin-1").removeprefix("Bearer ").strip()
        if not given:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("secret", [""])[0]
        if not same_hash(given, self._secret(task_id)):
            raise TaskMissing(task_id)
        return task_json(await self._desk.get(task_id, Caller(address="", is_owner=True)))

    def _caller(self, scope: _Scope, headers: dict[bytes, bytes], body: bytes) -> Caller:
        """The directory, when it signed what it says with the token that both know; else a stranger."""
        signature = headers.get(_SIGNATURE)
        if signature is None or self.signing_key is None:
            return Caller(address=_address(scope))
        verify(self.signing_key, signature.decode("latin-1"), body, self._clock.now_ms())
        return Caller(address=_address(scope), agent_id="directory", signing_key=self.signing_key)

    def _secret(self, task_id: str) -> str:
        return hmac.new(self._key, task_id.encode(), hashlib.sha256).hexdigest()


def _address(scope: _Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "local"


def _check_type(headers: dict[bytes, bytes]) -> None:
    if headers.get(b"content-type", b"").split(b";")[0].strip().lower() != b"application/json":
        raise _NotTaken(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "Send application/json.")
    if b"origin" in headers:
        raise Forbidden("This request comes from a page.", code="foreign_origin")


async def _body(receive: _Receive) -> bytes:
    message = await receive()
    if not message.get("more_body", False):
        return _capped(message.get("body", b""))
    try:
        return await asyncio.wait_for(_rest(message, receive), BODY_SECONDS)
    except TimeoutError:
        raise TimedOut("The body did not come in time.") from None


async def _rest(message: MutableMapping[str, Any], receive: _Receive) -> bytes:
    body = bytearray(message.get("body", b""))
    while message.get("more_body", False):
        message = await receive()
        body += message.get("body", b"")
        _capped(body)
    return bytes(body)


def _capped(body: bytes | bytearray) -> bytes:
    if len(body) > MAX_BODY:
        raise TooLarge(f"A body may have {MAX_BODY:,} bytes.", hint="Send less, or a reference.")
    return bytes(body)


def _plain(error: PrimeError) -> dict[str, JSON]:
    shown: dict[str, JSON] = {"code": error.error_code, "message": error.message}
    if error.hint:
        shown["hint"] = error.hint
    return {"error": shown}


async def _respond(send: _Send, status: int, answer: dict[str, JSON]) -> None:
    body = _JSON.encode(answer).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
