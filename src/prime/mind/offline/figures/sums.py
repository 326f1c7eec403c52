"""What a sum is to the owner who wrote it: a budget, a limit, a price that is told, what others promise, what is hoped for.

The words around it in its own clause decide. Which words, in which order, stands in `sums.yaml`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from prime.mind.offline.figures.amounts import FACTORS, NUMBER, UNIT, Money, amounts, parsed_number
from prime.mind.offline.words.clauses import cues, lead_in, marked_clause
from prime.mind.offline.words.numbers import LARGE_NUMBER, han_number, spoken_number
from prime.mind.offline.words.phrases import alternatives

_TABLE = "sums.yaml"
ROLES = ("budget", "promised", "limit", "told", "claim", "income", "spent", "held", "part")
# The sum of a project, where several are named: what may be spent comes before what only stands there.
_RANK = {name: rank for rank, names in enumerate((("budget", "limit"), ("spent",), ("held", "plain"), ("income",), ("claim",)))
         for name in names}  # fmt: skip
# Sums that somebody would get for it.
GAINS = frozenset({"income", "claim"})


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum, its role, by what it is counted (`each`, `often`, "" for the whole), and the words that told its role."""

    money: Money
    role: str
    per: str
    because: str


def sums_in(text: str) -> Sequence[Sum]:
    """Every sum of a text with its role, in the order of appearance."""
    return _sums_in(text[:_MOST]) if _FIGURE.search(text) else ()


def main_sum(text: str) -> Sum | None:
    """The sum of a project: what may be spent on it, else what it is to bring; None where only other sums are told."""
    ranked = [(_RANK[each.role], each) for each in sums_in(text) if each.role in _RANK]
    best = min((rank for rank, _ in ranked), default=None)
    first = [each for rank, each in ranked if rank == best]
    # Whichever was said to be it, comes first; of sums that only stand there, the largest.
    return max(first, key=lambda each: each.money.value if each.role in {"plain", "held"} else 0, default=None)


def budget_in(text: str) -> Money | None:
    found = main_sum(text)
    return found.money if found else None


def unit_behind(text: str, found: Sum) -> str:
    """By what it is counted, as it was written behind the sum."""
    unit = cues(_TABLE, found.per, "behind").match(text[found.money.end :])
    return unit[0] if unit else ""


def limits_in(text: str) -> list[Money]:
    """Sums without a currency, which the words around them show to be money: “35k max”, “不能超过6500”."""
    with_currency = {money.start for money in amounts(text)}
    return [each.money for each in sums_in(text) if each.money.start not in with_currency]


_FIGURE = re.compile(r"\d|[百千万亿]|\b(?:hundred|thousand|grand|million|billion)\b", re.IGNORECASE)
_BARE = re.compile(
    rf"(?<![A-Za-z\d_.,:/#])(?P<n>{NUMBER})\s?(?P<u>{UNIT}|w)?"
    rf"(?![A-Za-z\d_%°²³:]|[.,/]\d|\s?(?:{alternatives('amounts_measures')})(?!\w))",
    re.IGNORECASE,
)
# “2.4 m” is a length; millions are written “2.4m” where no currency stands with them.
_METRES = re.compile(r"\s[mM]$")
_LONE_M = re.compile(r"[\d.,]+m$")
_SPOKEN = re.compile(rf"\b{LARGE_NUMBER}\b", re.IGNORECASE)
_HAN = re.compile(r"[一二两三四五六七八九十百千万亿零]*[百千万亿][一二两三四五六七八九十百千万亿零]*")
_LEAST = 100
_NEAR = 24  # no lower end of a span is longer
# Whoever writes more than that, said at its beginning what it may cost.
_MOST = 4_000
# Nobody means more sums than this in one message; a table of prices is no wish.
_MOST_SUMS = 100
# What is paid is money, however little.
_PAID = re.compile(r"\b(?:pay|paying|spend|spending|costs?)\b", re.IGNORECASE)
# “35-40k”, “五万到八万”: the upper end is the sum.
_LOWER_END = re.compile(
    r"(?<![\w.,])[$€£]?[\d.,]+\s?k?\s?(?:[-–~]|to)\s?$|[\d.一二两三四五六七八九十百千万]+(?:块|元)?(?:[-–~—]|到|至)$"
)
_GOES_ON = re.compile(r"\s?[-–~]\s?[$€£]?\d|(?:到|至)[\d一二两三四五六七八九]")


@lru_cache(maxsize=256)
def _sums_in(text: str) -> tuple[Sum, ...]:
    found = amounts(text)[:_MOST_SUMS]
    surely = {money.start for money in found}
    for money in _bare(text)[:_MOST_SUMS]:
        if not any(money.start < other.end and other.start < money.end for other in found):
            found.append(money)
    found.sort(key=lambda money: money.start)
    read = (_read(money, text, found, surely) for money in found)
    return tuple(each for each in read if each)


def _bare(text: str) -> list[Money]:
    """Numbers that may be sums, if the words around them say so."""
    numbers = [Money(spoken_number(m[0]), "", m[0], m.start(), m.end()) for m in _SPOKEN.finditer(text)]
    numbers += [Money(han_number(m[0]), "CNY", m[0], m.start(), m.end()) for m in _HAN.finditer(text)]
    for match in _BARE.finditer(text):
        if (value := parsed_number(match["n"])) is not None:
            if _METRES.search(match[0]):
                continue
            value *= FACTORS.get((match["u"] or "").casefold(), 1)
            numbers.append(Money(value, "", match[0].strip(), match.start(), match.start() + len(match[0].rstrip())))
    return [number for number in numbers if number.value and not _counts(number, text)]


def _counts(number: Money, text: str) -> bool:
    """Whether something is counted: it stands behind the number; behind a sum stands what one says of a sum."""
    behind = text[number.end :]
    free = "free_zh" if re.match(r"\s*[\u4e00-\u9fff]", behind) else "free"
    return not cues(_TABLE, free).match(behind) or text[: number.start].endswith("第")


def _read(money: Money, text: str, all_sums: Sequence[Money], surely: set[int]) -> Sum | None:
    if _GOES_ON.match(text[money.end :]):
        return None
    lower = _LOWER_END.search(text[: money.start], max(0, money.start - _NEAR))
    starts = lower.start() if lower else money.start
    clause = marked_clause(text, starts, money.end, [(other.start, other.end) for other in all_sums])
    said = ((role, cues(_TABLE, role).search(clause)) for role in ROLES)
    role, because = next(((role, hit[0]) for role, hit in said if hit), ("plain", ""))
    per = _per(money, text)
    if money.start not in surely and not _is_money(money, role, per, because):
        return None
    return Sum(money, role, per, because)


def _is_money(number: Money, role: str, per: str, because: str) -> bool:
    """Whether a number without a currency is a sum: something says so, and it is not too little for one."""
    if _LONE_M.fullmatch(number.text) and not re.search(r"\w{3}", because):
        return False  # “(2m, blue)”
    if role == "plain":
        return per == "each" or (per == "often" and number.value >= _LEAST)
    if re.fullmatch(r"(?:19|20)\d\d", number.text) and role not in {"budget", "limit", "spent"}:
        return False
    return bool(per or _PAID.search(because)) or number.value >= _LEAST


def _per(money: Money, text: str) -> str:
    before, behind = lead_in(text, money.start), text[money.end :]
    for name in ("often", "each"):
        if cues(_TABLE, name, "behind").match(behind) or cues(_TABLE, name, "before").search(before):
            return name
    return ""
