"""The time of which a sentence speaks, said at its head or beside its subject, and the sentence without it."""

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import NamedTuple

from prime.mind.offline.figures.dates import DATE, dates, parsed_day

_WHEN = r"(?P<when>\w[\w ,.-]{1,24}?)"
_HEAD = re.compile(
    rf"^(?P<word>in|on|during|back in|from|since|as of|starting(?: in| on| from)?|until|till)\s+{_WHEN}(?:\s+on)?,?\s+"
    r"(?P<rest>(?!(?:19|20)\d\d\b).+)$",
    re.IGNORECASE,
)
# Said without a word before it.
_RELATIVE = (
    r"(?P<when>yesterday|today|(?:last|this|next) (?:week|month|quarter|year)|"
    r"(?:\d{1,2}|an?|two|three|four|five|six) (?:day|week|month|year)s? ago)"
)
_RELATIVE_HEAD = re.compile(rf"^(?P<word>){_RELATIVE},?\s+(?P<rest>.+)$", re.IGNORECASE)
_RELATIVE_LAST = re.compile(
    r"^(?P<before>\S.{0,58}?\s(?:was|were|cost|charged|will be)\s.+?)"
    rf"(?<!until)(?<!till)(?<!since)(?<!from)(?<!through)(?<! of)\s+(?P<word>){_RELATIVE}$",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf"^(?P<before>\S.{{0,58}}?)\s+(?P<word>in|during)\s+{_WHEN}\s+(?P<rest>(?:is|are|was|were|cost|charged)\b.+)$",
    re.IGNORECASE,
)
_LAST = re.compile(
    rf"^(?P<before>\S.{{0,58}}?\s(?:was|were|cost|charged)\s.+?)\s+(?P<word>in|during)\s+{_WHEN}$", re.IGNORECASE
)
_WHEN_HAN = (
    r"(?P<word>从|自|在)?(?P<when>(?:(?:\d{4}|今|去)\s*年\s*)?(?:\d{1,2}|十[一二]?|[一二三四五六七八九])\s*月(?:份|\s*\d{1,2}\s*[日号號])?"
    r"|\d{4}\s*年|去年|上个月|上周|上个星期|昨天|下个月|下周|明年)(?P<since>起|开始|以来|以後|以后)?"
)
_HAN = re.compile(rf"^{_WHEN_HAN}[，,\s]*的?(?P<rest>\S.+)$")
# “咖啡机三月份的价格是3800元”: not where the time itself is what is told (“改到三月”).
_BESIDE_HAN = re.compile(
    rf"^(?P<before>[^，。；？！、\s\d年月日是为到在至从自改]{{1,14}}?){_WHEN_HAN}的?(?P<rest>[^，。；\s]{{0,8}}?(?:是|为|卖|收费|要价|多少).+|多少钱?)$"
)
_YEAR = re.compile(r"(?P<year>(?:19|20)\d{2})\s*年?")
_PAST = re.compile(r"\b(?:was|were|cost|charged|had)\b", re.IGNORECASE)
_HALF_A_YEAR = timedelta(days=183)
_SOON = timedelta(days=62)
_OPEN = frozenset({"from", "since", "as of", "starting", "starting in", "starting on", "starting from", "从", "自"})
_ENDED = frozenset({"until", "till"})
_QUARTER = re.compile(r"q(?P<quarter>[1-4])(?:\s*(?P<year>(?:19|20)\d\d))?", re.IGNORECASE)
_AGO = re.compile(r"(?P<many>\w+) (?P<unit>day|week|month|year)s? ago", re.IGNORECASE)
_MANY = {"a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


class Period(NamedTuple):
    """A sentence without its time; the first day and, where it is said, the last."""

    rest: str
    since: str | None = None
    until: str | None = None


def period_of(sentence: str, today: str) -> Period:
    """“In March the price was 38”: the price was 38, from the first to the last of March."""
    for pattern in (_HEAD, _BESIDE, _LAST, _RELATIVE_HEAD, _RELATIVE_LAST, _HAN, _BESIDE_HAN):
        match = pattern.match(sentence)
        if match is None:
            continue
        is_han = pattern in (_HAN, _BESIDE_HAN)
        is_past = is_han or bool(_PAST.search(sentence))
        found = _soon(match, today) or stretch_of(match["when"], today, is_past=is_past)
        if found is None:
            continue
        named = match.groupdict()
        rest = ("" if is_han else " ").join(part for name in ("before", "rest") if (part := named.get(name)))
        word = (named["word"] or "").lower()
        if word in _ENDED:
            return Period(rest, None, found[1].isoformat())
        # What will be so next month is not said to end with it.
        is_open = word in _OPEN or bool(named.get("since")) or found[0] > (parsed_day(today) or found[0])
        return Period(rest, found[0].isoformat(), None if is_open else found[1].isoformat())
    return Period(sentence)


def _soon(match: re.Match[str], today: str) -> tuple[date, date] | None:
    """“从七月起”, said in June: Chinese verbs have no tense, so what begins soon is meant to come."""
    now = parsed_day(today)
    coming = stretch_of(match["when"], today, is_past=False) if now and match.groupdict().get("since") else None
    return coming if now and coming and now < coming[0] < now + _SOON else None


def stretch_of(when: str, today: str, *, is_past: bool) -> tuple[date, date] | None:
    """The first and the last day of a day, a month or a year."""
    when = when.strip(" ,.").replace("份", "")
    if year := _YEAR.fullmatch(when):
        return date(int(year["year"]), 1, 1), date(int(year["year"]), 12, 31)
    now = parsed_day(today)
    if now and (named := _gone(when.casefold(), now) or _quarter(when, now, is_past=is_past)):
        return named
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
    """The day, week, month or year before this one, this one, the next; and a while ago."""
    if when in {"yesterday", "昨天", "today"}:
        day = now if when == "today" else now - timedelta(days=1)
        return day, day
    if ago := _AGO.fullmatch(when):
        return _ago(ago["many"], ago["unit"], now)
    which, _, unit = _IN_ENGLISH.get(when, when).partition(" ")
    if which not in _STEPS:
        return None
    step = _STEPS[which]
    if unit == "week":
        monday = now - timedelta(days=now.weekday() - 7 * step)
        return monday, monday + timedelta(days=6)
    if unit in {"month", "quarter"}:
        size = 3 if unit == "quarter" else 1
        return _months(now.year * 12 + ((now.month - 1) // size + step) * size, size)
    return _months((now.year + step) * 12, 12) if unit == "year" else None


_STEPS = {"last": -1, "this": 0, "next": 1}
_IN_ENGLISH = {
    "上周": "last week", "上个星期": "last week", "上个月": "last month", "去年": "last year",
    "下周": "next week", "下个月": "next month", "明年": "next year",
}  # fmt: skip


def _months(first: int, size: int) -> tuple[date, date]:
    """So many months, the first counted from the year nought."""
    last = first + size - 1
    return date(first // 12, first % 12 + 1, 1), _last_of_month(date(last // 12, last % 12 + 1, 1))


def _ago(many: str, unit: str, now: date) -> tuple[date, date] | None:
    """The day of so many days or weeks ago, else the month or year."""
    count = int(many) if many.isdecimal() else _MANY.get(many, 0)
    if unit in {"day", "week"}:
        day = now - timedelta(days=count * (7 if unit == "week" else 1))
        return (day, day) if count else None
    if unit == "month":
        return _months(now.year * 12 + now.month - 1 - count, 1) if count else None
    return _months((now.year - count) * 12, 12) if count else None


def _quarter(when: str, now: date, *, is_past: bool) -> tuple[date, date] | None:
    """“Q1”, this year's; told as past before it began, last year's."""
    if (match := _QUARTER.fullmatch(when)) is None:
        return None
    first, last = _months(int(match["year"] or now.year) * 12 + (int(match["quarter"]) - 1) * 3, 3)
    return (
        _months((now.year - 1) * 12 + first.month - 1, 3)
        if is_past and not match["year"] and first > now
        else (first, last)
    )


def _year_before(day: date) -> date:
    return day.replace(year=day.year - 1, day=min(day.day, 28) if day.month == 2 else day.day)


def _last_of_month(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])
