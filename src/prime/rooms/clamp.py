"""The clamp: sentences that a tier must not see are taken out of what goes down to it.

It is the second wall. The first is that text reaches a lower tier in two ways only, briefs and words that the owner
approved; the clamp looks at those. Categories and their patterns are data that the owner can extend.
"""

import json
import logging
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module, resources
from pathlib import Path
from typing import Protocol, cast

from prime.core.errors import InvalidInput
from prime.core.folding import fold, is_paired, simplified
from prime.rooms.tier import Tier, parse_tier

log = logging.getLogger(__name__)

# A sentence ends at its mark, with what closes a quotation behind it; in Chinese no space follows. A full stop
# between two digits or letters (3.5, example.com) ends none.
_END = re.compile(r"(?:[!?。！？]+|\.+(?!\w))[\"'”’）)]*\s*|\n\s*")
# What searching one text may cost of a processor's time, whatever the owner's patterns are: one that goes back and forth would
# hold up everything else.
SECONDS = 0.5
# What patterns that go straight on need is a tenth of this, so that a long text is looked through to its end.
SECONDS_A_CHARACTER = 1e-5


class _Pattern(Protocol):
    def search(self, string: str, *, timeout: float) -> object | None: ...


class _Patterns(Protocol):
    """What is used of `regex`: patterns as `re` has them, and searches that end."""

    IGNORECASE: int
    error: type[Exception]

    def compile(self, pattern: str, flags: int) -> _Pattern: ...


_patterns = cast("_Patterns", cast("object", import_module("regex")))
# What has nothing in common: a pattern that is found in all of these is found wherever somebody says something.
_ANYTHING = ("Yes.", "好。", "7")
# Whatever reaches beyond its own place: flags, groups that are referred to, verbs that end a search.
_ALONE = re.compile(r"\(\?(?![:=!>#]|<[=!])|\(\*|\\[1-9gk]")


def _compiled(pattern: str) -> _Pattern:
    return _patterns.compile(pattern, _patterns.IGNORECASE)


@dataclass(slots=True)
class _Patience:
    """How much of its time a text has left."""

    seconds: float

    def finds(self, pattern: _Pattern, text: str) -> bool:
        began = time.thread_time()
        found = pattern.search(text, timeout=self.seconds) is not None
        self.seconds -= time.thread_time() - began
        if self.seconds <= 0:
            raise TimeoutError
        return found


class _TooLong(Exception):
    """A category's patterns have taken the time that a text may cost."""


@dataclass(frozen=True)
class Category:
    """One kind of thing that some tiers must not see."""

    name: str
    hidden_from: frozenset[Tier]
    patterns: tuple[str, ...]

    @cached_property
    def expressions(self) -> tuple[_Pattern, ...]:
        """The patterns as one, and by themselves those that would read differently there."""
        alone = [pattern for pattern in self.patterns if _ALONE.search(pattern)]
        together = "|".join(f"(?:{pattern})" for pattern in self.patterns if pattern not in alone)
        return tuple(map(_compiled, [*([together] if together else []), *alone]))

    def is_in(self, sentence: str, patience: "_Patience") -> bool:
        """However it is spelled: with wide letters, accents, signs that nobody sees, or in traditional Chinese."""
        folded = fold(sentence)
        if is_paired(folded):
            folded = folded.translate(simplified())
        try:
            return any(patience.finds(each, text) for each in self.expressions for text in {sentence, folded})
        except TimeoutError as error:
            raise _TooLong(self.name) from error


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
                categories += _parse(_read(path), str(path))
        return cls(categories)

    def apply(self, text: str, tier: Tier) -> Clamped:
        """Take out the sentences that this tier must not see, and those that there was no time to look through."""
        hiding = [c for c in self._categories if tier in c.hidden_from]
        kept: list[str] = []
        removed: list[Removed] = []
        patience, endless = _Patience(SECONDS + SECONDS_A_CHARACTER * len(text)), ""
        for sentence in sentences(text):
            try:
                category = endless or next((c.name for c in hiding if c.is_in(sentence, patience)), None)
            except _TooLong as error:
                category = endless = f"{error}: took too long"
                log.warning("the clamp's category “%s” took too long; the rest of a text is held back", error)
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


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")  # some editors begin a file with a mark
    except (OSError, UnicodeError) as error:
        raise InvalidInput(
            f"{path} cannot be read: {error}.", hint="Make it a JSON file in UTF-8, or move it."
        ) from error


def _parse(text: str, where: str) -> Iterable[Category]:
    try:
        categories = [
            Category(
                str(entry["name"]),
                frozenset(parse_tier(tier) for tier in _texts(entry["hiddenFrom"])),
                _texts(entry["patterns"]),
            )
            for entry in _entries(json.loads(text)["categories"])
        ]
        for category in categories:
            _check(category)
    except (ValueError, LookupError, TypeError, RecursionError, OverflowError, _patterns.error, InvalidInput) as error:
        raise InvalidInput(
            f"{where} is not a list of categories: {error}.",
            hint='Write {"categories": [{"name": …, "hiddenFrom": [tier, …], "patterns": [regular expression, …]}]}.',
        ) from error
    return categories


def _entries(value: object) -> "list[dict[str, object]]":
    if not isinstance(value, list):
        raise TypeError("categories is a list")
    return cast("list[dict[str, object]]", value)


def _check(category: Category) -> None:
    """A broken pattern is told now, not at its first use; so is one that hides everything, or a category that hides nothing."""
    if not category.patterns:
        raise ValueError(f"{category.name!r} has no patterns")
    if not category.hidden_from:
        raise ValueError(f"{category.name!r} is hidden from nobody")
    for pattern in category.patterns:
        expression = _compiled(pattern)
        found = [expression.search(said, timeout=SECONDS) is not None for said in ("", *_ANYTHING)]
        if found[0] or all(found[1:]):
            raise ValueError(f"{pattern!r} of {category.name!r} is found in every sentence")


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in cast("list[object]", value)):
        raise TypeError("tiers and patterns are lists of texts")
    return tuple(cast("list[str]", value))
