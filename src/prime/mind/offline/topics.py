"""Topics that decisions are about, found by their words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import cast

from prime.core.words import terms
from prime.core.yaml_text import read_mapping
from prime.mind.offline.language import Language


@dataclass(frozen=True, slots=True)
class Topic:
    key: str
    en: str
    zh: str

    def named(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


@cache
def _table() -> tuple[Mapping[str, Topic], re.Pattern[str]]:
    text = resources.files("prime.mind.offline").joinpath("topics.yaml").read_text("utf-8")
    rows = cast("dict[str, dict[str, object]]", read_mapping(text, path="topics.yaml").data)
    topics = {key: Topic(key, str(row["en"]), str(row["zh"])) for key, row in rows.items()}
    parts = [f"(?P<{key}>{'|'.join(_word(w) for w in cast('list[str]', row['words']))})" for key, row in rows.items()]
    return topics, re.compile("|".join(parts), re.IGNORECASE)


def _word(word: str) -> str:
    return rf"\b{re.escape(word)}" if word.isascii() else re.escape(word)


def topics_in(text: str) -> tuple[Topic, ...]:
    """Those of the text, in the order of the table: what binds most stands first."""
    topics, pattern = _table()
    found = {match.lastgroup for match in pattern.finditer(text)}
    return tuple(topic for key, topic in topics.items() if key in found)


def alike(one: str, other: str) -> float:
    """How much two texts say the same, 0 to 1: shared content words over those of the shorter."""
    first, second = set(terms(one)), set(terms(other))
    if not first or not second:
        return 0.0
    return len(first & second) / min(len(first), len(second))
