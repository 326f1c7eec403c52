"""A2A's errors: one table from what went wrong to the code and reason on the wire."""

from typing import NamedTuple

from prime.core.canonical import JSON
from prime.core.errors import PrimeError, RateLimited
from prime.network.tasks import TaskEnded, TaskMissing, TaskNotCancelable

ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
DOMAIN = "a2a-protocol.org"


class Code(NamedTuple):
    """A JSON-RPC code, what it means and, for A2A's own errors, the reason that 1.0 adds.

    Clients look for the meaning's words, so a message begins with them; what exactly was wrong follows.
    """

    number: int
    meaning: str
    reason: str | None = None


PARSE = Code(-32700, "Invalid JSON")
INVALID_REQUEST = Code(-32600, "Invalid request")
METHOD_NOT_FOUND = Code(-32601, "Method not found")
INVALID_PARAMS = Code(-32602, "Invalid parameters")
INTERNAL = Code(-32603, "Internal error")
BUSY = Code(-32000, "Busy")
TASK_NOT_FOUND = Code(-32001, "Task not found", "TASK_NOT_FOUND")
TASK_NOT_CANCELABLE = Code(-32002, "Task cannot be canceled", "TASK_NOT_CANCELABLE")
PUSH_NOT_SUPPORTED = Code(-32003, "Push notification is not supported", "PUSH_NOTIFICATION_NOT_SUPPORTED")
UNSUPPORTED_OPERATION = Code(-32004, "This operation is not supported", "UNSUPPORTED_OPERATION")
CONTENT_TYPE = Code(-32005, "Incompatible content types, not supported", "CONTENT_TYPE_NOT_SUPPORTED")
NO_EXTENDED_CARD = Code(-32007, "There is no extended agent card", "EXTENDED_AGENT_CARD_NOT_CONFIGURED")
VERSION = Code(-32009, "A2A version is not supported", "VERSION_NOT_SUPPORTED")


class RpcError(Exception):
    """Ends a call with this code."""

    def __init__(self, code: Code, why: str = "") -> None:
        self.code = code
        self.message = f"{code.meaning}: {why}" if why else code.meaning
        if not self.message.endswith("."):
            self.message += "."
        super().__init__(self.message)

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
