"""A date that is moved by so much: “make it 2 days later”, “提前一周”."""

import re
from datetime import date, timedelta

from prime.mind.offline.figures.dates import dates
from prime.mind.offline.words.language import Language
from prime.mind.offline.words.numbers import han_number

_SPOKEN = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
_NUMBER = rf"(?P<n>\d{{1,3}}|{'|'.join(_SPOKEN)})\s+(?P<unit>day|week|month)s?"
_BY = re.compile(
    rf"\b{_NUMBER}\s+(?P<way>later|earlier|sooner|back|forward|ahead)\b"
    rf"|\b(?P<verb>postpone|delay|push|move|shift|bring|put)\b[^.;!?]{{0,40}}?\b(?P<off>back|off|forward|earlier|later)?\s*by\s+"
    rf"{_NUMBER.replace('<n>', '<m>').replace('<unit>', '<unit2>')}",
    re.IGNORECASE,
)
_BY_ZH = re.compile(
    r"(?P<way>推迟|延后|延期|往后(?:推|挪|延)?|晚|提前|往前(?:推|挪)?|早)\s*(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3})\s*"
    r"(?P<unit>天|日|周|个?星期|个?礼拜|个月)"
)
_EARLIER = frozenset({"earlier", "sooner", "forward", "ahead"})
_DAYS = {"day": 1, "week": 7, "month": 30, "天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7, "月": 30}
_SHORT = 80
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def shift_in(text: str) -> timedelta | None:
    """By how much a date is to be moved; None where nothing is said of it."""
    if len(text) > _SHORT:
        return None
    if found := _BY_ZH.search(text):
        number = int(found["n"]) if found["n"].isdigit() else int(han_number(found["n"]))
        days = number * _DAYS[found["unit"].removeprefix("个")]
        return timedelta(days=-days if found["way"].startswith(("提前", "往前", "早")) else days)
    if found := _BY.search(text):
        number, unit = found["n"] or found["m"], found["unit"] or found["unit2"]
        days = (_SPOKEN.get(number.casefold()) or int(number)) * _DAYS[unit.casefold()]
        way = (found["way"] or found["off"] or "").casefold()
        return timedelta(days=-days if way in _EARLIER else days)
    return None


def moved(day: str, by: timedelta, today: str, language: Language) -> str:
    """The date that it is then; "" where what stands there is no single day."""
    found = next((each for each in dates(day, today) if each.day), None)
    if found is None or found.day is None or not _is_one_day(day):
        return ""
    return _written(found.day + by, found.day, day, language)


def _is_one_day(day: str) -> bool:
    """A month, a season or a span of days has no day to count from."""
    return bool(
        re.search(
            r"\d\s?(?:[日号]|[A-Za-z]{3})|[A-Za-z]{3,}\.?\s\d|\d-\d|[日号]$|day\b|tomorrow|today|[明后今]天|周.$", day
        )
    ) and not (
        re.search(r"\d\s?[-–]\s?\d{1,2}(?!\d|-)|(?:week|end|half|month)\b", day) and not re.search(r"\d{4}-", day)
    )


def _written(meant: date, before: date, as_written: str, language: Language) -> str:
    year = meant.year != before.year or re.search(r"\d{4}", as_written)
    if language == "zh":
        return f"{meant.year}年{meant.month}月{meant.day}日" if year else f"{meant.month}月{meant.day}日"
    plain = f"{meant.day} {_MONTHS[meant.month - 1]}"
    return f"{plain} {meant.year}" if year else plain
