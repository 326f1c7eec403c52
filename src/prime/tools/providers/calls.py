"""Tool calls out of a model's response, for every provider (RFC 7.2, D-ATIP-14)."""

import json
import math
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, cast

from prime.core.errors import InvalidInput, JsonValue

Provider = Literal["openai", "openai-responses", "gemini", "anthropic"]
PROVIDERS: tuple[Provider, ...] = ("openai", "openai-responses", "gemini", "anthropic")
Json = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model asks for. `id` is the provider's, or made from the position where it gives none."""

    id: str
    name: str
    arguments: Json
    positional: bool = False


class MalformedArguments(InvalidInput):
    """A call whose arguments are not a JSON object. `raw` is what the model wrote; `calls` are the others."""

    code = "malformed_arguments"

    def __init__(self, call_id: str, name: str, raw: str, why: str) -> None:
        super().__init__(
            f"The arguments of {name[:80]!r} are not a JSON object: {why}.",
            hint="Tell the model so and let it try again.",
            callId=call_id,
            tool=name,
            raw=raw,
        )
        self.call_id = call_id
        self.name = name
        self.raw = raw
        self.calls: tuple[ToolCall, ...] = ()


def parse_tool_calls(provider: Provider, response: object) -> list[ToolCall]:
    """The calls of one response: the SDK's object or its JSON, in the order in which the model made them.

    When one is malformed, `MalformedArguments` is raised once all have been read, with the good ones in `calls`.
    """
    readers = {"openai": _openai, "openai-responses": _openai, "gemini": _gemini, "anthropic": _anthropic}
    if provider not in readers:
        raise InvalidInput(f"Unknown provider {provider!r}.", hint=f"Use one of: {', '.join(PROVIDERS)}.")
    calls: list[ToolCall] = []
    malformed: MalformedArguments | None = None
    found = list(readers[provider](_json(response)))
    given = {call_id for call_id, _, _ in found}
    for position, (call_id, name, arguments) in enumerate(found):
        try:
            read = _arguments(call_id, name, arguments)
            calls.append(ToolCall(call_id or position_id(position, given), name, read, positional=not call_id))
        except MalformedArguments as error:
            malformed = malformed or error
    if malformed:
        malformed.calls = tuple(calls)
        raise malformed
    return calls


def position_id(position: int, taken: AbstractSet[str] = frozenset()) -> str:
    """The id of a call that came without one, as Gemini's usually do; another than those that others came with."""
    found = f"call_{position}"
    while found in taken:
        found += "_"
    return found


_Found = Iterator[tuple[str, str, object]]


def _openai(response: Json) -> _Found:
    """Both shapes: `choices[0].message.tool_calls` of chat, `output[]` of responses."""
    for item in _objects(response.get("output")):
        if item.get("type") == "function_call":
            yield _text(item.get("call_id") or item.get("id")), _text(item.get("name")), item.get("arguments")
    choices = _objects(response.get("choices"))
    message = _json(choices[0].get("message")) if choices else response
    for call in _objects(message.get("tool_calls")):
        function = _json(call.get("function"))
        if function:
            yield _text(call.get("id")), _text(function.get("name")), function.get("arguments")


def _anthropic(response: Json) -> _Found:
    for block in _objects(response.get("content")):
        if block.get("type") == "tool_use":
            yield _text(block.get("id")), _text(block.get("name")), block.get("input")


def _gemini(response: Json) -> _Found:
    """`parts` of the first candidate; the REST API and the SDKs spell the call differently."""
    candidates = _objects(response.get("candidates"))
    content = _json(candidates[0].get("content")) if candidates else response
    for part in _objects(content.get("parts")):
        call = _json(part.get("function_call") or part.get("functionCall"))
        if call:
            yield _text(call.get("id")), _text(call.get("name")), call.get("args")


def _arguments(call_id: str, name: str, arguments: object) -> Json:
    if isinstance(arguments, str):
        return _parsed(call_id, name, arguments)
    if arguments is None:
        return {}
    if isinstance(arguments, Mapping):
        return dict(cast("Json", arguments))
    raise MalformedArguments(call_id, name, repr(arguments), "something else")


def _parsed(call_id: str, name: str, raw: str) -> Json:
    if not raw.strip():
        return {}
    try:
        value: object = json.loads(raw, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise MalformedArguments(call_id, name, raw, str(error)) from None
    if not isinstance(value, dict):
        raise MalformedArguments(call_id, name, raw, "another kind of value")
    return cast("Json", value)


def _refuse(word: str) -> object:
    raise ValueError(f"{word} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else cast("float", _refuse(digits[:20]))


def _json(value: object) -> Json:
    """A mapping, or an SDK's object as one."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        value = dump()
    return cast("Json", value) if isinstance(value, Mapping) else {}


def _objects(value: object) -> list[Json]:
    return [_json(item) for item in cast("list[object]", value)] if isinstance(value, list | tuple) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
