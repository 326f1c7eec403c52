"""Where a connection stands until it has said the whole head of a request.

Most noise never does: connections that are dropped, TLS at this port, heads that trickle or never end. Each would have a
parser and a request of its own; here it costs a few bytes. What comes in at last is served by `prime.web.patience`.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from prime.web.patience import MOST_HEAD, PatientProtocol, refusal, refuse_and_listen

# What the name of a method begins with, or the empty line that some send before it.
_BEGINNINGS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ\r\n")
# The second is no HTTP, but whoever types it by hand is to be told so.
_ENDS = (b"\r\n\r\n", b"\n\n")
_LOOK_BACK = 3


class Doorstep(asyncio.Protocol):
    """`given` is what uvicorn makes a protocol of."""

    __slots__ = ("_alarm", "_connections", "_given", "_heard", "_inside", "_refused", "_transport")

    def __init__(self, inside: type[PatientProtocol], given: dict[str, Any]) -> None:
        self._inside = inside
        self._given = given
        self._connections: set[object] = given["server_state"].connections
        self._heard = bytearray()
        self._refused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport
        self._alarm = asyncio.get_running_loop().call_later(self._inside.head_seconds, transport.close)
        self._connections.add(self)
        self._inside.held.add(self)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        begin = max(0, len(self._heard) - _LOOK_BACK)
        self._heard += data
        if self._heard[0] not in _BEGINNINGS:
            self._transport.write(refusal(400))
            self._transport.close()
            return
        end = min((at for mark in _ENDS if (at := self._heard.find(mark, begin)) >= 0), default=-1)
        if end > MOST_HEAD or (end < 0 and len(self._heard) > MOST_HEAD):
            self._refused = True
            refuse_and_listen(self._transport, 431)
        elif end >= 0:
            self._come_in()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()

    def shutdown(self) -> None:
        """uvicorn ends: there is no answer to wait for."""
        self._transport.close()

    def let_go(self) -> None:
        self._transport.abort()

    def _come_in(self) -> None:
        self._leave()
        protocol = self._inside(**self._given)
        protocol.connection_made(self._transport)
        self._transport.set_protocol(protocol)
        protocol.data_received(bytes(self._heard))

    def _leave(self) -> None:
        self._alarm.cancel()
        self._connections.discard(self)
        self._inside.held.remove(self)


def doorstep(inside: type[PatientProtocol]) -> Callable[..., asyncio.Protocol]:
    """What uvicorn calls for each connection."""

    def begin(**given: Any) -> Doorstep:
        return Doorstep(inside, given)

    return begin
