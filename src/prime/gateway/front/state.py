"""What a request of the stateless revision has been answered so far, carried by the client and sealed against it."""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import cast

from prime.core.clock import Clock
from prime.core.errors import InvalidInput, JsonValue

LIFETIME_MS = 60 * 60 * 1000
Answers = Mapping[str, JsonValue]


class RequestStates:
    """States are bound to the session and to the very request; `key` is the instance's, the same on all replicas."""

    def __init__(self, key: bytes, clock: Clock) -> None:
        self._key = key
        self._clock = clock

    def seal(self, answers: Answers, *bound: str) -> str:
        told = {"a": dict(answers), "u": self._clock.now_ms() + LIFETIME_MS}
        body = base64.urlsafe_b64encode(json.dumps(told, separators=(",", ":")).encode()).decode()
        return f"{body}.{self._mark(body, bound)}"

    def open(self, state: str, *bound: str) -> Answers:
        """The answers; `InvalidInput` for a state that was not given out for this request."""
        body, _, mark = state.partition(".")
        if hmac.compare_digest(mark.encode("utf-8", "replace"), self._mark(body, bound).encode()):
            try:
                told = cast("Mapping[str, JsonValue]", json.loads(base64.urlsafe_b64decode(body)))
            except (ValueError, binascii.Error):
                told = dict[str, JsonValue]()
            if cast("int", told.get("u", 0)) > self._clock.now_ms():
                return cast("Answers", told["a"])
        raise InvalidInput(
            "The requestState is not one that was given out for this request, or it is too old.",
            code="bad_request_state",
            hint="Begin again without it.",
            field="requestState",
        )

    def _mark(self, body: str, bound: tuple[str, ...]) -> str:
        return hmac.new(self._key, "\0".join((body, *bound)).encode(), hashlib.sha256).hexdigest()
