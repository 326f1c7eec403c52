"""Figures and words that a sentence holds without showing them: spelled out, taken apart, turned round, in code.

Who talks a mind into telling something asks for it in such a dress, because a reader who looks for the thing itself passes over
it. What needs understanding, such as a riddle or another language, is not found here.
"""

import base64
import binascii
import codecs
import re
from collections.abc import Iterator, Sequence

from prime.core.folding import fold

_NAMED = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
twenty thirty forty fifty sixty seventy eighty ninety
"""
_VALUES = {word: n if n < 20 else 10 * (n - 18) for n, word in enumerate(_NAMED.split())}
_SCALES = {
    "hundred": 100,
    "thousand": 1_000,
    "grand": 1_000,
    "k": 1_000,
    "tsd": 1_000,
    "million": 1_000_000,
    "mn": 1_000_000,
}
_NUMBER_WORDS = "|".join((*_VALUES, *_SCALES))
_SPELLED = re.compile(rf"\b(?:{_NUMBER_WORDS})\b(?:[\s,-]+(?:and\s+|point\s+)?(?:{_NUMBER_WORDS})\b){{0,20}}")
_SCALED = re.compile(r"(?<![\d.,])(\d{1,6}(?:[.,]\d{1,6})?)\s?(k|tsd|thousand|grand|mn|million|万|千)(?![a-z])")
_APART = re.compile(r"\d(?:[^\w]{1,3}\d|[_\d]){2,60}")
_HAN_DIGITS = dict(zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_HAN_SCALES = {"十": 10, "百": 100, "千": 1_000}
_HAN_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百千万亿]{2,20}")
# Less of it is anybody's price, date or word.
_FEWEST_DIGITS = 4
_FEWEST_LETTERS = 5
_LETTERS_APART = re.compile(
    r"(?<!\w)[^\W\d_]{1,2}(?:[^\w]{1,3}[^\W\d_]{1,2}){3,40}(?!\w)|(?<![^\W\d_])[^\W\d_]{1,60}(?:[-._*·|/+]{1,3}[^\W\d_]{1,60}){1,40}"
)
# Figures that stand for letters, the 1 for either of two.
_LEET = (str.maketrans("013457$@", "oieastsa"), str.maketrans("013457$@", "oleastsa"))
_MIXED = re.compile(r"(?=[\w$@]{0,60}[^\W\d_])(?=[\w$@]{0,60}[\d$@])[\w$@]{5,60}")
_LONG_WORD = re.compile(r"[^\W\d_]{5,60}")
_CODED = re.compile(r"[A-Za-z0-9+/_-]{8,4000}={0,2}")
_HEX = re.compile(r"(?:[0-9a-f]{2}[\s:,-]?){4,2000}", re.IGNORECASE)


def spelled_figures(text: str) -> Iterator[str]:
    """Numbers that are written in words or with one, as digits: "eighty-three thousand", "83.25k", “八万三千”."""
    folded = fold(text)
    for found in _SPELLED.finditer(folded):
        yield _of_words(re.findall(r"[a-z]+", found[0]))
    for number, scale in _SCALED.findall(folded):
        factor = {"万": 10_000, "千": 1_000}.get(scale) or _SCALES[scale]
        yield f"{round(float(number.replace(',', '.')) * factor)}"
    for number in _HAN_NUMBER.findall(folded):
        yield str(_of_han(number))


def is_disguised(sentence: str, figures: frozenset[str], names: frozenset[str]) -> bool:
    """Whether one of the figures or names is in it, taken apart or turned round."""
    folded = fold(sentence)
    runs = [re.sub(r"\D", "", run) for run in _APART.findall(folded)]
    if any(figure in run for figure in figures if len(figure) >= _FEWEST_DIGITS for run in runs):
        return True
    long = [name for name in names if len(name) >= _FEWEST_LETTERS]
    joined = [re.sub(r"[^\w]|[\d_]", "", run) for run in _LETTERS_APART.findall(folded)]
    turned = {each for word in _LONG_WORD.findall(folded) for each in (word[::-1], codecs.encode(word, "rot13"))}
    turned |= {word.translate(table) for word in _MIXED.findall(folded) for table in _LEET}
    return any(name in turned or any(name in run for run in joined) for name in long)


def decoded(sentence: str) -> Iterator[str]:
    """Texts that stand in it as base64 or in hexadecimal."""
    for token in _CODED.findall(sentence):
        plain = token.rstrip("=").replace("-", "+").replace("_", "/")
        try:
            yield base64.b64decode(plain + "=" * (-len(plain) % 4)).decode()
        except (binascii.Error, ValueError):
            continue
    for token in _HEX.findall(sentence):
        try:
            yield bytes.fromhex(re.sub(r"[^0-9a-fA-F]", "", token)).decode()
        except ValueError:
            continue


def _of_words(words: Sequence[str]) -> str:
    """Digits of a number in words; what is read out one by one is put one behind the other."""
    if "point" in words:
        at = words.index("point")
        return _of_words(words[:at]) + _of_words(words[at + 1 :])  # as a figure is compared: without its point
    if len(words) > 1 and all(_VALUES.get(word, 10) < 10 for word in words):
        return "".join(str(_VALUES[word]) for word in words)
    total = part = 0
    for word in words:
        if word in _VALUES:
            part += _VALUES[word]
        elif word == "hundred":
            part = (part or 1) * 100
        elif word in _SCALES:
            total, part = total + (part or 1) * _SCALES[word], 0
    return str(total + part)


def _of_han(number: str) -> int:
    total = part = digit = 0
    for character in number:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        elif character in _HAN_SCALES:
            part, digit = part + (digit or 1) * _HAN_SCALES[character], 0
        else:
            total, part, digit = (total + part + digit or 1) * (10_000 if character == "万" else 100_000_000), 0, 0
    return total + part + digit
