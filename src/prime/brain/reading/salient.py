"""Figures, names, dates and addresses of a text: what somebody may ask for later."""

import re
from collections import Counter

_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_DATE = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?(?:{_MONTHS})\.?\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?\d{{4}}"
    rf"|(?:{_MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b|Q[1-4]\s+\d{{4}})\b|\d{{4}}年\d{{1,2}}月(?:\d{{1,2}}日)?"
)
_UNIT = (
    r"(?:EUR|USD|GBP|CNY|CHF|JPY|euros?|dollars?|million|billion|thousand|mn|bn|[kKmM]\b|kg|km|units?|pieces|days|%"
    r"|元|万元|亿元|万|亿)"
)
_NUMBER = r"(?:\d{1,3}(?:[,.' ]\d{3})*(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?!\d)"
_MONEY = r"(?:[$€£¥]|\b(?:EUR|USD|GBP|CNY|CHF|JPY)\b)"
_FIGURE = re.compile(
    rf"(?:{_MONEY}\s?(?:{_NUMBER})(?:\s?(?:million|billion|thousand|mn|bn|[kKmM]\b))?"
    rf"|(?<![\w.,])(?:{_NUMBER})\s?{_UNIT}(?:\s?(?:EUR|USD|GBP|CNY|CHF|euros?|dollars?))?|(?<![\w.,/-])\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![\w/-]))"
)
_NAME = re.compile(r"\b(?:[A-Z][\w&'’-]+)(?:[ \t]+(?:of|de|van|von|and|&|[A-Z][\w&'’.-]*)){0,3}[ \t]+[A-Z][\w&'’.-]*")
# How a letter begins is no part of a name.
_GREETING = re.compile(r"^(?:Dear|Hello|Hi|Hey)\s+")
_MAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+\b")
_CAPITALISED = re.compile(rf"^(?:{_MONTHS})\b")
_LOOK = 100_000  # characters
_EACH = 12


def salient(text: str) -> tuple[str, ...]:
    """Up to four facts: figures, dates, names and mail addresses, each with the first dozen that the text has."""
    head = text[:_LOOK]
    dates = _each(_DATE.findall(head))
    figures = [f for f in _each(_FIGURE.findall(head)) if f not in dates]
    found = {
        "figures": figures,
        "dates": dates,
        "names": _names(head),
        "addresses": _each(_MAIL.findall(head)),
    }
    return tuple(f"{what}: {', '.join(values)}" for what, values in found.items() if values)


def _names(text: str) -> list[str]:
    """Names, those that are said most first; in the order of the text among equals."""
    said = Counter(_GREETING.sub("", " ".join(name.split())).rstrip(".'’-") for name in _NAME.findall(text))
    names = [name for name in said if not _CAPITALISED.match(name) and len(name) <= 60]
    return sorted(names, key=lambda name: -said[name])[:_EACH]


def _each(values: list[str]) -> list[str]:
    return list(dict.fromkeys(" ".join(value.split()) for value in values))[:_EACH]
