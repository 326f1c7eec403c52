"""The ids of requests that wait for their answers, told apart by type and value: "1" is not 1, and `true` is neither.

The SDK tells them apart by less. Over HTTP an answer finds its way by the id as text, so that of two requests "1" and 1
one is never answered; what gives up "1" ends 1 on every transport. It is therefore given ids that cannot be mixed up.
"""

from itertools import count
from typing import cast

from mcp.shared.dispatcher import coerce_request_id
from mcp_types import INVALID_REQUEST

from prime.core.errors import JsonValue
from prime.gateway.front.frames import Message, Number, as_number, error_to, number_of

CANCELLED = "notifications/cancelled"
_COUNT = count(1)


class Numbers:
    """Those of one connection. With `own` the SDK never sees an id twice, else it sees the client's where it can."""

    def __init__(self, *, own: bool) -> None:
        self._own = own
        self._known: dict[Number, Number] = {}
        self._meant: dict[Number, Number] = {}

    def begin(self, number: Number) -> Number | None:
        """The id by which the SDK is to know a request from now on; None when the client waits for this one already."""
        if number in self._known:
            return None
        known = number
        while (self._own and known is number) or coerce_request_id(known) in self._meant:
            known = _fresh()
        self._known[number] = known
        self._meant[coerce_request_id(known)] = number
        return known

    def known_as(self, number: JsonValue) -> Number | None:
        """What the SDK knows a request by that is in flight."""
        meant = as_number(number)
        return self._known.get(meant) if meant is not None else None

    def end(self, known: Number | None) -> Number | None:
        """It is answered, or given up: whose id that was. Nothing is left to end the second time."""
        number = self._meant.pop(coerce_request_id(known), None) if known is not None else None
        if number is not None:
            del self._known[number]
        return number

    def for_sdk(self, message: Message) -> Message | None:
        """A message as the SDK is to have it; None for a request whose id is in flight. A request has begun then."""
        if (number := number_of(message)) is not None:
            known = self.begin(number)
            return None if known is None else {**message, "id": known}
        params = message.get("params")
        if message.get("method") != CANCELLED or not isinstance(params, dict):
            return message
        given = cast("Message", params)
        return {**message, "params": {**given, "requestId": self.known_as(given.get("requestId")) or _fresh()}}


def in_flight(number: Number) -> Message:
    """The answer to a request whose id another one has that is not answered yet."""
    return error_to(number, INVALID_REQUEST, "A request with this id is not answered yet. Take another id.", "id")


def _fresh() -> str:
    return f"prime-{next(_COUNT)}"
