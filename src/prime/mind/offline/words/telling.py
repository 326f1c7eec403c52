"""Whether a message only tells something: somebody or something in it does or is, and nothing is wanted.

A heading (“summer party, 80 people, Lisbon”) has no such verb and is a wish; a sentence has one, and is a wish only where it says
so.
"""

import re

from prime.mind.offline.words.language import sentences
from prime.mind.offline.words.phrases import alternatives, phrases

_SOMEBODY = re.compile(
    r"^\W*(?:i|we|you|he|she|it|they|there|this|that|these|those)(?:['’](?:m|re|s|ve|ll|d))?\s+\w", re.IGNORECASE
)
# What stands before the verb is what it is said of, unless it only describes a thing: “a shop that has a garden”.
_DOES = re.compile(
    rf"^\W*(?:(?!(?:that|which|who|where|whose|to|for)\b)(?:[\w.&’'/-]|(?<=\d),(?=\d))+\s+){{1,8}}?(?:{alternatives('telling_verbs')})(?!\w)",
    re.IGNORECASE,
)
_TOLD_ZH = phrases("telling_zh")
# What may be spent is named for something to be done, unless it is all that is said.
_FOR_A_PROJECT = re.compile(r"\bbudget\b|\bmax\b|\bup to\b|预算", re.IGNORECASE)
_BUDGET_ALONE = re.compile(
    r"^\W*(?:(?:the|my|our)\s+)?budget\s+(?:is|was|will be)\s+[^,;.!?，。；]*(?:[.,]\d+[^,;.!?]*)*[.!]?\s*$"
    r"|^\W*(?:我们?的?|总)?预算(?:是|为|大约|大概)?[^，。；,;]*[。！]?\s*$",
    re.IGNORECASE,
)


_OVER_ZH = phrases("telling_over_zh")
_WISHES_ZH = phrases("object_han_wish")


def is_over(text: str) -> bool:
    """What is done with, or only vented, in Chinese: “搬家终于搬完了，累死了”, “厨师做的菜真咸”."""
    return bool(_OVER_ZH.search(text)) and not _WISHES_ZH.search(text)


def only_tells(text: str) -> bool:
    """Of a message that is put neither as a wish nor as a need."""
    first = next(iter(sentences(text)), "")
    told = _SOMEBODY.search(first) or _DOES.search(first) or _TOLD_ZH.search(text)
    if _BUDGET_ALONE.search(text) or is_over(text):
        return True
    return bool(told) and not _FOR_A_PROJECT.search(text)


# What one has done already, and what says that it is not all well.
_DONE = re.compile(
    r"^\W*(?:yesterday|today|last \w+|this \w+|finally)?[\s,]*(?:i|we|my \w+ and i)(?:[’']ve| have)?"
    r"(?: (?:have|already|finally|just|also|now|even))*\s+"
    rf"(?:{alternatives('telling_done')})\b(?! (?:up|from)\b)",
    re.IGNORECASE,
)
_NOT_WELL = re.compile(
    r"\b(?:but|and (?:now|then|still|he|she|they|it|nobody|nothing|want|need|would)|so|who|which|need|want"
    r"|wish|help|please|must|should|not|never|nobody|nothing|no|broken|wrong|late|damaged|faulty|fake|leaks?|fails?|problem|budget)\b|n[’']t\b|\?",
    re.IGNORECASE,
)


def is_finished(text: str) -> bool:
    """“We repainted the fence last week”: it is done, and nothing about it is told that would ask for more."""
    return bool(_DONE.search(text)) and not _NOT_WELL.search(text)
