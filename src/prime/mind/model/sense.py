"""Whether words can be meant: small models fall into a loop, or say back what they were told."""

import re

from prime.mind.shapes import BEGINS

# How long a repeated piece may be, and how much of the end it must fill to be a loop and not a refrain.
_LONGEST_PIECE = 240
_LEAST = 60
_TIMES = 3
_MARKS = re.compile(r"</?\s*(?:said|data)\b[^>]*>|^\s*(?:Brief|简报)\s*[:：]\s*", re.IGNORECASE | re.MULTILINE)
_ECHOES = ("(It is your turn.)", BEGINS)


def loop_begins(text: str) -> int | None:
    """Where the words begin to go round: the place after the first of at least three equal pieces at the end."""
    for size in range(1, min(_LONGEST_PIECE, len(text) // _TIMES) + 1):
        piece = text[-size:]
        times = max(_TIMES, -(-_LEAST // size))
        if len(text) >= size * times and text.endswith(piece * times):
            start = len(text)
            while text.startswith(piece, start - size) and start >= size:
                start -= size
            return start + size
    return None


def meant(text: str) -> str:
    """The words without marks of ours, echoes and a loop at their end; nothing when nothing else was said."""
    plain = _MARKS.sub("", text)
    for echo in _ECHOES:
        plain = plain.replace(echo, "")
    begins = loop_begins(plain.rstrip())
    if begins is not None:
        plain = _whole_sentences(plain[:begins])
    return plain.strip()


def _whole_sentences(text: str) -> str:
    """As far as the last sentence that has an end; a cut one is no use to anybody."""
    ends = [match.end() for match in re.finditer(r"[.!?。！？](?=\s|$)|[。！？]", text)]
    return text[: ends[-1]] if ends else ""
