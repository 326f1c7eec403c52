"""Dates as people say them: found in a text, and, where today is known, the day they mean."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from prime.mind.offline.figures.feasts import FEAST, feast_written, fixed_day, only_names
from prime.mind.offline.words.numbers import BELOW_HUNDRED, ORDINAL, number_at, ordinal

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBERS = (
    {name: n for n, name in enumerate(_MONTHS, 1)}
    | {name[:3]: n for n, name in enumerate(_MONTHS, 1) if name not in {"march", "may"}}
    | {"sept": 9}
)
_MONTH = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = "|".join(_DAYS)
_HAN_DIGITS = {c: n for n, c in enumerate("一二三四五六七八九", 1)} | {"日": 7, "天": 7}
_HAN_NUMBER = "十[一二]?|[一二三四五六七八九]"
# “In July 15 people come”: no fifteenth of July.
_HEADS = "(?:people|ppl|guests|persons|kids|children|students|friends|of us)"
_NTH = "first|second|third|fourth|last|1st|2nd|3rd|4th"
_ZH_DAY = r"(?:\d{1,2}|二?十[一二三四五六七八九]?|三十一?|[一二三四五六七八九])"
DATE = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d{{1,2}}-\d{{1,2}})\b"
    rf"|\b(?:the\s+)?(?P<nth>{_NTH})\s+(?P<nwd>{_DAY}|weekend)\s+(?:in|of)\s+(?P<nm>{_MONTH})\b(?:\s+(?P<ny>\d{{4}})\b)?"
    r"|(?<![\d./:€$£¥])(?P<num>\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})?|\d{1,2}/\d{1,2}(?:/(?:\d{4}|\d{2}))?)(?![\d/%])"
    rf"|\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m1>{_MONTH})\b\.?(?:,?\s+(?P<y1>\d{{4}})\b)?"
    rf"|\b(?P<m2>{_MONTH})\b(?:(?:(?<=\b\w{{3}})\.)?\s+(?P<d2>[12]?\d|3[01])(?:st|nd|rd|th)?(?![\d.,]\d|\d|k\b|\s?%|\s+{_HEADS}))?"
    r"(?:,?\s+(?:of\s+)?(?P<y2>\d{4})\b)?"
    # “Sunday 18 April” is the eighteenth.
    rf"|\b(?:(?P<rel>next|this|coming)\s+)?(?P<wd>{_DAY})\b(?!,?\s+(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})\b|(?:{_MONTH})\s+\d))"
    # “By the 28th”, “on the thirtieth”: of this month or the next.
    r"|(?:(?<=\bon the )|(?<=\bto the )|(?<=\bby the )|(?<=\bbefore the )|(?<=\buntil the )|(?<=\btill the )"
    r"|(?:(?<=\bfor the )|(?<=\bfrom the ))(?=\d))"
    rf"(?P<nth_day>\d{{1,2}}(?:st|nd|rd|th)|{ORDINAL})"
    r"(?=\s*(?:$|[^\w\s]|(?:and|or|at|in the (?:morning|evening|afternoon)|so|but|because|we|i|when|with|for|please|latest)\b))"
    r"|\b(?P<word>tomorrow|today|tonight|next (?:week|month|quarter|year|spring|summer|autumn|fall|winter)"
    r"|this (?:week|weekend|month|year)|the weekend|(?:the )?end of (?:the )?(?:week|month|year|quarter|20\d\d)"
    r"|(?:the )?year[’']?s?[ -]end)\b"
    rf"|(?<![A-Za-z])(?P<fy>今年|明年|后年)?(?P<feast>{FEAST})(?:节|['’]s)?(?:\s+20\d\d\b)?(?![A-Za-z])(?!\s+(?:in|of)\s+(?:{_MONTH})\b)"
    r"|(?<![A-Za-z0-9])(?P<quarter>Q[1-4](?:\s+\d{4})?)(?![A-Za-z0-9])"
    r"|(?P<zquarter>(?:今年|明年)?第?[一二三四]季度)|(?P<lunar>(?:农历)?[腊正冬]月(?:初?[一二三四五六七八九十廿]{1,3})?|(?:农历)?[一二三四五六七八九十]{1,2}月(?:初[一二三四五六七八九十]|廿[一二三四五六七八九]?))"
    rf"|\b(?:in|within)\s+(?P<n>\d{{1,3}}|an?|{BELOW_HUNDRED})\s+(?P<span>days?|weeks?|months?|years?|fortnights?)\b"
    # “Three months from now” is in three months, “over the next six weeks” within them.
    rf"|\b(?P<n2>\d{{1,3}}|an?|{BELOW_HUNDRED})\s+"
    rf"(?P<span2>days?|weeks?|months?|years?|fortnights?)\s+(?P<from>from (?:now|today)|hence)\b"
    rf"|\b(?:in|within|over|during) the (?:next|coming)\s+(?P<n3>\d{{1,3}}|{BELOW_HUNDRED})\s+"
    rf"(?P<span3>days|weeks|months|years)\b"
    r"|\b(?P<week>(?:calendar )?week\s+(?:[1-4]\d|5[0-3]|[1-9]))\b(?!\s*(?:of|in)\b|[.,:/]\d)"
    r"|(?P<zweek>第(?:\d{1,2}|[一二三四五]?十[一二三四五六七八九]?)周)"
    rf"|(?:(?P<yz>\d{{4}}|今|明|后)\s*年\s*)?(?P<mz>\d{{1,2}}|{_HAN_NUMBER})\s*月(?!薪)(?:的?(?P<wkz>(?:第[一二三四]|最后)一?个?(?:周末|周[一二三四五六日]|星期[一二三四五六日]|周))|\s*(?P<dz>\d{{1,2}}|二?十[一二三四五六七八九]?|三十一?|[一二三四五六七八九])\s*[日号號]|[初底中]旬?)?"
    r"|(?P<wz>(?:下|这|本)?(?:个)?(?<!每)(?<!每个)(?:周|星期)[一二三四五六日天](?![天次节]))"
    rf"|(?P<zword>(?:下个?|本|这个)月{_ZH_DAY}[号日]|(?<![月\d一二三四五六七八九十]){_ZH_DAY}[号日](?=之?前|截止)|明天|后天|今天|下周|下个月|(?:这|本|下)?个?周末|本周|这周|本月底?|这个月|月[初中底]|年[中底]|(?:下大?雪|第一场雪|结冰|上冻|封冻|高考|中考|期末)之?前|(?:今年|明年)?[春夏秋冬]天|明年|下个季度|半年(?:之?内|以内|后)|(?<=[，,])半年(?=[，。,]|$))"
    r"|(?P<nz>\d{1,3}|[一二两三四五六七八九十]{1,2})\s*(?P<sz>天|周|个?星期|个?礼拜|个月|年)(?:之?内|以?内|之?后|(?=上线|开业|完工|交付|完成|做完|搞定|办好|写完|学会))",
    re.IGNORECASE,
)
# People may march, and may: a lower-case month needs a preposition or a day.
_AFTER = re.compile(
    r"\b(?:in|of|by|until|till|before|after|since|early|late|mid|end of|to|for|from|this|next|and)[\s-]+$",
    re.IGNORECASE,
)

# Nothing but a month stands behind these, however it is written.
_SURELY = re.compile(
    r"\b(?:make (?:it|that)|it to|in|by|until|till|before|since|early|late|mid|end of)[\s-]+$", re.IGNORECASE
)

_NEAR = 40  # as far back as such a word is looked for


@dataclass(frozen=True, slots=True)
class Day:
    """A date as it was written, and the first day that it can mean where that is known."""

    text: str
    start: int
    end: int
    day: date | None


def dates(text: str, today: str = "") -> list[Day]:
    """In the order of their appearance."""
    now = parsed_day(today)
    return [
        Day(_written(match), match.start(), match.end(), _meant(match, now))
        for match in DATE.finditer(text)
        if not (_is_verb(match, text) or only_names(match, text) or _is_a_ratio(match, text))
    ]


def _written(match: re.Match[str]) -> str:
    """As it was written, a day, a month or a feast with its capital."""
    text, month = match[0].strip().rstrip("."), match["m1"] or match["m2"]
    if match["feast"]:
        return feast_written(match["feast"], text)
    if match["nth"]:
        day = text.removeprefix("the ").replace(match["nwd"], match["nwd"].capitalize().replace("Weekend", "weekend"))
        return f"the {day.replace(match['nm'], match['nm'].capitalize())}"
    if match["nth_day"]:
        return f"the {text}"
    if span := match["span2"] or match["span3"]:
        return f"{'in' if match['span2'] else 'within'} {(match['n2'] or match['n3']).lower()} {span}"
    if (match["nz"] or match["zword"] == "半年") and not text.endswith(("内", "后")):
        return f"{text}内"
    if (weekday := match["wd"]) and weekday.islower():
        return text.replace(weekday, weekday.capitalize())
    return text.replace(month, month.capitalize()) if month and month.islower() else text


def parsed_day(iso: str) -> date | None:
    try:
        return date.fromisoformat(iso[:10])
    except ValueError:
        return None


def _is_verb(match: re.Match[str], text: str) -> bool:
    """`may` and `march` without a day or a year, in small letters or at the head of a sentence."""
    month = match["m2"]
    if not month or match["d2"] or match["y2"] or month.casefold() not in {"may", "march"}:
        return False
    before = text[max(0, match.start() - _NEAR) : match.start()]
    return not (_AFTER if month[0].isupper() else _SURELY).search(before)


def _is_a_ratio(match: re.Match[str], text: str) -> bool:
    """“3/2” is a day behind “by” or “on”, or before 前; anywhere else it may be a share or a size."""
    if not match["num"]:
        return False
    first, second = (int(part) for part in re.split(r"[./]", match["num"])[:2])
    if not first or not second or min(first, second) > _MONTHS_A_YEAR or max(first, second) > _DAYS_A_MONTH:
        return True
    if re.fullmatch(r"\d{1,2}[./]\d{1,2}[./](?:\d{2}){1,2}", match["num"]):
        return False
    before, behind = text[max(0, match.start() - _NEAR) : match.start()], text[match.end() : match.end() + 2]
    return not (_ON_A_DAY.search(before) or re.match(r"\s?(?:之?前|号|日)", behind))


_MONTHS_A_YEAR, _DAYS_A_MONTH = 12, 31
_ON_A_DAY = re.compile(
    r"\b(?:by|on|before|until|till|due|from|after|since|deadline|no later than)(?: is)?[\s:]+(?:the )?$", re.IGNORECASE
)


def _meant(match: re.Match[str], now: date | None) -> date | None:
    if match["iso"] or match["num"]:
        return _of_figures(match["iso"] or match["num"], now)
    if match["nth"]:
        return _nth_weekday(match, now)
    if match["m1"] or match["m2"]:
        month = _NUMBERS[(match["m1"] or match["m2"]).casefold()]
        return _of_year(match["y1"] or match["y2"], month, int(match["d1"] or match["d2"] or 1), now)
    if match["feast"]:
        fixed = fixed_day(match["feast"])
        return _of_year(_han_year((match["fy"] or "")[:1], now), *fixed, now) if fixed else None
    if match["mz"] and match["wkz"]:
        return None
    if match["mz"]:
        day = _han(match["dz"]) if match["dz"] else 1
        return _of_year(_han_year(match["yz"], now), _han(match["mz"]), day, now)
    if now is None:
        return None
    return _relative(match, now)


def _of_figures(text: str, now: date | None) -> date | None:
    """“30.04.” is the thirtieth of April; of “3/2” nobody knows which is the month, unless one of the two cannot be."""
    if "-" in text:
        return _day(*(int(part) for part in text.split("-")))
    first, second, year = [*re.split(r"[./]", text), ""][:3]
    day, month = int(first), int(second)
    if "/" in text:
        if day <= _MONTHS_A_YEAR and month <= _MONTHS_A_YEAR and day != month:
            return None
        day, month = (day, month) if month <= _MONTHS_A_YEAR else (month, day)
    return _of_year(f"20{year}" if len(year) == 2 else year or None, month, day, now)


def _nth_weekday(match: re.Match[str], now: date | None) -> date | None:
    month = _of_year(match["ny"], _NUMBERS[match["nm"].casefold()], 1, now)
    if month is None or match["nwd"].casefold() == "weekend":
        return None
    first = month + timedelta(days=(_DAYS.index(match["nwd"].casefold()) - month.weekday()) % 7)
    ordinals: list[str] = list(_NTH.split("|"))
    weeks = ordinals.index(match["nth"].casefold()) % 5
    if match["nth"].casefold() != "last":
        return first + timedelta(weeks=weeks)
    fifth = first + timedelta(weeks=4)
    return fifth if fifth.month == first.month else first + timedelta(weeks=3)


def _relative(match: re.Match[str], now: date) -> date | None:
    if match["wd"]:
        if _OF_A_MONTH.match(match.string, match.end()):
            return None  # “one Friday in May”: nobody knows which
        return _weekday(_DAYS.index(match["wd"].casefold()), now, following=(match["rel"] or "").casefold() == "next")
    if match["wz"]:
        return _weekday(_HAN_DIGITS[match["wz"][-1]] - 1, now, following="下" in match["wz"])
    if match["nth_day"]:
        return _day_of_month(int(ordinal(match["nth_day"])), now)
    word = (match["word"] or match["zword"] or "").casefold()
    if word in _AHEAD:
        return now + timedelta(days=_AHEAD[word])
    if count := match["n"] or match["n2"] or match["n3"]:
        span = match["span"] or match["span2"] or match["span3"]
        return now + timedelta(days=int(number_at(count)) * _SPANS[span.casefold().rstrip("s")])
    if match["nz"]:
        return now + timedelta(days=_han(match["nz"]) * _SPANS_ZH[match["sz"].removeprefix("个")])
    return None


_OF_A_MONTH = re.compile(rf"\s+(?:in|of)\s+(?:{_MONTH})\b", re.IGNORECASE)


def _day_of_month(day: int, now: date) -> date | None:
    this, months = _day(now.year, now.month, day), now.year * 12 + now.month
    return this if this and this >= now else _day(months // 12, months % 12 + 1, day)


_AHEAD = {
    "today": 0, "tonight": 0, "tomorrow": 1, "next week": 7, "next month": 30,
    "今天": 0, "明天": 1, "后天": 2, "下周": 7, "下个月": 30,
}  # fmt: skip
_SPANS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
_SPANS_ZH = {"天": 1, "周": 7, "星期": 7, "礼拜": 7, "月": 30, "年": 365}


def _weekday(index: int, now: date, *, following: bool) -> date:
    ahead = (index - now.weekday()) % 7 or 7
    if following and index > now.weekday():
        ahead += 7
    return now + timedelta(days=ahead)


def _of_year(year: str | None, month: int, day: int, now: date | None) -> date | None:
    if year:
        return _day(int(year), month, day)
    if now is None:
        return None
    found = _day(now.year, month, day)
    # A month that is over is meant for next year; the one that runs is meant now.
    return found if found and (found.year, found.month) >= (now.year, now.month) else _day(now.year + 1, month, day)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _han(text: str) -> int:
    if text.isdigit():
        return int(text)
    text = text.replace("两", "二")
    if "十" not in text:
        return _HAN_DIGITS.get(text, 1)
    tens, _, ones = text.partition("十")
    return (_HAN_DIGITS[tens] if tens else 1) * 10 + (_HAN_DIGITS[ones] if ones else 0)


def _han_year(text: str | None, now: date | None) -> str | None:
    if not text or text.isdigit():
        return text
    return str(now.year + "今明后".index(text)) if now else None
