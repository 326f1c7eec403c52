"""What the owner tells about a project is passed on, in the owner's words, to the project's team.

What the owner writes to Prime is approved for no other tier: a partner hears of a change by its public slots, and of the rest
only what the owner has told Prime to say to them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from prime.core.words import terms
from prime.mind.jobs.planning import OpenChannel, OpenProject, Plan, PlanRequest, Telling
from prime.mind.offline.heard.intents import is_kept
from prime.mind.offline.heard.transcript import TOLD
from prime.mind.offline.wishes.parts import clauses_of
from prime.mind.offline.wishes.spoken_of import own_words, rooms_of, spoken_of
from prime.mind.offline.words.language import Language, asks, ended, first_sentence, language_of, listed

_SENT_TO = re.compile(
    r"^\W*(?:please )?(?:tell|let|inform|remind|ask)\s+(?:the\s+|our\s+)?(?P<who>[\w &’'-]{2,40}?)\s+(?:know\s+)?"
    r"(?:that|about the fact that)\s+(?P<what>.{3,})$"
    r"|^\W*(?:请)?(?:告诉|通知|转告|跟)(?P<who_zh>[\u4e00-\u9fff]{2,8}?)(?:说)?[，：:,]\s*(?P<what_zh>.{3,})$",
    re.IGNORECASE | re.DOTALL,
)
# “I was in Paris on 3 May” tells of the owner, “Remind me …” is for Prime.
_OWNERS = re.compile(
    r"^\W*(?:i|we)\s+(?:was|were|went|have been|had been|saw|met)\b|^我(?:去年|昨天|上周|以前)", re.IGNORECASE
)
_LEAST_WORDS, _LEAST_SIGNS, _LONGEST = 3, 4, 600


def passed_on(wish: str, request: PlanRequest, language: Language) -> Plan | None:
    """None where nothing is under way, or it is for nobody but Prime."""
    if sent := _sent(wish, request, language):
        return sent
    project = spoken_of(wish, request)
    if project is None or not is_to_be_told(wish):
        return None
    telling, rooms = tellings(wish, project, request)
    words = told_to_rooms(rooms, language) if rooms else _kept_here(language)
    return Plan(title=first_sentence(wish), summary=wish, words=words, telling=telling, project=project.id or None)


def is_to_be_told(text: str) -> bool:
    """Whether there is anything in it for somebody at work on the project."""
    long = len(text) >= _LEAST_SIGNS if language_of(text) == "zh" else len(text.split()) >= _LEAST_WORDS
    return long and len(text) <= _LONGEST and not (asks(text) or is_kept(text) or _OWNERS.search(text))


def tellings(text: str, project: OpenProject, request: PlanRequest) -> tuple[tuple[Telling, ...], list[OpenChannel]]:
    """The owner's words for the project's team: for whoever in it has to do with them, else for all of it."""
    team = [channel for channel in rooms_of(project, request) if channel.tier == "team"]
    said = own_words(text)
    named = [channel for channel in team if said & set(terms(channel.name))]
    rooms = named or team
    return tuple(Telling(channel_id=room.id, text=quoted(text)) for room in rooms), rooms


def quoted(text: str) -> str:
    language = language_of(text)
    return f"{TOLD[language]}“{ended(' '.join(text.split()), language)}”"


def untold(text: str, found: Mapping[str, str]) -> bool:
    """Whether a message says more than what was found in it: “three days” beside a new budget."""
    values = [value.casefold() for value in found.values()]
    beside = [c for c in clauses_of(text) if not any(value in c.casefold() for value in values)]
    return any(own_words(c) or re.search(r"\d", c) or len(c.split()) > _LEAST_WORDS for c in beside)


def with_words_passed_on(plan: Plan, wish: str, project: OpenProject, request: PlanRequest, language: Language) -> Plan:
    """A change of the project's, with the rest of the message told to the team beside it."""
    telling, rooms = tellings(wish, project, request)
    told = {each.channel_id: each for each in telling}
    beside = [room for room in rooms if room.id not in {each.channel_id for each in plan.telling}]
    # One brief for each room: what has changed, and behind it the owner's own words.
    both = tuple(_joined(each, told.pop(each.channel_id, None)) for each in plan.telling)
    space = "" if language == "zh" else " "
    words = space.join(filter(None, (plan.words, told_to_rooms(beside, language))))
    return replace(plan, telling=(*both, *told.values()), words=words)


def _joined(change: Telling, told: Telling | None) -> Telling:
    return change if told is None else replace(change, text=f"{change.text}\n{told.text}")


def _sent(wish: str, request: PlanRequest, language: Language) -> Plan | None:
    """“Tell the caterer that 12 of them are vegan”: the owner's word for a room that they name."""
    found = _SENT_TO.match(wish)
    if found is None:
        return None
    who, what = found["who"] or found["who_zh"], found["what"] or found["what_zh"]
    wanted = set(terms(who))
    rooms = [c for c in request.channels if wanted & set(terms(f"{c.name} {c.key.partition('-')[2]}"))]
    if not rooms:
        return None
    telling = tuple(Telling(channel_id=room.id, text=quoted(what)) for room in rooms)
    project = rooms[0].project or None
    return Plan(
        title=first_sentence(wish), summary=wish, words=told_to_rooms(rooms, language), telling=telling, project=project
    )


def told_to_rooms(rooms: Sequence[OpenChannel], language: Language) -> str:
    """Where it went; "" where nobody was told."""
    names = listed([room.name for room in rooms], language)
    if not names:
        return ""
    return f"已告知：{names}。" if language == "zh" else f"Told to: {names}."


def _kept_here(language: Language) -> str:
    if language == "zh":
        return "已记下。这件事没有团队内部的频道，所以没有转告别人；要告诉谁，请说一声。"
    return "Noted. No room of the team's is open for it, so nobody was told; say whom to tell, and I do."
