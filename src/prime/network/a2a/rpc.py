"""JSON-RPC at `/a2a`: reads a call, has the desk do it, and answers in the caller's generation."""

import base64
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from prime.core.canonical import JSON, clean_text, parse_json
from prime.core.errors import InvalidInput, PrimeError, TooLarge
from prime.network.a2a import errors, reading
from prime.network.a2a.errors import RpcError, rpc_error
from prime.network.a2a.reading import Fields, Generation
from prime.network.a2a.shapes import task_shape
from prime.network.desk import Desk
from prime.network.tasks import Caller, TaskFilter, TaskPage

log = logging.getLogger(__name__)

_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})(?:\.[0-9]{1,6})?")
_JSON_TYPES = frozenset({"application/json", "application/json-rpc", "application/a2a+json"})

_Result = dict[str, JSON]


@dataclass(frozen=True, slots=True)
class _Call:
    params: Fields
    generation: Generation
    caller: Caller


class A2A:
    """The protocol's server side. It knows no HTTP: bytes and two headers in, a JSON value out."""

    def __init__(self, desk: Desk, *, keeps_files: bool = False) -> None:
        self._desk = desk
        self._keeps_files = keeps_files
        do: Mapping[str, tuple[Generation, Callable[[_Call], Awaitable[_Result]]]] = {
            "message/send": ("0.3", self._send),
            "tasks/get": ("0.3", self._get),
            "tasks/cancel": ("0.3", self._cancel),
            "SendMessage": ("1.0", self._send),
            "GetTask": ("1.0", self._get),
            "ListTasks": ("1.0", self._list),
            "CancelTask": ("1.0", self._cancel),
        }
        self._methods = do

    async def handle(self, body: bytes, caller: Caller, *, content_type: str, version: str) -> _Result:
        """The JSON-RPC answer to one call; every error is one, with HTTP 200."""
        request_id: JSON = None
        try:
            call = _read(body, content_type)
            request_id = _request_id(call)
            _check_type(content_type)
            generation = _generation(version)
            method = _method(call)
            if generation is None:
                generation = "1.0" if method in _NAMES_1_0 else "0.3"
            result = await self._dispatch(method, call, generation, caller)
        except RpcError as error:
            return _failed(request_id, error)
        except PrimeError as error:
            return _failed(request_id, rpc_error(error))
        except Exception:  # JSON-RPC answers an accident with a code; the log has the rest
            log.exception("an A2A call failed")
            return _failed(request_id, RpcError(errors.INTERNAL))
        return {"jsonrpc": "2.0", "id": request_id, "result": result}

    async def _dispatch(self, method: str, call: Fields, generation: Generation, caller: Caller) -> _Result:
        refusal = _REFUSED.get(method)
        if refusal is not None and refusal[0] == generation:
            raise RpcError(refusal[1], method)
        known = self._methods.get(method)
        if known is None or known[0] != generation:
            raise RpcError(errors.METHOD_NOT_FOUND, f"{method[:80]} is none of A2A {generation}")
        params = call.get("params", {})
        if not isinstance(params, dict):
            raise RpcError(errors.INVALID_PARAMS, "params must be an object")
        return await known[1](_Call(params, generation, caller))

    async def _send(self, call: _Call) -> _Result:
        sending = reading.read_sending(call.params, keeps_files=self._keeps_files)
        task = await self._desk.converse(sending.incoming, call.caller, blocking=sending.blocking)
        shown = task_shape(task, call.generation, sending.history_length)
        return {"task": shown} if call.generation == "1.0" else shown

    async def _get(self, call: _Call) -> _Result:
        length = reading.read_length(call.params)
        task = await self._desk.get(reading.read_task_id(call.params), call.caller)
        return task_shape(task, call.generation, length)

    async def _cancel(self, call: _Call) -> _Result:
        task = await self._desk.cancel(reading.read_task_id(call.params), call.caller)
        return task_shape(task, call.generation)

    async def _list(self, call: _Call) -> _Result:
        listing = reading.read_listing(call.params)
        wanted = TaskFilter(
            context_id=listing.context_id,
            state=listing.state,
            since_ms=listing.since_ms,
            after=_read_token(listing.page_token),
            limit=listing.page_size,
        )
        page = await self._desk.page(call.caller, wanted)
        if listing.nothing:
            page = TaskPage(tasks=(), total=0, more=False)
        shown: list[JSON] = [
            task_shape(task, "1.0", listing.history_length or 0, with_artifacts=listing.include_artifacts)
            for task in page.tasks
        ]
        last = page.tasks[-1] if page.more else None
        return {
            "tasks": shown,
            "nextPageToken": _token(last.updated_at, last.id) if last else "",
            "pageSize": listing.page_size,
            "totalSize": page.total,
        }


_NAMES_1_0 = frozenset(
    {
        "SendMessage", "GetTask", "ListTasks", "CancelTask", "SendStreamingMessage", "SubscribeToTask",
        "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig", "GetExtendedAgentCard",
    }
)  # fmt: skip

# What the card says is not there; each has its own code.
_REFUSED: Mapping[str, tuple[Generation, errors.Code]] = {
    "message/stream": ("0.3", errors.UNSUPPORTED_OPERATION),
    "tasks/resubscribe": ("0.3", errors.UNSUPPORTED_OPERATION),
    "tasks/pushNotificationConfig/set": ("0.3", errors.PUSH_NOT_SUPPORTED),
    "tasks/pushNotificationConfig/get": ("0.3", errors.PUSH_NOT_SUPPORTED),
    "tasks/pushNotificationConfig/list": ("0.3", errors.PUSH_NOT_SUPPORTED),
    "tasks/pushNotificationConfig/delete": ("0.3", errors.PUSH_NOT_SUPPORTED),
    "agent/getAuthenticatedExtendedCard": ("0.3", errors.NO_EXTENDED_CARD),
    "SendStreamingMessage": ("1.0", errors.UNSUPPORTED_OPERATION),
    "SubscribeToTask": ("1.0", errors.UNSUPPORTED_OPERATION),
    "CreateTaskPushNotificationConfig": ("1.0", errors.PUSH_NOT_SUPPORTED),
    "GetTaskPushNotificationConfig": ("1.0", errors.PUSH_NOT_SUPPORTED),
    "ListTaskPushNotificationConfigs": ("1.0", errors.PUSH_NOT_SUPPORTED),
    "DeleteTaskPushNotificationConfig": ("1.0", errors.PUSH_NOT_SUPPORTED),
    "GetExtendedAgentCard": ("1.0", errors.UNSUPPORTED_OPERATION),
}


def refused(body: bytes, error: PrimeError) -> _Result:
    """The answer to a call that is not let in."""
    try:
        return _failed(_request_id(_read(body, "application/json")), rpc_error(error))
    except RpcError:
        return _failed(None, rpc_error(error))


def too_large() -> _Result:
    """The answer to a body over the cap, which nobody reads."""
    return _failed(None, RpcError(errors.INVALID_REQUEST, "too large or nested too deep"))


def _failed(request_id: JSON, error: RpcError) -> _Result:
    return {"jsonrpc": "2.0", "id": request_id, "error": error.as_json()}


def _check_type(content_type: str) -> None:
    if content_type.partition(";")[0].strip().lower() not in _JSON_TYPES:
        raise RpcError(errors.CONTENT_TYPE, "send application/json")


def _generation(version: str) -> Generation | None:
    """By the `A2A-Version` header; patch levels do not count, and none means that the method's name decides."""
    text = version.strip()
    if not text:
        return None
    found = _VERSION.fullmatch(text)
    named = f"{int(found[1])}.{int(found[2])}" if found else ""
    if named == "0.3":
        return "0.3"
    if named == "1.0":
        return "1.0"
    raise RpcError(errors.VERSION, f"{text[:20]!r} is not spoken here, 0.3 and 1.0 are")


def _read(body: bytes, content_type: str) -> Fields:
    try:
        call = parse_json(body)
    except TooLarge as error:
        raise RpcError(errors.INVALID_REQUEST, str(error)) from None
    except InvalidInput as error:
        # What is no JSON and did not say that it was has the wrong type.
        _check_type(content_type)
        raise RpcError(errors.PARSE, str(error)) from None
    if not isinstance(call, dict):
        raise RpcError(errors.INVALID_REQUEST, "send one JSON-RPC request as an object; there are no batches")
    return call


def _request_id(call: Fields) -> JSON:
    """None where there is none: such a call is answered all the same, with `null` for its id.

    JSON-RPC would have it unanswered, as a notification. But A2A has none: each of its methods gives back what its caller
    needs to go on, and its test kit sends calls without an id and reads their errors.
    """
    request_id = call.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, str | int | float | None):
        raise RpcError(errors.INVALID_REQUEST, "id must be a string or a number")
    if isinstance(request_id, str) and (len(request_id) > 1000 or clean_text(request_id) != request_id):
        raise RpcError(errors.INVALID_REQUEST, "id may have 1000 characters, whole ones")
    return request_id


def _method(call: Fields) -> str:
    if call.get("jsonrpc") != "2.0":
        raise RpcError(errors.INVALID_REQUEST, 'jsonrpc must be "2.0"')
    method = call.get("method")
    if not isinstance(method, str) or not method.isprintable() or not method:
        raise RpcError(errors.INVALID_REQUEST, "method must be the name of a method")
    return method


def _token(updated_at: int, task_id: str) -> str:
    return base64.urlsafe_b64encode(f"{updated_at}:{task_id}".encode()).decode().rstrip("=")


def _read_token(token: str) -> tuple[int, str] | None:
    if not token:
        return None
    try:
        plain = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode("ascii")
        time, _, task_id = plain.partition(":")
        place = int(time), task_id
    except ValueError:
        place = (0, "")
    if not place[1] or _token(*place) != token:
        raise RpcError(errors.INVALID_PARAMS, "pageToken must be one that came with an answer")
    return place
