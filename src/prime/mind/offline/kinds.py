"""Which kind of project a wish is: by its words, those for what is wanted before those for what it is wanted for."""

import re

from prime.mind.offline.amounts import EACH, amounts
from prime.mind.offline.archetypes import GENERAL, Archetype, Library, Role
from prime.mind.offline.intents import asks_for_something
from prime.mind.offline.language import Language, is_written, language_of, sentences
from prime.mind.offline.places import ROUTE
from prime.mind.offline.requested import SOMEBODY, SOMEBODY_ZH
from prime.mind.offline.telling import only_tells
from prime.mind.offline.things import MOVES, first_words

# “300 shirts for the conference” are about shirts, whatever they are for.
_PURPOSE = re.compile(
    r"\b(?:need|want|find|finding|buy|buying|get|getting|order|ordering|book|rent"
    r"|looking for|look for|search for|source|print|design|make)\s+"
    r"(?P<thing>[^,.;!?]{2,60}?)\s+(?P<purpose>for\s+(?:our|my|the|his|her|their|an?)\s+[^,.;!?]{2,80})",
    re.IGNORECASE,
)
# “A presentation on hiring” is written, and hires nobody.
_SUBJECT_OF = re.compile(
    r"\b(presentation|speech|talk|article|report|paper|essay|podcast|newsletter|blog|lecture|book)\s+(?:on|about)\s+[^,.;!?]{2,60}",
    re.IGNORECASE,
)
# “招5个销售” are people, whatever they will do.
_HIRES_ZH = re.compile(r"招聘?\s*[一两二三四五六七八九十几\d]*[个名位]")
_BY_THE_HEAD_ZH = 8.0
_BY_THE_ROUTE = 8.0
# “5 days in Iceland”; an event may last that long as well, and then it says so.
_DAYS_AWAY = re.compile(
    r"\b(?:\d+|two|three|four|five|ten|a|one)\s+(?:days?|weeks?|nights?|weekend)\s+(?:in|to|around|through)\s+[A-Z]"
    r"(?!\w*(?:uary|arch|pril|ay|une|uly|ugust|ember|tober)\b)"
)
# “A raise” is asked for, and no money of investors'.
_PAY_RISE = re.compile(r"\b(?:a|my|the|pay|salary) raise\b", re.IGNORECASE)
_LEAST = 1.5
# A price for each of many is a purchase.
_BY_THE_PIECE = 4.0


def best_archetype(wish: str, library: Library) -> Archetype:
    """The one whose words were written most, those of the first sentence loudest; the general one where none were."""
    if is_somebody(_FIND.sub("", wish)):
        return library.archetypes[GENERAL]  # “wedding photographer” is somebody to be found, and no wedding
    best = _of_what_is_asked(wish, library) or _loudest(wish, library)
    if best.name == "hiring" and _HOUSEHOLD.search(wish):
        return library.archetypes[GENERAL]  # nobody prepares a desk for a nanny
    apart = _PURPOSE.search(wish)
    if best.name == GENERAL or not apart or any(names_role(apart["thing"], role) for role in best.roles.values()):
        return best
    return _loudest(wish.replace(apart["purpose"], " "), library)


def _of_what_is_asked(wish: str, library: Library) -> Archetype | None:
    """Who first tells something and then asks for something is asking for that: “I run a bakery. …; we need an oven”."""
    told, *rest = re.split(r"[.;!?。；！？\n]\s*", wish, maxsplit=1)
    if not rest or not only_tells(told) or UNDERTAKES.search(told):
        return None
    if asks_for_something(told) or not asks_for_something(rest[0]):
        return None
    asked = _loudest(rest[0], library)
    return asked if asked.name != GENERAL else None


UNDERTAKES = re.compile(
    r"\b(?:plan|organi[sz]e|launch|open|build|host|throw|celebrate|start|move|hire|raise)\b|策划|组织|筹备|举办|发布|招聘|搬",
    re.IGNORECASE,
)
_HOUSEHOLD = re.compile(
    r"\b(?:nann(?:y|ies)|au pair|baby-?sitters?|cleaners?|cleaning lad(?:y|ies)|housekeepers?|gardeners?|dog walkers?|tutors?"
    r"|carers?)\b"
    r"|保姆|阿姨|月嫂|护工|家教|钟点工|育儿嫂",
    re.IGNORECASE,
)


def is_somebody(text: str) -> bool:
    """Whether a text only names whom one wants to talk to: “wedding photographer”, “婚礼摄影师”."""
    name = text.strip(" .!。！")
    return bool(
        SOMEBODY_ZH.match(name) if language_of(name) == "zh" else len(name.split()) < 4 and SOMEBODY.match(name)
    )


_FIND = re.compile(r"^(?:find|need|looking for|i need|we need)\s+(?:an?\s+)?|^找一?[位个家名]?", re.IGNORECASE)


def _loudest(wish: str, library: Library) -> Archetype:
    wish = _PAY_RISE.sub("pay rise", _SUBJECT_OF.sub(r"\1 about", wish))
    text, first = wish.casefold(), next(iter(sentences(wish)), "").casefold()
    scored = [(_score(a, text) + _score(a, first), a.name) for a in library.archetypes.values()]
    if any(EACH.match(wish[money.end :]) for money in amounts(wish)):
        scored = [(score + _BY_THE_PIECE * (name == "supplier_search"), name) for score, name in scored]
    if MOVES.search(wish) and ROUTE.search(wish):
        scored = [(score + _BY_THE_ROUTE * (name == "moving"), name) for score, name in scored]
    if _DAYS_AWAY.search(wish):
        scored = [(score + _BY_THE_ROUTE * (name == "travel"), name) for score, name in scored]
    if _HIRES_ZH.search(wish):
        scored = [(score + _BY_THE_HEAD_ZH * (name == "hiring"), name) for score, name in scored]
    best = max(scored, key=lambda each: each[0], default=(0.0, GENERAL))
    return library.archetypes[best[1] if best[0] >= _LEAST else GENERAL]


def _score(archetype: Archetype, text: str) -> float:
    return sum(w for word, w in archetype.words.en.items() if is_written(word, text)) + sum(
        weight for word, weight in archetype.words.zh.items() if word in text
    )


def names_role(wish: str, role: Role) -> bool:
    """Whether a role of an archetype is spoken of by its name."""
    text = wish.casefold()
    names = [role.channel.en, role.role.en, *role.when, *(t for t in (role.channel.zh, role.role.zh) if t)]
    return any(re.search(rf"\b{re.escape(n.casefold())}" if n.isascii() else re.escape(n), text) for n in names)


def named_by(archetype: Archetype, wish: str, language: Language) -> str:
    """What a wish is about that names no thing by its verb: the heading, where it has a word of the archetype's in it, or that
    word alone (“我们的婚礼” is a 婚礼), or what the archetype calls it."""
    ways = (called_by, _heading) if language == "zh" else (_heading, called_by)
    return next((name for way in ways if (name := way(archetype, wish, language))), "")


def called_by(archetype: Archetype, wish: str, language: Language) -> str:
    """What the archetype calls it by a word of the wish; "" where none was written."""
    text = wish.casefold()
    said = ((word, name) for word, name in archetype.called.items() if name.isascii() == (language == "en"))
    return next((name for word, name in said if (is_written(word, text) if word.isascii() else word in text)), "")


def _heading(archetype: Archetype, wish: str, language: Language) -> str:
    if archetype.name == GENERAL or language == "en":
        heading = first_words(wish, language)
        known = archetype.name == GENERAL or any(is_written(w, heading.casefold()) for w in archetype.words.en)
        return heading if known else ""
    if archetype.title.en != "{thing}":
        return ""
    loud = [word for word, weight in archetype.words.zh.items() if weight >= 3 and word in wish]
    return max(loud, key=lambda word: archetype.words.zh[word], default="")
