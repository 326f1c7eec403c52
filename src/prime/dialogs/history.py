"""A channel's messages as what an agent there said, heard and did."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from prime.dialogs.quoting import quoted
from prime.mind.tokens import CALL_TOKENS, MESSAGE_TOKENS, Family, estimate
from prime.mind.turns import Exchange, ToolStep, Turn, Words
from prime.rooms.records import OWNER
from prime.store.message import Message

NO_RESULT = "(There is no result: the call was never answered.)"

# Records of a startup script that a model sees as somebody's words, by type; all others of kind `system` are for people.
_HEARD = frozenset({"human_text_record", "quest_for_sup_record"})
_ANSWERED = frozenset({"teammate_call_result_record", "teammate_response_record"})


@dataclass(frozen=True, slots=True)
class Call:
    call_id: str
    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Result:
    call_id: str
    text: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """One message as the agent knows it, and its place."""

    seq: int
    what: "Words | Call | Result"


What: TypeAlias = Words | Call | Result

_JSON = json.JSONEncoder(ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Perspective:
    """Whose history it is, and how others are called there."""

    agent_id: str
    names: Mapping[str, str]

    def piece(self, message: Message) -> Piece | None:
        """What the message is to the agent; None for what it is not shown."""
        what = self._what(message)
        return None if what is None else Piece(message.seq, what)

    def _what(self, message: Message) -> What | None:
        body = message.body
        record = body.get("record")
        if isinstance(record, dict):
            return self._replayed(message, cast("Mapping[str, object]", record))
        if message.kind == "tool_call":
            return _call(body) if message.actor_id == self.agent_id else None
        if message.kind == "tool_result":
            return _result(message)
        if message.audience != "room" or not message.text:
            return None
        if message.kind == "note":
            return Words(role="user", text=quoted(message.text))
        return self._said(message.actor_id, message.text) if message.kind == "text" else None

    def _replayed(self, message: Message, record: Mapping[str, object]) -> What | None:
        kind = str(record.get("type"))
        if message.kind == "tool_call":
            return _call(message.body)
        if message.kind == "tool_result":
            return _result(message)
        if kind == "agent_words_record":
            return Words(role="assistant", text=message.text)
        if kind in _ANSWERED:
            return self._said(str(record.get("responderId")), message.text, teammate=True)
        return Words(role="user", text=message.text) if kind in _HEARD else None

    def _said(self, actor_id: str, text: str, *, teammate: bool = False) -> Words:
        if actor_id == self.agent_id and not teammate:
            return Words(role="assistant", text=text)
        if actor_id == OWNER and not teammate:
            return Words(role="user", text=text)
        return Words(role="user", text=f"{self.names.get(actor_id, actor_id)}: {text}")


def weigh(pieces: Sequence[Piece], family: Family) -> int:
    """About how many tokens they are together."""
    said = sum([isinstance(piece.what, Words) for piece in pieces])
    overhead = MESSAGE_TOKENS * said + CALL_TOKENS * (len(pieces) - said)
    return estimate("".join([_written(piece.what) for piece in pieces]), family) + overhead


def _written(what: What) -> str:
    return what.name + _JSON.encode(dict(what.arguments)) if isinstance(what, Call) else what.text


def turns_of(pieces: Sequence[Piece]) -> list[Turn]:
    """The pieces as turns: calls made at once in one step, each with its result, and what was said meanwhile behind it.

    A result whose call is not here is left out; a call that was never answered says so.
    """
    answers = _answers(pieces)
    turns: list[Turn] = []
    step: list[Exchange] = []
    for index, piece in enumerate(pieces):
        if isinstance(piece.what, Call):
            step.append(_exchange(piece.what, answers.get(index)))
            continue
        if step:
            turns.append(ToolStep(exchanges=tuple(step)))
            step = []
        if isinstance(piece.what, Words):
            turns.append(piece.what)
    if step:
        turns.append(ToolStep(exchanges=tuple(step)))
    return turns


def _answers(pieces: Sequence[Piece]) -> dict[int, Result]:
    """The result of each call, by the call's index. An id that is used again belongs to the latest call before."""
    waiting: dict[str, int] = {}
    answers: dict[int, Result] = {}
    for index, piece in enumerate(pieces):
        if isinstance(piece.what, Call):
            waiting[piece.what.call_id] = index
        elif isinstance(piece.what, Result) and piece.what.call_id in waiting:
            answers[waiting.pop(piece.what.call_id)] = piece.what
    return answers


def _exchange(call: Call, result: Result | None) -> Exchange:
    # What a tool says comes from outside, whoever wrote the tool.
    text, failed = (result.text and quoted(result.text), result.failed) if result else (NO_RESULT, True)
    return Exchange(call_id=call.call_id, name=call.name, arguments=call.arguments, result=text, failed=failed)


def _call(body: Mapping[str, object]) -> Call | None:
    call_id, name, arguments = body.get("callId"), body.get("name"), body.get("arguments")
    if not isinstance(call_id, str) or not isinstance(name, str):
        return None  # blank, because it was erased
    return Call(call_id, name, cast("Mapping[str, object]", arguments) if isinstance(arguments, dict) else {})


def _result(message: Message) -> Result | None:
    call_id = message.body.get("callId")
    if not isinstance(call_id, str):
        return None
    return Result(call_id, message.text, message.body.get("isError") is True)
