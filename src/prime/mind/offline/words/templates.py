"""Sentences with slots: `{slot}` is filled, and a part in `[…]` falls out when a slot in it is empty."""

import re
from collections.abc import Iterable, Mapping, Sequence

from prime.mind.offline.words.language import capitalised, in_order

SLOT = re.compile(r"\{([a-z_]+)\}")
_PLACED = re.compile(r"\{([a-z_]+)\}(前?)")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_BLANKS = re.compile(r"[ \t]{2,}")
# “Saltwood & Co.” at the end of a sentence has one full stop.
_TWO_STOPS = re.compile(r"(?<!\.)\.\.(?!\.)")
# “on 12 May”, but “in May”.
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_ON_MONTH = re.compile(rf"\bon (?={_MONTH}\b(?! \d{{1,2}}\b))")
_IN_DAY = re.compile(rf"\bin (?=\d[\d-]{{0,4}} {_MONTH}\b|{_MONTH} \d{{1,2}}\b)")
# “in Easter”, “on summer”, “on next week”: each sort of day has its own.
_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_TO_AT = re.compile(
    r"\b(?:in|on) (?=(?:Easter(?! (?:Sunday|Monday))|Christmas(?! Eve)|the end of|year[’']s end|the weekend)\b)"
)
_TO_IN = re.compile(
    rf"\bon (?=(?:(?:early |late )?(?:spring|summer|autumn|winter)|(?:early|late) {_MONTH}"
    rf"|the (?:first|second|third|fourth|last|beginning|middle)(?! {_DAY})|the [a-z]+ (?:holidays|break)"
    rf"|the holidays|Q[1-4]|week \d+)\b|mid-)"
)
_TO_ON = re.compile(
    rf"\bin (?=(?:(?:one|an?|any|some) )?{_DAY}\b|the [1-4a-z]+ {_DAY}|(?:[A-Z][a-z]+ )?[A-Z][a-z]+[’']s Day|\d{{1,2}}[./]\d"
    rf"|Christmas Eve|New Year[’']s Eve|Halloween)"
)
_TO_NONE = re.compile(
    r"\bin (?=near |within )|\b(?:in|on) (?=(?:this|next|coming) [a-z]+|tomorrow\b|today\b|tonight\b)"
)
# “ready by within two weeks”.
_BY_WITHIN = re.compile(
    r"\b(?:by|for|on|at|before|until|around) "
    r"(?=(?:within|in) (?:an?|\d+|[a-z]+(?:[ -][a-z]+)?) (?:hour|day|week|fortnight|month|year)s?\b|as soon as possible\b|soon\b)"
)
_BEFORE_MARK = re.compile(r"\s+([,.;:!?])")


def filled(template: str, slots: Mapping[str, str], *, capital: bool = True) -> str | None:
    """The sentence, or None where a slot that it needs is empty."""
    text = _OPTIONAL.sub(lambda part: part[1] if _known(part[1], slots) else "", template)
    if not _known(text, slots):
        return None
    text = _PLACED.sub(lambda slot: _placed(slots[slot[1]], slot[2]), text)
    text = _BEFORE_MARK.sub(r"\1", _BLANKS.sub(" ", text)).strip()
    text = _BY_WITHIN.sub("", _IN_DAY.sub("on ", _ON_MONTH.sub("in ", _TWO_STOPS.sub(".", text))))
    for pattern, preposition in ((_TO_NONE, ""), (_TO_AT, "at "), (_TO_IN, "in "), (_TO_ON, "on ")):
        text = pattern.sub(preposition, text)
    text = text.replace("关于关于", "关于")
    return capitalised(text) if capital else text


def first_new(
    templates: Sequence[str], slots: Mapping[str, str], said: Iterable[str], seed: str, turn: int = 0
) -> str | None:
    """One of the sentences, in the seed's order from the turn's place on: the first that can be filled and is new."""
    before, ordered = list(said), in_order(templates, seed)
    start = turn % len(ordered) if ordered else 0
    texts = (filled(template, slots) for template in (*ordered[start:], *ordered[:start]))
    return next((text for text in texts if text and not any(text in one for one in before)), None)


def said_by(template: str, text: str) -> bool:
    """Whether a text can come of a template: all that is fixed in it stands there."""
    fixed = [piece.strip(" .,;:") for piece in SLOT.split(_OPTIONAL.sub("{x}", template))[::2]]
    return all(piece in text for piece in fixed)


def _placed(value: str, before: str) -> str:
    """“三周内” needs no “前” behind it."""
    return value if value.endswith(("内", "后", "前", "快", "早", "越快越好")) else f"{value}{before}"


def _known(text: str, slots: Mapping[str, str]) -> bool:
    return all(slots.get(name) for name in SLOT.findall(text))
