"""What a person types into a search, understood. Nothing that can be typed is an error: what is no filter is a word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args
from unicodedata import category

from prime.brain.recall.analysis import Unit, is_plain, stem, units
from prime.brain.recall.dates import Date, find_dates, parse_moment
from prime.core.folding import fold, is_paired
from prime.core.words import piece_words, split, terms
from prime.store.message import Kind

MAX_TERMS = 64
MAX_QUERY = 2000

_KINDS: frozenset[str] = frozenset(get_args(Kind))
_PART = re.compile(
    r"""(?P<not>(?<!\S)-)?(?:(?P<field>(?<!\w)(?:from|in|before|after|kind)):(?:"(?P<quoted>[^"]*)"|(?P<value>[^\s"]+))"""
    r"""|"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))""",
    re.IGNORECASE,
)
_SIGNS = re.compile('[":-]')
# Quotes as phones, books and other languages write them.
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂「」『』〝〞", '"'))
_WHEN = re.compile(r"\s*(?:when\b|how long\b|(?:in |on )?(?:what|which) (?:year|month|week|date|day)\b)", re.IGNORECASE)
# What people call a file when they have forgotten its name.
_FILE = re.compile(
    r"\b(?:attachments?|brochures?|charts?|csv|decks?|diagrams?|documents?|excel|files?|images?|invoices?|pdfs?|photos?|pictures?|presentations?"
    r"|receipts?|scans?|screenshots?|sheets?|slides?|spreadsheets?|word doc|xlsx)\b"
    r"|附件|文件|文档|文稿|幻灯片|演示|图片|照片|截图|表格|图表|扫描|发票|收据|檔案|簡報|圖片|試算表",
    re.IGNORECASE,
)
# One of these is among the words of a search in which the pattern matches. The pattern takes as long as all else.
_FILE_WORDS = frozenset(
    [
        "attachment", "attachments", "brochure", "brochures", "chart", "charts", "csv", "deck", "decks", "diagram", "diagrams",
        "doc", "document", "documents", "excel", "file", "files", "image", "images", "invoice", "invoices", "pdf", "pdfs",
        "photo", "photos", "picture", "pictures", "presentation", "presentations", "receipt", "receipts", "scan", "scans",
        "screenshot", "screenshots", "sheet", "sheets", "slide", "slides", "spreadsheet", "spreadsheets", "xlsx",
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filters:
    """What a message must be, or (in `Query.excluded`) must not be."""

    speakers: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    kinds: frozenset[str] = frozenset()
    phrases: tuple[tuple[str, ...], ...] = ()
    stems: frozenset[str] = frozenset()


NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A search: words of which any may occur, the more the better, and conditions that must hold."""

    # As they were typed, without what is a filter or not wanted.
    words: str = field(default="", compare=False)
    # As they are indexed, in the order they were typed.
    terms: tuple[str, ...] = ()
    # Beginnings of words: the one still being typed, and single characters, of which pairs are indexed.
    prefixes: tuple[str, ...] = ()
    # Those of them that stand in quotes: a message must hold them all.
    quoted: frozenset[str] = frozenset()
    # Words too common to be indexed, and pictures, which are no words, when there is nothing else to search by.
    common: frozenset[str] = frozenset()
    pictures: frozenset[str] = frozenset()
    dates: tuple[Date, ...] = ()
    asks_when: bool = False
    # It names a kind of file: a deck, a spreadsheet.
    asks_file: bool = False
    # Words without any "the" or "did" between them: all of them are meant.
    is_list: bool = False
    required: Filters = NO_FILTERS
    excluded: Filters = NO_FILTERS
    after: int | None = None
    before: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether any message may be an answer that holds one of the words."""
        return self.required is self.excluded is NO_FILTERS and self.after is None and self.before is None

    @property
    def is_empty(self) -> bool:
        return not self.terms and self == Query(
            is_list=self.is_list, asks_when=self.asks_when, asks_file=self.asks_file
        )


class _Draft:
    __slots__ = ("after", "before", "channels", "kinds", "phrases", "speakers", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.speakers: list[str] = []
        self.channels: list[str] = []
        self.kinds: list[str] = []
        self.phrases: list[tuple[str, ...]] = []
        self.after: int | None = None
        self.before: int | None = None

    def filters(self) -> Filters:
        if not (self.speakers or self.channels or self.kinds or self.phrases):
            return NO_FILTERS
        return Filters(tuple(self.speakers), tuple(self.channels), frozenset(self.kinds), tuple(self.phrases))

    def filters_and_words(self) -> Filters:
        return replace(self.filters(), stems=frozenset(stem(word) for word in terms(" ".join(self.words), stem=False)))


def parse_query(text: str) -> Query:
    """Understand a search as typed; what is longer than anyone types is cut."""
    text = text[:MAX_QUERY]
    if not text.isascii():
        text = text.translate(_QUOTES)
    if not _SIGNS.search(text):  # most searches have nothing but words
        return _understood(text, text.split())
    wanted, unwanted = _Draft(), _Draft()
    is_question = text.rstrip().endswith(("?", "？"))
    for part in _PART.finditer(text):
        if is_question and part["phrase"] and not part["not"]:
            # A title in a question: the answer need not repeat it.
            wanted.words.append(part["phrase"])
        else:
            _take(part, unwanted if part["not"] else wanted)
    query = _understood(text, wanted.words, wanted.phrases)
    return replace(
        query,
        required=wanted.filters(),
        excluded=unwanted.filters_and_words() if unwanted.words else unwanted.filters(),
        after=_latest(wanted.after, unwanted.before),
        before=_earliest(wanted.before, unwanted.after),
    )


def _understood(text: str, wanted: list[str], phrases: Sequence[tuple[str, ...]] = ()) -> Query:
    """The words and phrases that were typed, without any filter."""
    words = " ".join(wanted)
    dates = find_dates(words)
    typed, meant = _typed_and_meant(words)
    searched = _searched(meant, phrases)
    plain = [word for word in typed if is_plain(word)]
    return Query(
        words=" ".join([words, *map(" ".join, phrases)]).strip(),
        terms=searched,
        quoted=frozenset(_searched([], phrases)) if phrases else frozenset(),
        prefixes=_prefixes(text, wanted, typed),
        common=frozenset(typed) if not searched else frozenset(),
        pictures=frozenset(c for c in words if category(c) == "So") if not typed else frozenset(),
        dates=tuple(dates),
        asks_when=bool(_WHEN.match(words)),
        asks_file=not (words.isascii() and _FILE_WORDS.isdisjoint(plain)) and bool(_FILE.search(words)),
        is_list=len(plain) == len(typed),
    )


def _take(part: re.Match[str], draft: _Draft) -> None:
    if part["phrase"] is not None:
        phrase = tuple(unit.text for unit in units(part["phrase"]))
        if phrase:
            draft.phrases.append(phrase)
    elif part["word"] is not None:
        draft.words.append(part["word"])
    elif not _take_filter(part["field"].lower(), part["quoted"] or part["value"] or "", draft):
        draft.words.append(f"{part['field']} {part['quoted'] or part['value'] or ''}")


def _take_filter(name: str, value: str, draft: _Draft) -> bool:
    """Note the condition; False when its value makes no sense."""
    value = value.strip()
    if name in {"before", "after"}:
        moment = parse_moment(value)
        if moment is None:
            return False
        if name == "before":
            draft.before = _earliest(draft.before, moment)
        else:
            draft.after = _latest(draft.after, moment)
        return True
    if name == "kind":
        kind = "decision" if value.lower() == "feed" else value.lower()
        draft.kinds += [kind] if kind in _KINDS else []
        return kind in _KINDS
    value = value.removeprefix("@" if name == "from" else "#")
    (draft.speakers if name == "from" else draft.channels).append(fold(value))
    return bool(value)


def _typed_and_meant(words: str) -> tuple[list[str], list[str]]:
    """The words one by one, and those to search by, none of them stemmed."""
    if not words.isascii():
        return [unit.text for unit in units(words)], terms(words, stem=False)
    found = [(word, kind) for piece in split(words) for word, _, _, kind in piece_words(piece)]
    typed = [word for word, kind in found if kind != "whole"]
    return typed, [word for word, kind in found if kind != "word" or is_plain(word)]


def _searched(meant: list[str], phrases: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What is looked up, each once: the words, and those of the phrases."""
    if not phrases:
        return tuple(dict.fromkeys(map(stem, meant)))[:MAX_TERMS]
    quoted = (word for phrase in phrases for word in terms(" ".join(phrase), stem=False))
    # Characters of a phrase were taken apart; put together again they are pairs.
    pairs = (pair for phrase in phrases for pair in terms("".join(w for w in phrase if is_paired(w)), stem=False))
    found = map(stem, (*meant, *(w for w in quoted if not is_paired(w)), *pairs))
    return tuple(dict.fromkeys(found))[:MAX_TERMS]


def _prefixes(text: str, words: list[str], typed: list[str]) -> tuple[str, ...]:
    found = [] if text.isascii() else [one for one in _alone(units(" ".join(words))) if is_paired(one)]
    bare = text.rstrip("*")
    # The last word may still be being typed, unless something stands behind it.
    if typed and words and bare.endswith(words[-1].rstrip("*")) and bare[-1:].isalnum():
        last = typed[-1]
        # One letter behind other words is a word ("vitamin c"), unless the star says that it is not.
        begins = len(last) > 1 or len(typed) == 1 or bare != text
        found += [last] if begins and not is_paired(last) else []
    return tuple(dict.fromkeys(found))


def _alone(typed: list[Unit]) -> Iterator[str]:
    """The units that touch none of their neighbours."""
    for at, unit in enumerate(typed):
        before = at > 0 and typed[at - 1].end >= unit.start
        after = at + 1 < len(typed) and typed[at + 1].start <= unit.end
        if not before and not after:
            yield unit.text


def _latest(one: int | None, other: int | None) -> int | None:
    return max((m for m in (one, other) if m is not None), default=None)


def _earliest(one: int | None, other: int | None) -> int | None:
    return min((m for m in (one, other) if m is not None), default=None)


def holds_phrase(said: list[str], phrase: tuple[str, ...]) -> bool:
    """Whether the words of a phrase stand one after the other."""
    return any(tuple(said[at : at + len(phrase)]) == phrase for at in _starts(said, phrase[0]))


def _starts(said: list[str], first: str) -> Iterator[int]:
    return (at for at, word in enumerate(said) if word == first)
