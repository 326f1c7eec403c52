"""Whether the words of an English wish are evidence enough to call somebody: by what they are in what is asked for.

A trade is called by name; by the head of what is asked for or what is done, where its part fits that; by several of its words
together; or by where it is to happen and whom it goes to. What is told, what it is for and by what means call nobody.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from prime.mind.offline.library.trades import PartName, Trade
from prime.mind.offline.rooms.asking import Asking
from prime.mind.offline.rooms.doings import verbs
from prime.mind.offline.rooms.placing import Place

# How loudly a word calls by what it is; several together, and a trade that is named, more loudly.
_NAMED, _TOGETHER, _HEAD, _VERB, _OF_IT, _MAY_HAVE_A_SAY = 4.0, 3.4, 3.0, 2.8, 2.2, 1.9
_WHERE: Mapping[Place, Mapping[PartName, float]] = {
    "describes": {"place": 2.2},
    "of": {"place": 2.2},
    "place": {"place": 2.9, "side": 1.9, "office": 2.0},
    "to": {"place": 2.9, "office": 2.6, "side": 2.4, "people": 2.2, "public": 2.2, "media": 2.2},
    "with": {"people": 2.2, "side": 2.4},
    "from": {"side": 2.4, "office": 2.2},
}
_TOGETHER_IN: frozenset[Place] = frozenset({"verb", "head", "describes", "of", "place", "to", "with", "from", "for"})
_ALL: frozenset[PartName] = frozenset(
    {"work", "goods", "place", "side", "office", "people", "public", "advice", "money", "media"}
)
# Whom the head of what is asked for does not call, by what is done to it.
_OUTSIDERS: frozenset[PartName] = frozenset({"people", "public", "money", "media"})
_GOODS: frozenset[PartName] = frozenset({"goods"})
_OFFICE: frozenset[PartName] = frozenset({"office"})
_NOT_FOR: Mapping[str, frozenset[PartName]] = {
    "buy": _ALL - {"goods", "side"},
    "sell": _ALL - {"side"},
    "mend": _OUTSIDERS | _GOODS | _OFFICE,
    "apply": _ALL - {"office", "advice"},
    "claim": _ALL - {"office", "advice", "side"},
    "learn": _ALL - {"work"},
    "know": _OUTSIDERS | _GOODS,
    "hold": frozenset({"office", "advice", "money", "side"}),
    "fund": _ALL - {"money", "public"},
    "carry": frozenset({"office", "advice", "money", "public", "media", "place"}),
    "care": frozenset({"office", "money", "public", "media", "goods"}),
    "trouble": _OUTSIDERS,
}
# What is asked for itself; and the words with which a kind says that a place will do.
_MEANT: frozenset[Place] = frozenset({"verb", "head", "of"})
_COUNTED = "#"
_SHORT = 4
_WHERE_WORDS = frozenset({"in", "on", "at", "into"})
# What happens somewhere and is no place itself.
_HAPPENINGS = frozenset(
    [
        "conference",
        "concert",
        "wedding",
        "party",
        "fair",
        "tournament",
        "performance",
        "celebration",
        "workshop",
        "exhibition",
        "course",
        "gathering",
        "reunion",
    ]
)
_DESCRIBING = 0.6
# Of these nobody is called by a thing that is made or wanted, but by more than that.
_SELDOM: frozenset[PartName] = frozenset({"money", "media"})
_OF_AN_OFFICE = frozenset({"apply", "claim", "trouble"})
# What is only had for a while is not sold.
_LENT = frozenset({"rent", "hire", "borrow", "lease", "lend"})
_NO_OFFICE = frozenset({"trouble", "mend", "care", "carry"})
# Where one only gets or gives something, nobody is called by where that is.
_NOWHERE = frozenset({"buy", "sell", "learn", "claim"})
# Whom what is done calls.
_DOERS: frozenset[PartName] = frozenset(
    {"work", "advice", "goods", "public", "side", "office", "media", "place", "people"}
)


def loudness(trade: Trade, together: Sequence[str], askings: Sequence[Asking]) -> float:
    """How loudly a call of a trade is heard in a wish; 0 where it is none."""
    if len(together) > 1:
        return max((_joined(together, asking) for asking in askings), default=0.0)
    return max((_single(together[0], trade, asking) for asking in askings), default=0.0)


def named(trade: Trade, askings: Sequence[Asking]) -> float:
    """Whether a trade is asked for by its name."""
    name = trade.name.en.casefold()
    # A “repair café” is no café, and a head teacher who looks away is not looked for.
    sought = [asking for asking in askings if trade.part != "place" and asking.seeks]
    return _NAMED if any("head" in _places(name, asking) for asking in sought) else 0.0


@lru_cache(512)
def is_of(calls: tuple[str, ...], askings: tuple[Asking, ...]) -> bool:
    """Whether one of such calls is what is done or what it is done to; one that begins with “in” says where."""
    return any(
        _is_asked([each.strip().casefold() for each in call.split("+")], asking) for call in calls for asking in askings
    )


def _is_asked(together: Sequence[str], asking: Asking) -> bool:
    if together == [_COUNTED]:
        return asking.is_counted
    if len(together) > 1:
        return bool(_joined(together, asking))
    where = _MEANT | {"place"} if together[0].partition(" ")[0] in _WHERE_WORDS else _MEANT
    return not where.isdisjoint(_places(together[0], asking))


def _joined(together: Sequence[str], asking: Asking) -> float:
    """All of the words in one clause that asks, at least one being what is done or what it is done to."""
    places = [_places(word, asking) & _TOGETHER_IN for word in together]
    if not all(places) or not any(each & {"head", "verb", "of"} for each in places):
        return 0.0
    return _TOGETHER


def _single(word: str, trade: Trade, asking: Asking) -> float:
    places = _places(word, asking)
    return max((_heard(word, place, trade, asking) for place in places), default=0.0)


def _heard(word: str, place: Place, trade: Trade, asking: Asking) -> float:
    part = trade.part
    several = " " in word or "-" in word
    if place in {"head", "describes"} and (_is_there_already(word, part, asking) or not _does(trade, asking)):
        return 0.0
    if place == "of" and part == "work":
        return _OF_IT * ("mend" in asking.doing)  # who mends the strings of a harp makes harps
    if place == "verb":
        # “Fix that” says of nothing who does it.
        return _VERB if part in _DOERS and (asking.has_object or not trade.plain) else 0.0
    if place == "head" or (place == "describes" and several):
        # That it may have to be allowed is less than that it is to be done.
        has_a_say = part == "office" and asking.doing.isdisjoint(_OF_AN_OFFICE)
        loud = _MAY_HAVE_A_SAY if has_a_say else _TOGETHER if several else _HEAD
        return 0.0 if _unfit(part, asking) else loud - (place == "describes") * _DESCRIBING
    return _heard_where(word, place, part, asking)


def _heard_where(word: str, place: Place, part: PartName, asking: Asking) -> float:
    """Who is called by where it is, and by whom it goes to or has to do with."""
    # Where something happened or is mended makes it no matter of that office; and “at our conference” is no place.
    no_matter = place == "place" and part == "office" and not _NO_OFFICE.isdisjoint(asking.doing)
    if no_matter or (part == "place" and place in {"place", "describes"} and word in _HAPPENINGS):
        return 0.0
    if place not in {"to", "with", "from"} and not _NOWHERE.isdisjoint(asking.doing):
        return 0.0
    return _WHERE.get(place, {}).get(part, 0.0)


def _does(trade: Trade, asking: Asking) -> bool:
    """Who mends clocks is not called by a clock that somebody wants, nor who sells them by one that is to be mended."""
    if trade.only is None:
        return True
    got = asking.seeks or not asking.verb or "buy" in asking.doing
    if trade.only == "selling":
        mended = "mend" in asking.doing and "buy" not in asking.doing
        return got and not mended and asking.verb not in _LENT
    return not {"mend", "trouble"}.isdisjoint(asking.doing) or not (got or asking.doing)


def _is_there_already(word: str, part: PartName, asking: Asking) -> bool:
    """What is the owner's own is not bought, and nobody else makes what they exhibit."""
    own = any(forms(word).search(each) for each in asking.owned)
    return own and ((part == "goods" and "buy" not in asking.doing) or (part != "place" and "hold" in asking.doing))


def _unfit(part: PartName, asking: Asking) -> bool:
    refused = [_NOT_FOR[doing] for doing in asking.doing if doing in _NOT_FOR]
    if not refused:
        return part in _SELDOM
    # Of two that are done, either may call: “renew the licence” and “renew the roof”.
    return all(part in each for each in refused)


def _places(word: str, asking: Asking) -> set[Place]:
    text = asking.text
    # Most words are in no text at all, which is seen at once.
    first = word.partition(" ")[0]
    if first[: max(2, len(first) - 1)] not in text:
        return set()
    return {asking.place_at(found.start(), found.end()) for found in forms(word).finditer(text)}


@cache
def forms(word: str) -> re.Pattern[str]:
    """A word in all its forms: “repair”, “repairs”, “repairing”; “carry”, “carried”; and what begins so, where a star says it."""
    if len(word) <= _SHORT and word.isalpha() and word not in verbs():
        return re.compile(rf"\b{word}(?:s|es)?(?:[’']s?)?\b")  # a mother is no moth, and a caterer no cat
    last, whole, but_one = word[-1], _spaced(word), _spaced(word[:-1])
    if last == "*":
        return re.compile(rf"\b{but_one}\w*")
    if word.endswith("ee"):
        return re.compile(rf"\b{whole}s?(?:[’']s?)?\b")  # who is being helped keeps no bees
    if last == "e":
        return re.compile(rf"\b{but_one}(?:e|es|ed|ing|er|ers)(?:[’']s?)?\b")
    if last == "y":
        return re.compile(rf"\b{but_one}(?:y|ys|ies|ied|ying|ier)(?:[’']s?)?\b")
    doubled = f"{re.escape(last)}?" if last.isalpha() else ""
    return re.compile(rf"\b{whole}(?:s|es|ed|ing|ings|{doubled}(?:ed|ing|er|ers))?(?:[’']s?)?\b")


def _spaced(words: str) -> str:
    """With whatever article or number stands between two of them."""
    return re.escape(words).replace(r"\ ", r"(?: (?:the|an?|my|our|his|her|their|\d+))? ")
