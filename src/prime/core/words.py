"""Text to words, for search and for matching: one function for queries and documents, so that they always agree.

Case, accents, width and compatibility forms are folded; `München` is found by `munchen` and by `muenchen`. Chinese,
Japanese, Korean, Thai and their like have no blanks between words, or not between all, and become pairs of neighbouring
characters, traditional ones folded to simplified, katakana to hiragana. What is written in one piece
(`user@example.com`, `snake_case`, `camelCase`, `v1.2`) is found by its parts and as a whole.
"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Literal, NamedTuple, Protocol, TypeVar, cast

from prime.core.folding import THOUSANDS, fold, is_paired, pair_units, spelled_out, word_pattern
from prime.core.stop_words import STOP_WORDS

Kind = Literal["word", "number", "pair", "whole"]


class Token(NamedTuple):
    """A folded word and where it stands in the text: `text[start:end]` is what it was made of."""

    text: str
    start: int
    end: int
    kind: Kind


LONGEST = 64  # longer words are cut: nobody searches for a kilobyte of base64
_ASCII_PIECE = re.compile(rf"[A-Za-z0-9]+(?:(?:[._@'+-]|{THOUSANDS})[A-Za-z0-9]+)*")
_JOINTS = re.compile(r"[._@,+-]+")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_APOSTROPHES = re.compile(r"['’ʼ＇]")
_MOST_REMEMBERED = 100_000


_Made = tuple[str, int, int, Kind]
_T = TypeVar("_T")

# Most words of a text were seen before; folding and stemming them again is what would cost.
_ANALYSED: dict[str, list[_Made]] = {}
_REMEMBERED: dict[tuple[bool, bool], dict[str, tuple[str, ...]]] = {
    (stem, stop): {} for stem in (True, False) for stop in (True, False)
}


def tokens(text: str) -> Iterator[Token]:
    """All words in order, stop words too, not stemmed; a whole comes right after its parts."""
    for found in pieces(text):
        at = found.start()
        for word, start, end, kind in piece_words(found.group()):
            yield Token(word, at + start, at + end, kind)


def pieces(text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
    """The stretches that words are made of, each by itself: the same piece always gives the same words."""
    return _pattern(text).finditer(text, start, end)


def split(text: str) -> list[str]:
    """The same without their places."""
    return _pattern(text).findall(text)


def piece_words(piece: str) -> list[tuple[str, int, int, Kind]]:
    """The words of a piece, as those of `tokens`, and where in the piece they stand."""
    made = _ANALYSED.get(piece)
    if made is None:
        made = _analysed(piece)
        _remember(_ANALYSED, piece, made)
    return made


def terms(text: str, *, stem: bool = True, stop: bool = False) -> list[str]:
    """The words to search by, in order. `stop=True` keeps stop words, `stem=False` leaves the endings on."""
    remembered = _REMEMBERED[stem, stop]
    out: list[str] = []
    for piece in split(text):
        known = remembered.get(piece)
        if known is None:
            known = piece_terms(piece, stem=stem, stop=stop)
            _remember(remembered, piece, known)
        out += known
    return out


def piece_terms(piece: str, *, stem: bool, stop: bool) -> tuple[str, ...]:
    """What a piece of `split` adds to `terms`."""
    if len(piece) <= LONGEST and piece.isascii() and piece.isalpha() and piece.islower():  # as most words are
        made = [piece] if stop or piece not in STOP_WORDS else []
    else:
        made = [word for word, _, _, kind in _analysed(piece) if stop or kind != "word" or word not in STOP_WORDS]
    return tuple(stem_word(word) for word in made) if stem else tuple(made)


def stem_word(word: str) -> str:
    """The English stem of a folded word; words of other scripts and with digits stay."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    return _stemmer()(word)


def is_stop_word(word: str) -> bool:
    """Whether a folded word is too common in English to search by."""
    return word in STOP_WORDS


def _remember(table: dict[str, _T], piece: str, made: _T) -> None:
    if len(table) >= _MOST_REMEMBERED:
        table.clear()
    if len(piece) <= LONGEST:
        table[piece] = made


def _pattern(text: str) -> re.Pattern[str]:
    return _ASCII_PIECE if text.isascii() else word_pattern()


def _analysed(piece: str) -> list[_Made]:
    """The words of one piece of text without blanks."""
    if piece.isascii() and piece.isalnum():
        return _plain(piece, 0)
    if not piece.isascii() and is_paired(piece):
        return list(_mixed(piece))
    number = _NUMBER.fullmatch(piece)
    if number:
        return [(piece.replace(",", ""), 0, len(piece), "number")]
    return _joined(piece)


def _mixed(piece: str) -> Iterator[_Made]:
    """Runs of characters that are taken in pairs, and ordinary words between them."""
    for start, run, paired in pair_units(piece):
        if paired is None:
            for word, begin, end, kind in _analysed(run):
                yield word, start + begin, start + end, kind
        elif len(paired) == 1:
            yield paired[0][0], start + paired[0][1], start + paired[0][2], "pair"
        else:
            for first, second in pairwise(paired):
                yield first[0] + second[0], start + first[1], start + second[2], "pair"


def _joined(piece: str) -> list[_Made]:
    bare = _possessive(piece)
    parts: list[_Made] = []
    at = 0
    for part in _segments(bare):
        at = bare.index(part, at)
        parts += _plain(part, at)
        at += len(part)
    whole = _squeezed(bare)
    if len(parts) > 1 and whole and whole != parts[0][0]:
        parts.append((whole[:LONGEST], 0, len(bare), "whole"))
    return parts


def _segments(bare: str) -> list[str]:
    """Parts between joints; apostrophes join (`O'Brien` is one word)."""
    return [s for s in _JOINTS.split(bare) if s]


def _possessive(piece: str) -> str:
    return piece[:-2] if len(piece) > 2 and piece[-1] in "sS" and _APOSTROPHES.match(piece[-2]) else piece


def _squeezed(text: str) -> str:
    if text.isascii() and text.isalnum():
        return text.lower()  # nothing else to fold
    folded = fold(_APOSTROPHES.sub("", text))
    return folded if any(c.isalnum() for c in folded) else ""


def _plain(word: str, at: int) -> list[_Made]:
    """One word without joints: itself, or its humps and itself when it is `camelCase`."""
    made: list[_Made]
    folded = _squeezed(word)[:LONGEST]
    if not folded:
        return []
    if folded.isdecimal() and folded.isascii():
        return [(folded, at, at + len(word), "number")]
    if not word.isascii():
        made = [(folded, at, at + len(word), "word")]
        spelled = spelled_out(_APOSTROPHES.sub("", word))
        return [*made, (spelled[:LONGEST], at, at + len(word), "whole")] if spelled else made
    if word.islower() or word.isupper() or (word[:1].isupper() and word[1:].islower()):
        return [(folded, at, at + len(word), "word")]
    humps = [m for m in _HUMPS.finditer(word) if len(m.group()) > 1]
    if len(humps) < 2:
        return [(folded, at, at + len(word), "word")]
    made = [(m.group().lower(), at + m.start(), at + m.end(), "word") for m in humps]
    return [*made, (folded, at, at + len(word), "whole")]


class _Stemmer(Protocol):
    maxCacheSize: int  # noqa: N815 - the library's name

    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


@cache
def _stemmer() -> Callable[[str], str]:
    # Late: most commands never stem a word. The same stems in Python alone were half of the work of indexing.
    make = cast("Callable[[str], _Stemmer]", import_module("Stemmer").Stemmer)
    stemmer = make("english")
    stemmer.maxCacheSize = 0  # remembering stems, there or here, costs more than stemming
    return stemmer.stemWord
