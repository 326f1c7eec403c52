"""From a message to the words it is found by, and back from a text to its units for phrases and highlights."""

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from prime.brain.recall.irregular import BASE_FORMS
from prime.core.words import LONGEST, Token, is_stop_word, piece_terms, piece_words, pieces, split, stem_word, tokens

# Begins the terms that are no words: no folded word has it.
_MARK = "\x01"
# Begins a piece that is not to be taken apart: a blank, which no piece of a text has.
_AS_IT_IS = " "
# Together they fit into 7 bits.
_LENGTHS = (*range(1, 17), 18, 20, 23, 26, 29, 32, 38, 45, 54, 64, 76, 90, 108, 128, 181, 256)
_MOST_OFTEN = 4


def speaker_term(actor_id: str) -> str:
    return f"{_MARK}from:{actor_id}"


def told_term(word: str) -> str:
    """Of a line that begins with this word of a speaker's name."""
    return f"{_MARK}told:{word}"


def kind_term(kind: str) -> str:
    return f"{_MARK}kind:{kind}"


def indexed_text(text: str, body: Mapping[str, object]) -> str:
    """All that a message is found by: its text, the title of a feed item, the name and the text of a file."""
    added = [
        value for key in ("title", "name", "content") if isinstance(value := body.get(key), str) and value not in text
    ]
    return "\n".join([text, *added]) if added else text


def indexed_row(text: str, body: str) -> str:
    """The same for a row of the log, whose body is JSON."""
    return text if body == "{}" else indexed_text(text, json.loads(body))


def said_in(text: str) -> list[str]:
    """A text in the pieces that `words_of` takes apart; the same piece always gives the same words."""
    if text.isascii():
        return text.split()  # most of what stands between two blanks was said before; what it is made of is known
    return [*split(text), *map(as_it_is, _run_ends(text))]


def as_it_is(word: str) -> str:
    """A piece that is a word already, to the letter."""
    return f"{_AS_IT_IS}{word}"


def words_of(piece: str) -> tuple[str, ...]:
    """The words by which a piece is found, stemmed; stop words are left out."""
    if piece.isalpha() and piece.isascii() and piece.islower() and len(piece) <= LONGEST:  # as most are
        return (_stem(piece),) if is_plain(piece) else ()
    if piece.startswith(_AS_IT_IS):
        return (piece[1:],)
    parts = (piece,) if piece.isalnum() else split(piece)
    return tuple([_stem(word) for part in parts for word in piece_terms(part, stem=False, stop=False)])


@lru_cache(16_384)
def stem(word: str) -> str:
    """The form that a word is indexed in: its stem, and of `went` that of `go`."""
    return _stem(word)


def _stem(word: str) -> str:
    """The same for words that are new more often than not: remembering them costs more than stemming."""
    return stem_word(BASE_FORMS.get(word, word))


@lru_cache(4096)
def pack(often: int, length: int) -> int:
    """Count and length in one small number, so that a posting is weighed without looking at its message."""
    return (min(often, _MOST_OFTEN) - 1) * len(_LENGTHS) + bisect_right(_LENGTHS, max(length, 1)) - 1


def unpack(packed: int) -> tuple[int, int]:
    often, bucket = divmod(packed, len(_LENGTHS))
    return often + 1, _LENGTHS[bucket]


class Unit(NamedTuple):
    """A word or, in Chinese, Japanese and Korean, a character, and where it stands."""

    text: str
    start: int
    end: int


def units(text: str) -> list[Unit]:
    """The text word by word, stop words too, folded and not stemmed: what a quoted phrase is compared with."""
    return list(_units(text)) if not text.isascii() else list(_plain_units(text))


def _plain_units(text: str) -> Iterator[Unit]:
    for found in pieces(text):
        at = found.start()
        for word, start, end, kind in piece_words(found[0]):
            if kind != "whole":
                yield Unit(word, at + start, at + end)


def _units(text: str) -> Iterator[Unit]:
    last: Token | None = None
    for token in tokens(text):
        if last and last.kind == "pair" and token.start >= last.end:
            yield from _second(last)
        last = token
        if token.kind == "pair":
            yield Unit(token.text[0], token.start, token.end if len(token.text) == 1 else token.end - 1)
        elif token.kind != "whole":
            yield Unit(token.text, token.start, token.end)
    if last and last.kind == "pair":
        yield from _second(last)


def _second(pair: Token) -> Iterator[Unit]:
    if len(pair.text) > 1:
        yield Unit(pair.text[1:], pair.start + 1, pair.end)


def _run_ends(text: str) -> Iterator[str]:
    """The last character of each run of pairs: no pair begins with it, and it is to be found alone, too."""
    last: Token | None = None
    for token in tokens(text):
        if last and last.kind == "pair" and token.start >= last.end and len(last.text) > 1:
            yield last.text[1:]
        last = token
    if last and last.kind == "pair" and len(last.text) > 1:
        yield last.text[1:]


def is_plain(word: str) -> bool:
    """Whether a folded word is one that is indexed."""
    return not is_stop_word(word)
