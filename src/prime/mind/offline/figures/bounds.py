"""How far a standing rule goes: up to a sum, or from one on. Whoever applies a rule reads that here, and all read the same."""

import re
from dataclasses import dataclass
from typing import Literal

from prime.mind.offline.figures.amounts import Money, amounts
from prime.mind.offline.figures.income import comes_in

# `at`: the sum is what is to be said (“our day rate is 800 EUR”), and lets nothing pass.
Side = Literal["up_to", "from", "at"]

_QUOTED = re.compile("“[^”]*”")
# What stands at the sum itself tells its side: “freight from Berlin up to 500 EUR” goes up to it, and so does “no more than”.
_NEGATED = r"(?<!\bno )(?<!\bnot )(?<!\bnot to )(?<!\bnothing )(?<!n[’']t )"
_ABOVE = r"over|above|beyond|(?:more|higher|larger|greater) than|in excess of|exceed(?:s|ing)?|upwards? of"
_FROM_HERE = re.compile(
    rf"(?:{_NEGATED}\b(?:{_ABOVE})|\b(?:at least|from|starting at|minimum(?: of)?))\s+(?:(?:about|around|a|the)\s+)?$"
    r"|(?:(?<![不别勿没])(?<!不[得能可要会该许])(?:超过|超出|高于|多于|大于)|至少|最少|不低于|不少于|达到|满)(?:了|约|大约)?\s*$",
    re.IGNORECASE,
)
_ON_FROM_THERE = re.compile(
    r"\s*(?:(?:a|per|each)\s+\w+\s+)?(?:or|and)\s+(?:more|above|over|up|upwards?|higher)\b|\s*(?:及|或|和)?(?:以上|起)",
    re.IGNORECASE,
)
_UP_TO_HERE = re.compile(
    r"\b(?:up to|down to|at most|max(?:imum)?(?: of)?|under|below|within|less than|until|(?:no|not|nothing|n[’']t) (?:\w+ )?"
    rf"(?:{_ABOVE}))\s+(?:(?:about|around|a|the)\s+)?$|(?:最多|至多|不[得能可要会该许]?(?:超过|高于|多于)|别超过|低于|少于|小于|上限)\s*$",
    re.IGNORECASE,
)
_UNTIL_THERE = re.compile(
    r"\s*(?:(?:a|per|each)\s+\w+\s+)?(?:or (?:less|below|under)|at most|max)\b|\s*(?:以内|以下|之内|封顶)"
)
_LETS_PASS = re.compile(
    r"^\W*(?:agree|accept|approve|allow|spend|pay|book|order|buy|take|sign|reserve|yes|ok(?:ay)?)\b"
    r"|\b(?:fine|ok(?:ay)?|allowed|acceptable|agreed|approved|without asking|without approval|no need to ask)\b"
    r"|同意|接受|批准|可以|直接|不用问|不必问|无需",
    re.IGNORECASE,
)
_UNLESS = re.compile(r"\b(?:unless|except|but not|other than)\b[^.;]*$|除非[^。；]*$", re.IGNORECASE)
_INCOMING = re.compile(r"\b(?:offers|orders|investments) of\b|出价|投资达到|投资在", re.IGNORECASE)
_ASKS_FIRST = re.compile(
    r"(?<!n[’']t )(?<!\bnot )(?<!\bnever )(?<!\bneed to )(?<!\bhave to )\b(?:ask|check with|consult|call|confirm with|run it by)"
    r" (?:me|us|the owner)\b|(?<![不别无勿])(?<!不[用必要需])(?:问我|找我|跟我确认|和我确认|由我(?:来)?(?:决)?定)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Bound:
    """The sum that a rule names, and on which side of it the rule holds. `incoming` where it is one that we get."""

    limit: Money
    side: Side
    incoming: bool

    def holds(self, text: str) -> bool:
        """Whether the rule says anything about what a text asks for: a sum that can be compared, and lies on its side."""
        if not self._comparable(text):
            return self.side == "at" and not amounts(text)
        return self.incoming == comes_in(text) and not self.excludes(text)

    def excludes(self, text: str) -> bool:
        """Whether a text names a sum on the other side."""
        asked = self._comparable(text)
        if not asked:
            return False
        return max(asked) < self.limit.value if self.side == "from" else max(asked) > self.limit.value

    def _comparable(self, text: str) -> list[float]:
        return [money.value for money in amounts(text) if money.fits(self.limit)]


def bound_of(rule: str) -> Bound | None:
    """The bound that a rule sets; what it quotes says what it is about, and no number in it bounds anything."""
    own = unquoted(rule)
    limit = next(iter(amounts(own)), None)
    return Bound(limit, _side(own, limit), is_incoming(own)) if limit else None


def unquoted(rule: str) -> str:
    """A rule without the words of others, and the names of rooms, that stand in it."""
    return _QUOTED.sub(" ", rule)


def is_incoming(rule: str) -> bool:
    """Whether a rule is about what others pay us."""
    return bool(_INCOMING.search(unquoted(rule)))


def asks_first(rule: str) -> bool:
    """Whether a rule wants its owner asked: it settles nothing, unless it lets something pass up to a sum."""
    bound = bound_of(rule)
    return (bound is None or bound.side != "up_to") and bool(_ASKS_FIRST.search(unquoted(rule)))


def _side(text: str, limit: Money) -> Side:
    before, after = text[: limit.start], text[limit.end :]
    if _FROM_HERE.search(before) and not _UNLESS.search(before):
        return "from"
    if _ON_FROM_THERE.match(after):
        return "from"
    names_it = _UP_TO_HERE.search(before) or _UNTIL_THERE.match(after) or _UNLESS.search(before)
    return "up_to" if names_it or _LETS_PASS.search(text) else "at"
