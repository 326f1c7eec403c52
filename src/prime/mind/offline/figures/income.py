"""Whether a sum that somebody names would be paid to us or by us: read from who does what with it in the sentence."""

import re

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.sums import budget_in
from prime.mind.offline.words.language import sentences
from prime.mind.offline.words.phrases import phrases

# The aim that says that the sum of a project is one to get.
INCOME = "income"
_SUM = "¤"
_GIVES = phrases("income_gives")
_OFFER = phrases("income_offer")
_SELLS = phrases("income_sells")


def comes_in(text: str) -> bool:
    """Whether the other side would give the sums in it: more of them is better, not worse."""
    return any(_gives(_with_marks(sentence)) for sentence in sentences(text))


def _gives(sentence: str) -> bool:
    if _SUM not in sentence:
        return False
    return bool(_GIVES.search(sentence) or (_OFFER.search(sentence) and not _SELLS.search(sentence)))


def _with_marks(sentence: str) -> str:
    """The sentence with a mark for each sum: whatever it is, what is done with it is said in the same words."""
    marked = sentence
    for money in reversed(amounts(sentence)):
        marked = f"{marked[: money.start]}{_SUM}{marked[money.end :]}"
    return marked


def cost_in(wish: str) -> str:
    """What may be spent on the way to a sum that is to come in, as it was written: “not more than 3k for a lawyer”; else ""."""
    money = budget_in(wish)
    if money is None:
        return ""
    before, behind = wish[: money.start], wish[money.end :]
    if not (_SPENT_ON.match(behind) or _COSTS_ZH.search(before)):
        return ""
    lead = re.split(r"[,;.!?，。；！？]\s*", before)[-1]
    return f"{lead}{wish[money.start : money.end]}{re.split(r'[,;.!?，。；！？]', behind)[0]}".strip()


_SPENT_ON = re.compile(
    r"\s*(?:max(?:imum)? |at most )?(?:for|on) (?:an?|the|any|some)?\s*(?:good |cheap )?"
    r"(?:lawyers?|solicitors?|attorneys?|court|experts?|fees?|advertis\w+|agents?|agency|brokers?|mediators?|marketing|ads)\b",
    re.IGNORECASE,
)
_COSTS_ZH = re.compile("(?:律师费|诉讼费|中介费|广告费|推广费|手续费|费用|花)[^，。；！？\\d]{0,8}$")
