"""What may be spent, or is hoped for, on the whole; and what a part, a person or a month of it may cost."""

import re

from prime.mind.offline.figures.amounts import parsed_number, written
from prime.mind.offline.figures.sums import GAINS, Sum, main_sum, sums_in, unit_behind
from prime.mind.offline.things.things import with_article
from prime.mind.offline.words.language import Language
from prime.mind.offline.words.numbers import number_at

# Whoever is hired is paid by the month, and that is the sum of such a project.
_PAY = re.compile(r"\b(?:salar|pay\s*(?:is|of|up to|:)|wage|hir|recruit)|薪|工资|招", re.IGNORECASE)
_HOURLY = re.compile(r"\s*(?:(?:an?|per|each|every)\s+|/\s?)(?:hour|hr|h|day|night|shift)\b", re.IGNORECASE)
# What a person or a table may cost is counted by people and tables, and not by whatever else is counted.
_BY_HEAD_ZH = re.compile(r"(?:每[人位]|人均)[^，。；,;]{0,8}$")
_BY_TABLE_ZH = re.compile(r"[每一]桌[^，。；,;]{0,8}$")
_PEOPLE_ZH = re.compile(r"(?:位|名|人|客|学生|同学|朋友|同事|员工|志愿者)$")
_SPAN = r"(?:am|pm|days?|nights?|weeks?|months?|hours?|years?|of|st|nd|rd|th)\b"
_PIECES = re.compile(rf"(?<![\d.,:/])(\d[\d,]*)\s*(?:(?!{_SPAN})[a-z]{{3,}}|[个件只份套台人桌条本双])", re.IGNORECASE)


def budget_slot(text: str, language: Language, count: str) -> str:
    """The sum of the whole; "" where none was written, or only what others ask, promise or are paid."""
    found = main_sum(text)
    if found is None or (found.per == "often" and not _is_pay(found, text)):
        return ""
    number = _pieces(text, found, count) if found.per == "each" else 1.0
    return written(found.money.value * number, _currency(found, language), language) if number else ""


def hopes_for(text: str) -> bool:
    """Whether the sum of a wish is one to get."""
    found = main_sum(text)
    return found is not None and found.role in GAINS


def may_cost(text: str) -> bool:
    """Whether the sum of a wish is the most that its owner would give for it."""
    found = main_sum(text)
    return found is not None and found.role in {"budget", "limit"}


def parts_limits(text: str, language: Language, count: str) -> list[str]:
    """What one of many, or a month of it, may cost: no budget, and to be kept to all the same."""
    main = main_sum(text)
    budget = budget_slot(text, language, count)
    own = [each for each in sums_in(text) if each.role not in {"told", "promised", *GAINS} and each.per]
    return [said for each in own if not (each == main and budget) and (said := _said(text, each, language))]


def _is_pay(found: Sum, text: str) -> bool:
    return bool(_PAY.search(text)) and not _HOURLY.match(text[found.money.end :])


def _currency(found: Sum, language: Language) -> str:
    return found.money.currency or ("CNY" if language == "zh" else "")


def _said(text: str, found: Sum, language: Language) -> str:
    """“Up to 60 EUR a month”; in Chinese as it was written, where that is short."""
    before, behind = text[: found.money.start], text[found.money.end :]
    amount = written(found.money.value, _currency(found, language), language)
    unit = unit_behind(text, found)
    if language == "zh":
        if unit and (span := re.search("[月年]", unit)):
            return f"每{span[0]}不超过{amount}"
        clause = re.split(r"[，。；！？,;\n]", before)[-1] + text[found.money.start : found.money.end]
        clause += limit[0] if (limit := _LIMIT_BEHIND_ZH.match(behind)) else ""
        return clause.strip() if len(clause) <= _SHORT_CLAUSE else ""
    return f"up to {amount} {_unit(unit)}" if unit else ""


def _unit(said: str) -> str:
    words: list[str] = re.findall(r"[a-z]+", said.casefold())
    last = _SPANS.get(words[-1], words[-1])
    if last in {"each", "apiece", "pp"}:
        return "each"
    return with_article(last) if last != "head" else "a head"


_SPANS = {"mo": "month", "h": "hour", "hr": "hour", "monthly": "month", "weekly": "week", "yearly": "year", "hourly": "hour",
          "daily": "day", "annum": "year"}  # fmt: skip
_SHORT_CLAUSE = 20
_LIMIT_BEHIND_ZH = re.compile("(?:块|元)?(?:之内|以内|以下|以上|左右|封顶|一[个件只份套位人斤条张盒]|每[月年天次])")


def _pieces(text: str, found: Sum, count: str) -> float:
    """How many there are of what the sum is for; 0 where that was not written."""
    before = text[: found.money.start]
    if _BY_TABLE_ZH.search(before):
        tables = re.search(r"(\d+|(?!一桌)[一二两三四五六七八九十百]+)桌", text)
        return number_at(tables[1]) if tables else 0.0
    if _BY_HEAD_ZH.search(before) and not _PEOPLE_ZH.search(count):
        return 0.0
    one = _ONE_OF.search(unit_behind(text, found))
    if one and _MEASURE.fullmatch(one[1]):
        several = re.search(rf"(\S+)\s+(?:[a-z-]+\s+){{0,2}}{one[1]}(?:s|es)\b", text, re.IGNORECASE)
        return number_at(several[1]) if several else 0.0
    if count and (
        number := number_at(re.sub(r"^(?:about|around|some|up to|大约|约|近|最多)\s*", "", _UP_TO.sub("", count)))
    ):
        return number
    pieces = _PIECES.search(text.replace(found.money.text, " "))
    return parsed_number(pieces[1]) or 0.0 if pieces else 0.0


# Of “30–40 people” as many as may come.
_UP_TO = re.compile(r"^.*\d\s?(?:[-–~—]|to|or|and)\s?(?=\d)|^.*[到至](?=[\d一二三四五六七八九])")
# What is weighed or measured is not counted by heads or pieces.
_ONE_OF = re.compile(r"(?:\ban?|\bper|/)\s?([a-z]+)$", re.IGNORECASE)
_MEASURE = re.compile(
    r"kilos?|kg|tonne|ton|lit(?:re|er)|met(?:re|er)|sqm|page|word|mile|km|hectare|acre|foot", re.IGNORECASE
)
