"""One message that asks for several changes of the war room: “drop the press and add a photographer”."""

import re
from dataclasses import dataclass

from prime.mind.offline.figures.shifting import shift_in
from prime.mind.offline.heard.intents import intent_of
from prime.mind.offline.rooms.kinds import UNDERTAKES
from prime.mind.offline.rooms.requested import SOMEBODY, SOMEBODY_ZH
from prime.mind.offline.things.things import without_article
from prime.mind.offline.words.phrases import phrases

_LONGEST = 400
_CLAUSES = re.compile(
    r"\s*[;；。]\s*|\s*[.!]\s+|\s*[,，]\s*(?:(?:and|but|then)\s+)?|\s+(?:and|but|then)\s+(?:then\s+)?"
    r"|(?:、|和|以及)(?=一[个位家名])",
    re.IGNORECASE,
)
_MORE, _CHANGE = phrases("planner_more"), phrases("intents_change")
_INSTEAD = re.compile(r"\s*\b(?:instead|rather|now)\b", re.IGNORECASE)
_AROUND = re.compile(r"\b(?:instead|rather|now|open|bring in)\b", re.IGNORECASE)
_AROUND_ZH = re.compile(r"^(?:另外|还|也|再|改|请)*(?:需要|要|加上?|找|请|来)?(?:一?[个位家名])?")


@dataclass(frozen=True, slots=True)
class Rearranged:
    """What is ended, who is asked for besides, and what else is wanted."""

    closing: tuple[str, ...]
    opening: tuple[str, ...]
    rest: str = ""


def rearranged(wish: str) -> Rearranged | None:
    """None where it is only one of these, or where a part of it could mean something else."""
    if len(wish) > _LONGEST:
        return None
    closing: list[str] = []
    opening: list[str] = []
    clauses = [each.strip(" .!。！") for each in _CLAUSES.split(wish)]
    for at, clause in enumerate(clauses):
        verb, name = intent_of(_INSTEAD.sub("", clause), rooms=True), _somebody(clause)
        if verb == "close":
            closing.append(clause)
        elif name and (verb in {"extend", "project"} or (opening and clauses[at - 1] not in closing)):
            opening.append(name)
        elif name and closing:
            closing.append(clause)  # “stop the press and the agency”
        elif closing and not opening and _is_another_matter(rest := wish[wish.index(clause) :]):
            return Rearranged(tuple(closing), (), rest)
        else:
            return None
    several = bool(closing and opening) or len(opening) > 1
    return Rearranged(tuple(closing), tuple(opening)) if several else None


def _somebody(clause: str) -> str:
    """Who is asked for, if a clause does nothing else."""
    chinese = _AROUND_ZH.sub("", clause)
    if SOMEBODY_ZH.match(chinese):
        return chinese
    left = without_article(re.sub(r"\s+", " ", _MORE.sub(" ", _AROUND.sub(" ", clause))).strip())
    return left if SOMEBODY.match(left) else ""


def _is_another_matter(rest: str) -> bool:
    """A project of its own, or a change of what is wanted; and no reason for what was ended."""
    return bool(UNDERTAKES.match(rest) or shift_in(rest) or _CHANGE.search(rest))
