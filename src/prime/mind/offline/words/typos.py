"""A wish written in a hurry: words that nearly are one of those the archetypes know, as they were meant."""

import re
from collections.abc import Container, Iterable

from prime.mind.offline.words.phrases import alternatives

_WRITTEN = re.compile(r"[A-Za-z]{4,}")
_WORD = re.compile(r"[A-Za-z]{5,}")
# Words of their own, one letter away from a known one: who wants to convert something plans no concert.
_OWN_WORDS = frozenset(alternatives("typos_own_words").split("|"))


def mended(text: str, known: Iterable[str], real: Container[str] = frozenset()) -> str:
    """The text with every longer word that is one slip away from a known one put right; a `real` one is no slip."""
    words = sorted({word.casefold() for word in known if _WORD.fullmatch(word)})
    exact = set(words)

    def meant(found: re.Match[str]) -> str:
        written = found[0].casefold()
        # A capital inside a sentence is a name: Leeds is no lead.
        is_word = written in exact or written in real or written in _OWN_WORDS
        if is_word or (found.start() and found[0][0].isupper()):
            return found[0]
        # Nobody mistypes a word from its first letter on: a book is no ebook.
        near = (word for word in words if sorted(word[:2]) == sorted(written[:2]) or word[0] == written[0])
        return next((word for word in near if is_one_slip(written, word)), found[0])

    return _WRITTEN.sub(meant, text)


def is_one_slip(written: str, meant: str) -> bool:
    """Whether one letter too many, too few, another one, or two that changed places make the difference."""
    if written == meant or abs(len(written) - len(meant)) > 1:
        return False
    at = next((n for n, pair in enumerate(zip(written, meant, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        return True  # the last letter
    rest, wanted = written[at:], meant[at:]
    swapped = rest[:2] == wanted[1::-1] and rest[2:] == wanted[2:]
    return swapped or rest[1:] == wanted or rest == wanted[1:] or rest[1:] == wanted[1:]
