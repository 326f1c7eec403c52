"""What only a message's text can tell: quoted phrases, words that must not be there, and what kind of sentence it is."""

import re

from prime.brain.recall.analysis import said_in, units, words_of
from prime.brain.recall.query import Query, holds_phrase

_TIMES = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|recently|ago|since|last|next|this (?:morning|week|weekend|month|year)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"(?:[?？]|多少钱?|什么|谁|哪[里儿]|几时|何时|[吗呢])\W*\Z")
_LOOKED_AT = 2000  # characters; what a message is shows at its beginning or its end


def needs_text(query: Query) -> bool:
    """Whether anything in the search can be decided by reading a message only."""
    return bool(query.required.phrases or query.excluded.phrases or query.excluded.stems)


def text_holds(text: str, query: Query) -> bool:
    """Whether a text fulfils what `needs_text` speaks of."""
    said = [unit.text for unit in units(text)]
    if not all(holds_phrase(said, phrase) for phrase in query.required.phrases):
        return False
    if any(holds_phrase(said, phrase) for phrase in query.excluded.phrases):
        return False
    unwanted = query.excluded.stems
    return not unwanted or all(unwanted.isdisjoint(words_of(piece)) for piece in said_in(text))


def holds_common(text: str, query: Query) -> bool:
    """Whether a text holds what cannot be looked up: words that are too common, and pictures."""
    return all(picture in text for picture in query.pictures) and query.common <= {unit.text for unit in units(text)}


def asks(text: str) -> bool:
    """Whether a message ends as a question: it rarely holds the answer."""
    last = text[-20:]
    if last.isascii() and "?" not in last:
        return False  # as most do, and they are seen so without the pattern
    return _ASKS.search(last) is not None


def tells_time(text: str) -> bool:
    """Whether a message says when something was or will be."""
    return _TIMES.search(text[:_LOOKED_AT]) is not None
