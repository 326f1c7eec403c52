"""JSON-RPC with a server behind the gateway: raw dictionaries, no models, one reader.

What comes back is relayed as it is; only what Prime itself looks at is looked at. Measured against the SDK's client
this is most of the difference in calls per second.
"""

import asyncio
import contextlib
import itertools
import logging
import re
from collections.abc import Callable, Mapping
from typing import Protocol, cast

from pydantic_core import from_json

from prime.core.errors import JsonValue, PrimeError, TimedOut, Unavailable, wire_codes

Message = dict[str, JsonValue]
Progress = Callable[[Message], None]

# A server that talks without end lets others have their turn after this many messages.
_TURN = 32
_MOST_ASKED = 8
# A server that asks on and on without hearing the answers is not heard itself.
_MOST_UNHEARD = 1000
# Where the id of a whole message stands, and no other can.
_FIRST_ID = re.compile(r'\A\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,')
_LAST_ID = re.compile(r',\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')
_log = logging.getLogger(__name__)


class Wire(Protocol):
    """Carries messages to one server and back."""

    async def send(self, message: Message) -> None:
        """`Unavailable` when the other side is gone; `NotSent` when it is sure that it has not got the message."""
        ...

    async def receive(self) -> list[Message] | None:
        """The next messages; None at the end. `PrimeError` says why it is the end."""
        ...

    async def close(self, *, at_once: bool = False) -> None:
        """With `at_once` nothing is waited for: the connection is of no use any more."""
        ...


class NotSent(Unavailable):
    """The other side was gone before it had the whole message: nothing was done, and it may be sent again."""

    code = "server_gone"


class RpcError(PrimeError):
    """The server answered with an error; `number` is its JSON-RPC code."""

    code = "server_error"

    def __init__(self, number: int, message: str, detail: JsonValue = None) -> None:
        super().__init__(message, number=number)
        self.number = number
        self.detail = detail


class Listener(Protocol):
    """Hears what a server says by itself."""

    def notified(self, method: str, params: Message) -> None: ...

    async def asked(self, method: str, params: Message) -> Message:
        """Answer a request of the server; a `PrimeError` becomes its error."""
        ...


class Peer:
    """One connection. `run` reads until the end; every request that waits then is told so."""

    def __init__(self, wire: Wire, listener: Listener) -> None:
        self._wire = wire
        self._listener = listener
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[JsonValue]] = {}
        self._progress: dict[int, Progress] = {}
        self._asked: set[asyncio.Task[None]] = set()
        self._ended: PrimeError | None = None
        self.heard_at = 0.0

    @property
    def pid(self) -> int | None:
        pid = getattr(self._wire, "pid", None)
        return pid if isinstance(pid, int) else None

    @property
    def busy(self) -> bool:
        return bool(self._waiting)

    async def request(
        self, method: str, params: Message | None = None, *, within_s: float, progress: Progress | None = None
    ) -> Message:
        """Ask and wait. Giving up, by time or by cancelling, tells the server so."""
        if self._ended is not None:
            raise NotSent(self._ended.message, code=self._ended.error_code, hint=self._ended.hint)
        number = next(self._ids)
        answer: asyncio.Future[JsonValue] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        if progress is not None:
            self._progress[number] = progress
            params = _with_token(params, number)
        asking: Message = {"jsonrpc": "2.0", "id": number, "method": method}
        if params is not None:
            asking["params"] = params
        try:
            # Also over a server that does not take what it is asked.
            async with asyncio.timeout(within_s):
                await self._wire.send(asking)
                return _object(await answer, method)
        except TimeoutError:
            await self._give_up(number, method, "timed out")
            raise _late(method, within_s) from None
        except asyncio.CancelledError:
            await self._give_up(number, method, "the caller went away")
            raise
        finally:
            self._waiting.pop(number, None)
            self._progress.pop(number, None)

    async def notify(self, method: str, params: Message | None = None) -> None:
        message: Message = {"jsonrpc": "2.0", "method": method}
        await self._wire.send(message if params is None else message | {"params": params})

    async def run(self) -> None:
        """Read until the connection ends; why it did is raised."""
        reason: PrimeError = Unavailable("The server closed the connection.", code="server_gone")
        taken = 0
        try:
            while (messages := await self._wire.receive()) is not None:
                self.heard_at = asyncio.get_running_loop().time()
                for message in messages:
                    self._take(message)
                taken += len(messages)
                if taken >= _TURN:
                    taken = 0
                    await asyncio.sleep(0)
        except PrimeError as error:
            reason = error
        finally:
            self._end(reason)
        raise reason

    async def close(self, *, at_once: bool = False) -> None:
        self._end(Unavailable("The connection was closed.", code="server_gone"))
        await self._wire.close(at_once=at_once)

    def _end(self, reason: PrimeError) -> None:
        self._ended = self._ended or reason
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(_again(self._ended))
        for task in self._asked:
            task.cancel()

    def _take(self, message: Message) -> None:
        method, number = message.get("method"), message.get("id")
        if isinstance(method, str):
            given = message.get("params")
            params = cast("Message", given) if isinstance(given, dict) else {}
            if number is None:
                self._notified(method, params)
            elif isinstance(number, str | int):
                self._begin_answer(number, method, params)
            return
        # Only numbers that were given out here are answers; anything else is noise.
        answer = self._waiting.get(number) if isinstance(number, int) and not isinstance(number, bool) else None
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(_error(message["error"]))
        else:
            answer.set_result(message.get("result"))

    def _notified(self, method: str, params: Message) -> None:
        if method == "notifications/progress":
            token = params.get("progressToken")
            report = self._progress.get(token) if isinstance(token, int) else None
            if report is not None:
                report(params)
            return
        self._listener.notified(method, params)

    def _begin_answer(self, number: str | int, method: str, params: Message) -> None:
        if len(self._asked) >= _MOST_UNHEARD:
            return
        task = asyncio.create_task(self._answer(number, method, params))
        self._asked.add(task)
        task.add_done_callback(self._asked.discard)

    async def _answer(self, number: str | int, method: str, params: Message) -> None:
        answer: Message = {"jsonrpc": "2.0", "id": number}
        try:
            if len(self._asked) > _MOST_ASKED:
                raise Unavailable("Too many requests at once.")
            answer["result"] = await self._listener.asked(method, params)
        except RpcError as error:
            answer["error"] = {"code": error.number, "message": error.message}
        except PrimeError as error:
            answer["error"] = {"code": wire_codes(error).jsonrpc, "message": str(error)}
        with contextlib.suppress(Unavailable):
            await self._wire.send(answer)

    async def _give_up(self, number: int, method: str, reason: str) -> None:
        if method == "initialize":
            return
        with contextlib.suppress(PrimeError, TimeoutError):
            async with asyncio.timeout(1.0):
                await self.notify("notifications/cancelled", {"requestId": number, "reason": reason})


def _late(method: str, within_s: float) -> TimedOut:
    hint = "Try again later, or raise timeoutMs of the server in mcp.json."
    return TimedOut(f"{method} was not answered in {within_s:g} s.", hint=hint)


def _with_token(params: Message | None, number: int) -> Message:
    given = dict(params or {})
    meta = given.get("_meta")
    given["_meta"] = {**(cast("Message", meta) if isinstance(meta, dict) else {}), "progressToken": number}
    return given


def _again(reason: PrimeError) -> PrimeError:
    """An error of its own for each who waits: one object raised in many tasks would gather all their traces."""
    return Unavailable(reason.message, code=reason.error_code, hint=reason.hint)


def _object(result: JsonValue, method: str) -> Message:
    if isinstance(result, dict):
        return cast("Message", result)
    raise Unavailable(f"The server's answer to {method} is not an object.", code="bad_answer")


def _error(error: JsonValue) -> RpcError:
    given = cast("Message", error) if isinstance(error, dict) else {}
    number, message = given.get("code"), given.get("message")
    return RpcError(
        number if isinstance(number, int) else -32603,
        str(message)[:4000] if isinstance(message, str) and message else "The server failed without saying why.",
        given.get("data"),
    )


def read_messages(line: bytes | str) -> list[Message]:
    """The messages in a text. An answer that cannot be read, such as one of endless depth, is a failure of its request."""
    try:
        return only_messages(from_json(line))
    except ValueError as error:
        first, last = (
            part if isinstance(part, str) else part.decode(errors="replace") for part in (line[:200], line[-200:])
        )
        number = _FIRST_ID.search(first) or _LAST_ID.search(last)
        why = f"The server's answer cannot be read: {str(error)[:200]}"
        return [{"jsonrpc": "2.0", "id": int(number[1]), "error": {"code": -32700, "message": why}}] if number else []


def only_messages(value: JsonValue) -> list[Message]:
    """The messages in one JSON value: one, or the batch that older revisions allow; nothing else is any."""
    if isinstance(value, dict):
        return [cast("Message", value)]
    if isinstance(value, list):
        return [cast("Message", one) for one in cast("list[JsonValue]", value)[:1000] if isinstance(one, dict)]
    return []


def described(server: Mapping[str, JsonValue]) -> str:
    """Name and version of a server as it says them, shortened."""
    name, version = server.get("name"), server.get("version")
    return " ".join(part[:80] for part in (name, version) if isinstance(part, str))
