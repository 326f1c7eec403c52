"""What the pipeline keeps in the store: its record in the log, and which sessions are primed."""

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import cast

from prime.core.canonical import canonical_json
from prime.core.clock import Clock
from prime.core.errors import JsonValue, PrimeError
from prime.core.redaction import Redactor
from prime.rooms.records import HUB
from prime.store.message import NewMessage
from prime.store.store import Store
from prime.tools.pipeline.call import CallSession, ToolCall, ToolResult
from prime.tools.queries import put_primed, read_primed

_MOST_SHOWN = 256 * 1024
_redact = Redactor().redact


class StoreCallLog:
    """`tool_call` before a call is asked about or run, `tool_result` when it has ended; both name the call's id.

    A session with a channel is heard there; one without (the command line, the HTTP API) is the hub's own business.

    Nothing acts before its call is on the disk. What became of it is answered once that outlives this process: a power
    cut within the next milliseconds may take it, and then the call reads as one whose end nobody knows. With it is
    written only a call that changed nothing.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        # Written down while they ran, by their call's id; taken out by `begin` or `end`, which every call comes to.
        self._expected: dict[str, NewMessage] = {}

    def expect(self, call: ToolCall, session: CallSession) -> None:
        with contextlib.suppress(PrimeError):  # `end` will say it
            self._expected[call.id] = called(call, session).cleaned()

    def _called(self, call: ToolCall, session: CallSession) -> NewMessage:
        return self._expected.pop(call.id, None) or called(call, session)

    async def begin(self, call: ToolCall, session: CallSession) -> str:
        message = self._called(call, session)
        await self._store.log.append(message)
        return message.id

    async def starting(self, call: ToolCall, session: CallSession) -> None:
        """The record of the call is enough: who made it waits for the answer and repeats nothing."""

    async def end(self, call: ToolCall, session: CallSession, result: ToolResult, begun: str | None) -> None:
        before = [] if begun else [self._called(call, session)]
        source = begun or before[0].id
        await self._store.log.append(*before, ended(session, result, source), durability="soon")


class StoredPrimed:
    """Primed sessions, through restarts."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._database = store.database
        self._clock = clock

    async def until(self, key: str) -> int | None:
        return await self._database.glance(lambda connection: read_primed(connection, key))

    async def put(self, key: str, until_ms: int) -> None:
        now = self._clock.now_ms()
        await self._database.write(lambda connection: put_primed(connection, key, until_ms, now))


def shown_arguments(call: ToolCall, redact: Callable[[str], str] = _redact) -> dict[str, JsonValue]:
    """Arguments as they are logged and shown: without secrets, and by their hash alone when they are huge."""
    if not call.arguments:
        return {}
    try:
        written = call.written
    except PrimeError as error:
        return {"unreadable": error.message}
    if len(written) > _MOST_SHOWN:
        digest = hashlib.sha256(written.encode()).hexdigest()
        return {"tooLarge": len(written), "sha256": digest, "begins": redact(written[:1000])}
    clean = redact(written)
    if clean == written:
        return dict(call.arguments)
    try:
        return cast("dict[str, JsonValue]", json.loads(clean))
    except ValueError:
        return {"redacted": clean}


def called(call: ToolCall, session: CallSession) -> NewMessage:
    """The record of a call."""
    return NewMessage(
        channel_id=session.channel_id or HUB,
        actor_id=session.actor_id,
        kind="tool_call",
        audience="room" if session.channel_id else "hub",
        text=call.name[:200],
        body={
            "callId": call.id,
            "name": call.name[:200],
            "arguments": shown_arguments(call),
            "agentId": session.agent_id[:200],
            "sessionId": session.session_id[:200],
            "folder": str(session.cwd),
        },
        course=session.course,
    )


def ended(session: CallSession, result: ToolResult, source: str) -> NewMessage:
    """The record of what became of it. Its text is what a model is shown."""
    told = result.as_json()
    told["content"] = [_logged(block) for block in result.content]
    told.pop("tool")
    told["name"] = result.tool[:200]
    if result.structured is not None and len(canonical_json(told)) > _MOST_SHOWN:
        told.pop("structuredContent", None)  # the same is in the content
    return NewMessage(
        channel_id=session.channel_id or HUB,
        actor_id=session.actor_id,
        kind="tool_result",
        audience="room" if session.channel_id else "hub",
        text=result_text(result),
        body={**told, "askedBy": session.actor_id, "agentId": session.agent_id[:200]},
        course=session.course,
        sources=(source,),
    )


def _logged(block: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Pictures and sounds are told by their size and hash; the log is for reading."""
    data = block.get("data")
    if not isinstance(data, str):
        return dict(block)
    digest = hashlib.sha256(data.encode("utf-8", "replace")).hexdigest()
    return {**block, "data": None, "size": len(data), "sha256": digest}


def result_text(result: ToolResult) -> str:
    """The result as words, with what its tool's author remarks on the call."""
    notes = "".join(f"\n({note})" for note in result.notes)
    return f"{content_text(result)}{notes}".strip("\n")


def content_text(result: ToolResult) -> str:
    """Its content as words: texts as they are, other JSON as JSON, anything else by what it is."""
    return "\n".join(_words(block) for block in result.content)


def _words(block: Mapping[str, JsonValue]) -> str:
    text = block.get("text")
    if isinstance(text, str):
        return text
    if block.get("type") == "json":
        value = block.get("json")
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"[{block.get('type')} {block.get('mimeType') or block.get('uri') or ''}]".replace(" ]", "]")
