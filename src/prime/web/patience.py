"""Connections that send a request's head too slowly or without end are closed, and so are those that strangers hold beyond
a number."""

import asyncio
import json
from functools import cache
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from prime.core.errors import Unauthorized
from prime.web.connections import MOST, Connections, GuestConnections
from prime.web.peers import is_walled_in
from prime.web.shared_room import SharedRoom

HEAD_SECONDS = 20.0
MOST_HEAD = 64 * 1024
# Headers by which somebody may turn out to be known.
_PROOFS = frozenset({b"authorization", b"cookie", b"x-prime-admin"})


class PatientProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol with a time limit on heads; bodies have theirs in the body guard."""

    head_seconds = HEAD_SECONDS
    # A server has a class of its own with its own.
    held = Connections(MOST)
    of_guests = GuestConnections()
    room = SharedRoom()
    # Whether a WebSocket wants something that says who asks: the instance has an owner.
    is_closed = False
    _alarm: asyncio.TimerHandle | None = None
    _in_head = False
    # What came of it after the piece that it began in.
    _head_bytes = 0
    # What came since the parser last had a piece of a body to tell of: it keeps what follows a body, whatever its length.
    _untold = 0
    # Of the request that is being answered: how much of its body came, and whether somebody known sent it.
    _body_bytes = 0
    _is_known = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        # What was asked and is not answered yet. uvicorn knows the last one only, and when a sender goes who asked for
        # several at once, it has the others answered into a connection that is closed: a page of log for each.
        self._asked: list[RequestResponseCycle] = []

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._set_alarm()
        self.held.add(self)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            before, self._head_bytes = self._head_bytes, self._head_bytes + len(data)
            if self._head_bytes > MOST_HEAD:
                if before <= MOST_HEAD:
                    self._drop_asked()
                    refuse_and_listen(self.transport, 431)
                return
        self._untold += len(data)
        super().data_received(data)
        if self._untold > MOST_HEAD + len(data):
            self.let_go()
            return
        # Most heads come in one piece, and a timer for each of those would be for nothing.
        if self._in_head and self._alarm is None:
            self._set_alarm()

    def on_message_begin(self) -> None:
        self._in_head = True
        self._head_bytes = self._untold = self._body_bytes = 0
        self._is_known = False
        super().on_message_begin()
        self.held.note_request(self)
        self.scope["prime.keep"] = self._keep  # pyright: ignore[reportGeneralTypeIssues]

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # what follows a body is not the head that the gate has seen
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._untold = 0
        self._stop_alarm()
        last = self.cycle
        super().on_headers_complete()
        if self.cycle is not last:  # a WebSocket makes none
            self._asked.append(self.cycle)

    def on_body(self, body: bytes) -> None:
        self._untold = 0
        self._body_bytes += len(body)
        if not self._is_known:
            self.room.hold(self, self._body_bytes)
        super().on_body(body)

    def on_response_complete(self) -> None:
        self.room.end(self)
        self._asked = [each for each in self._asked if not each.response_complete]
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._drop_asked()
        self._stop_alarm()
        self.held.remove(self)
        self.of_guests.remove(self)
        self.room.end(self)
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        if self.is_closed and not any(name in _PROOFS for name, _ in self.headers):
            # Another protocol, a second look at the head and the way through the app, only to hear no: a stranger's noise
            # would have that of the owner's time.
            self.transport.write(token_required())
            self.transport.close()
            return
        self.held.remove(self)  # another protocol has it from now on
        self.of_guests.remove(self)
        super().handle_websocket_upgrade()

    def let_go(self) -> None:
        self._drop_asked()
        transport: Any = self.transport
        if transport is not None:
            transport.abort()

    def _drop_asked(self) -> None:
        """Nobody waits for the answers any more."""
        self.pipeline.clear()
        for each in self._asked:
            each.disconnected = True
            each.message_event.set()
            # It and we hold each other until the collector comes by, which is seldom; nobody reads this any more.
            each.body = bytearray()
        self._asked = []

    def _keep(self, guest_id: str | None) -> None:
        """Somebody known is at the other end: that guest, or who is none."""
        self._is_known = True
        self.held.remove(self)
        if guest_id is None:
            self.of_guests.remove(self)
        else:
            self.of_guests.add(self, guest_id)
        self.room.end(self)

    def _set_alarm(self) -> None:
        self._stop_alarm()
        self._alarm = self.loop.call_later(self.head_seconds, self._give_up)

    def _stop_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _give_up(self) -> None:
        transport: Any = self.transport
        if transport is not None and not transport.is_closing():
            transport.close()


def refusal(status: int) -> bytes:
    """The whole answer to what is no request."""
    return _last_answer(status, f"{HTTPStatus(status).phrase}\n".encode(), "content-type: text/plain; charset=utf-8")


@cache
def token_required() -> bytes:
    """The whole answer to a WebSocket that nobody known asks for."""
    error = Unauthorized("This needs a token.", code="token_required", hint="`prime mcp token create NAME`.")
    body = json.dumps({"error": error.as_json()}).encode()
    return _last_answer(401, body, "content-type: application/json\r\nwww-authenticate: Bearer")


def _last_answer(status: int, body: bytes, headers: str) -> bytes:
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        headers,
        f"content-length: {len(body)}",
        "connection: close",
    )
    return "\r\n".join((*head, "\r\n")).encode() + body


def refuse_and_listen(transport: asyncio.Transport, status: int) -> None:
    """Say no, and leave what still comes unheard until the sender ends or their time is up: a connection that is closed on
    what was sent is reset, and then the answer is lost."""
    transport.write(refusal(status))
    if transport.can_write_eof():
        transport.write_eof()


def patient_protocol(most: int, *, is_closed: bool = False) -> type[PatientProtocol]:
    """The protocol of a server that lets strangers have so many connections."""
    own = {
        "held": Connections(most),
        "of_guests": GuestConnections(),
        "room": SharedRoom(),
        "is_closed": is_closed,
    }
    return type("PatientProtocol", (PatientProtocol,), own)


class LocalProtocol(PatientProtocol):
    """That of the data folder's socket: whoever comes through it is the owner, so no program behind walls may."""

    _is_walled_in = False

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._is_walled_in = is_walled_in(transport.get_extra_info("socket"))

    def data_received(self, data: bytes) -> None:
        if self._is_walled_in:
            self.transport.write(refusal(HTTPStatus.FORBIDDEN))
            self.transport.close()
        else:
            super().data_received(data)
