"""The clamp: sentences that a tier must not see are taken out of what goes down to it.

It is the second wall. The first is that text reaches a lower tier in two ways only, briefs and words that the owner
approved; the clamp looks at those. Categories and their patterns are data that the owner can extend.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import cast

from prime.core.errors import InvalidInput
from prime.core.folding import fold, is_paired, simplified
from prime.rooms.tier import Tier, parse_tier

# A sentence ends at its mark, with what closes a quotation behind it; in Chinese no space follows. A full stop
# between two digits or letters (3.5, example.com) ends none.
_END = re.compile(r"(?:[!?。！？]+|\.+(?!\w))[\"'”’）)]*\s*|\n\s*")


@dataclass(frozen=True)
class Category:
    """One kind of thing that some tiers must not see."""

    name: str
    hidden_from: frozenset[Tier]
    patterns: tuple[str, ...]

    @cached_property
    def expression(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{p})" for p in self.patterns), re.IGNORECASE)

    def is_in(self, sentence: str) -> bool:
        """However it is spelled: with wide letters, accents, signs that nobody sees, or in traditional Chinese."""
        folded = fold(sentence)
        if is_paired(folded):
            folded = folded.translate(simplified())
        return bool(self.expression.search(sentence) or self.expression.search(folded))


@dataclass(frozen=True, slots=True)
class Removed:
    sentence: str
    category: str


@dataclass(frozen=True, slots=True)
class Clamped:
    """What may go down, and what was taken out, for the owner to see."""

    text: str
    removed: tuple[Removed, ...]


class Clamp:
    def __init__(self, categories: Sequence[Category]) -> None:
        self._categories = tuple(categories)

    @classmethod
    def load(cls, *folders: Path) -> "Clamp":
        """The built-in categories, and those of every `*.json` in the owner's folders."""
        built_in = resources.files("prime.rooms").joinpath("clamp.json").read_text("utf-8")
        categories = list(_parse(built_in, "the built-in clamp"))
        for folder in folders:
            for path in sorted(folder.glob("*.json")):
                categories += _parse(path.read_text("utf-8"), str(path))
        return cls(categories)

    def apply(self, text: str, tier: Tier) -> Clamped:
        """Take out the sentences that this tier must not see."""
        hiding = [c for c in self._categories if tier in c.hidden_from]
        kept: list[str] = []
        removed: list[Removed] = []
        for sentence in sentences(text):
            category = next((c.name for c in hiding if c.is_in(sentence)), None)
            if category is None:
                kept.append(sentence)
            else:
                removed.append(Removed(sentence.strip(), category))
        return Clamped("".join(kept).strip() if removed else text, tuple(removed))


def sentences(text: str) -> Iterator[str]:
    """The text in sentences, nothing left out: joined they are the text again."""
    begin = 0
    for end in _END.finditer(text):
        yield text[begin : end.end()]
        begin = end.end()
    if begin < len(text):
        yield text[begin:]


def _parse(text: str, where: str) -> Iterable[Category]:
    try:
        entries = cast("list[dict[str, object]]", json.loads(text)["categories"])
        categories = [
            Category(
                str(entry["name"]),
                frozenset(parse_tier(tier) for tier in _texts(entry["hiddenFrom"])),
                _texts(entry["patterns"]),
            )
            for entry in entries
        ]
        _ = [category.expression for category in categories]  # a broken pattern is told now, not at its first use
    except (ValueError, KeyError, TypeError, re.error, InvalidInput) as error:
        raise InvalidInput(
            f"{where} is not a list of categories: {error}.",
            hint='Write {"categories": [{"name": …, "hiddenFrom": [tier, …], "patterns": [regular expression, …]}]}.',
        ) from error
    return categories


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in cast("list[object]", value)):
        raise TypeError("tiers and patterns are lists of texts")
    return tuple(cast("list[str]", value))
