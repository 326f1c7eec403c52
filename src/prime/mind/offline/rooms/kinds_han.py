"""Which kind of project a wish in Chinese is where it says so plainly: by what it asks for, direction included.

To let is not to rent, to find work is not to find workers, and whoever tells that a landlord repairs nothing has a quarrel and no
building site. The clauses that ask are heard before those that only tell.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import cast

from prime.core.yaml_text import read_mapping
from prime.mind.offline.words.han import words_in
from prime.mind.offline.words.phrases import phrases

_READ = 600
_CLAUSE = re.compile(r"[，。；！？,;!?\n]+")
_ASKS = phrases("kinds_han_asks")


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    says: re.Pattern[str]
    but: re.Pattern[str] | None


def plain_kind(wish: str) -> str:
    """The name of the kind; "" where nothing says it plainly."""
    text = wish[:_READ]
    for heard in filter(None, (asking_in(text), text)):
        if found := _said(heard, text):
            return found
    return ""


def asking_in(text: str) -> str:
    """The clauses that ask for something; "" where none does."""
    return "，".join(clause for clause in _CLAUSE.split(text) if _ASKS.search(clause) and _names(clause))


def _names(clause: str) -> bool:
    """“想修好以后展出” names nothing: what it is about stands before it."""
    return any(len(word.text) > 1 and word.kind[:1] in "nl" for word in words_in(clause))


def quarrel_in(wish: str) -> str:
    """What a quarrel is about, as it was told: “物业不修电梯”; "" where no clause says it shortly."""
    dispute = next(rule for rule in _rules() if rule.kind == "dispute")
    told = (
        _BESIDE.sub("", clause).removesuffix("了").replace("我们", "").replace("我", "")
        for clause in _CLAUSE.split(wish[:_READ])
    )
    short = (clause for clause in told if 2 < len(clause) <= _LONGEST and not _NO_NAME.search(clause))
    return next((clause for clause in short if dispute.says.search(clause)), "")


# “商家推厂家”, “把天花板泡了”: what was done, and no name of it.
_NO_NAME = re.compile("[把推]")


_BESIDE = re.compile(
    r"^[想要]让|^(?:我们?家?的?|租的?)(?=[^，]{4})|(?:已经|都)?[一二两三四五六七八九十半几\d]+个?[多]?[年月周天](?:了|来)?|天天|一直|老是"
)
_LONGEST = 14


def _said(heard: str, text: str) -> str:
    return next((r.kind for r in _rules() if r.says.search(heard) and not (r.but and r.but.search(text))), "")


@cache
def known_kinds() -> frozenset[str]:
    """Kinds that Prime knows of itself; any other is the owner's."""
    return frozenset([*(rule.kind for rule in _rules()), *cast("list[str]", _written()["beside"])])


@cache
def _rules() -> tuple[_Rule, ...]:
    rules = cast("list[dict[str, object]]", _written()["kinds"])
    return tuple(
        _Rule(
            str(rule["kind"]),
            _any(cast("list[str]", rule["says"])),
            _any(cast("list[str]", rule["but"])) if "but" in rule else None,
        )
        for rule in rules
    )


@cache
def _written() -> Mapping[str, object]:
    text = resources.files("prime.mind.offline").joinpath("lexicon/kinds_han.yaml").read_text("utf-8")
    return read_mapping(text, path="kinds_han.yaml").data


def _any(expressions: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in expressions))
