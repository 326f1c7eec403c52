"""Several wishes in one message: “plan a trip, and renew my passport” are two projects that share a war room."""

import re

from prime.mind.offline.words.phrases import alternatives

# What begins a wish of its own behind another one: a verb and what it is done to.
_VERB = rf"(?:{alternatives('slots_verbs')}|renew(?:ing)?|apply(?:ing)? for|cancel|clean|paint|teach|learn)"
_OBJECT = r"(?:an?|the|my|our|some|someone|somebody|two|three|\d+)\b"
_NEXT = re.compile(
    rf"(?:\s*[,;.]\s*(?:and\s+)?|\s+(?:and|plus|&)\s+)(?:(?:also|then|please|i|we|need|want|have)\s+(?:to\s+)?)*(?={_VERB}\s+{_OBJECT})"
    r"|\n+\s*(?:[-*•]|\d+[.)])?\s*",
    re.IGNORECASE,
)
_NEXT_ZH = re.compile(
    r"[，。；,;]?\s*(?:另外|还有(?!\s*[一二两三四五六七八九十几半\d]+\s*个?多?(?:天|周|星期|月|年|小时))|还要|顺便|再(?=把|帮|去|找|买|卖)|同时|并且|以及)(?:再|帮我|也)?|\n+\s*(?:[-*•]|\d+[.、)])?\s*"
)
# “1. renew passport 2. book dentist”, all in one line.
_IN_LINE = re.compile(r"(?:^|\s)\d[.)]\s+(?=[a-z])", re.IGNORECASE)
_LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d+[.)、])\s*")
MOST = 4


def wishes_in(text: str) -> list[str]:
    """The parts that can each stand alone, in order; one where there is but one."""
    if re.match(r"\s*1[.)]\s", text) and len(_IN_LINE.findall(text)) > 1:
        return [piece.strip(" ,.;") for piece in _IN_LINE.split(text) if piece.strip(" ,.;")][:MOST]
    pieces = [piece for part in _NEXT_ZH.split(text) for piece in _NEXT.split(part)]
    wishes = [_LIST_MARK.sub("", piece).strip(" ,.;，。；") for piece in pieces]
    return [wish for wish in wishes if wish][:MOST]
