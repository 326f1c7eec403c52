"""What a mind replied, as the messages that are logged before anything else happens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from prime.core.canonical import canonical_json
from prime.core.errors import JsonValue, PrimeError
from prime.core.ids import new_id
from prime.dialogs.context import Context
from prime.dialogs.turns.marks import mark
from prime.dialogs.turns.state import TurnId
from prime.mind.jobs.lines import Usage
from prime.mind.jobs.speaking import Reply, ToolRequest
from prime.store.message import NewMessage
from prime.tools.pipeline import CallSession, ToolCall
from prime.tools.pipeline.stored import called

_LONGEST_ID = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One reply: its messages, and the arguments that the log does not keep as they are, by call id."""

    messages: tuple[NewMessage, ...]
    kept: Mapping[str, Mapping[str, JsonValue]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The request that a reply answers: by which model, as which step, and how far it had read."""

    turn: TurnId
    step: int
    model: str
    context: Context
    cause_id: str

    @property
    def seen(self) -> int:
        return max((piece.seq for piece in self.context.window.pieces), default=0)


def said(asked: Asked, reply: Reply, session: CallSession) -> Said:
    """The reply as messages: thought, words, calls; without calls it is the end of the turn."""
    turn = asked.turn
    messages = [*_spoken(asked, reply)]
    kept: dict[str, Mapping[str, JsonValue]] = {}
    for request in _distinct(reply.tool_requests):
        call = ToolCall(name=request.name, arguments=request.arguments, id=request.call_id)
        message = called(call, session)
        if not _same(request.arguments, message.body["arguments"]):
            kept[call.id] = request.arguments
        messages.append(_with(message, whole=call.id not in kept))
    if not reply.tool_requests:
        outcome = "said" if reply.text.strip() else "silent"
        messages.append(mark(turn.id, turn.channel_id, turn.agent_id, "ended", course=turn.course, outcome=outcome))
    noted = {"turnId": turn.id, "step": asked.step}
    first = {"seen": asked.seen, "usage": _usage(asked, reply.usage)}
    placed = [_with(message, **noted) if _is_step(message) else message for message in messages]
    # Where the channel's own estimates look for it: at a message that can be seen from there, if there is one.
    place = next((i for i, message in enumerate(placed) if message.audience == "room"), 0)
    placed[place] = _with(placed[place], **first)
    return Said(messages=tuple(placed), kept=kept)


def _spoken(asked: Asked, reply: Reply) -> Sequence[NewMessage]:
    turn = asked.turn
    spoken: list[NewMessage] = []
    if reply.thought.strip():
        spoken.append(_of(turn, "thought", reply.thought))
    if reply.text.strip():
        spoken.append(_of(turn, "text", reply.text, asked.cause_id))
    return spoken


def words(turn: TurnId, text: str, cause_id: str, **more: object) -> NewMessage:
    """Words of the agent in the room."""
    return _with(_of(turn, "text", text, cause_id), turnId=turn.id, **more)


def _of(turn: TurnId, kind: str, text: str, cause_id: str = "") -> NewMessage:
    thought = kind == "thought"
    return NewMessage(
        channel_id=turn.channel_id,
        actor_id=turn.agent_id,
        kind="thought" if thought else "text",
        audience="hub" if thought else "room",
        text=text,
        course=turn.course,
        sources=(cause_id,) if cause_id else (),
    )


def _is_step(message: NewMessage) -> bool:
    return message.kind != "system"


def _distinct(requests: Sequence[ToolRequest]) -> list[ToolRequest]:
    """Calls with ids that tell them apart, whatever the provider gave them."""
    taken: set[str] = set()
    distinct: list[ToolRequest] = []
    for request in requests:
        call_id = request.call_id
        if not call_id or call_id in taken or len(call_id) > _LONGEST_ID:
            call_id = new_id("call")
        taken.add(call_id)
        distinct.append(ToolRequest(call_id=call_id, name=request.name, arguments=request.arguments))
    return distinct


def _same(given: Mapping[str, JsonValue], logged: object) -> bool:
    try:
        return canonical_json(dict(given)) == canonical_json(logged)
    except PrimeError:
        return False


def _usage(asked: Asked, usage: Usage) -> dict[str, object]:
    """What the request cost; an engine that makes no requests costs nothing."""
    return {
        "model": asked.model,
        "calls": usage.requests,
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
        "estimatedTokens": asked.context.estimated,
        "microDollars": usage.micro_dollars,
    }


def _with(message: NewMessage, **more: object) -> NewMessage:
    return replace(message, body={**message.body, **more})
