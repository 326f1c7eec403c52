"""What is said back to what was just heard: to questions, and to attempts at getting more than one may have."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from prime.core.yaml_text import read_mapping
from prime.mind.offline.heard.conditions import Condition
from prime.mind.offline.heard.decisions import Polarity
from prime.mind.offline.library.roles import Said
from prime.mind.offline.words.language import sentences
from prime.mind.offline.words.phrases import phrases

_ASKED: Mapping[str, re.Pattern[str]] = {
    "count": phrases("answers_count"),
    "date": phrases("answers_date"),
    "place": phrases("answers_place"),
}
_PRIVATE = phrases("answers_private")
_INSTRUCTED = phrases("answers_instructed")
_TO_COUNTERPART: Mapping[str, re.Pattern[str]] = {
    "included": re.compile(r"\bincluded\b|\bon top\b|全包|别的费用", re.IGNORECASE),
    "keep": re.compile(r"\bhow long can you keep\b|\bkeep that price\b|保留多久", re.IGNORECASE),
    "cheaper": re.compile(r"\bcheaper\b|\blower price\b|\bdiscount\b|便宜", re.IGNORECASE),
    "sure": re.compile(r"\bhow sure\b|多大把握", re.IGNORECASE),
    "next": re.compile(r"\bnext step\b|下一步", re.IGNORECASE),
}
QUESTION = re.compile(r"[?？]")


class Decided(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    yes: Said
    no: Said
    words: Said
    open: Said

    def of(self, polarity: Polarity) -> Said:
        return {"yes": self.yes, "no": self.no, "words": self.words, "open": self.open}[polarity]


class Changed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    relay: Said
    heed: Said


class Wanted(BaseModel):
    """What is said where the owner wants something first: by Prime, by who hears it, and by Prime again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    relay: Said
    answer: Said
    settled: Said


class Opening(BaseModel):
    team: Said
    other: Said


class Reactions(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    answers: Mapping[str, Said]
    relay: Decided
    heed: Decided
    # What is said of something that has changed: by Prime, and by who hears it.
    changed: Changed
    # What Prime says to what the counterpart made of a decision.
    settled: Decided
    wanted: Mapping[Condition, Wanted]
    # What a counterpart has ready in the end where nothing was agreed.
    unsettled: Said
    # A second, smaller matter of the kind that was agreed to.
    again: Said
    opening: Opening
    # What Prime says to a question that nothing it was told answers.
    unknown: Opening
    closing: Said
    # What the owner is offered to answer, by what is asked.
    offered: Mapping[str, Said]


@dataclass(frozen=True, slots=True)
class Heard:
    """What the last words to the speaker call for."""

    asked: tuple[str, ...]
    private: bool
    instructed: bool
    question: bool


@cache
def reactions() -> Reactions:
    text = resources.files("prime.mind.offline").joinpath("lexicon/reactions.yaml").read_text("utf-8")
    return Reactions.model_validate(read_mapping(text, path="reactions.yaml").data)


def answers_offered() -> Mapping[str, Said]:
    return reactions().offered


def heard_by_prime(text: str) -> Heard:
    question = bool(QUESTION.search(text))
    asked = tuple(name for name, pattern in _ASKED.items() if question and pattern.search(text))
    return Heard(asked, question and bool(_PRIVATE.search(text)), bool(_INSTRUCTED.search(text)), question)


def asked_of_counterpart(text: str) -> str | None:
    asked = " ".join(sentence for sentence in sentences(text) if QUESTION.search(sentence))
    return next((name for name, pattern in _TO_COUNTERPART.items() if pattern.search(asked)), None)
