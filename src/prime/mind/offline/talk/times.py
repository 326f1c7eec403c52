"""Which sentence tells what was so at the time that a question names: “what was the price in February?”"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from prime.core.clock import iso
from prime.core.words import terms
from prime.mind.jobs.keeping import Statement
from prime.mind.jobs.lines import Line
from prime.mind.offline.facts.extracting import statements_in
from prime.mind.offline.figures.periods import Period, period_of
from prime.mind.offline.words.language import sentences


class Told(NamedTuple):
    """A sentence, who said it, and from when to when it holds; dates are ISO."""

    since: str
    number: int
    until: str
    line: Line
    sentence: str


_ALWAYS = "9999-12-31"
_OF_NOW = re.compile(r"\b(?:is|are|what['’]s|who['’]s|costs?|now|current(?:ly)?)\b|是|现在|目前", re.IGNORECASE)
_OF_ANOTHER_TIME = re.compile(
    r"\b(?:was|were|did|had|been|will|used|ever|going to|before|after|next|last)\b|曾|以前|之前|原来|将|以后|过",
    re.IGNORECASE,
)


class OfTime(NamedTuple):
    """What was told that bears on a time: the sentence that answers, and those that speak of another time only."""

    answer: Told | None
    elsewhen: frozenset[tuple[str, str]]  # message and sentence
    asked: str  # without the time that it names

    def repeats(self, sentence: str) -> bool:
        """Whether it is in other words what speaks of another time: Prime's own, when it was asked before."""
        return any(told.rstrip(" .!。！") in sentence for _, told in self.elsewhen)


def told_of_time(question: str, lines: Sequence[Line]) -> OfTime:
    """Of what was said of all that is asked, and held then, what began last. “What is the price?” asks for what holds now."""
    now = max((line.ts or 0 for line in lines), default=0)
    asked = period_of(question.rstrip("?？ "), _day(now))
    if asked.since is None and now and _OF_NOW.search(question) and not _OF_ANOTHER_TIME.search(question):
        asked = Period(question, _day(now), _day(now))
    wanted = set(terms(asked.rest))
    if asked.since is None or not wanted:
        return OfTime(None, frozenset(), asked.rest)
    last = asked.until or asked.since
    told = list(_told(lines))
    held = [each for each in told if each.since <= last and each.until >= asked.since]
    then = {(each.line.message_id, each.sentence) for each in held}
    answers = (each for each in held if wanted <= set(terms(each.sentence)))
    others = frozenset((each.line.message_id, each.sentence) for each in told) - then
    return OfTime(max(answers, key=lambda each: each[:2], default=None), others, asked.rest)


def _told(lines: Sequence[Line]) -> Iterator[Told]:
    number = 0
    for line in lines:
        if line.own or not line.ts:
            continue
        for sentence in sentences(line.text):
            for stated in statements_in([replace(line, text=sentence)], _day(line.ts)):
                number += 1
                yield Told(*_window(stated, line.ts, number), line, sentence)


def _window(stated: Statement, said_at: int, number: int) -> tuple[str, int, str]:
    return stated.valid_from or _day(said_at), number, stated.valid_to or _ALWAYS


def _day(ts: int) -> str:
    return iso(ts)[:10] if ts else ""
