"""Numbers in words: “two and a half thousand”, “一万八”."""

import re

_DIGITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL = (
    {word: float(n) for n, word in enumerate(_DIGITS)}
    | {word: 10.0 * n for n, word in enumerate(_TENS, 2)}
    | {"a": 1.0, "an": 1.0}
)
_LARGE = {"hundred": 1e2, "thousand": 1e3, "grand": 1e3, "k": 1e3, "million": 1e6, "billion": 1e9}
BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_DIGITS[1:10])}))?|{'|'.join(_DIGITS[1:])})"
_MULTIPLE = "(?:hundred|thousand|grand|million|billion)"
_SOME = rf"(?:an?|{BELOW_HUNDRED}|\d{{1,3}}(?:\.\d+)?)"
# With a hundred or more in it: “two” alone is no sum, and a figure stands for itself.
LARGE_NUMBER = (
    rf"(?:half\s+a\s+(?:thousand|million|billion)"
    rf"|{_SOME}(?:\s+and\s+a\s+half)?(?:[\s-]{_MULTIPLE})+(?:\s+(?:and\s+)?{BELOW_HUNDRED}(?:[\s-]{_MULTIPLE})*){{0,3}})"
)
SPOKEN_NUMBER = rf"(?:{LARGE_NUMBER}|{BELOW_HUNDRED})"

_HAN_DIGITS = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}


def spoken_number(text: str) -> float:
    """A number in English words; 0 where it is none."""
    total = part = 0.0
    words = re.findall(r"[a-z]+|\d+(?:\.\d+)?", text.casefold())
    for at, word in enumerate(words):
        if word == "half":
            part += 0.5
        elif word in _LARGE:
            part = (part or 1) * _LARGE[word]
            if word != "hundred":
                total, part = total + part, 0.0
        elif word[0].isdigit():
            part += float(word)
        elif word in _SMALL and not (word in {"a", "an"} and "half" in words[max(0, at - 1) : at + 2]):
            part += _SMALL[word]
        elif word not in {"and", "a", "an"}:
            return 0.0
    return total + part


def han_number(text: str) -> float:
    """A number in Chinese characters; 0 where it is none. “三万五” leaves out its last unit: it is 35,000."""
    total = part = digit = 0.0
    next_lower = 1.0  # what a digit counts that stands straight behind a unit and ends the number
    for sign in text:
        if sign in _HAN_DIGITS:
            digit = _HAN_DIGITS[sign]
            next_lower = next_lower if digit else 1.0
            continue
        if sign in _HAN_UNITS:
            part += (digit or 1) * _HAN_UNITS[sign]
            next_lower = _HAN_UNITS[sign] / 10
        else:
            next_lower = (1e4 if sign == "万" else 1e8) / 10
            total = (total + part + digit) * next_lower * 10
            part = 0
        digit = 0
    digit *= next_lower
    return total + part + digit


_ORDINALS = [
    *(
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
    ),
    *("thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"),
]
ORDINAL = rf"(?:twenty-(?:{'|'.join(_ORDINALS[:9])})|thirty-first|thirtieth|{'|'.join(_ORDINALS)})"


def ordinal(text: str) -> float:
    """“28th”, “thirtieth”: the number; 0 where it is none."""
    word = text.casefold()
    if figures := re.match(r"\d+", word):
        return float(figures[0])
    if word == "thirtieth":
        return 30.0
    tens, _, ones = word.rpartition("-")
    return (20.0 if tens == "twenty" else 30.0 if tens else 0.0) + _ORDINALS.index(ones) + 1


_FIGURES = re.compile(r"\d{1,3}(?:[,.' ]\d{3})+(?!\d)|\d+")
_HAN_NUMBER = re.compile("[零一二两三四五六七八九十百千万]+")
_SPOKEN = re.compile(rf"\b{SPOKEN_NUMBER}\b", re.IGNORECASE)


def number_at(text: str) -> float:
    """The number that a text begins with, in figures or words; 0 where it begins with none."""
    text = text.strip()
    if figures := _FIGURES.match(text):
        return float(re.sub(r"\D", "", figures[0]))
    if han := _HAN_NUMBER.match(text):
        return han_number(han[0])
    spoken = _SPOKEN.match(text)
    return spoken_number(spoken[0]) if spoken else 0.0
