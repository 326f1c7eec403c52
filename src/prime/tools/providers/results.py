"""Results back to the model, in each provider's message (RFC 7.2, D-ATIP-14)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.providers.calls import PROVIDERS, Provider, ToolCall

Message = dict[str, Any]  # the providers' own packages say what is in it


@dataclass(frozen=True, slots=True)
class CallResult:
    """What came of one call."""

    call: ToolCall
    value: JsonValue
    is_error: bool = False


def tool_result_message(
    provider: Provider, call: ToolCall | str, result: JsonValue, *, name: str = "", is_error: bool = False
) -> Message:
    """The message for a single call; for a bare call id, Gemini needs the tool's `name` too."""
    if isinstance(call, str):
        call = ToolCall(call, name, {}, positional=re.fullmatch(r"call_\d+", call) is not None)
    return tool_result_messages(provider, [CallResult(call, result, is_error)])[0]


def tool_result_messages(provider: Provider, results: Sequence[CallResult]) -> list[Message]:
    """The messages for calls made in parallel: one each for OpenAI, one for all with Anthropic and Gemini."""
    if provider == "openai":
        return [_openai(result) for result in results]
    if provider == "openai-responses":
        return [_responses(result) for result in results]
    if not results:
        return []
    if provider == "anthropic":
        return [{"role": "user", "content": [_anthropic(result) for result in results]}]
    if provider == "gemini":
        return [{"role": "user", "parts": [{"function_response": _gemini(result)} for result in results]}]
    raise InvalidInput(f"Unknown provider {provider!r}.", hint=f"Use one of: {', '.join(PROVIDERS)}.")


def _openai(result: CallResult) -> Message:
    return {"role": "tool", "tool_call_id": result.call.id, "content": _words(result)}


def _responses(result: CallResult) -> Message:
    return {"type": "function_call_output", "call_id": result.call.id, "output": _words(result)}


def _anthropic(result: CallResult) -> Message:
    block: Message = {"type": "tool_result", "tool_use_id": result.call.id, "content": _words(result)}
    return block | {"is_error": True} if result.is_error else block


def _gemini(result: CallResult) -> Message:
    """Always an object. An id is sent back only where the model gave one: ours say just the position."""
    if not result.call.name:
        raise InvalidInput("Gemini wants the name of the tool with its result.", hint="Pass the call, or name=….")
    value = result.value
    if result.is_error:
        response: JsonValue = {"error": value}
    else:
        response = dict(cast("Mapping[str, JsonValue]", value)) if isinstance(value, Mapping) else {"result": value}
    answer: Message = {"name": result.call.name, "response": response}
    return answer if result.call.positional or not result.call.id else answer | {"id": result.call.id}


def _words(result: CallResult) -> str:
    value = result.value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
