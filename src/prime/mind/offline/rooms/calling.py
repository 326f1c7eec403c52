"""Which trades a wish calls for, by its words: those of its object loudest, one for each thing that it says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prime.mind.offline.library.trades import PartName, Trade, parts
from prime.mind.offline.rooms.asking import Asking, asked_for
from prime.mind.offline.rooms.evidence import forms, loudness, named
from prime.mind.offline.rooms.kinds_han import asking_in
from prime.mind.offline.things.undertakings import without_who_wants
from prime.mind.offline.words.han import is_done_in, is_kind_of, stands_in
from prime.mind.offline.words.language import Language, sentences
from prime.mind.offline.words.phrases import phrases

MOST_CALLED = 3
# A fourth has a room where it is called for as loudly as this.
_CLEARLY = 3.4
# Of a word, of words that stand together; more where it is in what the wish is about, or is said first; less behind a “for”, and
# for those who do a bit of everything.
_ONE, _TOGETHER, _IN_THE_THING, _SAID_FIRST, _FOR_IT, _PLAIN = 2.0, 3.2, 1.0, 0.5, -0.6, -0.3
# What a second and third word add.
_MORE = 0.5
# In English a second and third word only tell two apart who are called alike.
_MORE_ASKED = 0.1
# It happens in one place.
_MOST_ASKED: Mapping[PartName, int] = {"place": 1}
# Whom a Chinese wish concerns may be told beside it (“居委会给场地”); who works for it or sells is asked for.
_CONCERNED = frozenset({"people", "side", "office"})
_NOT_MEANT = phrases("calling_not_meant")
_NOT_MEANT_ZH = phrases("calling_not_meant_zh")
_PURPOSE = phrases("calling_purpose")
_WHEN = phrases("calling_when")
_ORDER: tuple[PartName, ...] = (
    "work",
    "goods",
    "place",
    "side",
    "office",
    "people",
    "public",
    "advice",
    "money",
    "media",
)


@dataclass(frozen=True, slots=True)
class _Said:
    """A wish as it calls: all of it, its first sentence, what it is about, and all without what that is for."""

    text: str
    first: str
    thing: str
    itself: str


@dataclass(frozen=True, slots=True)
class _Wish:
    """A wish as it calls: in English by what is asked for in it, in Chinese by its words."""

    said: _Said
    asked: tuple[Asking, ...]


@dataclass(frozen=True, slots=True)
class Called:
    """A trade, the words that call for it, and how loudly."""

    key: str
    trade: Trade
    words: frozenset[str]
    loud: float


def called_for(wish: str, thing: str, language: Language, trades: Mapping[str, Trade]) -> list[Called]:
    """The few whom a wish calls for, the loudest first: each is called by a word that calls nobody else of the same part."""
    text = as_meant(wish, language)
    asking = asking_in(text) if language == "zh" else ""
    said = _Said(text, asking or next(iter(sentences(text)), ""), thing.casefold(), _PURPOSE.sub(" ", text))
    wish_as_said = _Wish(said, asked_for(text) if language == "en" else ())
    found = [called for key, trade in trades.items() if (called := _called(key, trade, wish_as_said))]
    if asking:
        found = [each for each in found if each.loud > _ONE or each.trade.part in _CONCERNED]
    # Somebody plain stands in where nobody knows better.
    known = {called.trade.part for called in found if not called.trade.plain}
    fitting = [called for called in found if not called.trade.plain or called.trade.part not in known]
    if language == "en":
        fitting = [each for each in fitting if not any(_says_more(other, each) for other in fitting)]
    fitting.sort(key=lambda each: (-each.loud, _ORDER.index(each.trade.part)))
    return _few(fitting, _MOST_ASKED if language == "en" else {})


def trade_named(name: str, trades: Mapping[str, Trade]) -> str | None:
    """The trade that is called just that, in whatever number."""
    said = name.casefold().strip()
    for key, trade in trades.items():
        own = (trade.name.zh or "") if not said.isascii() else trade.name.en.casefold()
        if own and (said == own or (said.isascii() and forms(own).fullmatch(said))):
            return key
    return None


def _says_more(other: Called, than: Called) -> bool:
    """A sign language interpreter is an interpreter; a school is no art school."""
    alike = other.trade.part == than.trade.part and bool(other.words & than.words)
    return alike and other.trade.name.en.endswith(f" {than.trade.name.en}")


def _few(fitting: Sequence[Called], most: Mapping[PartName, int]) -> list[Called]:
    chosen: list[Called] = []
    for called in fitting:
        alike = [each for each in chosen if each.trade.part == called.trade.part]
        known = {word for each in (chosen if called.trade.plain else alike) for word in each.words}
        # Whoever is only plain is called by no part of what another was called by: “repair” is in “repair café”.
        said = " ".join(known) if called.trade.plain else known
        new = [word for word in called.words if word not in said]
        if new and len(alike) < (most.get(called.trade.part) or parts()[called.trade.part].most):
            chosen.append(called)
    return [*chosen[:MOST_CALLED], *(each for each in chosen[MOST_CALLED:][:1] if each.loud >= _CLEARLY)]


def as_meant(wish: str, language: Language) -> str:
    """The wish without who wants it, whom it does without, and when it is to be: “we are a choir”, “no hotel”."""
    not_meant = _NOT_MEANT_ZH if language == "zh" else _NOT_MEANT
    return _WHEN.sub(" ", not_meant.sub(" ", without_who_wants(wish))).casefold()


def _called(key: str, trade: Trade, wish: _Wish) -> Called | None:
    loud: list[float] = []
    words: set[str] = set()
    for call in (*trade.calls.en, *trade.calls.zh) if not wish.asked else trade.calls.en:
        together = [each.strip().casefold() for each in call.split("+")]
        if heard := loudness(trade, together, wish.asked) if wish.asked else _loudness(together, wish.said):
            words |= set(together)
            loud.append(heard)
    if wish.asked and (by_name := named(trade, wish.asked)):
        loud.append(by_name)
        words.add(trade.name.en)
    if not loud:
        return None
    best, *rest = sorted(loud, reverse=True)
    return Called(
        key,
        trade,
        frozenset(words),
        best + (_MORE_ASKED if wish.asked else _MORE) * sum(rest[:2]) + trade.plain * _PLAIN,
    )


def _loudness(together: Sequence[str], said: _Said) -> float:
    if not all(_is_said(each, said.text) or (len(together) > 1 and _ends_in(each, said.text)) for each in together):
        return 0.0
    least = _ONE if len(together) == 1 else _TOGETHER
    in_thing = any(_is_said(each, said.thing) for each in together)
    first = any(_is_said(each, said.first) for each in together)
    beside = not in_thing and not any(_is_said(each, said.itself) for each in together)
    return least + in_thing * _IN_THE_THING + first * _SAID_FIRST + beside * _FOR_IT


def _ends_in(word: str, text: str) -> bool:
    """Beside another word a single sign is enough where it is what something is: 树 in 老槐树."""
    return len(word) == 1 and not word.isascii() and word in text and is_kind_of(word, text)


def _is_said(word: str, text: str) -> bool:
    if not word.isascii():
        return word in text and (stands_in(word, text) or (len(word) == 1 and is_done_in(word, text)))
    # Most words are in no text at all, which is seen at once.
    return word[: max(2, len(word) - 1)] in text and forms(word).search(text) is not None
