"""What a message wants, by what is under way: a project of its own, more of one, or only words about it."""

import re

from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import PlanRequest
from prime.mind.offline.facts.extracting import statements_in
from prime.mind.offline.figures.shifting import shift_in
from prime.mind.offline.heard.intents import Intent, asks_for_something, intent_of, is_kept
from prime.mind.offline.library.archetypes import GENERAL, Library
from prime.mind.offline.rooms.kinds import UNDERTAKES, best_archetype, is_somebody
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.talk.answers import heard_by_prime
from prime.mind.offline.things.things import with_article
from prime.mind.offline.wishes.closing import ends_all
from prime.mind.offline.wishes.openings import MAY_OPEN, first_intent, tells_a_price
from prime.mind.offline.wishes.parts import clauses_of, phrases_of_change
from prime.mind.offline.wishes.spoken_of import is_about, own_words, projects_of
from prime.mind.offline.words.language import Language
from prime.mind.offline.words.phrases import phrases
from prime.mind.offline.words.telling import only_tells

_IMPERATIVE = phrases("intents_imperative")
_REQUEST = phrases("intents_request")
_WISH_ZH = phrases("later_wish_zh")
_CHANGE = phrases("intents_change")
_OWN = {"budget", "date", "count", "place"}
# “We want to organise a second one”: something that is not there yet.
_ANOTHER = re.compile(r"\b(?:an?|another|some|one more|new)\s+\w|[一另]个|[一另]场|[一另]次|再", re.IGNORECASE)


def what_is_meant(wish: str, request: PlanRequest, library: Library, language: Language) -> tuple[Intent, str]:
    """What is wanted, and the wish as it is then read."""
    intent = intent_of(wish, rooms=bool(request.channels))
    if not request.channels and intent in MAY_OPEN and not ends_all(wish) and not is_kept(wish):
        if intent == "statement" and is_somebody(wish):
            wish, intent = _sought(wish, language), "project"
        else:
            intent = first_intent(intent, wish, request.today, library)
    if intent in {"project", "extend"} and request.channels and shift_in(wish):
        intent = "statement"  # “postpone the party by a week” is about the one that is there
    if intent in {"project", "extend", "statement"} and request.channels:
        intent = _beside_what_is_there(intent, wish, request, library, language)
    if intent == "extend" and _stands_alone(wish, request.today, library):
        intent = "project"  # “also plan our Christmas party …” needs more than one more room
    if intent == "project" and heard_by_prime(wish).instructed and best_archetype(wish, library).name == GENERAL:
        intent = "about"  # no wish of an owner's: it is told what Prime does and tells whom
    return intent, wish


def _beside_what_is_there(
    intent: Intent, wish: str, request: PlanRequest, library: Library, language: Language
) -> Intent:
    """Whether a message begins something of its own, where something is under way already."""
    shared = any(is_about(wish, project, request) for project in projects_of(request))
    if intent == "statement":
        return "project" if not shared and _is_new(wish, request, library, language) else intent
    if not own_words(wish) or (
        intent == "project" and not asks_for_something(wish) and _only_tells(wish, request, library)
    ):
        return "statement"  # “we want to start at 6”: nothing of its own
    if intent == "extend":
        return "statement" if shared and _is_told_of_it(wish) else intent
    if language == "zh":
        commanded = bool(_IMPERATIVE.search(wish))
        if not commanded and (
            (shared and not _ANOTHER.search(wish)) or not (_WISH_ZH.search(wish) or _REQUEST.match(wish))
        ):
            return "statement"  # 房东要…、面试官需要…
        return intent
    if not shared:
        return intent
    told = _is_told_of_it(wish) or (phrases_of_change(wish) and not _ANOTHER.search(wish))
    wanted = _REQUEST.search(wish) and not _IMPERATIVE.search(wish)
    return "statement" if told or (wanted and not (UNDERTAKES.search(wish) and _ANOTHER.search(wish))) else intent


_TOLD_OF_IT = re.compile(
    r"^\W*(?:the|our|my|his|her|their)\s+[^,.;]{2,60}?\s(?:needs?|wants?|has|have|is|are|must|should|can|may)\b",
    re.IGNORECASE,
)


def _is_told_of_it(wish: str) -> bool:
    """“The canteen needs a new dishwasher too.”"""
    return bool(_TOLD_OF_IT.match(wish))


def _is_new(wish: str, request: PlanRequest, library: Library, language: Language) -> bool:
    """Whether what is put neither as a wish nor as a command is one: by a clause of it, or as a heading of several figures."""
    if _CHANGE.search(wish) or not own_words(wish):
        return False
    wanted = _WISH_ZH.search(wish) if language == "zh" else any(_IMPERATIVE.match(c) for c in clauses_of(wish)[1:])
    known = best_archetype(wish, library).name != GENERAL
    found = slots_in(wish, request.today)
    if wanted and (known or found.get("thing")):
        return True
    return (
        known
        and not only_tells(wish)
        and len(found.keys() & _OWN) >= 2
        and len(wish.split(",")) + len(wish.split("，")) > 3
    )


def _stands_alone(wish: str, today: str, library: Library) -> bool:
    """Whether more is asked for than a room beside the others: another project, with figures of its own."""
    own = slots_in(wish, today).keys() & _OWN
    return bool(UNDERTAKES.search(wish)) and len(own) >= 2 and best_archetype(wish, library).name != GENERAL


def _sought(name: str, language: Language) -> str:
    """Whoever is only named is to be found."""
    return f"找{name}" if language == "zh" else f"find {with_article(name)}"


def _only_tells(wish: str, request: PlanRequest, library: Library) -> bool:
    """“In March the price was 38 EUR”, “the contract ends in May”: something to know, and nothing to get done."""
    if tells_a_price(wish, request.today):
        return True
    told = statements_in([Line(message_id="", speaker="Owner", text=wish)], request.today)
    return (
        bool(told) and "budget" not in slots_in(wish, request.today) and best_archetype(wish, library).name == GENERAL
    )
