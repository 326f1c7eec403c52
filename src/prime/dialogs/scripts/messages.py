"""Records as messages of the log, and back, without loss.

What the log shows natively (words, thoughts, tool calls and their results) goes into its own kinds; everything else is
a `system` message. Each message that came from a record carries the record's type and remaining fields in
`body["record"]`, so that it can be written into a script again exactly; a text that the log would clean is kept in
`body["exactText"]` too. The log moves long texts into attachments: whoever reads messages for `to_records` puts them back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from prime.core.canonical import clean_text
from prime.core.errors import InvalidInput
from prime.core.json_text import Json, JsonObject
from prime.dialogs.scripts.building import FieldProblem, build, text_of, values_of
from prime.dialogs.scripts.fields import SHAPES
from prime.dialogs.scripts.records import (
    AgentThought,
    AgentWords,
    FuncCall,
    FuncResult,
    HumanText,
    Record,
    TeammateCallResult,
    TeammateResponse,
)

SOURCE_TAG = "priming_script"

Kind: TypeAlias = Literal["text", "thought", "tool_call", "tool_result", "system"]
Actor: TypeAlias = Literal["human", "agent", "teammate", "tool"]

_KINDS: Mapping[type[Record], tuple[Kind, Actor]] = {
    HumanText: ("text", "human"),
    AgentWords: ("text", "agent"),
    AgentThought: ("thought", "agent"),
    FuncCall: ("tool_call", "agent"),
    FuncResult: ("tool_result", "tool"),
    TeammateCallResult: ("text", "teammate"),
    TeammateResponse: ("text", "teammate"),
}
# Fields that the log has a name of its own for: record field -> body field.
_NATIVE: Mapping[str, Mapping[str, str]] = {
    FuncCall.TYPE: {"id": "callId", "name": "name", "arguments": "arguments"},
    FuncResult.TYPE: {"id": "callId", "name": "name"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryMessage:
    """A message as far as a startup script knows it; the log adds channel, ids, time and course.

    `actor` is the part that somebody plays; who plays it (which actor of the channel) is the log's to say.
    """

    kind: Kind
    actor: Actor
    text: str = ""
    body: JsonObject = field(default_factory=dict[str, Json])
    source_tag: str | None = None


def to_message(record: Record) -> HistoryMessage:
    """The message that a record becomes when a script is replayed."""
    kind, actor = _KINDS.get(type(record), ("system", "agent"))
    values = values_of(record)
    body: JsonObject = {there: values.pop(here) for here, there in _NATIVE.get(record.TYPE, {}).items()}
    body["record"] = {"type": record.TYPE, **values}
    text = text_of(record) or ""
    if clean_text(text) != text:
        body["exactText"] = text
    return HistoryMessage(kind=kind, actor=actor, text=text, body=body, source_tag=SOURCE_TAG)


def from_message(message: HistoryMessage) -> Record | None:
    """The record that a replayed message came from; None for a message that came from none."""
    if "fullTextAttachmentId" in message.body:
        raise InvalidInput(
            "This message's text lies in an attachment.", hint="Put the whole text back before it becomes a record."
        )
    kept = message.body.get("record")
    if not isinstance(kept, dict):
        return None
    shape = SHAPES.get(str(kept.get("type")))
    if shape is None:
        raise InvalidInput(f"A message names a record type that is not known: {kept.get('type')!r}.")
    values = {key: value for key, value in kept.items() if key != "type"}
    values |= {
        here: message.body[there] for here, there in _NATIVE.get(shape.type, {}).items() if there in message.body
    }
    exact = message.body.get("exactText")
    try:
        return build(shape, values, exact if isinstance(exact, str) else message.text)
    except FieldProblem as problem:
        raise InvalidInput(f"A message cannot be written as {shape.type}: {problem.message}") from problem


def to_messages(records: Iterable[Record]) -> list[HistoryMessage]:
    """The messages of a whole history."""
    return [to_message(record) for record in records]


def to_records(messages: Sequence[HistoryMessage]) -> tuple[Record, ...]:
    """A course's history as records: replayed messages as they were, and those that were said since.

    Messages from no record get generation numbers that go on from those before: a person's words begin a generation,
    and so does what the agent says after a tool's result. Messages of kinds that a script does not have are left out.
    """
    counter = _Generations()
    records: list[Record] = []
    for message in messages:
        record = from_message(message)
        if record is not None:
            counter.seen(record)
        else:
            record = _live(message, counter, len(records) + 1)
        if record is not None:
            records.append(record)
    return tuple(records)


class _Generations:
    """Counts generations over a history."""

    def __init__(self) -> None:
        self._number = 0
        self._over = True

    def seen(self, record: Record) -> None:
        if not isinstance(record, (TeammateCallResult, TeammateResponse)):
            self._number = max(self._number, record.genseq)
        self._over = isinstance(record, FuncResult)

    def human(self) -> int:
        self._number += 1
        self._over = False
        return self._number

    def agent(self) -> int:
        return self.human() if self._over else self._number

    def tool(self) -> int:
        self._over = True
        return max(self._number, 1)


def _live(message: HistoryMessage, counter: _Generations, position: int) -> Record | None:
    body = message.body
    if message.kind == "text" and message.actor == "human":
        given = body.get("msgId")
        name = given if isinstance(given, str) else f"message-{position}"
        return HumanText(genseq=counter.human(), msg_id=name, grammar="markdown", content=message.text)
    if message.kind == "text":
        return AgentWords(genseq=counter.agent(), content=message.text)
    if message.kind == "thought":
        return AgentThought(genseq=counter.agent(), content=message.text)
    if message.kind == "tool_call":
        arguments = body.get("arguments", {})
        if not isinstance(arguments, dict):
            raise InvalidInput("A tool call's arguments are not an object.")
        call_id, name = _said(body, "callId"), _said(body, "name")
        return FuncCall(genseq=counter.agent(), id=call_id, name=name, arguments=arguments)
    if message.kind == "tool_result":
        call_id, name = _said(body, "callId"), _said(body, "name")
        return FuncResult(genseq=counter.tool(), id=call_id, name=name, content=message.text)
    return None


def _said(body: Mapping[str, Json], key: str) -> str:
    value = body.get(key)
    if not isinstance(value, str):
        raise InvalidInput(f"A tool call or result in the log has no {key}.")
    return value
