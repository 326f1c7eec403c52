"""The short way of a tool call: one that needs nothing from its client while it runs.

The SDK's way of a call, with its streams and tasks, was measured at more than the call, its checks and its record
together. What fits goes straight to the desk and is the same call there; everything else takes the long way.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic_core import from_json

from prime.core.errors import JsonValue, PrimeError, Unavailable
from prime.gateway.front.changes import Changes
from prime.gateway.front.desk import Desk
from prime.gateway.front.failures import error_of
from prime.gateway.front.frames import as_number, number_of
from prime.gateway.front.numbers import CANCELLED
from prime.gateway.front.sessions import Session, Sessions
from prime.gateway.link import Asking
from prime.gateway.tokens import Client

Message = dict[str, JsonValue]
_CALL = '"tools/call"'
_CANCELLED = f'"{CANCELLED}"'
# A call has these and nothing else; `_meta` is looked into.
_PARAMS = frozenset({"name", "arguments", "_meta"})


@dataclass(frozen=True, slots=True)
class QuickCall:
    session: Session
    number: str | int
    name: str
    arguments: Mapping[str, JsonValue]

    @property
    def key(self) -> tuple[str, str | int]:
        return self.session.key, self.number


class _NoLink:
    """The way back to a client that asked for nothing beside the answer."""

    wants_progress = False

    def able(self, capability: str) -> bool:
        return False

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        pass

    async def log(self, level: str, data: JsonValue, logger: str | None = None) -> None:
        pass

    async def ask(self, wanted: Mapping[str, Asking]) -> Mapping[str, Mapping[str, JsonValue]]:
        raise Unavailable("This client cannot be asked anything.", code="no_back_channel")


_NO_LINK = _NoLink()


class Quick:
    """Knows which messages may go the short way, answers them, and ends those that the client gives up."""

    def __init__(self, desk: Desk, sessions: Sessions, changes: Changes) -> None:
        self._desk = desk
        self._sessions = sessions
        self._changes = changes
        self._running: dict[tuple[str, str | int], asyncio.Task[object]] = {}
        self._given_up: set[tuple[str, str | int]] = set()
        # Read, and not begun: a client may give a call up in the same breath.
        self._expected: set[tuple[str, str | int]] = set()

    def read(self, key: str, client: Client | None, text: str | bytes) -> QuickCall | None:
        """The call in a message of a session that has said hello; None for everything that goes the long way."""
        wanted: str | bytes = _CALL.encode() if isinstance(text, bytes) else _CALL
        if wanted not in text:  # pyright: ignore[reportOperatorIssue]
            return None
        session = self._session(key, client)
        message = _object(text)
        if session is None or message is None or message.get("method") != "tools/call":
            return None
        number, params = number_of(message), message.get("params")
        if message.get("jsonrpc") != "2.0" or number is None:
            return None
        if not isinstance(params, dict) or not _PARAMS.issuperset(cast("Message", params)):
            return None
        return self._call(session, number, cast("Message", params))

    def expect(self, call: QuickCall) -> None:
        """It is answered by a task that has yet to begin."""
        self._expected.add(call.key)

    def cancel(self, key: str, text: str | bytes) -> bool:
        """Whether the message gives up a call that is on the short way; the call ends."""
        wanted: str | bytes = _CANCELLED.encode() if isinstance(text, bytes) else _CANCELLED
        if not (self._running or self._expected) or wanted not in text:  # pyright: ignore[reportOperatorIssue]
            return False
        params = (_object(text) or {}).get("params")
        number = as_number(cast("Message", params).get("requestId")) if isinstance(params, dict) else None
        return number is not None and self._give_up((key, number))

    def end(self, key: str) -> None:
        """The session is over: so are its calls."""
        for running in [one for one in self._running if one[0] == key]:
            self._give_up(running)
        self._expected = {one for one in self._expected if one[0] != key}

    def _give_up(self, running: tuple[str, str | int]) -> bool:
        if running in self._expected:
            self._given_up.add(running)
            return True
        task = self._running.get(running)
        if task is not None:
            self._given_up.add(running)
            task.cancel()
        return task is not None

    async def answer(self, call: QuickCall) -> Message | None:
        """The response; None when the client gave the call up and waits for nothing."""
        self._expected.discard(call.key)
        if call.key in self._given_up:
            self._given_up.discard(call.key)
            return None
        task = cast("asyncio.Task[object]", asyncio.current_task())
        self._running[call.key] = task
        head: Message = {"jsonrpc": "2.0", "id": call.number}
        try:
            result, more = await self._desk.call(call.session, _NO_LINK, call.name, call.arguments, cancelled_once=True)
        except PrimeError as error:
            return head | {"error": error_of(error)}
        except asyncio.CancelledError:
            if call.key not in self._given_up:
                raise
            task.uncancel()
            return None
        finally:
            del self._running[call.key]
            self._given_up.discard(call.key)
        if more:
            await self._changes.tools_changed(call.session)
        return head | {"result": result}

    def _session(self, key: str, client: Client | None) -> Session | None:
        session = self._sessions.find(key)
        return session if session and session.push is not None and session.client == client else None

    def _call(self, session: Session, number: str | int, params: Message) -> QuickCall | None:
        name, arguments, meta = params.get("name"), params.get("arguments", {}), params.get("_meta", {})
        plain = isinstance(name, str) and isinstance(arguments, dict) and isinstance(meta, dict)
        if not plain or "progressToken" in cast("Message", meta) or not self._desk.stands_alone(cast("str", name)):
            return None
        call = QuickCall(session, number, cast("str", name), cast("Message", arguments))
        return None if call.key in self._running or call.key in self._expected else call


def speaks(version: str | None) -> bool:
    """Whether a request of this protocol version belongs to a session."""
    return version is None or version in HANDSHAKE_PROTOCOL_VERSIONS


def _object(text: str | bytes) -> Message | None:
    try:
        value = from_json(text)
    except ValueError:
        return None
    return cast("Message", value) if isinstance(value, dict) else None
