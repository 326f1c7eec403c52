"""What a standing rule is kept to by a clause of its own: “deposits that cannot be refunded” are not all deposits.

Whoever applies a rule reads that here, as they read its sum in `bounds`. A clause that nobody can find again in what is asked
settles nothing: then the owner is asked.
"""

import re
from collections.abc import Iterator

from prime.core.words import terms
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.bounds import unquoted

_CLAUSE = re.compile(
    r"\b(?P<lead>that|which|whose|if|unless|except|without(?! (?:asking|approval|a question|question)\b)|before|until|provided"
    r"|as long as)\b(?P<en>[^.;:,]+)"
    r"|(?P<when>除非|如果|只要|凡是?)(?P<zh>[^，。；：]+)",
    re.IGNORECASE,
)
_EXCEPTS = frozenset({"unless", "except", "without", "除非"})
# Said before, or in front of, a word that it takes back.
_DENIES = re.compile(r"(?:not|no|never|non|cannot|without|isn|aren|don|doesn|won|wouldn|can)$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_NEAR = 3  # words between a denial and what it denies
# Chinese says in one word what may be had back.
_REFUNDS_ZH = re.compile(r"(?P<no>[不无没](?:可以?|能够?|予|给|法)?)?(?:可以?|能)?退(?:款|还|钱|回)?")
_REFUND = "refund"


def is_met(rule: str, asked: str) -> bool:
    """Whether what is asked about is what the clauses of a rule keep it to."""
    return all(_is_said(wanted, asked) for wanted in _clauses(unquoted(rule)) if wanted)


def _clauses(rule: str) -> Iterator[dict[str, bool]]:
    """The words of each clause, and whether they are denied; a sum in it is a bound, which is read as one."""
    plain = rule
    for money in reversed(amounts(rule)):
        plain = f"{plain[: money.start]} {plain[money.end :]}"
    for found in _CLAUSE.finditer(plain):
        excepts = (found["lead"] or found["when"]).casefold() in _EXCEPTS
        clause = found["en"] or found["zh"]
        said = _refund_zh(clause) or _words_of(clause) or dict.fromkeys(terms(clause), False)
        yield {word: denied != excepts for word, denied in said.items()}
    yield _refund_zh(_CLAUSE.sub(" ", plain))


def _is_said(wanted: dict[str, bool], asked: str) -> bool:
    there = _words_of(asked) | _refund_zh(asked) | {term: False for term in terms(asked) if not term.isascii()}
    return sum(there.get(word) is denied for word, denied in wanted.items()) * 2 >= len(wanted)


def _words_of(text: str) -> dict[str, bool]:
    """The words of an English text that say something, and whether a denial stands close before them."""
    words = _WORD.findall(text.casefold().replace("’", "'"))
    said: dict[str, bool] = {}
    for place, word in enumerate(words):
        if _DENIES.fullmatch(word) or not word.isascii():
            continue
        denied = any(_denies(words, at) for at in range(max(place - _NEAR, 0), place))
        said |= dict.fromkeys(terms(word), denied)
    return said


def _denies(words: list[str], at: int) -> bool:
    # “can” denies nothing but as the first half of “can't”.
    return bool(_DENIES.fullmatch(words[at])) and (words[at] != "can" or words[at + 1 : at + 2] == ["t"])


def _refund_zh(text: str) -> dict[str, bool]:
    found = _REFUNDS_ZH.search(text)
    return {_REFUND: bool(found["no"])} if found else {}
