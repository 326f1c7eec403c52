"""What servers ask for: the owner's model, or the owner. Each is a question to the owner, or refused."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from prime.core.errors import JsonValue, PrimeError
from prime.core.redaction import cut, redact_for_yes
from prime.gateway.behind.config import ServerConfig
from prime.gateway.behind.owner import OwnerDesk, said_yes
from prime.gateway.behind.rpc import Message, RpcError
from prime.rooms.records import Question

PATIENCE_S = 600.0
_REFUSED = -1
_UNKNOWN = -32601
_WRONG = -32602
# Of what a server hands to the owner's model, its instructions included.
_LONGEST = 100_000


@dataclass(frozen=True, slots=True)
class Inferred:
    """What a mind said to a prompt, and what it cost."""

    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Infers(Protocol):
    """One request to the mind, through its spend guard."""

    async def infer(self, prompt: str, *, system: str = "") -> Inferred: ...


class Wishes:
    def __init__(self, desk: OwnerDesk, mind: Infers) -> None:
        self._desk = desk
        self._mind = mind

    async def grant(self, config: ServerConfig, method: str, params: Message) -> Message:
        """The answer to a server's request."""
        if method == "sampling/createMessage" and config.sampling == "ask":
            return await self._sample(config, params)
        if method == "elicitation/create" and config.elicitation == "ask":
            return await self._elicit(config, params)
        if method in {"sampling/createMessage", "elicitation/create"}:
            raise RpcError(_REFUSED, "The owner's configuration refuses this.")
        raise RpcError(_UNKNOWN, f"Prime does not answer {method[:80]}.")

    async def _sample(self, config: ServerConfig, params: Message) -> Message:
        prompt, given = _prompt(params), params.get("systemPrompt")
        system = given if isinstance(given, str) else ""
        if not prompt or len(prompt) + len(system) > _LONGEST:
            raise RpcError(_WRONG, f"A request has some text, and at most {_LONGEST:,} characters of it.")
        question = await self._desk.heard(
            f"The MCP server {config.name} wants your model to answer something. May it?",
            redact_for_yes(f"{system}\n\n{prompt}" if system else prompt),
            "The words come from the server, and the answer goes to it.",
            within_s=PATIENCE_S,
        )
        if not said_yes(question):
            raise RpcError(_REFUSED, "The owner did not allow it.")
        try:
            said = await self._mind.infer(prompt, system=system)
        except PrimeError as error:
            raise RpcError(-32603, error.message) from None
        content: Message = {"type": "text", "text": said.text}
        return {"role": "assistant", "content": content, "model": said.model, "stopReason": "endTurn"}

    async def _elicit(self, config: ServerConfig, params: Message) -> Message:
        """A form is asked of the owner; an address is never opened for a server."""
        if params.get("mode", "form") != "form":
            return {"action": "decline"}
        fields = _fields(params.get("requestedSchema"))
        question = await self._desk.heard(
            f"The MCP server {config.name} asks: {cut(_one_line(redact_for_yes(str(params.get('message', '')))), 300)}",
            _form(fields),
            "Your answer goes to the server. Do not give it passwords.",
            ("no",),
            within_s=PATIENCE_S,
        )
        return _elicited(fields, question)


def _one_line(text: str) -> str:
    """What it writes stands behind its name, and not in a paragraph of its own that could be anybody's."""
    return " ".join(text.split())


def _prompt(params: Message) -> str:
    messages = params.get("messages")
    lines: list[str] = []
    for one in cast("list[JsonValue]", messages)[:200] if isinstance(messages, list) else []:
        said = cast("Message", one) if isinstance(one, dict) else {}
        content = said.get("content")
        for block in cast("list[JsonValue]", content) if isinstance(content, list) else [content]:
            text = cast("Message", block).get("text") if isinstance(block, dict) else None
            if isinstance(text, str):
                lines.append(f"{said.get('role', 'user')}: {text}" if lines else text)
    return "\n".join(lines)


def _fields(schema: JsonValue) -> Mapping[str, Message]:
    properties = cast("Message", schema).get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {}
    given = cast("Message", properties)
    return {name: cast("Message", field) for name, field in list(given.items())[:30] if isinstance(field, dict)}


def _form(fields: Mapping[str, Message]) -> str:
    if not fields:
        return "Answer yes or no."
    lines = [
        f"{name}: {field.get('description') or field.get('title') or field.get('type')}"
        for name, field in fields.items()
    ]
    how = "Answer with the value." if len(fields) == 1 else 'Answer with a JSON object, such as {"name": "…"}.'
    return "\n".join([*lines, how])[:3000]


def _elicited(fields: Mapping[str, Message], question: Question) -> Message:
    if question.status != "answered":
        return {"action": "cancel"}
    text = str(question.answer.get("text") or "").strip()
    if question.answer.get("choice") == "no" or text.casefold() == "no":
        return {"action": "decline"}
    if not fields:
        return {"action": "accept", "content": {}} if said_yes(question) else {"action": "decline"}
    content = _content(fields, text)
    return {"action": "decline"} if content is None else {"action": "accept", "content": content}


def _content(fields: Mapping[str, Message], text: str) -> Message | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        given = cast("Message", value)
        return {name: given[name] for name in fields if name in given} or None
    if len(fields) != 1 or not text:
        return None
    [(name, field)] = fields.items()
    return {name: text if field.get("type", "string") == "string" else value}
