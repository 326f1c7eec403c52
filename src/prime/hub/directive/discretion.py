"""What Prime says by itself to a lower tier tells nothing that it heard elsewhere.

A judgement is made from all that Prime knows, and a counterpart may have talked the mind into answering with it. So a
sentence goes down only if its figures and names, and what it says in somebody's own words, are the channel's already or
nobody's. The owner's own words for a channel are not looked at here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from prime.core.folding import fold
from prime.core.words import is_stop_word
from prime.hub.directive.disguises import decoded, is_disguised, spelled_figures
from prime.rooms.clamp import Clamped, Removed, sentences

CATEGORY = "heard elsewhere"
# So many words in a row, or characters where words have no blanks, are somebody's own words.
_WORDS_IN_A_ROW = 6
_CHARACTERS_IN_A_ROW = 6
# Nobody says more in one; it is searched for disguises, which takes time.
_LONGEST_SENTENCE = 4_000
_FIGURE = re.compile(r"\d+(?:[ ,.'’]\d{3})+(?!\d)|\d+(?:[.,]\d+)?|[零〇一二两三四五六七八九十百千万亿]{2,}")
_GROUPING = re.compile(r"[ ,.'’]")
_NO_CENTS = re.compile(r"(?:[.,]0{1,2}|(?<=[.,]\d)0)$")
_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile(r"[\u3400-\u9fff]+")
# Written large in every sentence, and nobody's name.
_MONEY_AND_DAYS = """
eur usd gbp cny chf jpy ok monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december prime owner
"""
_COMMON = frozenset(_MONEY_AND_DAYS.split())


@dataclass(frozen=True, slots=True)
class _Telling:
    """What tells of a text: its figures, its names, and its words in a row (by their hashes: there are many)."""

    figures: frozenset[str]
    names: frozenset[str]
    # Words that begin its sentences: of those nobody can see whether they are names, unless they are written large again.
    begins: frozenset[str]
    rows: frozenset[int]
    words: frozenset[str]


@lru_cache(maxsize=512)  # what was said lately is looked through for every channel
def _telling(text: str) -> _Telling:
    words = _WORD.findall(fold(text))
    return _Telling(
        frozenset(_figures(text)),
        frozenset(_large(text, begin=False)),
        frozenset(_large(text, begin=True)),
        frozenset(_rows(text)),
        frozenset(words),
    )


@dataclass(frozen=True)
class Discretion:
    """`elsewhere` are the texts that the mind was shown and the channel was not; `here` are the channel's own."""

    elsewhere: Sequence[str] = ()
    here: Sequence[str] = ()

    @cached_property
    def _secrets(self) -> _Telling:
        """What tells of elsewhere and not of here; looked for when something is to be said at all."""
        heard, own = [_telling(text) for text in self.elsewhere], [_telling(text) for text in self.here]
        words = {word for each in own for word in each.words}
        return _Telling(
            frozenset({f for each in heard for f in each.figures} - {f for each in own for f in each.figures}),
            frozenset({name for each in heard for name in each.names} - words),
            frozenset({word for each in heard for word in each.begins} - words),
            frozenset({row for each in heard for row in each.rows} - {row for each in own for row in each.rows}),
            frozenset(),
        )

    def apply(self, text: str) -> Clamped:
        """The text without the sentences that tell of elsewhere."""
        if not self.elsewhere:
            return Clamped(text, ())
        kept: list[str] = []
        removed: list[Removed] = []
        for sentence in sentences(text):
            if self._is_told_by(sentence):
                removed.append(Removed(sentence.strip(), CATEGORY))
            else:
                kept.append(sentence)
        return Clamped("".join(kept).strip() if removed else text, tuple(removed))

    def _is_told_by(self, sentence: str) -> bool:
        if len(sentence) > _LONGEST_SENTENCE:
            return True
        if self._tells(sentence) or is_disguised(sentence, self._secrets.figures, self._secrets.names):
            return True
        return any(self._tells(inner) for inner in decoded(sentence))

    def _tells(self, sentence: str) -> bool:
        secrets = self._secrets
        return not (
            secrets.names.isdisjoint(_WORD.findall(fold(sentence)))
            and secrets.begins.isdisjoint(_large(sentence, begin=False))
            and secrets.figures.isdisjoint(_figures(sentence))
            and secrets.rows.isdisjoint(_rows(sentence))
        )


def _figures(text: str) -> Iterator[str]:
    """Numbers however they are grouped, and whether or not their cents are told; a single digit says nothing."""
    for figure in _FIGURE.findall(fold(text)):
        if len(_GROUPING.sub("", figure)) > 1:
            yield _GROUPING.sub("", _NO_CENTS.sub("", figure))
    yield from (figure for figure in spelled_figures(text) if len(figure) > 1)


def _large(text: str, *, begin: bool) -> Iterator[str]:
    """Words that are written large: those that begin a sentence, or those inside, which are names."""
    for sentence in sentences(text):
        words = [found[0] for found in _WORD.finditer(sentence)]
        for word in words[:1] if begin else words[1:]:
            folded = fold(word)
            if word[0].isupper() and len(folded) > 1 and not is_stop_word(folded) and folded not in _COMMON:
                yield folded


def _rows(text: str) -> Iterator[int]:
    folded = fold(text)
    words = _WORD.findall(folded)
    for at in range(len(words) - _WORDS_IN_A_ROW + 1):
        yield hash(tuple(words[at : at + _WORDS_IN_A_ROW]))
    for run in _HAN.findall(folded):
        for at in range(len(run) - _CHARACTERS_IN_A_ROW + 1):
            yield hash(run[at : at + _CHARACTERS_IN_A_ROW])
