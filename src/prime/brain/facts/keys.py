"""Subjects and predicates as they are compared: without case, articles and endings. What was said is kept beside it."""

import hashlib
import re
from calendar import isleap, monthrange
from datetime import UTC, datetime

from prime.brain.facts.records import Span
from prime.brain.recall.dates import parse_moment
from prime.core.clock import END_OF_TIME
from prime.core.errors import InvalidInput
from prime.core.folding import fold
from prime.core.words import terms

# Of no meaning in a name, and no stop words of search.
_ARTICLES = frozenset({"der", "die", "das", "le", "la", "les", "el", "los", "un", "une", "ein", "eine"})
_MINE = re.compile(r"\s*(?:my\b|我的)", re.IGNORECASE)
_MAX_KEY = 200
_OF_A_DAY = 3  # numbers in a date


def words_of(text: str) -> list[str]:
    """The words that a subject or predicate is looked up by."""
    return [word for word in terms(text[:2000]) if word not in _ARTICLES]


def asked_words(subject: str) -> frozenset[str]:
    """The words that a fact must have which is asked for so; none when anything is."""
    return frozenset(words_of(subject) or ([subject_key(subject)] if subject.strip() else []))


def subject_key(text: str) -> str:
    return (" ".join(words_of(text)) or " ".join(fold(text[:2000]).split()))[:_MAX_KEY]


def owned_by(subject: str, actor_id: str) -> str:
    """Whose a subject is that two people may both speak of in the same words: “my price” is each one's own."""
    return actor_id if _MINE.match(subject) else ""


def predicate_key(text: str) -> str:
    """`is`, `are` and `was` say the same of a subject: that it is so at some time."""
    return " ".join(words_of(text))[:_MAX_KEY] or "is"


def object_key(text: str) -> str:
    return " ".join(fold(text[:2000]).split()).strip(" .!?;,。！？；，")[:1000]


def fact_id(*parts: str) -> str:
    return f"fact_{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:20]}"


def parse_span(value: str, field: str) -> Span:
    """A year, a month, a day or a moment, as the stretch of time that it is. A day is what holds at its end."""
    value = value.strip()
    begin = parse_moment(value)
    if begin is None:
        raise InvalidInput(f"{value[:40]!r} is no date.", hint="Write 2026-03-15, 2026-03 or 2026.", field=field)
    if "T" in value.upper() or " " in value:
        return Span(begin, begin)
    size = len(value.rstrip("Zz").replace("/", "-").replace(".", "-").split("-"))
    last = min(_following(datetime.fromtimestamp(begin / 1000, UTC), size), END_OF_TIME) - 1
    return Span(last if size == _OF_A_DAY else begin, last)


def _following(start: datetime, size: int) -> int:
    """The beginning of the next year, month or day."""
    days = 1 if size == _OF_A_DAY else monthrange(start.year, start.month)[1]
    if size == 1:
        days = 366 if isleap(start.year) else 365
    return int(start.timestamp() + days * 86400) * 1000
