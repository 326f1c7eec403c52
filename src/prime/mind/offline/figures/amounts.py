"""Amounts of money as people write them, in English and Chinese."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from prime.mind.offline.words.numbers import SPOKEN_NUMBER, han_number, spoken_number
from prime.mind.offline.words.phrases import alternatives, phrases

# Bounded: a file of nothing but digits is searched in no time, too.
NUMBER = (
    r"\d{1,3}(?:[,'’ ]\d{3}){1,6}(?:\.\d{1,2})?|\d{1,3}(?:\.\d{3}){1,6}(?:,\d{1,2})?(?!\d)|\d{1,18}(?:[.,]\d{1,9})?"
)
UNIT = r"(?:k|m|mn|mio|million|thousand|grand|bn|billion|万|亿|千)"
_SIGN = r"[$€£¥￥]|US\$|HK\$"
_CODE = alternatives("amounts_currencies")
MONEY = re.compile(
    rf"(?P<sign>{_SIGN}|\b(?:EUR|USD|GBP|CHF|CNY|RMB|JPY|INR|CAD|AUD|SGD|HKD|SEK|NOK|DKK)(?=\s?\d))\s?(?P<a>{NUMBER})\s?(?P<ua>{UNIT})?(?![\w%])"
    rf"|(?<![A-Za-z0-9_.,])(?P<b>{NUMBER})\s?(?P<ub>{UNIT})?\s?(?P<code>{_CODE})(?:(?<=块)(?P<tenths>[1-9])(?!\d))?(?![A-Za-z])"
    rf"|(?<![A-Za-z0-9_.,])(?P<c>{NUMBER})\s?(?P<uc>万|亿)(?P<tail>[1-9])?(?=(?:{alternatives('amounts_behind_zh')})|\W|$)(?![人个件台名份])",
    re.IGNORECASE,
)
_BARE_BUDGET = re.compile(
    rf"\bbudget(?:ed)?\s*(?:is|of|at|:|to|under|up to|about|around|max(?:imum)?)*\s*"
    rf"(?P<a>{NUMBER})\s?(?P<ua>{UNIT}|w)?(?![\w%])"
    rf"|(?:预算|经费)(?:是|为|：|:|在|约|大约|最多|不超过|控制在|只有|有|改成|改为|改到|提高到|增加到|加到|降到|减到|调到|调整为)*\s*(?P<b>{NUMBER})\s?(?P<ub>{UNIT}|w)?(?!\s?(?:到|至|[-~～—]+)\s?\d)",
    re.IGNORECASE,
)
_HAN = "[零一二两三四五六七八九十百千]"
# “哪一块” asks for a part, and no price.
_HAN_MONEY = re.compile(
    rf"(?!(?<=[哪这那])一块(?!钱))(?P<n>{_HAN}{{1,7}}(?:[万亿]{_HAN}{{0,7}})?)(?P<code>元|块钱?|人民币|欧元|美元|港币|日元)"
    rf"|(?P<k>{_HAN}{{1,4}})[来多几](?P<big>[万亿])(?:元|块钱?)?(?![人个位名件台份字])"
    rf"|(?<![第{_HAN[1:-1]}])(?P<l>{_HAN[:-1]}万]{{0,6}}[百千万]{_HAN[:-1]}万]{{0,6}})(?=以内|以下|之内|封顶)"
    rf"|(?:预算|经费|想卖|卖到|最多|不超过|控制在)(?:约|大约|是|为|在)?(?P<m>{_HAN}{{1,7}}[万亿]{_HAN}{{0,7}})(?![人个位名件台份])"
)
_CURRENCY_NAMES = "euros?|dollars?|pounds?|francs?|bucks|quid|EUR|USD|GBP|CHF|zloty|crowns|kronor"
# “Two and a half thousand euros”; twenty pounds are as often a weight.
_SPOKEN_MONEY = re.compile(rf"(?<![\w.,])(?P<n>{SPOKEN_NUMBER})\s(?P<code>(?:{_CURRENCY_NAMES}))\b", re.IGNORECASE)
_FIGURE = re.compile(rf"\d|{_HAN}|\b(?:{_CURRENCY_NAMES})\b", re.IGNORECASE)
FACTORS = {
    "k": 1e3, "thousand": 1e3, "grand": 1e3, "千": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "bn": 1e9,
    "billion": 1e9, "万": 1e4, "w": 1e4, "亿": 1e8,
}  # fmt: skip
_CURRENCIES = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "欧元": "EUR", "$": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD",
    "bucks": "USD",
    "quid": "GBP", "美元": "USD", "£": "GBP", "pound": "GBP", "pounds": "GBP", "英镑": "GBP", "franc": "CHF", "francs": "CHF",
    "¥": "CNY", "￥": "CNY", "rmb": "CNY", "人民币": "CNY", "元": "CNY", "块": "CNY", "块钱": "CNY", "日元": "JPY",
    "hk$": "HKD", "港币": "HKD", "zloty": "PLN", "crowns": "CZK", "kronor": "SEK",
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
        factor = FACTORS.get((match[f"u{group}"] or "").casefold(), 1)
        found.append(Money(value * factor, "", text[start : match.end()].strip(), start, match.end()))
    found += [money for match in _HAN_MONEY.finditer(text) if (money := _han_money(match))]
    found += [money for match in _SPOKEN_MONEY.finditer(text) if (money := _spoken_money(match, found))]
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


def _spoken_money(match: re.Match[str], found: list[Money]) -> Money | None:
    if any(money.start < match.end() and match.start() < money.end for money in found):
        return None
    name = match["code"].casefold()
    return Money(spoken_number(match["n"]), _CURRENCIES.get(name, name.upper()), match[0], match.start(), match.end())


def budget_of(aims: Mapping[str, str]) -> Money | None:
    """What may be spent, also where no currency was written with it."""
    text = aims.get("budget", "")
    return next(iter(amounts(text) or amounts(f"budget {text}")), None)


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
    # “1万5” is one and a half, and so is “1块5”.
    value += int(match["tail"] or match["tenths"] or 0) / 10
    return Money(value * FACTORS.get(unit, 1), currency, match[0].strip(), match.start(), match.end())
