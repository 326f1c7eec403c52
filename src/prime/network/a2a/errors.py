"""A2A's errors: one table from what went wrong to the code and reason on the wire."""

from typing import NamedTuple

from prime.core.canonical import JSON
from prime.core.errors import PrimeError, RateLimited
from prime.network.tasks import TaskEnded, TaskMissing, TaskNotCancelable

ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
DOMAIN = "a2a-protocol.org"


class Code(NamedTuple):
    """A JSON-RPC code and, for A2A's own errors, the reason that 1.0 adds."""

    number: int
    reason: str | None


PARSE = Code(-32700, None)
INVALID_REQUEST = Code(-32600, None)
METHOD_NOT_FOUND = Code(-32601, None)
INVALID_PARAMS = Code(-32602, None)
INTERNAL = Code(-32603, None)
BUSY = Code(-32000, None)
TASK_NOT_FOUND = Code(-32001, "TASK_NOT_FOUND")
TASK_NOT_CANCELABLE = Code(-32002, "TASK_NOT_CANCELABLE")
PUSH_NOT_SUPPORTED = Code(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED")
UNSUPPORTED_OPERATION = Code(-32004, "UNSUPPORTED_OPERATION")
CONTENT_TYPE = Code(-32005, "CONTENT_TYPE_NOT_SUPPORTED")
NO_EXTENDED_CARD = Code(-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED")
VERSION = Code(-32009, "VERSION_NOT_SUPPORTED")


class RpcError(Exception):
    """Ends a call with this code."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def as_json(self) -> dict[str, JSON]:
        """The `error` object, with the ErrorInfo that 1.0 asks for; to 0.3 it is data like any other."""
        shown: dict[str, JSON] = {"code": self.code.number, "message": self.message}
        if self.code.reason:
            shown["data"] = [
                {"@type": ERROR_INFO, "reason": self.code.reason, "domain": DOMAIN, "metadata": {}},
            ]
        return shown


_KNOWN: dict[type[PrimeError], Code] = {
    TaskMissing: TASK_NOT_FOUND,
    TaskNotCancelable: TASK_NOT_CANCELABLE,
    TaskEnded: UNSUPPORTED_OPERATION,
    RateLimited: BUSY,
}


def rpc_error(error: PrimeError) -> RpcError:
    """One of Prime's own errors, as a call ends with it."""
    return RpcError(_KNOWN.get(type(error), INVALID_PARAMS), str(error))
