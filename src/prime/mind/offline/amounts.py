"""Amounts of money as people write them, in English and Chinese."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from prime.mind.offline.phrases import alternatives, phrases

# Bounded: a file of nothing but digits is searched in no time, too.
_NUMBER = (
    r"\d{1,3}(?:[,'’ ]\d{3}){1,6}(?:\.\d{1,2})?|\d{1,3}(?:\.\d{3}){1,6}(?:,\d{1,2})?(?!\d)|\d{1,18}(?:[.,]\d{1,9})?"
)
_UNIT = r"(?:k|m|mn|mio|million|thousand|grand|bn|billion|万|亿|千)"
_SIGN = r"[$€£¥￥]|US\$|HK\$"
_CODE = alternatives("amounts_currencies")
MONEY = re.compile(
    rf"(?P<sign>{_SIGN}|\b(?:EUR|USD|GBP|CHF|CNY|RMB|JPY|INR|CAD|AUD|SGD|HKD|SEK|NOK|DKK)(?=\s?\d))\s?(?P<a>{_NUMBER})\s?(?P<ua>{_UNIT})?(?![\w%])"
    rf"|(?<![A-Za-z0-9_.,])(?P<b>{_NUMBER})\s?(?P<ub>{_UNIT})?\s?(?P<code>{_CODE})(?![A-Za-z])"
    rf"|(?<![A-Za-z0-9_.,])(?P<c>{_NUMBER})\s?(?P<uc>万|亿)(?P<tail>[1-9])?(?=(?:{alternatives('amounts_behind_zh')})|\W|$)(?![人个件台名份])",
    re.IGNORECASE,
)
_BARE_BUDGET = re.compile(
    rf"\bbudget(?:ed)?\s*(?:is|of|at|:|to|under|up to|about|around|max(?:imum)?)*\s*"
    rf"(?P<a>{_NUMBER})\s?(?P<ua>{_UNIT}|w)?(?![\w%])"
    rf"|预算(?:是|为|：|:|在|约|大约|最多|不超过|控制在|只有|有|改成|改为|改到|提高到|增加到|加到|降到|减到|调到|调整为)*\s*(?P<b>{_NUMBER})\s?(?P<ub>{_UNIT}|w)?(?!\s?(?:到|至|[-~～—]+)\s?\d)",
    re.IGNORECASE,
)
_HAN = "[零一二两三四五六七八九十百千]"
# “哪一块” asks for a part, and no price.
_HAN_MONEY = re.compile(
    rf"(?!(?<=[哪这那])一块(?!钱))(?P<n>{_HAN}{{1,7}}(?:[万亿]{_HAN}{{0,7}})?)(?P<code>元|块钱?|人民币|欧元|美元|港币|日元)"
    rf"|(?P<k>{_HAN}{{1,4}})[来多几](?P<big>[万亿])(?:元|块钱?)?(?![人个位名件台份字])"
    rf"|(?<![第{_HAN[1:-1]}])(?P<l>{_HAN[:-1]}万]{{0,6}}[百千万]{_HAN[:-1]}万]{{0,6}})(?=以内|以下|之内|封顶)"
    rf"|(?:预算|想卖|卖到|最多|不超过|控制在)(?:约|大约|是|为|在)?(?P<m>{_HAN}{{1,7}}[万亿]{_HAN}{{0,7}})(?![人个位名件台份])"
)
_FIGURE = re.compile(rf"\d|{_HAN}")
_HAN_DIGITS = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_FACTORS = {
    "k": 1e3, "thousand": 1e3, "grand": 1e3, "千": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "bn": 1e9,
    "billion": 1e9, "万": 1e4, "w": 1e4, "亿": 1e8,
}  # fmt: skip
_CURRENCIES = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "欧元": "EUR", "$": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD",
    "bucks": "USD",
    "quid": "GBP", "美元": "USD", "£": "GBP", "pound": "GBP", "pounds": "GBP", "英镑": "GBP", "franc": "CHF", "francs": "CHF",
    "¥": "CNY", "￥": "CNY", "rmb": "CNY", "人民币": "CNY", "元": "CNY", "块": "CNY", "块钱": "CNY", "日元": "JPY",
    "hk$": "HKD", "港币": "HKD",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Money:
    """An amount, its currency ("" where none was written), and how and where it was written."""

    value: float
    currency: str
    text: str = ""
    start: int = 0
    end: int = 0

    def fits(self, other: "Money") -> bool:
        """Whether the two can be compared."""
        return not self.currency or not other.currency or self.currency == other.currency


def amounts(text: str) -> list[Money]:
    """In the order of their appearance."""
    if not _FIGURE.search(text):
        return []  # most of what is said
    found = [money for match in MONEY.finditer(text) if (money := _money(match)) and not _counts_heads(match, text)]
    for match in _BARE_BUDGET.finditer(text):
        group = "a" if match["a"] else "b"
        start = match.start(group)
        value = parsed_number(match[group])
        if value is None or any(m.start <= start < m.end for m in found):
            continue
        factor = _FACTORS.get((match[f"u{group}"] or "").casefold(), 1)
        found.append(Money(value * factor, "", text[start : match.end()].strip(), start, match.end()))
    found += [money for match in _HAN_MONEY.finditer(text) if (money := _han_money(match))]
    return sorted((money for money in found if not _counts_pieces(money, text)), key=lambda money: money.start)


def _counts_pieces(money: Money, text: str) -> bool:
    """“三块手表” counts watches: 块 is money where the sum ends, where something is done for it, or where it was spent."""
    behind = text[money.end : money.end + _NEAR]
    if not money.text.endswith("块") or not _HAN_LETTER.match(behind) or _BEHIND_MONEY.match(behind):
        return False
    return not _SPENT.search(text[max(0, money.start - _NEAR) : money.start])


_HAN_LETTER = re.compile("[\u4e00-\u9fff]")
_BEHIND_MONEY = phrases("amounts_behind_pieces_zh")
_SPENT = re.compile(
    rf"(?:{alternatives('amounts_spent_zh')})(?:了|掉|我们?|他们?|她|你们?)*(?:是|为|约|大约|大概|差不多|近)?$"
)


def _counts_heads(match: re.Match[str], text: str) -> bool:
    """“粉丝到1万” counts people, and no money."""
    bare = match["c"] is not None
    return bare and bool(_HEADS_ZH.search(text[max(0, match.start() - _NEAR) : match.start()]))


_HEADS_ZH = re.compile(rf"(?:{alternatives('amounts_heads_zh')})[^，。；,;\d]{{0,6}}$")
_NEAR = 16


def _han_money(match: re.Match[str]) -> Money | None:
    """“三十万元”, “两万”: the number in characters. Without 万 or 亿 it needs the currency."""
    group = next(name for name in "nmkl" if match[name])
    value = han_number(f"{match[group]}{match['big'] or ''}")
    currency = _CURRENCIES.get(match["code"] or "元", "CNY")
    start, end = match.start(group), match.end()
    return Money(value, currency, match.string[start:end], start, end) if value else None


def han_number(text: str) -> float:
    """A number in Chinese characters; 0 where it is none. “三万五” leaves out its last unit: it is 35,000."""
    total = part = digit = 0.0
    next_lower = 1.0  # what a digit counts that stands straight behind a unit and ends the number
    for sign in text:
        if sign in _HAN_DIGITS:
            digit = _HAN_DIGITS[sign]
            next_lower = next_lower if digit else 1.0
            continue
        if sign in _HAN_UNITS:
            part += (digit or 1) * _HAN_UNITS[sign]
            next_lower = _HAN_UNITS[sign] / 10
        else:
            next_lower = (1e4 if sign == "万" else 1e8) / 10
            total = (total + part + digit) * next_lower * 10
            part = 0
        digit = 0
    digit *= next_lower
    return total + part + digit


def budget_of(aims: Mapping[str, str]) -> Money | None:
    """What may be spent, also where no currency was written with it."""
    text = aims.get("budget", "")
    return next(iter(amounts(text) or amounts(f"budget {text}")), None)


def limits_in(text: str) -> list[Money]:
    """Sums that the owner wrote without a currency, which a limit beside them shows to be money: “35k max”, “不能超过6500”."""
    found: list[Money] = []
    for match in _BARE_LIMIT.finditer(text):
        group = next(name for name in "abcdefg" if match[name])
        value = parsed_number(match[group])
        factor = _FACTORS.get((match[f"u{group}"] or "").casefold(), 1)
        end = match.end(f"u{group}") if match[f"u{group}"] else match.end(group)
        # What is paid, or costs so much for one, is money however little it is.
        is_money = group == "g" or EACH.match(text[end:])
        if value is not None and (is_money or value * factor >= _LEAST_LIMIT):
            start = match.start(group)
            found.append(Money(value * factor, "", text[start:end].strip(), start, end))
    return found


EACH = re.compile(
    r"\s*(?:for )?(?:each|an? (?:box|piece|bottle|plate|ticket|unit|copy|cup|shirt|seat)"
    r"|apiece|a piece|pp|a head|/ ?(?:piece|unit)"
    r"|per (?!(?:month|week|year|day|hour|walk|visit|session|lesson|class|night|trip|time|job)\b)[a-z]+)\b"
    r"|\s*(?:一[个件只]|/[个件只])"
)
_LEAST_LIMIT = 100
_BARE_LIMIT = re.compile(
    rf"\b(?:max(?:imum)?|at most|no more than|more than|above|up to|down to|under|below|limit(?: of| is)?|spend"
    rf"|(?:goal|target)(?: of| is|:)?|budget\b[^.;!?\d]{{0,16}}\bto"
    r"|hop(?:e|ing) (?:for|to get)|asking(?: price)?(?: of| is)?|worth|at least|have got|(?:we|i)(?:[’']ve| have)(?: got)?)"
    rf"\s+(?:about\s+|around\s+)?(?P<a>{_NUMBER})\s?(?P<ua>{_UNIT})?"
    r"(?=\s*(?:$|[,.;!?)](?!\d)|(?:warm|cold|net|gross|total|incl|including|for|from|and|but|by"
    r"|on|in|until|before|or|all in|max|each|per|pp|a month|a week|a year)\b"
    r"|/\s?(?:month|mo|week|year)\b))"
    rf"|(?:~|\b(?:about|around|approx\.?|circa|ca\.|of|raise|for|has|have|got))\s*(?P<e>{_NUMBER})\s?(?P<ue>k|m|mio|million|thousand)\b"
    r"(?!\s*(?!(?:for|by|in|to|from|and|but|on|at|via|through|with|within|until|before|total|max|all|seed|pre-seed|round|series)\b)[A-Za-z%])"
    rf"|\b(?:pay(?:ing)?|spend(?:ing)?|costs?)\s+(?:at most |up to |no more than |not more than |about |around )?"
    rf"(?P<g>{_NUMBER})\s?(?P<ug>{_UNIT})?"
    r"(?=\s*(?:$|[,.;!?)](?!\d)|(?:for|and|but|each|per|pp|apiece|max|at most|at the most)\b))"
    rf"|(?:^|[,;]\s*|\.\s+|\b(?:guests|people|ppl|pax|persons)\s+)(?:\d[\d.,]{{0,9}}\s?k?\s?[-–]\s?)?"
    rf"(?P<f>{_NUMBER})\s?(?P<uf>k|mio|million|thousand)"
    r"(?=\s*(?:$|[,.;!?)](?!\d)|(?:incl\.?|including|inclusive|all in|altogether|in all)\s))"
    rf"|(?<![\w.,])(?P<b>{_NUMBER})\s?(?P<ub>{_UNIT})?\s+"
    r"(?:max(?:imum)?|tops|at most|(?:in )?total|all in|altogether|or more|or best offer|minimum"
    r"|(?:[a-z]+ )?budget|each|apiece|pp|per person|a head"
    r"|is (?:the|our|my) (?:limit|maximum|max|ceiling)"
    r"|(?:is|are|was) (?:all|everything|what) (?:we|i)(?:[’']ve| have)?(?: got)?)\b"
    rf"|(?:(?:启动资金|资金|本金|存款|[手]里有|手上有)(?:约|大约|大概)?|不能?超过|别超过|不要超过|不超|不高于|控制在|人均|每人|想卖|卖到|最低|赔偿?(?:我|我们)?|索赔|要回|追回|千字|(?<=[，,])(?:稿费|时薪|日薪)|最多(?:花|出)?|上限(?:是|为)?|(?:底薪|月薪|年薪|薪资|工资)(?:在|约|是|为)?(?:\d[\d.]*\s?[kK千万w]?\s?[-~～到至])?)\s*(?P<c>{_NUMBER})\s?(?P<uc>{_UNIT}|w)?(?![\d人个位名天周月年平米页字岁分小件台套公斤度%％])"
    rf"|(?<![\d.,])(?P<d>{_NUMBER})\s?(?P<ud>{_UNIT}|w)?(?:块|元)?(?:以内|以下|封顶|左右(?=[，。,；]|$))",
    re.IGNORECASE,
)


def budget_in(text: str) -> Money | None:
    """The amount that stands with the word budget or with a limit; else the largest one with a currency."""
    found = amounts(text)
    found += [m for m in limits_in(text) if not any(m.start < o.end and o.start < m.end for o in found)]
    near = [money for money in found if _LIMIT.search(text[max(0, money.start - 34) : money.start])]
    behind = [
        m
        for m in found
        if re.match(r"\s*(?:(?:[a-z]+ )?budget|total|altogether|的?预算)", text[m.end : m.end + 28], re.IGNORECASE)
    ]
    return (near or behind or sorted(found, key=lambda money: -money.value) or [None])[0]


_LIMIT = re.compile(
    r"\b(?:budget|spend|up to|down to|under|below|at most|no more than|maximum|max|for about|limit)\b[^.;!?]{0,22}$"
    r"|(?:预算|花费|最多|不超过|控制在)[^。；！？]{0,10}$",
    re.IGNORECASE,
)


# “1.500” is fifteen hundred wherever it is money: nobody writes thousandths of a euro.
_DOTTED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?")


def parsed_number(text: str) -> float | None:
    marks = ",'’ ." if _DOTTED.fullmatch(text) else ",'’ "
    plain = re.sub(rf"[{marks}](?=\d{{3}})", "", text).replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


def written(value: float, currency: str, language: str = "en") -> str:
    """`3,400 EUR`, `3,400元`; large Chinese amounts in 万."""
    if language == "zh" and value >= 10_000 and value % 1_000 == 0:
        number, unit = f"{value / 10_000:g}", "万"
    else:
        number, unit = f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.2f}", ""
    name = {"CNY": "元", "EUR": "欧元", "USD": "美元"}.get(currency, currency) if language == "zh" else currency
    if language == "zh" and name in {"元", "欧元", "美元"}:
        return f"{number}{unit}{name}"
    return f"{number} {name}".strip() if not unit else f"{number}{unit}{name or '元'}"


def rounded(value: float) -> float:
    """To two figures that a person would say: 3,412 is 3,400."""
    if value < 20:
        return max(1.0, round(value))
    step = 10 ** (len(str(int(value))) - 2)
    return round(value / step) * float(step)


def _money(match: re.Match[str]) -> Money | None:
    group = next(name for name in "abc" if match[name])
    value = parsed_number(match[group])
    if value is None:
        return None
    unit = (match[f"u{group}"] or "").casefold()
    name = (match["sign"] or match["code"] or ("元" if unit in {"万", "亿"} else "")).casefold()
    currency = _CURRENCIES.get(name, name.upper())
    # “1万5” is one and a half.
    value += int(match["tail"] or 0) / 10
    return Money(value * _FACTORS.get(unit, 1), currency, match[0].strip(), match.start(), match.end())
