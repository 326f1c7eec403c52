"""Which kind of project a wish is: by its words, those for what is wanted before those for what it is wanted for."""

import math
import re

from prime.mind.offline.library.archetypes import GENERAL, Archetype, Library, Role
from prime.mind.offline.rooms.asking import Asking, asked_for
from prime.mind.offline.rooms.calling import as_meant
from prime.mind.offline.rooms.evidence import is_of
from prime.mind.offline.rooms.requested import SOMEBODY, SOMEBODY_ZH
from prime.mind.offline.slots.needs import needs_in
from prime.mind.offline.things.things import first_words, without_article
from prime.mind.offline.things.undertakings import without_who_wants
from prime.mind.offline.words.language import Language, is_written, language_of, sentences

# By how much a kind must be more like a wish than the general one is, and than any other kind.
_BEFORE_GENERAL, _BEFORE_OTHERS = 1.2, 0.6
# By how much more so where nothing of the kind is asked for: “before the wedding” is no wedding.
_WITHOUT_EVIDENCE = 3.0
# A word of an archetype that was written speaks for it beside its examples; where there are none, it speaks alone.
_WORD, _WORD_ALONE = 0.07, 1.0
_LOUDEST = 20.0


def best_archetype(wish: str, library: Library) -> Archetype:
    """The one whose examples the wish is most like; the general one where it is not much like any, or as much like several."""
    if is_somebody(_FIND.sub("", wish)):
        return library.archetypes[GENERAL]  # “wedding photographer” is somebody to be found, and no wedding
    best, before_general, before_others = _nearest(wish, library)
    clear = before_general >= _BEFORE_GENERAL and before_others >= _BEFORE_OTHERS
    return library.archetypes[best if clear else GENERAL]


def clearness(wish: str, library: Library) -> float:
    """By how much the kind that a wish is most like is before the general one."""
    return _nearest(wish, library)[1]


def says_anything(wish: str, library: Library) -> bool:
    """Whether it has a word that any example has."""
    scores = scored(wish, library).values()
    return min(scores) != max(scores)


def _nearest(wish: str, library: Library) -> tuple[str, float, float]:
    """The kind that a wish is most like, and by how much it is before the general one and before the next one."""
    matter = ""
    if (needs := needs_in(wish)) and needs.matter:
        wish, matter = needs.rest, needs.matter  # what is needed for it is not what it is
    wanted = without_who_wants(wish)
    scores = scored(wanted, library)
    general = scores.pop(GENERAL)
    if language_of(wish) == "en":
        asked = (*asked_for(as_meant(wanted, "en")), *(asked_for(matter) if matter else ()))
        scores = {
            name: score - _WITHOUT_EVIDENCE * _lacks_evidence(library.archetypes[name], asked)
            for name, score in scores.items()
            if not is_of(library.archetypes[name].against, asked)
        }
    if not scores:
        return GENERAL, 0.0, 0.0
    best, *others = sorted(scores, key=scores.__getitem__, reverse=True)
    return best, scores[best] - general, min((scores[best] - scores[other] for other in others[:1]), default=math.inf)


def _lacks_evidence(archetype: Archetype, asked: tuple[Asking, ...]) -> bool:
    """Whether nothing that is asked for is of that kind, where a kind says what is."""
    return bool(archetype.evidence) and not is_of(archetype.evidence, asked)


def scored(wish: str, library: Library) -> dict[str, float]:
    """How much a wish speaks for each archetype."""
    language, text = language_of(wish), wish[:_READ].casefold()
    like = library.likeness(language).scores(wish)
    if _MIXED.search(text):
        beside = library.likeness("en" if language == "zh" else "zh").scores(wish)
        like = {name: score + beside[name] for name, score in like.items()}
    first = next(iter(sentences(text)), "")
    return {
        a.name: like[a.name]
        + (_WORD if a.written_in(language) else _WORD_ALONE) * min(_by_words(a, text) + _by_words(a, first), _LOUDEST)
        for a in library.archetypes.values()
    }


def _by_words(archetype: Archetype, text: str) -> float:
    english = sum(w for word, w in archetype.words.en.items() if is_written(word, text))
    return english if text.isascii() else english + sum(w for word, w in archetype.words.zh.items() if word in text)


_READ = 2_000
# Words of the other language within: “I want to 学中文”, “帮我 book 一个 trip”.
_MIXED = re.compile("[a-z]{3}.*[\u4e00-\u9fff]|[\u4e00-\u9fff].*[a-z]{3}", re.DOTALL)
UNDERTAKES = re.compile(
    r"\b(?:plan|organi[sz]e|launch|open|build|host|throw|celebrate|start|move|hire|raise|defend)\b|策划|组织|筹备|举办|发布|招聘|搬",
    re.IGNORECASE,
)


def is_somebody(text: str) -> bool:
    """Whether a text only names whom one wants to talk to: “wedding photographer”, “婚礼摄影师”."""
    name = text.strip(" .!。！")
    return bool(
        SOMEBODY_ZH.match(name) if language_of(name) == "zh" else len(name.split()) < 4 and SOMEBODY.match(name)
    )


_FIND = re.compile(r"^(?:find|need|looking for|i need|we need)\s+(?:an?\s+)?|^找一?[位个家名]?", re.IGNORECASE)


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


# What is done about a thing. Where the archetype says so itself, the thing alone is what it is about: nobody plans the launch of
# the launch of a lamp.
_DONE = (
    "(?:re)?launch|opening|search|release|introduction|sale|funding(?: round)?|development|redesign|translation|repair|purchase"
    "|changeover"
)
_DONE_OF = re.compile(rf"(?P<kind>(?:[\w-]+ ){{0,3}}?)(?:{_DONE})(?: (?:of|for|on) (?P<what>.+))?", re.IGNORECASE)
_DONE_FOR = re.compile(
    rf"\b(?:{_DONE}) (?:of|for) (?P<what>(?:(?!\b(?:on|in|at|by|with|for|before)\b)[^,.;!?]){{2,60}})", re.IGNORECASE
)
_DONE_ZH = re.compile(r"\{thing\}的?(\w+)")
# Who asks leave for a loft conversion wants the loft; the changeover of switching is the changeover.
_TO_BE_ALLOWED = re.compile(
    r"^(?:planning |building )?(?:permission|permit|consent|approval) for (?:an? |the )?", re.IGNORECASE
)
_SWITCHING = re.compile(r"^(?:switching|converting|migrating|moving|changing|transforming) (?:the )?", re.IGNORECASE)
_PLAIN = frozenset({"the", "our", "product", "soft", "big", "official", "grand", "new", "first", "public"})
_PLAIN_ZH = frozenset({"", "产品", "新品", "新产品"})


def beneath(archetype: Archetype, thing: str, wish: str) -> str:
    """What a “product launch of the lamp” is the launch of; "" if nobody wrote it."""
    if done := _DONE_ZH.fullmatch(archetype.project.zh or ""):
        what = thing.removesuffix(done[1]).removesuffix("的")
        thing = "" if what in _PLAIN_ZH else what
    thing = _TO_BE_ALLOWED.sub("", thing) if archetype.name == "home" else thing
    thing = _SWITCHING.sub("", thing) if archetype.name == "system_change" else thing
    said = _DONE_OF.fullmatch(thing)
    if said is None or archetype.project.en == "{thing}":
        return thing
    named = " ".join(word for word in said["kind"].split() if word.casefold() not in _PLAIN)
    behind = _DONE_FOR.search(wish)
    return without_article(said["what"] or named or (behind["what"].strip() if behind else ""))


def _heading(archetype: Archetype, wish: str, language: Language) -> str:
    if archetype.name == GENERAL or language == "en":
        heading = first_words(wish, language)
        if language == "en" and re.search(r"[\u4e00-\u9fff]|\d(?:st|nd|rd|th)$", heading):
            return ""  # half a sentence in another language is no name, and nor is “the 40th”
        known = archetype.name == GENERAL or any(is_written(w, heading.casefold()) for w in archetype.words.en)
        return heading if known else ""
    if archetype.title.en != "{thing}":
        return ""
    loud = [word for word, weight in archetype.words.zh.items() if weight >= 3 and word in wish]
    return max(loud, key=lambda word: archetype.words.zh[word], default="")
