"""Chinese text taken apart into words: it is written without blanks, and what stands across two words is none of its own.

“年会定” holds no 会定, 水泥 no 泥 and 上学 no 学. The words come from a dictionary that is
compiled into a library: no weights, no network. It is loaded with the first Chinese text that is read, which takes a fifth of a
second, and not before.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Protocol, cast

from prime.core.errors import Unavailable
from prime.core.folding import simplified
from prime.mind.offline.words.phrases import alternatives

_READ = 2_000
_REMEMBERED = 256
_SHORTEST_PART = 2
# What may stand behind a word inside a longer one that still is about it: 孩子们, 村里.
_BEHIND = frozenset("们里上家边处内外中")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, where it stands, and what it is: n a noun, v a verb, m a number, …"""

    text: str
    start: int
    end: int
    kind: str


class _Cutter(Protocol):
    def tag(self, text: str, hmm: bool) -> list[tuple[str, str]]: ...

    def add_word(self, word: str, freq: int | None, tag: str | None) -> int: ...


@cache
def _cutter() -> _Cutter:
    try:
        cutter = cast(
            "_Cutter", import_module("rjieba")
        )  # with the first Chinese text: an English one needs no dictionary
    except ImportError:
        raise Unavailable(
            "Chinese text needs the package rjieba.", hint="Run: pip install 'prime-agent[server]'"
        ) from None
    for word in alternatives("han_words").split("|"):
        cutter.add_word(word, None, "n")
    return cutter


@lru_cache(_REMEMBERED)
def words_in(text: str) -> tuple[Word, ...]:
    """The words of a text, one behind the other; of a long one those of its beginning."""
    found: list[Word] = []
    at = 0
    for word, kind in _cutter().tag(text[:_READ], False):
        found.append(Word(word, at, at + len(word), kind))
        at += len(word)
    return tuple(found)


@lru_cache(_REMEMBERED)
def _bounds(text: str) -> tuple[frozenset[int], frozenset[int], dict[int, Word]]:
    words = words_in(text)
    inside = {at: word for word in words for at in range(word.start, word.end)}
    return frozenset(word.start for word in words), frozenset(word.end for word in words), inside


def in_simplified(text: str) -> str:
    """As it is read: whoever writes 給媽媽訂蛋糕 wants the same as who writes 给妈妈订蛋糕."""
    return text.translate(simplified()) if _TRADITIONAL.search(text) else text


# Signs that only traditional writing has, of which one or two are in any wish.
_TRADITIONAL = re.compile(
    "[這個們來時會過對請幫訂買賣給媽爺親開關學習樓門車電飯館錢萬張樣辦業廠麼嗎說話記讓帶進還點裡裏為與從東書畫師務員應該報單號週團體邊遠運動國際場園圖區處備製種類結禮後鐘間問題]"
)


def stands_in(word: str, text: str) -> bool:
    """Whether a text has a word, as a word: whole, or as what a longer one is a kind of (学生 in 小学生)."""
    at = text.find(word)
    while at >= 0:
        if at + len(word) > _READ or _is_said(text, at, at + len(word)):
            return True
        at = text.find(word, at + 1)
    return False


def is_done_in(verb: str, text: str) -> bool:
    """Whether a verb of one sign stands in a text with how it ends: 卖 in 卖掉, 搬 in 搬走."""
    return any(word.text[0] == verb and word.text[1:] in _ENDS and word.kind == "v" for word in words_in(text))


def is_kind_of(sign: str, text: str) -> bool:
    """Whether some noun of a text ends in it."""
    return any(word.text.endswith(sign) and word.kind[:1] == "n" for word in words_in(text))


_ENDS = frozenset(["掉", "出", "出去", "好", "走", "完", "给", "到", "下", "起来"])


def _is_said(text: str, start: int, end: int) -> bool:
    if is_whole(text, start, end):
        return True
    if end - start < _SHORTEST_PART:
        return False
    starts, ends, inside = _bounds(text)
    around = inside[start]
    return (around.end == end and end in ends) or (
        start in starts and around.start == start and set(text[end : around.end]) <= _BEHIND
    )


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether a piece of a text begins and ends where words do; what lies behind all that was read is taken for whole."""
    starts, ends, _ = _bounds(text)
    return end > _READ or (start in starts and end in ends)
