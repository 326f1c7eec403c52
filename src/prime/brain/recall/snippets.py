"""A stretch of a message's text around what was searched for."""

from bisect import bisect_right

from prime.brain.recall.analysis import stem
from prime.brain.recall.query import Query
from prime.brain.recall.records import Piece
from prime.core.words import Token, tokens

LENGTH = 240
_LEAD = 40  # what is shown before the first match

_Span = tuple[int, int]


def cut_snippet(text: str, query: Query) -> tuple[Piece, ...]:
    """The part of `text` that holds most of what was searched, with the words that match set apart."""
    spans = _matches(text, query)
    start, end = _window(text, spans)
    pieces: list[Piece] = [Piece("…", match=False)] if start > 0 else []
    at = start
    for first, last in spans:
        if start <= first and last <= end:
            pieces += [Piece(text[at:first], match=False), Piece(text[first:last], match=True)]
            at = last
    pieces.append(Piece(text[at:end], match=False))
    if end < len(text):
        pieces.append(Piece("…", match=False))
    return tuple(piece for piece in pieces if piece.text)


def _matches(text: str, query: Query) -> list[_Span]:
    searched = frozenset((*query.terms, *query.common))
    spans: list[_Span] = []
    for token in tokens(text):
        if not _is_searched(token, searched, query.prefixes):
            continue
        if spans and token.start <= spans[-1][1]:
            spans[-1] = (min(spans[-1][0], token.start), max(spans[-1][1], token.end))
        else:
            spans.append((token.start, token.end))
    return spans


def _is_searched(token: Token, searched: frozenset[str], prefixes: tuple[str, ...]) -> bool:
    return token.text in searched or stem(token.text) in searched or token.text.startswith(prefixes)


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
