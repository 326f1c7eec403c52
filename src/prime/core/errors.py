"""One base for every error that a person or a program is told about, and one table from class to wire codes.

An error says what was wrong, where, and what to do next. Edges (HTTP, JSON-RPC, the command line) translate it once,
by `wire_codes`; nobody else looks at status numbers.
"""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

# What json.dumps takes; the edges that send it are the judges.
JsonValue = object


class WireCodes(NamedTuple):
    """How one class of error leaves the house."""

    http: int
    jsonrpc: int
    exit: int


class PrimeError(Exception):
    """Base of all expected errors.

    `message` is a sentence for people, `code` a snake_case word for programs, `hint` the next step, and `data` further
    fields that go onto the wire beside them.
    """

    code: ClassVar[str] = "internal_error"

    def __init__(self, message: str, *, code: str | None = None, hint: str | None = None, **data: JsonValue) -> None:
        super().__init__(message)
        self.message = message
        self.error_code = code or type(self).code
        self.hint = hint
        self.data: Mapping[str, JsonValue] = data

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message

    def as_json(self) -> dict[str, JsonValue]:
        """The object under `error` on Prime's own wires."""
        shown: dict[str, JsonValue] = {"code": self.error_code, "message": self.message}
        if self.hint:
            shown["hint"] = self.hint
        return shown | dict(self.data)


class InvalidInput(PrimeError):
    """What was sent or typed does not have the form it must have."""

    code = "invalid_input"


class NotFound(PrimeError):
    """The named thing does not exist, or the caller may not know that it does."""

    code = "not_found"


class Conflict(PrimeError):
    """The request contradicts what is already there."""

    code = "conflict"


class Unauthorized(PrimeError):
    """Nobody known is asking."""

    code = "unauthorized"


class Forbidden(PrimeError):
    """Somebody known is asking for what they may not have."""

    code = "forbidden"


class TooLarge(PrimeError):
    """More bytes, items or depth than is taken."""

    code = "too_large"


class RateLimited(PrimeError):
    """Too often; `retryAfter` (seconds) says when to come back."""

    code = "rate_limited"


class Unavailable(PrimeError):
    """Something that is needed is not there now: a package, a model, a service, the database."""

    code = "unavailable"


class TimedOut(PrimeError):
    """It took longer than it may."""

    code = "timed_out"


# Subclasses that packages define take the row of their nearest ancestor here.
_TABLE: Mapping[type[PrimeError], WireCodes] = {
    PrimeError: WireCodes(http=500, jsonrpc=-32603, exit=1),
    InvalidInput: WireCodes(http=400, jsonrpc=-32602, exit=2),
    NotFound: WireCodes(http=404, jsonrpc=-32602, exit=1),
    # Not "invalid params": what was asked for is right, and something stands in its way for now.
    Conflict: WireCodes(http=409, jsonrpc=-32000, exit=1),
    Unauthorized: WireCodes(http=401, jsonrpc=-32001, exit=1),
    Forbidden: WireCodes(http=403, jsonrpc=-32001, exit=1),
    TooLarge: WireCodes(http=413, jsonrpc=-32602, exit=1),
    RateLimited: WireCodes(http=429, jsonrpc=-32000, exit=1),
    Unavailable: WireCodes(http=503, jsonrpc=-32000, exit=1),
    TimedOut: WireCodes(http=504, jsonrpc=-32000, exit=1),
}


def wire_codes(error: PrimeError) -> WireCodes:
    """The codes of the error's class, or of its nearest ancestor in the table."""
    return next(_TABLE[cls] for cls in type(error).__mro__ if cls in _TABLE)
