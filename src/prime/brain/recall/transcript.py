"""Lines of a transcript, as people paste them and other programs export them: who is written to have said this."""

import re
from itertools import chain

from prime.brain.recall.analysis import said_in, words_of
from prime.store.message import Kind

# A word before a colon that begins fewer messages than these is no speaker.
LEAST_LINES = 3

_STAMP = r"(?:\[[^\]\n]{1,40}\] ?|\d[\d/.,: apmAPM]{5,30}[-–] )?"
_WORD = r"[^\W\d_][\w'’.-]{0,40}"
_LINE = re.compile(rf"{_STAMP}\*{{0,2}}({_WORD}(?: {_WORD}){{0,2}})\*{{0,2}}[:：]\*{{0,2}}(?=\s*[^\s/])")

_NOBODY = frozenset[str]()


def told_by(kind: Kind, text: str) -> frozenset[str]:
    """The words of the name that a line begins with, as a search has them: of `Ann Lee: …` those are two."""
    if kind != "text" or (":" not in text and "：" not in text):
        return _NOBODY  # as most messages; looking for the form takes longer
    found = _LINE.match(text)
    return frozenset(chain.from_iterable(map(words_of, said_in(found[1])))) if found else _NOBODY
