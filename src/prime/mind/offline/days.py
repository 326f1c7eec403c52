"""The day on which something is to be, and the one by which it is to be ready, out of all that a text names."""

import re
from datetime import timedelta

from prime.mind.offline.dates import Day, dates
from prime.mind.offline.language import language_of
from prime.mind.offline.shifting import moved


def date_in(text: str, today: str) -> str:
    return next((_named_day(d, text) for d in _days_ahead(text, today)), "")


# What began some time ago, and what must not come earlier, is no day to be ready by.
_SINCE = re.compile(
    r"\b(?:since|ever since|not before|no earlier than|not earlier than|not until)\s+(?:the )?$"
    r"|\b(?:cancell?ed|bought|ordered|born|died|signed|happened"
    r"|broke|left|received|delayed|crashed|stolen|fired|laid off|ended|expired"
    r"|arrived|started)\b"
    r"(?:[^,.;]{0,24}\b(?:on|in|at))?\s+(?:the )?$",
    re.IGNORECASE,
)
_SINCE_ZH = re.compile(r"[初底末]?(?:以来|起就|之?前(?:不(?!超过|少于|多于|能晚)|别|不要))")


def _days_ahead(text: str, today: str) -> list[Day]:
    return [
        day
        for day in dates(text, today)
        if not _SINCE.search(text[max(0, day.start - _NEAR) : day.start])
        and not _SINCE_ZH.match(text[day.end : day.end + 8])
    ]


def _named_day(day: Day, text: str) -> str:
    """The day as it was meant: “by the end of March” is not March."""
    behind = text[day.end : day.end + 1]
    if behind and behind in "底初末" and not day.text.endswith(behind):
        return f"{day.text}{behind}"
    if part := _PART.search(text[: day.start]):
        year = _NEXT_YEAR.match(text[day.end :])
        return f"{part[1].casefold()}{'-' if part[1].casefold() == 'mid' else ' '}{day.text}{year[0] if year else ''}"
    if year := _NEXT_YEAR.match(text[day.end :]):
        return f"{day.text}{year[0]}"
    if first := re.search(r"(?<!\d)\d{1,2}\s?[-–]\s?$", text[: day.start]):
        return f"{first[0].strip()}{day.text}"  # “14-15 November”
    if last := re.match(r"\s?[-–]\s?\d{1,2}(?![\d.:])", text[day.end :]):
        return f"{day.text}{last[0].strip()}"
    if between := re.search(
        r"\bbetween (?:the )?(\d{1,2})(?:st|nd|rd|th)? and (?:the )?$", text[: day.start], re.IGNORECASE
    ):
        return f"{between[1]}–{day.text}"
    if both := re.search(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)? (?:and|&) $", text[: day.start]):
        return f"{both[1]} and {day.text}"
    part = re.search(
        r"\b(end|middle|beginning|(?:first|second|third|last) (?:week|weekend|half|days)) of (?:the )?$",
        text[: day.start],
        re.IGNORECASE,
    )
    return f"the {part[1].casefold()} of {day.text}" if part else day.text


# “Mid-March”, “late May next year”.
_PART = re.compile(r"\b(early|late|mid)[\s-]+$", re.IGNORECASE)
_NEXT_YEAR = re.compile(r"\s+(?:next|this) year\b", re.IGNORECASE)
_DUE = re.compile(
    r"\b(?:by|before|until|till|deadline|due|no later than|ready (?:on|for)|live (?:on|in|by))\W*(?:the )?(?:end of )?"
    r"(?:early |late |mid[ -])?(?:the )?$",
    re.IGNORECASE,
)
_DUE_ZH = re.compile(r"[底初末中]?(?:之?前|以前|截止|要用|要交|交稿|到期)")
# On these days it begins, and nothing is ready by then.
_BEGINS = re.compile(
    r"\b(?:start(?:s|ing)?|kick[- ]?off|begin(?:s|ning)?|after|from)(?:\s+(?:on|in|at|after|from|is))?[\s:]+(?:the )?"
    r"(?:early |late |mid[ -])?$",
    re.IGNORECASE,
)
_LASTS = re.compile(
    r"\b(?:done|ready|finished|complete[d]?|over|takes?|lasts?|for)\s+(?:with)?in\s+"
    r"(\d{1,3}|two|three|four|five|six|eight|ten)\s+(days?|weeks?|months?)\b",
    re.IGNORECASE,
)
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10}
_NEAR = 40


def deadline_in(text: str, today: str) -> str:
    """The date behind `by`, `before`, `until`…; else the first one on which nothing only begins."""
    ahead = _days_ahead(text, today)
    for day in ahead:
        if _DUE.search(text[max(0, day.start - _NEAR) : day.start]) or _DUE_ZH.match(text[day.end : day.end + 3]):
            return _named_day(day, text)
    begins = [day for day in ahead if _BEGINS.search(text[max(0, day.start - _NEAR) : day.start])]
    if begins and (ends := _end_of(begins[0], text, today)):
        return ends
    ends_by = next((day for day in ahead if day not in begins), None)
    return _named_day(ends_by, text) if ends_by else date_in(text, today)


def _end_of(begin: Day, text: str, today: str) -> str:
    """“Start after 6 January, done in 4 weeks” is 3 February."""
    lasts = _LASTS.search(text)
    if lasts is None:
        return ""
    number = _WORDS.get(lasts[1].casefold()) or int(lasts[1])
    days = number * {"day": 1, "week": 7, "month": 30}[lasts[2].casefold().rstrip("s")]
    return moved(begin.text, timedelta(days=days), today, language_of(text))
