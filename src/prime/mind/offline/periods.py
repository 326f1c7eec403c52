"""The time of which a sentence speaks, said at its head or beside its subject, and the sentence without it."""

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import NamedTuple

from prime.mind.offline.dates import DATE, dates, parsed_day

_WHEN = r"(?P<when>\w[\w ,.-]{2,24}?)"
_HEAD = re.compile(
    rf"^(?P<word>in|on|during|back in|from|since|as of|starting)\s+{_WHEN}(?:\s+on)?,?\s+(?P<rest>(?!(?:19|20)\d\d\b).+)$",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf"^(?P<before>\S.{{0,58}}?)\s+(?P<word>in|during)\s+{_WHEN}\s+(?P<rest>(?:is|are|was|were|cost)\b.+)$",
    re.IGNORECASE,
)
_LAST = re.compile(
    rf"^(?P<before>\S.{{0,58}}?\s(?:was|were|cost)\s.+?)\s+(?P<word>in|during)\s+{_WHEN}$", re.IGNORECASE
)
_HAN = re.compile(
    r"^(?P<word>从|自|在)?(?P<when>(?:(?:\d{4}|今|去)\s*年\s*)?(?:\d{1,2}|十[一二]?|[一二三四五六七八九])\s*月(?:份|\s*\d{1,2}\s*[日号號])?"
    r"|\d{4}\s*年|去年|上个月|上周|上个星期|昨天)(?P<since>起|开始|以来|以後|以后)?[，,\s]*的?(?P<rest>\S.+)$"
)
_YEAR = re.compile(r"(?P<year>(?:19|20)\d{2})\s*年?")
_PAST = re.compile(r"\b(?:was|were|cost|had)\b", re.IGNORECASE)
_HALF_A_YEAR = timedelta(days=183)
_OPEN = frozenset({"from", "since", "as of", "starting", "从", "自"})


class Period(NamedTuple):
    """A sentence without its time; the first day and, where it is said, the last."""

    rest: str
    since: str | None = None
    until: str | None = None


def period_of(sentence: str, today: str) -> Period:
    """“In March the price was 38”: the price was 38, from the first to the last of March."""
    for pattern in (_HEAD, _BESIDE, _LAST, _HAN):
        match = pattern.match(sentence)
        if match is None:
            continue
        is_past = pattern is _HAN or bool(_PAST.search(sentence))
        found = stretch_of(match["when"], today, is_past=is_past)
        if found is None:
            continue
        named = match.groupdict()
        rest = " ".join(part for name in ("before", "rest") if (part := named.get(name)))
        is_open = (named["word"] or "").lower() in _OPEN or bool(named.get("since"))
        return Period(rest, found[0].isoformat(), None if is_open else found[1].isoformat())
    return Period(sentence)


def stretch_of(when: str, today: str, *, is_past: bool) -> tuple[date, date] | None:
    """The first and the last day of a day, a month or a year."""
    when = when.strip(" ,.").replace("份", "")
    if year := _YEAR.fullmatch(when):
        return date(int(year["year"]), 1, 1), date(int(year["year"]), 12, 31)
    now = parsed_day(today)
    if now and (gone := _gone(when.casefold(), now)):
        return gone
    when = when.replace("去年", f"{now.year - 1}年") if now else when
    match = DATE.fullmatch(when)
    found = dates(f"in {when}", today)
    if now is None or match is None or not found or (day := found[0].day) is None:
        return None
    if is_past and day > now and not (match["iso"] or match["y1"] or match["y2"] or match["yz"]):
        day = _year_before(day)
    elif day - now > _HALF_A_YEAR and not (match["iso"] or match["y1"] or match["y2"] or match["yz"]):
        day = _year_before(day)  # “as of March”, said in April: the nearer one is meant
    if match["iso"] or match["d1"] or match["d2"] or match["dz"]:
        return day, day
    return (day, _last_of_month(day)) if match["m2"] or match["mz"] else None


def _gone(when: str, now: date) -> tuple[date, date] | None:
    """The day, week, month or year before this one."""
    if when in {"yesterday", "昨天"}:
        return now - timedelta(days=1), now - timedelta(days=1)
    if when in {"last week", "上周", "上个星期"}:
        monday = now - timedelta(days=now.weekday() + 7)
        return monday, monday + timedelta(days=6)
    if when in {"last month", "上个月"}:
        last = now.replace(day=1) - timedelta(days=1)
        return last.replace(day=1), last
    if when in {"last year", "去年"}:
        return date(now.year - 1, 1, 1), date(now.year - 1, 12, 31)
    return None


def _year_before(day: date) -> date:
    return day.replace(year=day.year - 1, day=min(day.day, 28) if day.month == 2 else day.day)


def _last_of_month(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])
