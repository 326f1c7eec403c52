"""Messages that are none: told apart before the SDK reads them, in a sentence that their author can act on.

The SDK answers them with everything that its models tried, and takes a request whose id it cannot read for a
notification: the caller would hear "accepted", and nothing would be done.
"""

from collections.abc import Mapping
from typing import cast

from mcp_types import INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import SUPPORTED_PROTOCOL_VERSIONS
from pydantic_core import from_json

from prime.core.errors import JsonValue

Message = dict[str, JsonValue]
Number = str | int
# Bytes of one message.
LARGEST = 4 * 1024 * 1024
# What each method cannot do without, and of which kind it is.
_NEEDS: dict[str, tuple[tuple[str, type, str], ...]] = {
    "tools/call": (("name", str, "the name of a tool"),),
    "resources/read": (("uri", str, "the address of a resource"),),
    "resources/subscribe": (("uri", str, "the address of a resource"),),
    "resources/unsubscribe": (("uri", str, "the address of a resource"),),
    "prompts/get": (("name", str, "the name of a prompt"),),
}

# What the stateless revision does not have any more.
_REMOVED = frozenset({"resources/subscribe", "resources/unsubscribe"})


def refusal(text: str | bytes) -> Message | None:
    """The error to answer with; None for what may go on. What is not even JSON is left to whoever reads it next."""
    try:
        value: JsonValue = from_json(text)
    except ValueError:
        return None
    return refusal_of(value)


def refusal_of(value: JsonValue) -> Message | None:
    """As `refusal`, for what has been read already."""
    if isinstance(value, list):
        return error_to(None, INVALID_REQUEST, "Batches are of 2025-03-26, of 1 to 100 messages. Send each by itself.")
    return refused(value)


def unknown_version(version: str | None) -> Message | None:
    """The error for a session whose request names a revision of the protocol that is none."""
    if version is None or version in SUPPORTED_PROTOCOL_VERSIONS:
        return None
    told = error_to(None, UNSUPPORTED_PROTOCOL_VERSION, f"MCP-Protocol-Version {version[:40]!r} is not spoken here.")
    data = {"supported": list(SUPPORTED_PROTOCOL_VERSIONS), "requested": version[:40]}
    return told | {"error": cast("Message", told["error"]) | {"data": data}}


def too_large(text: bytes) -> Message | None:
    """The error to answer a message with that is larger than any may be."""
    if len(text) <= LARGEST:
        return None
    try:
        value: JsonValue = from_json(text)
    except ValueError:
        value = None
    number = as_number(cast("Message", value).get("id")) if isinstance(value, dict) else None
    return error_to(number, INVALID_REQUEST, f"A message may have {LARGEST:,} bytes. Put what is larger into a file.")


def refused(value: JsonValue) -> Message | None:
    """As `refusal_of`, for what stands where one message should."""
    if not isinstance(value, dict):
        return error_to(None, INVALID_REQUEST, "A message is a JSON object.")
    message = cast("Message", value)
    known = as_number(message.get("id"))
    if message.get("jsonrpc") != "2.0":
        return error_to(known, INVALID_REQUEST, 'A message says "jsonrpc": "2.0".', "jsonrpc")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    if not isinstance(message.get("method"), str):
        return error_to(known, INVALID_REQUEST, "A request names its method.", "method")
    if "id" in message and known is None:
        return error_to(None, INVALID_REQUEST, "The id of a request is text or a whole number.", "id")
    return _wrong_params(message, known) if known is not None else None


def _wrong_params(message: Message, number: Number) -> Message | None:
    given = message.get("params", {})
    if not isinstance(given, dict):
        return error_to(number, INVALID_PARAMS, "params must be an object.", "params")
    params = cast("Message", given)
    method = str(message["method"])
    if method in _REMOVED and _stands_alone(params):
        return None  # that it is not there is the answer, whatever it was given
    for name, kind, what in _NEEDS.get(method, ()):
        if not isinstance(params.get(name), kind):
            return error_to(number, INVALID_PARAMS, f"{name} must be {what}.", name)
    arguments = params.get("arguments")
    if method == "tools/call" and arguments is not None and not isinstance(arguments, dict):
        return error_to(number, INVALID_PARAMS, "arguments must be an object.", "arguments")
    return None


def _stands_alone(params: Message) -> bool:
    """Whether this is a request of the stateless revision, which says so each time."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and "io.modelcontextprotocol/protocolVersion" in meta


def as_number(value: JsonValue) -> Number | None:
    """An id, if this may be one: `true` is no 1."""
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def number_of(message: Mapping[str, JsonValue]) -> Number | None:
    """The id of a request; None for what wants no answer."""
    return as_number(message.get("id")) if "method" in message else None


def error_to(number: Number | None, code: int, sentence: str, field: str | None = None) -> Message:
    told: Message = {"code": code, "message": sentence}
    if field is not None:
        told["data"] = {"field": field}
    return {"jsonrpc": "2.0", "id": number, "error": told}
