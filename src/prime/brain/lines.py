"""Which messages the brain learns from, and how it shows them to a mind."""

import hashlib
from collections.abc import Collection, Iterable, Mapping

from prime.brain.thinking import Said
from prime.rooms.queries import PRIMING
from prime.rooms.records import HUB, OWNER, PRIME
from prime.rooms.views import visible_from
from prime.store.message import Kind, Message

KINDS: tuple[Kind, ...] = ("text", "note", "edit")


def digest_of(ids: Iterable[str]) -> str:
    """A name for what was made of exactly these messages."""
    return hashlib.sha256("/".join(ids).encode()).hexdigest()[:32]


def teaches(message: Message) -> bool:
    """Whether it may say something new: no history that a dialog began with, no hub's word about a channel, and in the
    owner's room nothing that Prime itself says."""
    if message.kind not in KINDS or not message.text.strip() or message.source_tag == PRIMING:
        return False
    if message.channel_id == HUB:
        return message.audience == "room" and (message.actor_id != PRIME or message.kind == "note")
    return visible_from(message.channel_id, message)


def made_within(message: Message, sources: Collection[Message]) -> bool:
    """Whether what was derived is made of its own channel's view alone; nothing else is shown to the channel's members."""
    return len(sources) == len(set(message.sources)) > 0 and all(
        source.channel_id == message.channel_id and visible_from(message.channel_id, source) for source in sources
    )


def said(messages: Iterable[Message], names: Mapping[str, str]) -> list[Said]:
    """As a mind is shown them. Only the owner and Prime speak for the house: what others and files say is quoted."""
    return [
        Said(
            message_id=message.id,
            speaker=names.get(message.actor_id, "somebody"),
            text=message.text,
            ts=message.ts,
            own=message.actor_id == PRIME and message.kind != "note",
            quoted=message.kind == "note" or message.actor_id not in {OWNER, PRIME},
        )
        for message in messages
    ]
