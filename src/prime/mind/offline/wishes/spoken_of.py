"""Which of the owner's projects a later message is about: the one whose words it shares, else the one spoken of last."""

import re
from collections.abc import Sequence

from prime.core.words import terms
from prime.mind.jobs.planning import OpenChannel, OpenProject, PlanRequest
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.words.language import language_of
from prime.mind.offline.words.phrases import phrases

# What every project has, and what says only when, how many or that something is wanted.
_OF_ANY = phrases("spoken_of_any")
_OF_ANY_ZH = phrases("spoken_of_any_zh")
_CLOCK = re.compile(
    r"\b(?:at|by|from|until|till|before|after)\s+\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|o['’]clock)?(?!\w|[.,]?\d)"
)
_NAMED = 2  # a word of the thing itself counts as two of the rest


def projects_of(request: PlanRequest) -> Sequence[OpenProject]:
    """Those that have open channels; a caller that knows of rooms and of no projects has but one."""
    if request.projects:
        there = {channel.project for channel in request.channels}
        return [project for project in request.projects if project.id in there]
    return [OpenProject(id="", title="", aims=request.aims)] if request.channels else []


def spoken_of(text: str, request: PlanRequest) -> OpenProject | None:
    """None where nothing is under way."""
    there = projects_of(request)
    # Among equals the one spoken of last, which stands at the end.
    return max(reversed(there), key=lambda project: _shared(text, project, request), default=None)


def is_about(text: str, project: OpenProject, request: PlanRequest) -> bool:
    """Whether it has a word of the project's own, or of its rooms."""
    return _shared(text, project, request) > 0


def rooms_of(project: OpenProject, request: PlanRequest) -> list[OpenChannel]:
    return [channel for channel in request.channels if not request.projects or channel.project == project.id]


def own_words(text: str) -> set[str]:
    """The content words of a text: what it says beside sums, days, numbers, and that something is wanted."""
    for found in (*amounts(text), *dates(text)):
        text = text.replace(found.text, " ¤ ")
    if language_of(text) == "zh":
        return {word for piece in _OF_ANY_ZH.split(text) for word in terms(piece)} - {"¤"}
    plain = _OF_ANY.sub(" ", _CLOCK.sub(" ", text))
    return {word for word in terms(plain) if not word.isdigit() and len(word) > 1}


def words_of(project: OpenProject) -> set[str]:
    """The words of what it is about, and of the wish that it was made of."""
    return own_words(f"{project.aims.get('thing', '')}. {project.title}. {project.wish}")


def _shared(text: str, project: OpenProject, request: PlanRequest) -> int:
    said = own_words(text)
    thing = own_words(f"{project.aims.get('thing', '')}. {project.title}")
    rooms = own_words(". ".join(channel.name for channel in rooms_of(project, request)))
    return _NAMED * len(said & thing) + len(said & (words_of(project) | rooms) - thing)
