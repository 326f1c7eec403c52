"""What a message is indexed by."""

from collections.abc import Iterable
from functools import lru_cache

from prime.brain.recall.analysis import as_it_is, indexed_text, kind_term, said_in, speaker_term, told_term
from prime.brain.recall.transcript import told_by
from prime.store.message import Message


def spoken(messages: Iterable[Message]) -> list[Message]:
    """Those that say anything."""
    return [message for message in messages if message.text and not message.text.isspace()]


def said(message: Message) -> list[str]:
    """The words of a message in pieces; then who it says spoke them, who did and, unless it is plain words, what it is."""
    text, kind = message.text, message.kind
    pieces = said_in(indexed_text(text, message.body) if message.body else text)
    if told := told_by(kind, text):
        pieces += [as_it_is(told_term(word)) for word in sorted(told)]
    pieces.append(_speaker(message.actor_id))
    if kind != "text":
        pieces.append(as_it_is(kind_term(kind)))
    return pieces


def marks_of(message: Message) -> int:
    """How many of a message's words are none of its text."""
    return 1 if message.kind == "text" else 2


@lru_cache(4096)
def _speaker(actor_id: str) -> str:
    return as_it_is(speaker_term(actor_id))
