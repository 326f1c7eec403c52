"""A stretch of a message's text around what was searched for."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import chain

from prime.brain.recall.analysis import stem
from prime.brain.recall.irregular import BASE_FORMS
from prime.brain.recall.query import Query
from prime.brain.recall.records import Piece
from prime.core.words import piece_words, pieces

LENGTH = 240
_LEAD = 40  # what is shown before the first match
_MORE = Piece("…", match=False)

_Span = tuple[int, int]


class Snippets:
    """Cuts what one search found: the part of a text that holds most of what was searched, with what matches set apart."""

    def __init__(self, query: Query) -> None:
        self._searched = frozenset((*query.terms, *query.common))
        self._prefixes = query.prefixes
        self._pictures = query.pictures
        # What matches in each piece seen so far.
        self._known: dict[str, list[_Span]] = {}
        forms = _forms()
        words = (*self._searched, *self._prefixes, *(w for s in self._searched for w in forms.get(s, ())))
        # What some word of a plain text must hold to match: stemming changes no more than the last letter of a stem.
        self._signs = frozenset(word[: max(2, len(word) - 1)] for word in words if word.isascii())
        # What is left out of words and numbers, so that the sign may not be seen.
        self._signs |= {"'", ","} if any(word[:1].isdecimal() for word in words) else {"'"}

    def cut(self, text: str) -> tuple[Piece, ...]:
        spans = self._matches(text)
        start, end = _window(text, spans)
        cut = [_MORE] if start > 0 else []
        at = start
        for first, last in spans:
            if start <= first and last <= end:
                if at < first:
                    cut.append(Piece(text[at:first], False))
                cut.append(Piece(text[first:last], True))
                at = last
        if at < end:
            cut.append(Piece(text[at:end], False))
        if end < len(text):
            cut.append(_MORE)
        return tuple(cut)

    def _matches(self, text: str) -> list[_Span]:
        spans = [(at, at + 1) for at, sign in enumerate(text) if sign in self._pictures] if self._pictures else []
        known = self._known
        for found in self._pieces(text):
            piece = found[0]
            matching = known.get(piece)
            if matching is None:
                matching = known[piece] = self._matching(piece)
            if matching:
                at = found.start()
                for start, end in matching:
                    _join(spans, at + start, at + end)
        return spans

    def _pieces(self, text: str) -> Iterator[re.Match[str]]:
        """Those pieces of a text that may match: as a rule few, and looking at all of them was half of a search."""
        if not text.isascii():
            return pieces(text)
        small = text.lower()
        stretches = {_stretch(small, at) for sign in self._signs if sign in small for at in _places(small, sign)}
        return chain.from_iterable(pieces(text, start, end) for start, end in sorted(stretches))

    def _matching(self, piece: str) -> list[_Span]:
        return [(start, end) for word, start, end, _ in piece_words(piece) if self._is_searched(word)]

    def _is_searched(self, word: str) -> bool:
        return word in self._searched or stem(word) in self._searched or word.startswith(self._prefixes)


def _places(text: str, sign: str) -> Iterator[int]:
    at = text.find(sign)
    while at >= 0:
        yield at
        at = text.find(sign, at + len(sign))


def _stretch(text: str, at: int) -> _Span:
    """What stands between two blanks: no piece goes beyond."""
    end = text.find(" ", at)
    return text.rfind(" ", 0, at) + 1, end if end >= 0 else len(text)


@cache
def _forms() -> dict[str, list[str]]:
    """The forms of each stem that begin otherwise: `went` of `go`, `dying` of `die`."""
    forms: dict[str, list[str]] = {}
    for form in (*BASE_FORMS, "dying", "lying", "tying"):
        forms.setdefault(stem(form), []).append(form)
    return forms


def _join(spans: list[_Span], start: int, end: int) -> None:
    """Add a stretch. One that is found as a whole comes after its parts, and takes them in."""
    while spans and start <= spans[-1][1]:
        first, last = spans.pop()
        start, end = min(first, start), max(last, end)
    spans.append((start, end))


def _window(text: str, spans: list[_Span]) -> _Span:
    """Where to cut: at words, around the stretch with the most matches, the first of them if there are several."""
    if len(text) <= LENGTH:
        return 0, len(text)
    ends = [end for _, end in spans]
    best, most = 0, 0
    for number, (start, _) in enumerate(spans):
        held = bisect_right(ends, start + LENGTH - _LEAD) - number
        if held > most:
            best, most = start, held
    start = _word_start(text, best - _LEAD)
    return start, _word_end(text, start + LENGTH)


def _word_start(text: str, at: int) -> int:
    if at <= 0:
        return 0
    blank = text.find(" ", at, at + _LEAD // 2)
    return blank + 1 if blank >= 0 else at


def _word_end(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    blank = text.rfind(" ", at - _LEAD // 2, at)
    return blank if blank >= 0 else at
