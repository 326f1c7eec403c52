"""Topics that decisions are about, found by their words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import cast

from prime.core.words import terms
from prime.core.yaml_text import read_mapping
from prime.mind.offline.words.language import MOST, Language


@dataclass(frozen=True, slots=True)
class Topic:
    key: str
    en: str
    zh: str

    def named(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, slots=True)
class _Table:
    topics: Mapping[str, Topic]
    # Word -> topic, and an expression for all words: English ones only where a word begins, which makes it quick.
    of_word: Mapping[str, str]
    english: re.Pattern[str]
    chinese: re.Pattern[str]


@cache
def _table() -> _Table:
    text = resources.files("prime.mind.offline").joinpath("lexicon/topics.yaml").read_text("utf-8")
    rows = cast("dict[str, dict[str, object]]", read_mapping(text, path="topics.yaml").data)
    topics = {key: Topic(key, str(row["en"]), str(row["zh"])) for key, row in rows.items()}
    of_word = {word.casefold(): key for key, row in rows.items() for word in cast("list[str]", row["words"])}
    longest_first = sorted(of_word, key=len, reverse=True)
    english = "|".join(re.escape(word) for word in longest_first if word.isascii())
    chinese = "|".join(re.escape(word) for word in longest_first if not word.isascii())
    return _Table(topics, of_word, re.compile(rf"\b(?:{english})"), re.compile(chinese))


def topics_in(text: str) -> tuple[Topic, ...]:
    """Those of the text, in the order of the table: what binds most stands first."""
    return _topics_in(text[:MOST])


@lru_cache(maxsize=512)
def _topics_in(text: str) -> tuple[Topic, ...]:
    table, small = _table(), text.casefold()
    words = table.english.findall(small) + ([] if small.isascii() else table.chinese.findall(small))
    found = {table.of_word[word] for word in words}
    return tuple(topic for key, topic in table.topics.items() if key in found)


def alike(one: str, other: str) -> float:
    """How much two texts say the same, 0 to 1: shared content words over those of the shorter."""
    first, second = set(terms(one)), set(terms(other))
    if not first or not second:
        return 0.0
    return len(first & second) / min(len(first), len(second))
