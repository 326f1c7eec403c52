"""A course of a channel as the messages that a startup script is made of."""

from collections.abc import AsyncGenerator, Iterable
from typing import cast

from prime.core.json_text import Json, JsonObject
from prime.dialogs.quoting import quoted
from prime.dialogs.scripts.messages import HistoryMessage, Kind, to_records
from prime.dialogs.scripts.records import Record
from prime.rooms.records import OWNER
from prime.rooms.rooms import Rooms
from prime.rooms.views import full_text
from prime.store.message import Kind as LogKind
from prime.store.message import Message
from prime.store.store import Store

PAGE = 1000
_KINDS: frozenset[LogKind] = frozenset({"text", "edit", "note", "thought", "tool_call", "tool_result", "system"})


async def read_course(store: Store, rooms: Rooms, channel_id: str, course: int) -> list[Message]:
    """All of a course that a script can hold, in order, with whole texts and with corrections in their places."""
    stretches = [(start, end) for start, end, each in await rooms.courses(channel_id) if each == course]
    messages = [m for start, end in reversed(stretches) async for m in _stretch(store, channel_id, start, end)]
    return corrected(messages)


def corrected(messages: Iterable[Message]) -> list[Message]:
    """The messages with what was corrected as it reads now, and without the corrections.

    Only who said something, or the owner, can correct it.
    """
    listed = list(messages)
    by_id = {message.id: index for index, message in enumerate(listed)}
    for edit in listed:
        index = by_id.get(edit.sources[0]) if edit.kind == "edit" and edit.sources else None
        if index is not None and edit.actor_id in {OWNER, listed[index].actor_id} and listed[index].kind == "text":
            plain = {key: value for key, value in listed[index].body.items() if key != "exactText"}
            listed[index] = listed[index]._replace(text=edit.text, body=plain)
    return [message for message in listed if message.kind != "edit"]


def records_of(messages: Iterable[Message], agent_id: str) -> tuple[Record, ...]:
    """The course as the records of a script of `agent_id`.

    A result whose call is not there (it was erased, or was another agent's) goes with its call.
    """
    history: list[HistoryMessage] = []
    calls: set[Json] = set()
    for message in messages:
        found = as_history(message, agent_id)
        if found is None or (found.kind == "tool_result" and found.body.get("callId") not in calls):
            continue
        if found.kind == "tool_call":
            calls.add(found.body["callId"])
        history.append(found)
    return to_records(history)


def as_history(message: Message, agent_id: str) -> HistoryMessage | None:
    """The message as a script of `agent_id` holds it; None for what belongs to no script."""
    body = cast("JsonObject", {key: value for key, value in message.body.items() if key != "fullTextAttachmentId"})
    if "record" in body:
        kind = cast("Kind", message.kind)
        return HistoryMessage(kind=kind, actor="agent", text=message.text, body=body, source_tag=message.source_tag)
    if message.kind in {"tool_call", "tool_result"}:
        return _as_step(message, body, agent_id)
    if not message.text or (message.audience != "room" and message.kind != "thought"):
        return None
    return _as_words(message, agent_id)


def _as_step(message: Message, body: JsonObject, agent_id: str) -> HistoryMessage | None:
    # Blank when it was erased.
    if "callId" not in body or (message.kind == "tool_call" and message.actor_id != agent_id):
        return None
    fields = {key: body[key] for key in ("callId", "name", "arguments") if key in body}
    return HistoryMessage(kind=cast("Kind", message.kind), actor="agent", text=message.text, body=fields)


def _as_words(message: Message, agent_id: str) -> HistoryMessage | None:
    named: JsonObject = {"msgId": message.id}
    own = message.actor_id == agent_id
    if message.kind == "note":
        return HistoryMessage(kind="text", actor="human", text=quoted(message.text), body=named)
    if message.kind == "thought":
        return HistoryMessage(kind="thought", actor="agent", text=message.text) if own else None
    if message.kind != "text":
        return None
    if message.actor_id == OWNER:
        return HistoryMessage(kind="text", actor="human", text=message.text, body=named)
    if own:
        return HistoryMessage(kind="text", actor="agent", text=message.text)
    record = _said_by_other(message, agent_id)
    return HistoryMessage(kind="text", actor="teammate", text=message.text, body={"record": record})


def _said_by_other(message: Message, agent_id: str) -> JsonObject:
    """Somebody else's words in the room; a script knows others as teammates who answered."""
    return {
        "type": "teammate_response_record",
        "responderId": message.actor_id,
        "callName": "say",
        "tellaskContent": "",
        "status": "completed",
        "callId": message.id,
        "agentId": message.actor_id,
        "originMemberId": agent_id,
    }


async def _stretch(store: Store, channel_id: str, start: int, end: int | None) -> AsyncGenerator[Message]:
    place = start - 1
    while True:
        page = await store.log.page(channel_id, after=place, before=end, limit=PAGE, kinds=sorted(_KINDS))
        for message in page:
            yield message._replace(text=await full_text(store, message))
        if len(page) < PAGE:
            return
        place = page[-1].seq
