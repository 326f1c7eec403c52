"""Dialogs as lines of a training set, in the form that OpenAI's fine-tuning takes."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias, cast

from prime.core.redaction import Redactor
from prime.mind.shapes import to_openai
from prime.mind.turns import Conversation, Exchange, ToolStep, Turn, Words

JsonLine: TypeAlias = str


def example(conversation: Conversation, redactor: Redactor | None) -> JsonLine | None:
    """One line, with secrets taken out; None when the agent did nothing in it that could be learned."""
    if not any(isinstance(turn, ToolStep) or turn.role == "assistant" for turn in conversation.turns):
        return None
    shown = conversation if redactor is None else _redacted(conversation, redactor)
    return json.dumps({"messages": to_openai(shown)}, ensure_ascii=False)


def _redacted(conversation: Conversation, redactor: Redactor) -> Conversation:
    turns: list[Turn] = []
    for turn in conversation.turns:
        if isinstance(turn, Words):
            turns.append(replace(turn, text=redactor.redact(turn.text)))
        else:
            turns.append(ToolStep(exchanges=tuple(_redacted_exchange(each, redactor) for each in turn.exchanges)))
    return Conversation(system=redactor.redact(conversation.system), turns=turns)


def _redacted_exchange(each: Exchange, redactor: Redactor) -> Exchange:
    # As one text, because a value is known for a secret by the name that stands before it.
    written = redactor.redact(json.dumps(dict(each.arguments), ensure_ascii=False))
    try:
        found: object = json.loads(written)
    except json.JSONDecodeError:
        found = None
    arguments = cast("Mapping[str, object]", found) if isinstance(found, dict) else {"redacted": written}
    return replace(each, arguments=arguments, result=redactor.redact(each.result))
