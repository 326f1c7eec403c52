"""A stretch of a message's text around what was searched for."""

from bisect import bisect_right
from functools import cache

from prime.brain.recall.analysis import stem
from prime.brain.recall.irregular import BASE_FORMS
from prime.brain.recall.query import Query
from prime.brain.recall.records import Piece
from prime.core.words import piece_words, pieces

LENGTH = 240
_LEAD = 40  # what is shown before the first match

_Span = tuple[int, int]


class Snippets:
    """Cuts what one search found: the part of a text that holds most of what was searched, with what matches set apart."""

    def __init__(self, query: Query) -> None:
        self._searched = frozenset((*query.terms, *query.common))
        self._prefixes = query.prefixes
        self._pictures = query.pictures
        # What matches in each piece seen so far.
        self._known: dict[str, list[_Span]] = {}
        # What a plain word must begin with to match: stemming changes endings only.
        words = (*self._searched, *self._prefixes, *(w for s in self._searched for w in _forms().get(s, ())))
        self._first = frozenset(case for word in words for case in (word[:2], word[:2].capitalize()))

    def cut(self, text: str) -> tuple[Piece, ...]:
        spans = self._matches(text)
        start, end = _window(text, spans)
        cut: list[Piece] = [Piece("…", match=False)] if start > 0 else []
        at = start
        for first, last in spans:
            if start <= first and last <= end:
                cut += [Piece(text[at:first], match=False), Piece(text[first:last], match=True)]
                at = last
        cut.append(Piece(text[at:end], match=False))
        if end < len(text):
            cut.append(Piece("…", match=False))
        return tuple(piece for piece in cut if piece.text)

    def _matches(self, text: str) -> list[_Span]:
        spans = [(at, at + 1) for at, sign in enumerate(text) if sign in self._pictures] if self._pictures else []
        known, first, is_ascii = self._known, self._first, text.isascii()
        for found in pieces(text):
            piece = found[0]
            # Most pieces are one word that begins as the piece does, and as none that is searched for.
            if is_ascii and piece[:2] not in first and piece.isalnum() and (piece[1:].islower() or len(piece) == 1):
                continue
            matching = known.get(piece)
            if matching is None:
                matching = known[piece] = self._matching(piece)
            for start, end in matching:
                _join(spans, found.start() + start, found.start() + end)
        return spans

    def _matching(self, piece: str) -> list[_Span]:
        return [(start, end) for word, start, end, _ in piece_words(piece) if self._is_searched(word)]

    def _is_searched(self, word: str) -> bool:
        return word in self._searched or stem(word) in self._searched or word.startswith(self._prefixes)


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
