"""Wishes in German, Spanish and French, put into English word by word as far as a short list of words goes."""

import re
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from prime.core.yaml_text import read_mapping

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    [
        "the",
        "a",
        "an",
        "and",
        "for",
        "with",
        "is",
        "are",
        "my",
        "our",
        "of",
        "to",
        "on",
        "at",
        "by",
        "i",
        "we",
        "need",
        "want",
    ]
)
_FEWEST = 2
# “am 12. Juli”, “le 12 septembre”: the day stands alone in English.
_DAY_DOT = re.compile(r"\b(\d{1,2})\.\s+(?=[A-Z])")


class _Glossary(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    signs: str
    words: dict[str, str]


@cache
def _glossaries() -> list[tuple[frozenset[str], dict[str, str], re.Pattern[str]]]:
    text = resources.files("prime.mind.offline").joinpath("lexicon/glossary.yaml").read_text("utf-8")
    found: list[tuple[frozenset[str], dict[str, str], re.Pattern[str]]] = []
    for given in read_mapping(text, path="glossary.yaml").data.values():
        glossary = _Glossary.model_validate(given)
        longest_first = sorted(glossary.words, key=len, reverse=True)
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
        found.append((frozenset(glossary.signs.split()), glossary.words, pattern))
    return found


def in_english(text: str) -> str:
    """The text in English where it is in a language of the list; "" where it is in English, or in none that is known."""
    words = [word.casefold() for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH for word in words)
    scored = [(sum(word in signs for word in words), known, pattern) for signs, known, pattern in _glossaries()]
    signs, known, pattern = max(scored, key=lambda each: each[0])
    if signs < _FEWEST or signs <= english:
        return ""
    put = pattern.sub(lambda found: known[found[0].casefold()], text)
    return _DAY_DOT.sub(r"on \1 ", put).replace("on on ", "on ").replace("the on ", "on ")
