"""Whether words can be meant: small models fall into a loop, or say back what they were told."""

import re

from prime.mind.jobs.planning import Plan
from prime.mind.shapes import BEGINS

# How long a repeated piece may be, and how much of the end it must fill to be a loop and not a refrain.
_LONGEST_PIECE = 240
_LEAST = 60
_TIMES = 3
_MARKS = re.compile(r"</?\s*(?:said|data)\b[^>]*>|^[^\S\n]*(?:Brief|简报)\s*[:：]\s*", re.IGNORECASE | re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]{4,}|\d[\d.,]*\d|\d|[\u4e00-\u9fff]{2}")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_FEWEST_WORDS = 4
_SENTENCES = re.compile(r"[^\n.!?。！？]*(?:[.!?。！？]+[)\]”\"’']*|\n|$)[^\S\n]*")
_SHORTEST_ECHO = 24


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


def meant(text: str, told: str = "") -> str:
    """The words without marks of ours, echoes of what the model was told and a loop at the end; nothing when that was all."""
    plain = _without_echoes(_MARKS.sub("", text), told)
    begins = loop_begins(plain.rstrip())
    if begins is not None:
        plain = _whole_sentences(plain[:begins])
    return plain.strip()


def _without_echoes(text: str, told: str) -> str:
    """Without sentences that stand in the instructions: nobody in a conversation is to read those."""
    instructions = _letters(told)
    kept = [
        piece
        for piece in _SENTENCES.findall(text)
        if (letters := _letters(piece)) not in _ECHOES
        and not (len(letters) >= _SHORTEST_ECHO and letters in instructions)
    ]
    return "".join(kept)


def _whole_sentences(text: str) -> str:
    """As far as the last sentence that has an end; a cut one is no use to anybody."""
    ends = [match.end() for match in re.finditer(r"[.!?。！？](?=\s|$)|[。！？]", text)]
    return text[: ends[-1]] if ends else ""


def speaks_of(text: str, matter: str) -> bool:
    """Whether the text has a word, a figure or a pair of characters of the matter; a matter without any is spoken of by all."""
    named = _names(matter)
    return not named or bool(named & _names(text))


def is_sentence(text: str) -> bool:
    """Whether somebody could have meant it as an answer: more than a word or two."""
    return len(text.split()) >= _FEWEST_WORDS or len(_HAN.findall(text)) > _FEWEST_WORDS


def says_back(text: str, said: str) -> bool:
    """Whether the text is only what was said, in other letters or with another mark at its end."""
    return _letters(text) == _letters(said)


def plan_fits(plan: Plan, wish: str) -> bool:
    """Whether a plan with rooms is one for this wish: it speaks of it, and its rooms are told different things."""
    told = [channel.brief for channel in plan.channels]
    everything = " ".join((plan.title, plan.summary, plan.words, *told, *plan.aims.values()))
    return speaks_of(everything, wish) and all(map(is_sentence, told)) and len(set(told)) == len(told)


def _names(text: str) -> set[str]:
    """Words by their beginnings, so that a plan for “moving” speaks of a move."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        found |= {word[:4] if not _HAN.match(word) else word}
    # Every pair of neighbours counts where words have no spaces between them.
    found |= {text[at : at + 2] for at in range(len(text) - 1) if _HAN.match(text[at]) and _HAN.match(text[at + 1])}
    return found


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


_ECHOES = frozenset({_letters("It is your turn"), _letters(BEGINS)})
