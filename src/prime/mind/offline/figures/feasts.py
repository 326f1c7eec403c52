"""Feasts, seasons and holidays that people name as a day, from `calendar.yaml`; and whether one is meant as a day at all."""

import re
from functools import cache
from importlib import resources
from typing import TypedDict, cast

from prime.core.yaml_text import read_mapping


class _Calendar(TypedDict):
    days: dict[str, str]
    movable: list[str]
    seasons: list[str]
    stretches: list[str]
    names_zh: list[str]


@cache
def _calendar() -> _Calendar:
    text = resources.files("prime.mind.offline").joinpath("lexicon/calendar.yaml").read_text("utf-8")
    return cast("_Calendar", read_mapping(text, path="calendar.yaml").data)


def _named() -> list[str]:
    known = _calendar()
    return [*known["days"], *known["movable"], *known["seasons"], *known["stretches"]]


# The longest first; “年前” is no day behind a number of years.
FEAST = "|".join(
    f"{'(?<![0-9一二两三四五六七八九十几半多每今明去])' if name == '年前' else ''}{re.escape(name)}"
    for name in sorted(_named(), key=len, reverse=True)
).replace("'", "[’']")
_NEAR = 40  # as far back as a word is looked for that makes a day of it


def fixed_day(feast: str) -> tuple[int, int] | None:
    """Month and day; None where it has no fixed one."""
    found = _calendar()["days"].get(feast.casefold().replace("’", "'"))
    return (int(found[:2]), int(found[3:])) if found else None


def feast_written(feast: str, text: str) -> str:
    """As it is written: a feast with its capital, a season without one, and a stretch of the year with its article."""
    if feast.casefold() in _calendar()["seasons"]:
        return text.lower()
    if feast.casefold() in _calendar()["stretches"]:
        return f"the {text.lower()}"
    if feast.casefold() == "new years":
        return "New Year"
    return re.sub(r"^x-?mas", "Christmas", f"{text[0].upper()}{text[1:]}", flags=re.IGNORECASE)


def only_names(match: re.Match[str], text: str) -> bool:
    """A Christmas party and a Q3 offsite are no days; “before Christmas”, “圣诞节前” and “in Q3” are."""
    before, behind = text[max(0, match.start() - _NEAR) : match.start()], text[match.end() : match.end() + _NEAR]
    if match["quarter"]:
        return not _SURELY.search(before) and bool(_NOUN_BEHIND.match(behind))
    if not match["feast"]:
        return False
    if not match["feast"].isascii():
        return bool(_NAME_BEHIND_ZH.match(behind))
    return not _BEFORE_FEAST.search(before) or bool(_NOUN_BEHIND.match(behind))


_SURELY = re.compile(r"\b(?:by|in|before|until|till|end of|during|of|for|after|this|next)(?: the)?\s+$", re.IGNORECASE)
_BEFORE_FEAST = re.compile(
    r"\b(?:by|before|until|till|in|this|at|for|on|over|around|after|due|deadline|is|to|during|next|late|early|mid|until after)"
    r"(?: the)?[\s-]+$",
    re.IGNORECASE,
)
# What goes on behind a day, where a noun would make a name of it.
_NOUN_BEHIND = re.compile(
    r"\s+(?!(?:and|or|at|in|for|with|without|please|so|but|because|we|i|my|our|the|a|an|when|if|then|as|latest|to|on|max|budget|under"
    r"|from|by|that|they|he|she|you|it|about|around|up|is|starts?|begins?|ends?|would|will|should|can|no|not|maybe|at)\b)[a-z]"
)
_NAME_BEHIND_ZH = re.compile(rf"(?:节)?的?(?:{'|'.join(_calendar()['names_zh'])})")
