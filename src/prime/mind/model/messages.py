"""Our conversations and tools as pydantic-ai's messages, and its answers as ours."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from prime.core.errors import JsonValue
from prime.mind.jobs.lines import Line, Usage
from prime.mind.jobs.speaking import Reply, ToolRequest
from prime.mind.model.prices import micro_dollars
from prime.mind.model.quoting import said
from prime.mind.model.spec import ModelSpec
from prime.mind.shapes import BEGINS, tool_name
from prime.mind.tokens import estimate, family_of
from prime.mind.turns import Conversation, ToolStep, Turn, Words

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse, ModelResponsePart
    from pydantic_ai.tools import ToolDefinition


# A model answers something; when it was the last to speak, it answers this.
YOUR_TURN = "(It is your turn.)"


def from_lines(system: str, lines: Sequence[Line]) -> Conversation:
    """A channel's lines as a conversation: own words are the model's, all others are quoted."""
    turns: list[Turn] = []
    for line in lines:
        text = line.text if line.own else _heard(line)
        role = "assistant" if line.own else "user"
        last = turns[-1] if turns else None
        if isinstance(last, Words) and last.role == role:
            turns[-1] = Words(role=role, text=f"{last.text}\n{text}")
        else:
            turns.append(Words(role=role, text=text))
    if not turns or (isinstance(turns[-1], Words) and turns[-1].role == "assistant"):
        turns.append(Words(role="user", text=YOUR_TURN))
    return Conversation(system=system, turns=turns)


def _heard(line: Line) -> str:
    # A brief comes from the hub itself, not from anybody in the conversation.
    return f"Brief: {line.text}" if line.speaker.casefold() == "brief" and not line.quoted else said(line)


def model_messages(conversation: Conversation) -> "list[ModelMessage]":
    from pydantic_ai import messages as theirs

    made: list[ModelMessage] = []
    for turn in (
        (Words(role="user", text=BEGINS), *conversation.turns) if _model_begins(conversation) else conversation.turns
    ):
        if isinstance(turn, Words):
            if turn.text.strip():
                _add(made, turn)
            continue
        calls = [theirs.ToolCallPart(tool_name(e.name), dict(e.arguments), e.call_id) for e in turn.exchanges]
        results: list[ModelRequestPart] = [
            theirs.ToolReturnPart(
                tool_name(e.name), f"Error: {e.result}" if e.failed else e.result or "(nothing)", e.call_id
            )
            for e in turn.exchanges
        ]
        _join_response(made, calls)
        made.append(theirs.ModelRequest(parts=results))
    last = made[-1] if made else None
    if not isinstance(last, theirs.ModelRequest):
        last = theirs.ModelRequest(parts=[theirs.UserPromptPart(YOUR_TURN)])
        made.append(last)
    if conversation.system:
        last.instructions = conversation.system
    return made


def _model_begins(conversation: Conversation) -> bool:
    first = next(iter(conversation.turns), None)
    return first is None or isinstance(first, ToolStep) or first.role == "assistant"


def _add(made: "list[ModelMessage]", words: Words) -> None:
    from pydantic_ai import messages as theirs

    if words.role == "assistant":
        _join_response(made, [theirs.TextPart(words.text)])
        return
    last = made[-1] if made else None
    part = theirs.UserPromptPart(words.text)
    if isinstance(last, theirs.ModelRequest):
        last.parts = [*last.parts, part]
    else:
        made.append(theirs.ModelRequest(parts=[part]))


def _join_response(made: "list[ModelMessage]", parts: "Sequence[ModelResponsePart]") -> None:
    from pydantic_ai import messages as theirs

    last = made[-1] if made else None
    if isinstance(last, theirs.ModelResponse):
        last.parts = [*last.parts, *parts]
    else:
        made.append(theirs.ModelResponse(parts=list(parts)))


def tool_definitions(tools: Sequence[Mapping[str, JsonValue]]) -> "list[ToolDefinition]":
    from pydantic_ai.tools import ToolDefinition

    return [
        ToolDefinition(
            name=tool_name(str(tool["name"])),
            description=str(tool.get("description") or ""),
            parameters_json_schema=dict(
                cast("Mapping[str, object]", tool.get("parameters") or {"type": "object", "properties": {}})
            ),
            strict=False,
        )
        for tool in tools
    ]


def usage_of(sent: "Sequence[ModelMessage]", response: "ModelResponse", spec: ModelSpec) -> Usage:
    """What a request took, as the provider counted it; an estimate where it did not, as when a reply was broken off."""
    told = response.usage
    if told.input_tokens or told.output_tokens:
        return priced_usage(told.input_tokens, told.output_tokens, spec)
    return estimated_usage(sent, _words_of([response]), spec)


def estimated_usage(sent: "Sequence[ModelMessage]", heard: str, spec: ModelSpec) -> Usage:
    """What a request took of which the provider said nothing."""
    family = family_of(spec.name)
    return priced_usage(estimate(_words_of(sent), family), estimate(heard, family) if heard else 0, spec)


def _words_of(messages: "Sequence[ModelMessage]") -> str:
    instructions = [text for each in messages if isinstance(text := getattr(each, "instructions", None), str)]
    spoken = [
        text for each in messages for part in each.parts if isinstance(text := getattr(part, "content", None), str)
    ]
    return "\n".join((*instructions, *spoken))


def priced_usage(tokens_in: int, tokens_out: int, spec: ModelSpec, *, drawn: bool = False) -> Usage:
    cost = micro_dollars(spec, tokens_in, tokens_out, drawn=drawn)
    return Usage(requests=1, input_tokens=tokens_in, output_tokens=tokens_out, micro_dollars=cost)


def reply_of(response: "ModelResponse", usage: Usage) -> Reply:
    """Words, thoughts, and the tools that the model wants called; nothing is called here."""
    from pydantic_ai import messages as theirs

    text = "".join(part.content for part in response.parts if isinstance(part, theirs.TextPart))
    thought = "\n".join(
        part.content for part in response.parts if isinstance(part, theirs.ThinkingPart) and part.content
    )
    calls = [part for part in response.parts if isinstance(part, theirs.ToolCallPart)]
    requests = [
        ToolRequest(call_id=call.tool_call_id, name=call.tool_name, arguments=arguments_of(call.args)) for call in calls
    ]
    return Reply(text=text.strip(), thought=thought.strip(), tool_requests=tuple(requests), usage=usage)


def arguments_of(raw: object) -> dict[str, JsonValue]:
    """Arguments as an object. What is none is kept raw, so that the pipeline can refuse it by name."""
    if isinstance(raw, dict):
        return cast("dict[str, JsonValue]", raw)
    text = raw if isinstance(raw, str) else ""
    if not text.strip():
        return {}
    try:
        parsed: object = json.loads(text)
    except ValueError:
        return {"__raw__": text}
    return cast("dict[str, JsonValue]", parsed) if isinstance(parsed, dict) else {"__raw__": text}
