"""The two prompts that come with Prime: the compiled context document, and the conversation under a token limit."""

import json
from collections.abc import Mapping

from prime.core.errors import InvalidInput, JsonValue
from prime.dialogs.dialogs import Dialogs
from prime.gateway.prompts.prompt import Argument, Prompt
from prime.mind.tokens import estimate
from prime.mind.turns import Turn, Words
from prime.rooms.records import HUB

_CHANNEL = Argument(name="channel", description="Id of the channel; the owner's own room unless given.")
CONTEXT = Prompt(
    name="context",
    title="Context document",
    description="The compiled context document of a channel: who is there, what it is for, what is known.",
    arguments=(_CHANNEL,),
)
CONVERSATION = Prompt(
    name="conversation",
    title="Conversation",
    description="The context document and the conversation of a channel, the oldest left out beyond a token limit.",
    arguments=(_CHANNEL, Argument(name="tokens", description="The most tokens; 8000 unless given.")),
)
OWN = (CONTEXT, CONVERSATION)
Message = dict[str, JsonValue]


class Contexts:
    def __init__(self, dialogs: Dialogs) -> None:
        self._dialogs = dialogs

    async def messages(self, prompt: Prompt, values: Mapping[str, str], model: str) -> list[Message]:
        """What leaves for good is archived, as it is when an agent speaks (D-RUN-9)."""
        channel = values.get("channel") or HUB
        if prompt is CONTEXT:
            context = await self._dialogs.preview(channel, model)
            return [said("user", context.document.text)]
        limit = _limit(values.get("tokens") or "8000")
        context = await self._dialogs.prepare(channel, model)
        document = context.document.text
        turns = _newest(context.turns, limit - estimate(document))
        return [said("user", document), *(_shown(turn) for turn in turns)]


def said(role: str, text: str) -> Message:
    return {"role": role, "content": {"type": "text", "text": text}}


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= 10_000_000):
        raise InvalidInput("tokens is a number of tokens.", field="arguments.tokens")
    return int(text[:9])


def _newest(turns: list[Turn], room: int) -> list[Turn]:
    """From the end, as long as they fit; a turn of calls has its results in it, and goes or stays whole."""
    kept: list[Turn] = []
    for turn in reversed(turns):
        room -= estimate(_text(turn)) + 4
        if room < 0:
            break
        kept.append(turn)
    return kept[::-1]


def _shown(turn: Turn) -> Message:
    return said(turn.role if isinstance(turn, Words) else "assistant", _text(turn))


def _text(turn: Turn) -> str:
    if isinstance(turn, Words):
        return turn.text
    calls = [
        {"call": one.name, "arguments": dict(one.arguments), "result": one.result, "failed": one.failed}
        for one in turn.exchanges
    ]
    return json.dumps(calls, ensure_ascii=False)
