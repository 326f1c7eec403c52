"""Dates as people write them in a search: the stretch of time that each one means, in UTC."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
# Short forms, except those that are words of their own.
_SHORT = {name[:3]: number for number, name in enumerate(_MONTHS, 1) if name not in {"march", "may"}} | {"sept": 9}
_NUMBER_OF = {name: number for number, name in enumerate(_MONTHS, 1)} | _SHORT

_MONTH = "|".join(sorted(_NUMBER_OF, key=len, reverse=True))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAY_FIRST = re.compile(rf"\b{_DAY}\s+(?:of\s+)?({_MONTH})\b\.?(?:,?\s+(\d{{4}})\b)?", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b({_MONTH})\b\.?\s+{_DAY}(?!\d)(?:,?\s+(\d{{4}})\b)?", re.IGNORECASE)
_MONTH_YEAR = re.compile(rf"\b({_MONTH})\b\.?,?\s+(?:of\s+)?(\d{{4}})\b", re.IGNORECASE)
# A month alone is one only after such a word: people may march, and may.
_MONTH_ONLY = re.compile(rf"\b(?:in|of|since|during|last|this|early|late|mid|by)[\s-]+({_MONTH})\b", re.IGNORECASE)
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})(?:-(\d{1,2}))?\b")
_HAN_DIGITS = "一二三四五六七八九"
_HAN_NUMBER = rf"\d{{1,2}}|[二三]?十[{_HAN_DIGITS}]?|[{_HAN_DIGITS}]"
_CJK = re.compile(rf"(?:(\d{{4}})\s*年\s*)?({_HAN_NUMBER})\s*月(?:份|\s*({_HAN_NUMBER})\s*[日号號])?")
_BEGINNINGS = sorted({name[:3] for name in _NUMBER_OF})
_DIGIT = re.compile(r"\d")

_FILTER = re.compile(
    r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2})(?:[Tt ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?)?)?"
    r"(?:[Zz]|([+-])(\d{2}):?(\d{2}))?"
)


@dataclass(frozen=True, slots=True)
class Date:
    """A day, a month, or either of any year; and where in the text it was."""

    year: int | None
    month: int
    day: int | None
    start: int
    end: int

    def closeness(self, ts: int) -> float:
        """1 for what was said then, 1/2 for what was said soon after, when people still tell of it; else 0."""
        said = datetime.fromtimestamp(ts / 1000, UTC)
        first = self._first(said)
        if self.day is not None:
            days = (said - first).days
            return 1.0 if -1 <= days <= 1 else 0.5 if 1 < days <= 14 else 0.0
        after = self._after(first)
        return 1.0 if first <= said < after else 0.5 if after <= said < after + timedelta(days=14) else 0.0

    def span(self, ts: int) -> tuple[int, int]:
        """Its first and last millisecond; of any year, the last time that it was when it was said."""
        first = self._first(datetime.fromtimestamp(ts / 1000, UTC))
        after = first + timedelta(days=1) if self.day is not None else self._after(first)
        return int(first.timestamp()) * 1000, int(after.timestamp()) * 1000 - 1

    def _first(self, said: datetime) -> datetime:
        first = _first_day(self.year or said.year, self.month, self.day or 1)
        if self.year is None and first > said + timedelta(days=1):
            return _first_day(said.year - 1, self.month, self.day or 1)
        return first

    def _after(self, first: datetime) -> datetime:
        return _first_day(first.year + self.month // 12, self.month % 12 + 1, 1)


def find_dates(text: str) -> list[Date]:
    """The dates named in a question, in order, none within another."""
    found: list[Date] = []
    small = text.lower()
    if not [month for month in _BEGINNINGS if month in small] and not _DIGIT.search(text) and "月" not in text:
        return found  # as most searches; looking for each form takes longer
    for date in _candidates(text):
        if _is_real(date) and not any(date.start < other.end and other.start < date.end for other in found):
            found.append(date)
    return sorted(found, key=lambda date: date.start)


def _candidates(text: str) -> Iterator[Date]:
    """Those that say most first."""
    for m in _ISO.finditer(text):
        yield Date(int(m[1]), int(m[2]), int(m[3]) if m[3] else None, m.start(), m.end())
    for m in _CJK.finditer(text):
        yield Date(int(m[1]) if m[1] else None, _number(m[2]), _number(m[3]) if m[3] else None, m.start(), m.end())
    for m in _DAY_FIRST.finditer(text):
        yield Date(int(m[3]) if m[3] else None, _NUMBER_OF[m[2].lower()], int(m[1]), m.start(), m.end())
    for m in _MONTH_FIRST.finditer(text):
        yield Date(int(m[3]) if m[3] else None, _NUMBER_OF[m[1].lower()], int(m[2]), m.start(), m.end())
    for m in _MONTH_YEAR.finditer(text):
        yield Date(int(m[2]), _NUMBER_OF[m[1].lower()], None, m.start(), m.end())
    for m in _MONTH_ONLY.finditer(text):
        yield Date(None, _NUMBER_OF[m[1].lower()], None, m.start(1), m.end())


def _number(text: str) -> int:
    """Of up to 31, also as 十二 or 二十三."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return _HAN_DIGITS.index(text) + 1
    return 10 * (_HAN_DIGITS.index(tens) + 1 if tens else 1) + (_HAN_DIGITS.index(ones) + 1 if ones else 0)


def _is_real(date: Date) -> bool:
    if date.year is not None and not 1900 <= date.year <= 2999:
        return False
    return 1 <= date.month <= 12 and 1 <= (date.day or 1) <= 31


def _first_day(year: int, month: int, day: int) -> datetime:
    """That day, or the next one where the month is shorter."""
    return datetime(year, month, 1, tzinfo=UTC) + timedelta(days=day - 1)


def parse_moment(value: str) -> int | None:
    """The beginning of `2026`, `2026-03`, `2026-03-01` or `2026-03-01T12:30`, in milliseconds; None if it is none.

    A moment may have seconds and an offset, as programs write it.
    """
    found = _FILTER.fullmatch(value)
    if not found or (found[8] and not found[4]):
        return None
    year, month, day, hour, minute, second = (int(found[n]) if found[n] else None for n in range(1, 7))
    milliseconds = int((found[7] or "0").ljust(3, "0")[:3])
    try:
        ahead = timedelta(hours=int(found[9] or 0), minutes=int(found[10] or 0))
        zone = timezone(-ahead if found[8] == "-" else ahead)
        moment = datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=zone)
    except ValueError:
        return None
    return int(moment.timestamp()) * 1000 + milliseconds
