"""Whether a sum that somebody names would be paid to us or by us: read from who does what with it in the sentence."""

from prime.mind.offline.amounts import amounts
from prime.mind.offline.language import sentences
from prime.mind.offline.phrases import phrases

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
