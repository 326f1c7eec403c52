"""Whether a reply is of a class that the owner has approved before.

Conservative on purpose: at least two specific words must be shared, and they must be at least half of what the
candidate says. Stop words, courtesies, dates, numbers and names are never specific: they are shared by replies that
have nothing to do with each other.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from prime.core.function_words import FUNCTION_WORDS
from prime.core.words import Token, is_stop_word, stem_word, terms, tokens

_LEAST_SHARED = 2

_COURTESIES = """
hi hello hey dear thanks thank thx regards best kind kindly cheers sincerely greetings welcome please sorry yes yeah
nope ok okay sure fine great good nice well got get let know also still really soon now today tomorrow tonight
yesterday morning afternoon evening day week month year am pm oclock mr mrs ms dr sir madam see
monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
谢谢 你好 您好 我们 你们 他们 可以 好的 没有 不是 什么 这个 那个 今天 明天 昨天 现在 请问 不好 好意 意思 再见 没问 问题
"""
_COMMON = frozenset(_COURTESIES.split())
_HIRAGANA = re.compile("[\u3041-\u309fー]+")
_OPENERS = frozenset(" \t\r\"'“”‘’«»()[]{}*_#>-–—•¿¡`~")
_ENDS = frozenset(".!?…:。！？：\n\u2028\u2029")


@dataclass(frozen=True)
class Match:
    """Why a candidate counts as approved: the words it shares, and the part of it that they are."""

    shared: frozenset[str]
    cover: float


@dataclass(frozen=True)
class Profile:
    """What a text is about: `specific` words, and `loose` ones that only look like names or endings.

    `doubtful` are those specific words that stand only at the beginning of sentences, in capitals: they may be names.
    """

    specific: frozenset[str]
    loose: frozenset[str]
    doubtful: frozenset[str]


def profile(text: str, *, names: Iterable[str] = ()) -> Profile:
    """The words of `text` by how much they say; `names` (of the people in the conversation) say nothing."""
    known = frozenset(word for name in names for word in terms(name, stop=True))
    places: dict[str, set[str]] = {}
    for token in tokens(text):
        word = stem_word(token.text)
        if token.kind in ("word", "pair") and word not in known and not _is_common(token.text):
            places.setdefault(word, set()).add(_place(text, token))
    # A word that is written small anywhere is no name.
    doubtful = frozenset(w for w, seen in places.items() if seen == {"first"})
    specific = doubtful | {w for w, seen in places.items() if "plain" in seen}
    return Profile(specific, frozenset(places) - specific, doubtful)


def match(candidate: str, taught: str, *, names: Iterable[str] = ()) -> Match | None:
    """The match of a candidate with an approved text, or None."""
    people = tuple(names)
    return match_profiles(profile(candidate, names=people), profile(taught, names=people))


def match_profiles(candidate: Profile, taught: Profile) -> Match | None:
    """The rule itself, for callers that keep profiles."""
    shared = candidate.specific & taught.specific
    # What the candidate adds counts against it in any dress: capitals must not hide words from the count.
    said = candidate.specific | (candidate.loose - taught.loose - taught.specific)
    certain = shared - (candidate.doubtful & taught.doubtful)
    if len(shared) < _LEAST_SHARED or not certain or 2 * len(shared) < len(said):
        return None
    return Match(shared, len(shared) / len(said))


def _is_common(word: str) -> bool:
    return is_stop_word(word) or word in _COMMON or word in FUNCTION_WORDS


def _place(text: str, token: Token) -> str:
    """`plain`, `first` (a capital that begins a sentence), `name` (a capital inside one) or `ending`."""
    word = token.text
    if token.kind == "pair":
        return "ending" if _HIRAGANA.fullmatch(word) else "plain"
    if len(word) < 2 or any(c.isdigit() for c in word):
        return "ending"
    if not text[token.start].isupper():
        return "plain"
    return "first" if _begins_sentence(text, token.start) else "name"


def _begins_sentence(text: str, at: int) -> bool:
    while at > 0 and text[at - 1] in _OPENERS:
        at -= 1
    return at == 0 or text[at - 1] in _ENDS
