"""A stretch of a message's text around what was searched for."""

import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

from prime.brain.recall.analysis import stem
from prime.brain.recall.irregular import BASE_FORMS
from prime.brain.recall.query import Query
from prime.brain.recall.records import Piece
from prime.core.words import LONGEST, piece_words, pieces

LENGTH = 240
_LEAD = 40  # what is shown before the first match
_MORE = Piece("…", match=False)
_NEVER = (sys.maxsize, 0)

_Span = tuple[int, int]
# In half of the time that `Piece` takes; a page has some forty.
_piece_of = cast("Callable[[type[Piece], tuple[str, bool]], Piece]", tuple.__new__)


class Snippets:
    """Cuts what one search found: the part of a text that holds most of what was searched, with what matches set apart."""

    def __init__(self, query: Query) -> None:
        self._searched = frozenset((*query.terms, *query.common))
        self._prefixes = query.prefixes
        self._pictures = query.pictures
        # What matches in each stretch of text seen so far.
        self._known: dict[str, list[_Span]] = {}
        forms = _forms()
        words = (*self._searched, *self._prefixes, *(w for s in self._searched for w in forms.get(s, ())))
        # What some word of a plain text must hold to match: stemming changes no more than the last letter of a stem.
        self._signs = frozenset(word[: max(2, len(word) - 1)] for word in words if word.isascii())
        # What is left out of words and numbers, so that the sign may not be seen.
        self._signs |= {"'", ","} if any(word[:1].isdecimal() for word in words) else {"'"}

    def cut(self, texts: Sequence[str]) -> list[tuple[Piece, ...]]:
        """The snippet of each text."""
        whole = " ".join(texts)
        if whole.isascii():
            return list(map(_cut, texts, self._in_plain(texts, whole)))
        plain = [text if text.isascii() else "" for text in texts]
        found = self._in_plain(plain, " ".join(plain))
        return [
            _cut(text, spans if text.isascii() else self._in_any(text))
            for text, spans in zip(texts, found, strict=True)
        ]

    def _in_plain(self, texts: Sequence[str], whole: str) -> list[list[_Span]]:
        """What matches in each of the texts, which were put together with blanks between them."""
        matching = self._known_matching
        found: list[list[_Span]] = []
        stretches = iter(self._stretches(whole.lower()))
        at, end = next(stretches, _NEVER)
        begin = 0
        for text in texts:
            spans: list[_Span] = []
            after = begin + len(text)
            while at < after:
                _add(spans, at - begin, matching(whole[at:end]))
                at, end = next(stretches, _NEVER)
            found.append(spans)
            begin = after + 1
        return found

    def _in_any(self, text: str) -> list[_Span]:
        spans = [(at, at + 1) for at, sign in enumerate(text) if sign in self._pictures] if self._pictures else []
        for piece in pieces(text):
            _add(spans, piece.start(), self._known_matching(piece[0]))
        return spans

    def _stretches(self, small: str) -> list[_Span]:
        """What stands between two blanks and may match: as a rule little, and looking at all of it was half of a search."""
        found: dict[int, int] = {}
        find, ends = small.find, len(small)
        for sign in self._signs:
            at = find(sign)
            while at >= 0:
                end = find(" ", at)
                if end < 0:
                    end = ends
                found[small.rfind(" ", 0, at) + 1] = end
                at = find(sign, end)
        return sorted(found.items())

    def _known_matching(self, stretch: str) -> list[_Span]:
        known = self._known.get(stretch)
        if known is None:
            known = self._known[stretch] = self._matching(stretch)
        return known

    def _matching(self, stretch: str) -> list[_Span]:
        if (
            len(stretch) <= LONGEST and stretch.isalpha() and stretch.islower() and stretch.isascii()
        ):  # a word, as most are
            return [(0, len(stretch))] if self._is_searched(stretch) else []
        return [
            (piece.start() + start, piece.start() + end)
            for piece in pieces(stretch)
            for word, start, end, _ in piece_words(piece[0])
            if self._is_searched(word)
        ]

    def _is_searched(self, word: str) -> bool:
        return word in self._searched or stem(word) in self._searched or word.startswith(self._prefixes)


def _cut(text: str, spans: list[_Span]) -> tuple[Piece, ...]:
    start, end = _window(text, spans) if len(text) > LENGTH else (0, len(text))
    cut = [_MORE] if start > 0 else []
    at = start
    for first, last in spans:
        if start <= first and last <= end:
            if at < first:
                cut.append(_piece_of(Piece, (text[at:first], False)))
            cut.append(_piece_of(Piece, (text[first:last], True)))
            at = last
    if at < end:
        cut.append(_piece_of(Piece, (text[at:end], False)))
    if end < len(text):
        cut.append(_MORE)
    return tuple(cut)


@cache
def _forms() -> dict[str, list[str]]:
    """The forms of each stem that begin otherwise: `went` of `go`, `dying` of `die`."""
    forms: dict[str, list[str]] = {}
    for form in (*BASE_FORMS, "dying", "lying", "tying"):
        forms.setdefault(stem(form), []).append(form)
    return forms


def _add(spans: list[_Span], begin: int, matching: list[_Span]) -> None:
    """Add what matches in a stretch that begins there."""
    for first, last in matching:
        if spans and begin + first <= spans[-1][1]:
            _join(spans, begin + first, begin + last)
        else:
            spans.append((begin + first, begin + last))


def _join(spans: list[_Span], start: int, end: int) -> None:
    """Add a stretch. One that is found as a whole comes after its parts, and takes them in."""
    while spans and start <= spans[-1][1]:
        first, last = spans.pop()
        start, end = min(first, start), max(last, end)
    spans.append((start, end))


def _window(text: str, spans: list[_Span]) -> _Span:
    """Where to cut: at words, around the stretch with the most matches, the first of them if there are several."""
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
