"""Letters folded to one form, for all scripts; and the scripts whose words are taken as pairs of characters."""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from prime.core.errors import Unavailable

# Marks that readers leave out: accents of Latin, Greek and Cyrillic, points of Hebrew and Arabic. The vowel signs of
# Indian scripts and the voicing marks of kana change the word and stay.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff]"
)
# Letters with a stroke or a ligature do not come apart by decomposition.
_STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
)
# Letters that are written as two where a keyboard lacks them: `Muenchen`, `Aarhus`. Without the dots is another spelling.
_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
# Katakana to hiragana: the same sounds.
_KATAKANA = {code: code - 0x60 for code in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}
# A comma between a number's thousands.
THOUSANDS = r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = (
    "\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001b000-\U0001b16f"
)
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uffa1-\uffdc"
# Thai, Lao, Burmese and Khmer, which have no blanks between words either; and their vowels and tones above and below.
_SOUTHEAST = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_SOUTHEAST_MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"
_PAIRED = re.compile(f"[{_HAN}{_KANA}{_HANGUL}{_SOUTHEAST}]")
_RUNS = re.compile(f"[{_HAN}{_KANA}]+|[{_HANGUL}]+|[{_SOUTHEAST}]+|[^{_HAN}{_KANA}{_HANGUL}{_SOUTHEAST}]+")
# What composes to one character: a syllable from its letters, a kana with its voicing mark.
_UNIT = re.compile(
    "[\u1100-\u115f\ua960-\ua97c][\u1160-\u11a7\ud7b0-\ud7c6]?[\u11a8-\u11ff\ud7cb-\ud7fb]?"
    f"|.(?:[\u3099\u309a\uff9e\uff9f]|[{_SOUTHEAST_MARKS}]+)?",
    re.DOTALL,
)
_IDEOGRAPHS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x323B0))


def fold(text: str) -> str:
    """Small letters without accents, in compatibility form; folding again changes nothing."""
    if text.isascii():
        return text.lower()
    for _ in range(3):
        folded = _fold_once(text)
        if folded == text:
            break
        text = folded
    return text


def spelled_out(word: str) -> str | None:
    """The word as it is written without `ä`, `ö`, `ü`, `ø` and `å`; None when it has none of them."""
    small = unicodedata.normalize("NFC", word).casefold()
    spelled = small.translate(_SPELLED)
    return fold(spelled) if spelled != small else None


def _fold_once(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_STROKES)
    bare = "".join(c for c in _ACCENTS.sub("", plain) if c not in _INVISIBLE)
    return unicodedata.normalize("NFKC", bare)


@cache
def word_pattern() -> re.Pattern[str]:
    """Pieces of text without blanks, in any script: letters and digits with their marks, and joints inside."""
    letter = rf"[^\W_](?:[{_marks()}{_INVISIBLE}])*+"
    return re.compile(rf"(?:{letter})++(?:(?:[._@'’ʼ＇+-]|{THOUSANDS})(?:{letter})++)*+")


@cache
def _marks() -> str:
    """All combining marks as ranges: Python's word characters leave them out, which would tear Hindi words apart."""
    ranges: list[str] = []
    start = None
    for code in range(0x300, min(sys.maxunicode, 0x1F000)):
        if unicodedata.category(chr(code))[0] == "M":
            start = code if start is None else start
        elif start is not None:
            ranges.append(f"{chr(start)}-{chr(code - 1)}")
            start = None
    return "".join(ranges) + "\ufe00-\ufe0f"


def is_paired(text: str) -> bool:
    """Whether characters of `text` are taken in pairs."""
    return _PAIRED.search(text) is not None


def pair_units(piece: str) -> Iterator[tuple[int, str, list[tuple[str, int, int]] | None]]:
    """The runs of `piece`: where each starts, its text, and, when it is paired, its characters folded."""
    for run in _RUNS.finditer(piece):
        paired = _units(run.group()) if _PAIRED.match(run.group()) else None
        yield run.start(), run.group(), paired


def _units(run: str) -> list[tuple[str, int, int]]:
    made: list[tuple[str, int, int]] = []
    for found in _UNIT.finditer(run):
        # One character can stand for several: ﾟ and the like come with a blank.
        made += [(c, found.start(), found.end()) for c in _folded_unit(found.group()) if c.isalnum() or c == "ー"]
    return made


@cache
def _folded_unit(unit: str) -> str:
    folded = unicodedata.normalize("NFKC", unit).casefold().translate(_KATAKANA)
    return folded.translate(simplified()) if any(ord(c) >= 0x3400 for c in folded) else folded


class _Converter(Protocol):
    def convert(self, text: str) -> str: ...


@cache
def simplified() -> dict[int, str]:
    """Traditional to simplified, one character at a time, from OpenCC's tables."""
    try:
        make = cast("Callable[[str], _Converter]", import_module("opencc").OpenCC)
    except ImportError:
        raise Unavailable(
            "Chinese and Japanese text needs the package opencc.", hint="Run: pip install 'prime-agent[server]'"
        ) from None
    characters = [chr(code) for first, last in _IDEOGRAPHS for code in range(first, last)]
    # One to a line, so that no phrase is recognised across them.
    converted = make("t2s").convert("\n".join(characters)).split("\n")
    table = {ord(old): new for old, new in zip(characters, converted, strict=True) if old != new and len(new) == 1}
    return {old: table.get(ord(new), new) for old, new in table.items()}
