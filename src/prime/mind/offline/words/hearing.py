"""What the offline engine hears of a text: at most a few pages, blanks as single ones.

Its patterns are made for what people say. Whoever writes a hundred thousand commas or blanks instead must not hold up
everybody else while they are looked for.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from prime.mind.jobs.lines import Line

TALK = 4_000
READING = 20_000  # where facts are looked for, sentence by sentence
_BLANKS = re.compile(r"[^\S\n]{2,}")
_LINES = re.compile(r"\n(?: ?\n)+ ?")


def heard(text: str, most: int = TALK) -> str:
    """The text as it is, unless it is longer than anybody says or has more blanks than anybody sees."""
    return _LINES.sub("\n\n", _BLANKS.sub(" ", text[:most]))


def heard_lines(lines: Sequence[Line], most: int = TALK) -> tuple[Line, ...]:
    return tuple(line if (text := heard(line.text, most)) == line.text else replace(line, text=text) for line in lines)
