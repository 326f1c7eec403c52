"""Several messages at once: JSON-RPC batches, which the revision 2025-03-26 has and no other before or after it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from mcp_types import INVALID_REQUEST
from pydantic_core import from_json, to_json

from prime.core.errors import JsonValue
from prime.gateway.front.frames import Message, Number, as_number, error_to, number_of, refused
from prime.gateway.front.numbers import in_flight
from prime.gateway.front.sessions import Session

REVISION = "2025-03-26"
MOST = 100


def batch_in(text: str | bytes, session: Session | None) -> list[JsonValue] | None:
    """The messages of a batch, if this is one and its sender may send it; what is wrong with others is not said here."""
    if session is None or session.revision != REVISION:
        return None
    if (text.lstrip()[:1] or b"") not in ("[", b"["):
        return None
    try:
        found = from_json(text)
    except ValueError:
        return None
    messages = cast("list[JsonValue]", found)
    return messages if 0 < len(messages) <= MOST else None


@dataclass
class Batch:
    """What is in one: messages to be dealt with, and answers that are there already because others are no messages."""

    messages: list[Message] = field(default_factory=list[Message])
    waiting: set[Number] = field(default_factory=set[Number])
    answers: list[bytes] = field(default_factory=list[bytes])

    @classmethod
    def of(cls, given: Sequence[JsonValue], running: Callable[[Number], bool] = lambda _: False) -> "Batch":
        """`running` says whether a request from before the batch has this id and is not answered yet."""
        batch = cls()
        for one in given:
            if (wrong := refused(one) or batch._out_of_place(cast("Message", one), running)) is not None:
                batch.answers.append(to_json(wrong))
                continue
            message = cast("Message", one)
            batch.messages.append(message)
            if (number := number_of(message)) is not None:
                batch.waiting.add(number)
        return batch

    def _out_of_place(self, message: Message, running: Callable[[Number], bool]) -> Message | None:
        number = number_of(message)
        if number is None:
            return None
        if message["method"] == "initialize":
            return error_to(
                number, INVALID_REQUEST, "initialize is never part of a batch. Send it by itself.", "method"
            )
        if number in self.waiting:
            return error_to(number, INVALID_REQUEST, "Two requests of this batch have the same id.", "id")
        return in_flight(number) if running(number) else None

    @property
    def whole(self) -> bytes | None:
        """All answers, when nothing is waited for any more; nothing when there was nothing to answer."""
        return b"[" + b",".join(self.answers) + b"]" if self.answers and not self.waiting else None


class Batches:
    """The batches of one connection that wait for their last answer."""

    def __init__(self) -> None:
        self._open: dict[Number, Batch] = {}

    def begin(self, batch: Batch) -> bytes | None:
        """Gather the answers to it from now on; what can be sent at once."""
        self._open |= dict.fromkeys(batch.waiting, batch)
        return batch.whole

    def answered(self, number: Number | None, answer: bytes) -> bytes | None:
        """What to send when this answer is there: itself, or its batch if it is the last one."""
        batch = self._open.get(number) if number is not None else None
        if batch is None:
            return answer
        batch.answers.append(answer)
        return self.given_up(number)

    def given_up(self, number: JsonValue) -> bytes | None:
        """No (further) answer comes; what to send."""
        known = as_number(number)
        if known is None or (batch := self._open.pop(known, None)) is None:
            return None
        batch.waiting.discard(known)
        return batch.whole
