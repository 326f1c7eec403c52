"""The message: the only thing that the log holds."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast

from prime.core.canonical import canonical_json, clean_text
from prime.core.errors import InvalidInput
from prime.core.ids import new_message_id

Kind = Literal[
    "text", "thought", "edit", "tool_call", "tool_result", "note", "plan", "channel", "membership", "brief",
    "decision", "question", "answer", "rule", "approval", "gate", "extraction", "state", "policy", "system", "erased",
]  # fmt: skip

# room: everyone in the channel. hub: the owner and the hub's own work about the channel, never its other members.
Audience = Literal["room", "hub"]

Body = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """What is handed to `Log.append`; the log adds the order and makes it durable."""

    channel_id: str
    actor_id: str
    kind: Kind
    text: str = ""
    body: Body = field(default_factory=dict[str, object])
    audience: Audience = "room"
    course: int = 1
    source_tag: str | None = None
    # Ids of the messages that this one was derived from.
    sources: Sequence[str] = ()
    # Two messages of one channel and actor with the same key are one: the second append answers with the first.
    idempotency_key: str | None = None
    # Given by the caller only where something must refer to the message before it is appended.
    id: str = field(default_factory=new_message_id)
    # The body as it is written into the log, where `cleaned` has done so already.
    body_json: str | None = field(default=None, compare=False, repr=False)

    def cleaned(self) -> "NewMessage":
        """The same message as it will be stored; refuses what cannot be."""
        if self.body_json is not None:
            return self
        if not self.channel_id or not self.actor_id:
            raise InvalidInput("A message needs a channel and an actor.")
        if self.course < 1:
            raise InvalidInput(f"A course is counted from 1, not {self.course}.")
        channel_id, actor_id, text = clean_text(self.channel_id), clean_text(self.actor_id), clean_text(self.text)
        if self._is_plain and (channel_id, actor_id, text) == (self.channel_id, self.actor_id, self.text):
            return self
        body_json = canonical_json(self.body) if self.body else "{}"
        return NewMessage(
            channel_id=channel_id,
            actor_id=actor_id,
            kind=self.kind,
            text=text,
            body=cast("Body", json.loads(body_json)) if self.body else {},
            audience=self.audience,
            course=self.course,
            source_tag=self.source_tag,
            sources=tuple(self.sources),
            idempotency_key=self._clean_key(),
            id=self.id,
            body_json=body_json,
        )

    def _clean_key(self) -> str | None:
        if not self.idempotency_key:
            return None
        if key := clean_text(self.idempotency_key):
            return key
        raise InvalidInput("An idempotency key has to have a character that can be kept.", field="idempotencyKey")

    @property
    def written(self) -> str:
        """The body in its one spelling."""
        if self.body_json is not None:
            return self.body_json
        return canonical_json(self.body) if self.body else "{}"

    @property
    def _is_plain(self) -> bool:
        """Whether it is text alone, as most messages are."""
        return not self.body and not self.sources and self.idempotency_key is None


class Message(NamedTuple):
    """A message of the log, in its place. Thousands are read at a time, and a tuple is made in a fifth of the time."""

    seq: int
    id: str
    channel_id: str
    actor_id: str
    ts: int  # milliseconds since 1970
    kind: Kind
    audience: Audience
    text: str
    body: Body
    course: int
    source_tag: str | None
    sources: tuple[str, ...]
    payload_hash: str


def payload_hash(text: str, body_json: str) -> str:
    """What stays of a payload that was erased: proof of what it was, without saying it."""
    return hashlib.sha256(f"{len(text)}:{text}{body_json}".encode()).hexdigest()
