"""The clause in which something stands, with a mark where it stands; and tables of the words around it that tell what it is."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import cast

from prime.core.yaml_text import read_mapping

# Where a clause ends. A comma within a number and a full stop within a word end none.
_BOUNDARY = re.compile(
    r",(?!\d)|[;!?()\n，。；！？（）]|\.(?=\s|$)|\s[-–—]\s"
    r"|\b(?:and|but|so|while|because|or)\s+(?=(?:i|we|he|she|they|it|you|my|our|the|there|would|can|could|find|want|need)\b)",
    re.IGNORECASE,
)


def lead_in(text: str, end: int) -> str:
    """The clause up to a place in a text."""
    return _BOUNDARY.split(text[max(0, end - _FAR) : end])[-1]


# No word tells anything of what stands further away; a text without a full stop is read in no time, too.
_FAR = 160


def marked_clause(text: str, start: int, end: int, others: Iterable[tuple[int, int]] = ()) -> str:
    """The clause around a piece of a text, with ¤ in its stead and ◦ for others like it that come before it."""
    lead = lead_in(text, start)
    begins, behind = start - len(lead), text[end : end + _FAR]
    for first, last in sorted(others, reverse=True):
        if begins <= first and last <= start:
            lead = f"{lead[: first - begins]}◦{lead[last - begins :]}"
    ends = _BOUNDARY.search(behind)
    return f"{lead}¤{behind[: ends.start()] if ends else behind}"


@cache
def cues(file: str, *path: str) -> re.Pattern[str]:
    """One list of expressions of a file, by the names that lead to it."""
    found: object = _content(file)
    for name in path:
        found = cast("dict[str, object]", found)[name]
    return re.compile("|".join(cast("list[str]", found)), re.IGNORECASE)


@cache
def _content(file: str) -> Mapping[str, object]:
    text = resources.files("prime.mind.offline").joinpath("lexicon", file).read_text("utf-8")
    return read_mapping(text, path=file).data
