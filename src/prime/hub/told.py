"""What the owner asks about that somebody said in another room: the fact of that time, and where it was said."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prime.brain.facts.ask import facts
from prime.brain.facts.keys import asked_words
from prime.brain.facts.records import Fact, Span
from prime.brain.recall.dates import Date, find_dates
from prime.core.excerpts import beginning
from prime.mind.jobs.lines import Line
from prime.mind.offline.words.language import Language, asks, language_of
from prime.rooms.queries import ROOMS, read_actors, read_channel
from prime.rooms.records import HUB, OWNER
from prime.store.message import Message
from prime.store.store import Store

_MOST = 3  # more than these were asked for too vaguely
_LONGEST = 300
_QUOTE = re.compile(r"“([^“”]{8,})”")
_ASKING_HAN = re.compile(r"是?(?:多少钱?|什么|谁|几时|何时|哪[里儿个天]?)|现在|目前|当时|[的吗呢是卖]")
# Asked for so, a price is meant, whatever word it was told with.
_OF_MONEY = re.compile(r"\bhow (?:much|expensive)\b|\b(?:costs?|pay|paid|charged?)\b|多少钱?", re.IGNORECASE)
_PRICED = re.compile(r"\b(?:price|costs?|charges?|fee|rent)\b|价|费|租", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Told:
    """An answer in the words of those who know, and their messages."""

    text: str
    sources: tuple[str, ...]


def quoted_in(words: str, lines: Sequence[Line]) -> list[str]:
    """The messages that an answer quotes: where it was said."""
    quotes = [quote.rstrip("…").strip() for quote in _QUOTE.findall(words)]
    found = (next((o.message_id for o in reversed(lines) if quote in o.text and not o.own), None) for quote in quotes)
    return [message_id for message_id in found if message_id]


async def told_elsewhere(store: Store, said: Message) -> Told | None:
    """What answers a question by a fact of another room; None where the owner's own room says it, or nobody."""
    if not asks(said.text):
        return None
    dates = find_dates(said.text)
    subject = _without(said.text, dates)
    if len(dates) > 1:
        return None
    begin, end = dates[0].span(said.ts) if dates else (said.ts, said.ts)
    found = await _known(store, subject, Span(end if dates and dates[0].day else begin, end))
    if not 0 < len(found) <= _MOST or any(fact.channel_id == HUB for fact in found):
        return None
    language = language_of(said.text)
    lines = [await _line(store, fact, language) for fact in found]
    return Told("\n".join(lines), tuple(dict.fromkeys(source for fact in found for source in fact.sources)))


async def _known(store: Store, question: str, at: Span) -> list[Fact]:
    """The facts that have all its words; where it asks for a price, those that tell one of what it names."""
    subject = _ASKING_HAN.sub(" ", question)
    found = await facts(store, subject, at=at) if asked_words(subject) else []
    thing = _ASKING_HAN.sub(" ", _OF_MONEY.sub(" ", question))
    if found or thing == subject or not asked_words(thing):
        return found
    return [fact for fact in await facts(store, thing, at=at) if _PRICED.search(f"{fact.subject} {fact.predicate}")]


def _without(text: str, dates: list[Date]) -> str:
    for date in reversed(dates):
        text = f"{text[: date.start]} {text[date.end :]}"
    return text


async def _line(store: Store, fact: Fact, language: Language) -> str:
    message = await store.log.get(fact.sources[-1])
    channel = await store.projector.read(lambda c: read_channel(c, fact.channel_id), ROOMS)
    names = {actor.id: actor.name for actor in await store.projector.read(read_actors, ROOMS)}
    room = channel.name if channel else fact.channel_id
    words = beginning(" ".join(message.text.split()), _LONGEST)
    if language == "zh":
        who = "你" if message.actor_id == OWNER else names.get(message.actor_id, "有人")
        return f"{who}（{room}）说过：“{words}”"
    who = "You" if message.actor_id == OWNER else names.get(message.actor_id, "Somebody")
    return f"{who} in {room}: “{words}”"
