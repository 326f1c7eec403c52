"""Conversations in the three shapes that providers take.

Histories come from anywhere: ids and names that a provider would refuse are replaced here by ones that it takes, the same
in a call and in its result.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast, get_args

from prime.mind.turns import Conversation, Exchange, ToolStep, Turn, Words

Provider: TypeAlias = Literal["openai", "anthropic", "gemini"]
Shape: TypeAlias = dict[str, object]

PROVIDERS: tuple[Provider, ...] = get_args(Provider)
# Anthropic and Gemini want a person to speak first.
BEGINS = "(The conversation begins.)"

_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def to_provider(conversation: Conversation, provider: Provider) -> Shape:
    """What of a request's body holds the conversation."""
    if provider == "openai":
        return {"messages": to_openai(conversation)}
    return to_anthropic(conversation) if provider == "anthropic" else to_gemini(conversation)


def message_lines(turns: Sequence[Turn], provider: Provider) -> list[Shape]:
    """The messages alone, one by one, without what stands above them."""
    body = to_provider(Conversation(system="", turns=turns), provider)
    return cast("list[Shape]", body["contents" if provider == "gemini" else "messages"])


def to_openai(conversation: Conversation) -> list[Shape]:
    """Messages of OpenAI's chat completions, and of every server that speaks its language."""
    messages: list[Shape] = [{"role": "system", "content": conversation.system}] if conversation.system else []
    ids = _Ids()
    for turn in _joined(conversation.turns):
        if isinstance(turn, Words):
            messages.append({"role": turn.role, "content": turn.text})
            continue
        step = [(ids.next(each.call_id), each) for each in turn.exchanges]
        calls = [_openai_call(call_id, each) for call_id, each in step]
        before = messages[-1] if messages else {}
        if before.get("role") == "assistant" and "tool_calls" not in before:
            before["tool_calls"] = calls
        else:
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        for call_id, each in step:
            messages.append({"role": "tool", "tool_call_id": call_id, "content": _result(each, mark=True)})
    return messages


def to_anthropic(conversation: Conversation) -> Shape:
    """`system` and `messages` of Anthropic's messages API."""
    blocks = _Blocks("user", "assistant", "content")
    ids = _Ids()
    for turn in _joined(conversation.turns):
        if isinstance(turn, Words):
            blocks.add(turn.role, [{"type": "text", "text": turn.text}])
            continue
        step = [(ids.next(each.call_id), each) for each in turn.exchanges]
        blocks.add(
            "assistant",
            [
                {"type": "tool_use", "id": call_id, "name": tool_name(each.name), "input": dict(each.arguments)}
                for call_id, each in step
            ],
        )
        blocks.add("user", [_anthropic_result(call_id, each) for call_id, each in step])
    body: Shape = {"system": conversation.system} if conversation.system else {}
    return body | {"messages": blocks.begun_by_user({"type": "text", "text": BEGINS})}


def to_gemini(conversation: Conversation) -> Shape:
    """`systemInstruction` and `contents` of Gemini's API."""
    blocks = _Blocks("user", "model", "parts")
    for turn in _joined(conversation.turns):
        if isinstance(turn, Words):
            blocks.add("user" if turn.role == "user" else "model", [{"text": turn.text}])
            continue
        calls = [{"name": tool_name(each.name), "args": dict(each.arguments)} for each in turn.exchanges]
        blocks.add("model", [{"functionCall": call} for call in calls])
        # Gemini counts the results of a step, so nothing else may stand among them.
        blocks.add("user", [_gemini_result(each) for each in turn.exchanges])
        blocks.close()
    body: Shape = {}
    if conversation.system:
        body["systemInstruction"] = {"parts": [{"text": conversation.system}]}
    return body | {"contents": blocks.begun_by_user({"text": BEGINS})}


def tool_name(name: str) -> str:
    """A name that every provider takes; the same for the same name, and different ones stay different."""
    if _NAME.fullmatch(name):
        return name
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:55]
    plain = plain if plain[:1].isalpha() or plain[:1] == "_" else f"_{plain}"[:55]
    return f"{plain}_{_digest(name)}"


def _joined(turns: Sequence[Turn]) -> list[Turn]:
    """Neighbouring words of one side as one, and empty words left out."""
    joined: list[Turn] = []
    for turn in turns:
        last = joined[-1] if joined else None
        if isinstance(turn, ToolStep):
            if turn.exchanges:
                joined.append(turn)
        elif not turn.text.strip():
            continue
        elif isinstance(last, Words) and last.role == turn.role:
            joined[-1] = Words(role=turn.role, text=f"{last.text}\n\n{turn.text}")
        else:
            joined.append(turn)
    return joined


class _Ids:
    """Call ids as providers take them: short, plain, and none of them twice."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def next(self, call_id: str) -> str:
        name = call_id if _ID.fullmatch(call_id) else f"call_{_digest(call_id)}"
        free, number = name, 1
        while free in self._given:
            number += 1
            free = f"{name[:33]}-{number}"
        self._given.add(free)
        return free


@dataclass(slots=True)
class _Blocks:
    """Messages made of blocks, neighbours of one role joined."""

    user: str
    model: str
    key: str
    messages: list[Shape] = field(default_factory=list[Shape])
    _closed: bool = False

    def add(self, role: str, blocks: Sequence[Mapping[str, object]]) -> None:
        last = self.messages[-1] if self.messages and not self._closed else None
        if last is not None and last["role"] == role:
            cast("list[object]", last[self.key]).extend(blocks)
        else:
            self.messages.append({"role": role, self.key: list(blocks)})
        self._closed = False

    def close(self) -> None:
        """Let nothing join the last message."""
        self._closed = True

    def begun_by_user(self, opening: Mapping[str, object]) -> list[Shape]:
        if self.messages and self.messages[0]["role"] == self.model:
            return [{"role": self.user, self.key: [opening]}, *self.messages]
        return self.messages


def _openai_call(call_id: str, each: Exchange) -> Shape:
    arguments = json.dumps(dict(each.arguments), ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": tool_name(each.name), "arguments": arguments}}


def _anthropic_result(call_id: str, each: Exchange) -> Shape:
    result: Shape = {"type": "tool_result", "tool_use_id": call_id, "content": _result(each, mark=False)}
    return result | {"is_error": True} if each.failed else result


def _gemini_result(each: Exchange) -> Shape:
    response = {"error" if each.failed else "result": each.result}
    return {"functionResponse": {"name": tool_name(each.name), "response": response}}


def _result(each: Exchange, *, mark: bool) -> str:
    """`mark` where the provider has no field of its own for a failure."""
    return f"Error: {each.result}" if each.failed and mark else each.result or "(nothing)"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
