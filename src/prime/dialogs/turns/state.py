"""Where a turn is, read from its messages alone: a process that takes it over knows what the one before it knew."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from prime.core.errors import JsonValue
from prime.dialogs.turns.marks import Ending, Phase, names_in, step_of, turn_of
from prime.store.message import Message


@dataclass(frozen=True, slots=True)
class TurnId:
    """Which turn it is: of whom, where, in which stretch of the channel's history."""

    id: str
    channel_id: str
    agent_id: str
    course: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedCall:
    """A tool call of the mind as the log has it. `whole`: with these very arguments; else they held a secret."""

    message_id: str
    call_id: str
    name: str
    arguments: Mapping[str, JsonValue]
    whole: bool = True
    # It may have happened from here on.
    started: bool = False
    done: bool = False


@dataclass(frozen=True, slots=True)
class Spent:
    tokens: int = 0
    micro_dollars: int = 0


class TurnState:
    """The fold of a turn's messages. `began` is the first of them."""

    def __init__(self, began: Message) -> None:
        self.turn = TurnId(str(turn_of(began)), began.channel_id, began.actor_id, began.course)
        self.began = began
        self.phase: Phase = "running"
        self.steps = 0
        self.spent = Spent()
        self.calls: tuple[LoggedCall, ...] = ()
        self.question_ids: tuple[str, ...] = ()
        self._active_ms = 0
        self._last_ts = began.ts

    def hear(self, messages: Iterable[Message]) -> None:
        """Take what was logged next; messages of others are passed over."""
        for message in messages:
            if turn_of(message) == self.turn.id and message.seq > self.began.seq:
                self._hear(message)

    @property
    def unanswered(self) -> list[LoggedCall]:
        """Calls of the last step that have no result yet."""
        return [call for call in self.calls if not call.done]

    def active_ms(self, now_ms: int) -> int:
        """How long it has been worked at, without the time in which it waited or nobody was there."""
        return self._active_ms + max(now_ms - self._last_ts, 0)

    def _hear(self, message: Message) -> None:
        step = step_of(message)
        if step != "resumed" and self.phase != "waiting":
            self._active_ms += max(message.ts - self._last_ts, 0)
        self._last_ts = message.ts
        if step is not None:
            self._hear_mark(message, step)
        elif message.kind == "tool_result":
            self._change(str(message.body.get("callId")), done=True)
        else:
            self._hear_reply(message)

    def _hear_mark(self, message: Message, step: str) -> None:
        if step == "starting":
            self._change(str(message.body.get("callId")), started=True)
        elif step == "waiting":
            self.phase, self.question_ids = "waiting", tuple(names_in(message, "questionIds"))
        elif step == "resumed":
            self.phase = "running"
        elif step == "stop":
            self.phase = "stopping"
        elif step == "ended":
            self.phase = cast("Ending", message.body.get("outcome"))
        self._hear_usage(message)

    def _hear_reply(self, message: Message) -> None:
        number = message.body.get("step")
        if isinstance(number, int) and number > self.steps:
            self.steps, self.calls = number, ()
        self._hear_usage(message)
        if message.kind == "tool_call":
            self.calls = (*self.calls, _logged(message))

    def _hear_usage(self, message: Message) -> None:
        usage = message.body.get("usage")
        if isinstance(usage, dict):
            known = cast("Mapping[str, object]", usage)
            tokens = _number(known, "inputTokens") + _number(known, "outputTokens")
            money = self.spent.micro_dollars + _number(known, "microDollars")
            self.spent = Spent(self.spent.tokens + tokens, money)

    def _change(self, call_id: str, *, started: bool = False, done: bool = False) -> None:
        self.calls = tuple(
            replace(call, started=call.started or started, done=call.done or done) if call.call_id == call_id else call
            for call in self.calls
        )


def _logged(message: Message) -> LoggedCall:
    body = message.body
    arguments = body.get("arguments")
    return LoggedCall(
        message_id=message.id,
        call_id=str(body.get("callId")),
        name=str(body.get("name")),
        arguments=cast("Mapping[str, JsonValue]", arguments) if isinstance(arguments, dict) else {},
        whole=body.get("whole") is not False,
    )


def _number(usage: Mapping[str, object], key: str) -> int:
    value = usage.get(key)
    return value if isinstance(value, int) and value > 0 else 0
