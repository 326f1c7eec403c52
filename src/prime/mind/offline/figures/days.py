"""The day on which something is to be, and the one by which it is to be ready, out of all that a text names."""

import re
from datetime import date, timedelta

from prime.mind.offline.figures.dates import Day, dates, parsed_day
from prime.mind.offline.figures.shifting import moved
from prime.mind.offline.words.clauses import cues, marked_clause
from prime.mind.offline.words.language import Language, language_of
from prime.mind.offline.words.numbers import BELOW_HUNDRED


def date_in(text: str, today: str) -> str:
    return next((_named_day(d, text) for d in _days_ahead(text, today)), "")


# A day on which something was, or is again and again, is none to be ready by.
_ASIDE = ("only_named", "often", "free", "not_before", "past")
_TABLE = "days.yaml"


def _days_ahead(text: str, today: str) -> list[Day]:
    now = parsed_day(today)
    ahead = [day for day in dates(text, today) if day_role(day, text) not in _ASIDE and not _is_over(day, text, now)]
    # “年底要搞答谢会，1月10号晚上”: the day says more than the time of the year.
    if ahead and _TIME_OF_YEAR_ZH.fullmatch(ahead[0].text) and (days := [d for d in ahead if _DAY_ZH.search(d.text)]):
        ahead = [*days, *(day for day in ahead if day not in days)]
    return ahead


def _is_over(day: Day, text: str, now: date | None) -> bool:
    """“9 Nov”, where something is told on the nineteenth that happened; a month that runs is meant whole."""
    gone = now and day.day and day.day < now and re.search(r"\d", day.text)
    return bool(gone and cues(_TABLE, "happened").search(text[:_FAR]))


_FAR = 4_000
_TIME_OF_YEAR_ZH = re.compile("年底|年初|月底|月初|年中|下个?月|本月|这个月|今年|明年|年后|年前|春节|国庆|元旦")
_DAY_ZH = re.compile(r"\d[日号]$|[一二三四五六七八九十][日号]$")


def day_role(day: Day, text: str) -> str:
    """What a day is to the wish: `due`, `begins`, `past`…, by the words around it; `when` where they say no more."""
    clause = marked_clause(text, day.start, day.end)
    return next((role for role in (*_ASIDE, "due", "begins") if cues(_TABLE, role).search(clause)), "when")


def _named_day(day: Day, text: str) -> str:
    """The day as it was meant: “by the end of March” is not March."""
    before, behind = text[: day.start], text[day.end :]
    if behind and behind[0] in "底初末" and not day.text.endswith(behind[0]):
        return f"{day.text}{behind[0]}"
    part, year = _PART.search(before), _NEXT_YEAR.match(behind)
    if part or year:
        lead = "" if part is None else "mid-" if part[1].casefold() == "mid" else f"{part[1].casefold()} "
        return f"{lead}{day.text}{year[0] if year else ''}"
    for pattern, form in _SPANS_BEFORE:
        if found := pattern.search(before):
            return form.format(found[1].casefold(), day.text)
    if (nearby := _BESIDE_A_FEAST.match(behind)) and (
        feast := dates(f"{nearby[1]} {behind[nearby.end() : nearby.end() + _FEAST]}")
    ):
        named = feast[0]
        if named.start <= len(nearby[1]) + 1:
            return f"{day.text} {nearby[1]} {named.text}"
    last = _SPAN_BEHIND.match(text, day.end)
    one = _ONE_OF.search(before[-_SHORT_WORD:]) if last else None
    lead = f"{one[1].casefold()} " if one else ""
    return f"{lead}{day.text}{_DASH.sub(_ALONE, last[0])}" if last else day.text


# “The weekend after All Saints”.
_BESIDE_A_FEAST = re.compile(r"\s+(after|before)\s+(?=[A-Z])")
_FEAST = 24
# “One Friday in May”.
_ONE_OF = re.compile(r"\b(one|an?|any|some)\s$", re.IGNORECASE)
_SHORT_WORD = 6
_DASH, _ALONE = re.compile(r"\s?([-–])\s?"), r"\1"
# “Mid-March”, “late May next year”.
_PART = re.compile(r"\b(early|late|mid)[\s-]+$", re.IGNORECASE)
_NEXT_YEAR = re.compile(r"\s+(?:next|this) year\b", re.IGNORECASE)
_NTH = r"(\d{1,2})(?:st|nd|rd|th)?"
# “14-15 November”, “12 to 16 October”, “the last week of March”.
_SPANS_BEFORE = tuple(
    (re.compile(pattern, re.IGNORECASE), form)
    for pattern, form in (
        (r"(?<!\d)(\d{1,2}\s?[-–])\s?$", "{}{}"),
        (rf"\bbetween (?:the )?{_NTH} and (?:the )?$", "{}–{}"),
        (rf"(?<![\d.,]){_NTH} (?:to|till|until) (?:the )?$", "{}–{}"),
        (rf"(?<!\d){_NTH} (?:and|&) $", "{} and {}"),
        (
            r"\b(end|middle|beginning|(?:first|second|third|last) (?:week|weekend|half|days)) of (?:the )?$",
            "the {} of {}",
        ),
    )
)
_SPAN_BEHIND = re.compile(
    r"(?<=day) in (?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
    r"|\s?[-–]\s?\d{1,2}(?![\d.:])|(?:号|日)?(?:到|至|[-–~])[\d一二三四五六七八九十]{1,3}[号日]"
)


def loose_times(text: str, language: Language) -> list[str]:
    """What is said of the time and is no day: “every Wednesday”, “before school starts”."""
    found = cues(_TABLE, "loose_zh" if language == "zh" else "loose").finditer(text)
    return list(dict.fromkeys(match[0] for match in found))


def _urgency(text: str) -> str:
    """“As soon as possible”, “soon”, “尽快”: by when it is wanted, where no day is named."""
    language = language_of(text)
    if given := _GIVEN.search(text):
        return f"within {given[1].casefold()}"
    found = cues(_TABLE, "urgent_zh" if language == "zh" else "urgent").search(text)
    if found is None or language == "zh":
        return found[0] if found else ""
    return "soon" if found[0].casefold() == "soon" else "as soon as possible"


_LASTS = re.compile(
    r"\b(?:done|ready|finished|complete[d]?|over|takes?|lasts?|for)\s+(?:with)?in\s+"
    r"(\d{1,3}|two|three|four|five|six|eight|ten)\s+(days?|weeks?|months?)\b",
    re.IGNORECASE,
)
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10}


def deadline_in(text: str, today: str) -> str:
    """The date behind `by`, `before`, `until`…; else the first one on which nothing only begins."""
    ahead = _days_ahead(text, today)
    if due := next((day for day in ahead if day_role(day, text) == "due"), None):
        return _named_day(due, text)
    begins = [day for day in ahead if day_role(day, text) == "begins"]
    if begins and (ends := _end_of(begins[0], text, today)):
        return ends
    ends_by = next((day for day in ahead if day not in begins), None)
    return _named_day(ends_by, text) if ends_by else date_in(text, today) or _urgency(text)


# “I can give eight weeks to it.”
_GIVEN = re.compile(
    rf"\b(?:can give|(?:i|we)(?: only| just| still)? have(?: only| just)?|[’']ve (?:only |just )?got) "
    rf"((?:an?|\d{{1,2}}|{BELOW_HUNDRED}) (?:weeks?|months?))(?=\s*(?:$|[.,;!]|(?:to|for (?:it|this|that)|left)\b))",
    re.IGNORECASE,
)


def _end_of(begin: Day, text: str, today: str) -> str:
    """“Start after 6 January, done in 4 weeks” is 3 February."""
    lasts = _LASTS.search(text)
    if lasts is None:
        return ""
    number = _WORDS.get(lasts[1].casefold()) or int(lasts[1])
    days = number * {"day": 1, "week": 7, "month": 30}[lasts[2].casefold().rstrip("s")]
    return moved(begin.text, timedelta(days=days), today, language_of(text))
