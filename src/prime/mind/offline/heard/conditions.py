"""What an answer of the owner's wants before it is a yes: a better sum, more time, to read it first, or that something holds."""

import re
from collections.abc import Mapping
from typing import Literal

from prime.mind.offline.words.phrases import phrases

Condition = Literal["less", "more", "time", "reading", "terms"]

# Tried in this order: “only if I can read it first” is about the reading.
_WANTED: Mapping[Condition, re.Pattern[str]] = {
    "reading": phrases("conditions_reading"),
    "time": phrases("conditions_time"),
    "more": phrases("conditions_more"),
    "less": phrases("conditions_less"),
    "terms": phrases("conditions_terms"),
}
_PUT_OFF = phrases("conditions_put_off")
_AGREED = re.compile(r"^\W*(?:yes|ok(?:ay)?|sure|fine|可以|好|行)\W+(?:but |不过|但是?)?", re.IGNORECASE)


def condition_in(answer: str) -> Condition | None:
    """What is wanted first; None where the answer is plain."""
    if is_put_off(answer):
        return "time"
    return next((name for name, pattern in _WANTED.items() if pattern.search(answer)), None)


def is_put_off(answer: str) -> bool:
    """“No, not yet”: what can wait is refused to nobody for good."""
    return bool(_PUT_OFF.search(answer))


def bare(answer: str) -> str:
    """The condition alone: “Yes, but only if …” agrees to no more than what stands behind it."""
    said = _AGREED.sub("", answer.strip().rstrip(".。!！")) or answer
    return said[:1].lower() + said[1:] if said[1:2].islower() else said
