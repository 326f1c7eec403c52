"""The owner ends a whole project, puts it off to another time, or takes the end back."""

import re
from collections.abc import Sequence

from prime.core.words import terms
from prime.mind.jobs.planning import OpenChannel, OpenProject, Plan, PlanRequest, Telling
from prime.mind.offline.figures.income import INCOME
from prime.mind.offline.heard.transcript import CHANGED
from prime.mind.offline.wishes.parts import clauses_of
from prime.mind.offline.wishes.spoken_of import own_words, projects_of, rooms_of, spoken_of, words_of
from prime.mind.offline.words.language import Language, first_sentence, listed
from prime.mind.offline.words.phrases import alternatives, phrases

_OFF = phrases("ending_off")
_STOP = phrases("ending_stop")
_ENDED_ZH = phrases("ending_zh")
_AGAIN = phrases("ending_again")
_AGAIN_ZH = phrases("ending_again_zh")
_SUBJECT = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|so|sorry|now|actually|no)\W+)*(?P<subject>(?:[\w’'-]+\s+){1,6}?)"
    r"(?=(?:is|are|was|has|have|got|won[’']?t|will not|isn[’']?t|does|doesn[’']?t|can[’']?t|cannot)\b)",
    re.IGNORECASE,
)
_ALL_OF_IT = re.compile(
    r"^(?:it|this|that|all of it|the (?:whole )?(?:thing|project)|it all|everything"
    r"|这个?|整个|全部|都|项目|这事|这件事|整个项目)?$",
    re.IGNORECASE,
)
_EVERY = re.compile(r"everything|all|全部|都", re.IGNORECASE)
_SOLD = re.compile(r"^(?:is|has been|was|got)\s+(?:now\s+|already\s+)?(?:sold|gone)\b\W*$", re.IGNORECASE)
_SOLD_ZH = re.compile(r"^(?P<what>[^，。；]{1,10}?)(?:已经?)?(?:卖掉了|卖出去了|卖了)$")
_THEN = re.compile(
    r"\binstead\b|\bnext (?:year|month|spring|summer|autumn|winter|season)\b|\bpostponed?\b|再说|再[办做搞开弄去]"
    rf"|{alternatives('parts_changed')}",
    re.IGNORECASE,
)
_OCCASION = re.compile(rf"(?:{alternatives('parts_occasion')})|(?:{alternatives('ending_occasion_zh')})", re.IGNORECASE)
_LONGEST = 120


def ended(wish: str, request: PlanRequest) -> OpenProject | None:
    """The project that the owner calls off; None where they call off none, or only a part of it."""
    if len(wish) > _LONGEST:
        return None
    return next((project for clause in clauses_of(wish) if (project := _called_off(clause, request))), None)


def until_when(wish: str, request: PlanRequest) -> str:
    """What is said of another time beside the end: “we do it next year instead”; "" for nothing."""
    return next((c for c in clauses_of(wish) if _THEN.search(c) and _called_off(c, request) is None), "")


def _called_off(clause: str, request: PlanRequest) -> OpenProject | None:
    project = spoken_of(clause, request)
    if project is None:
        return None
    if stopped := _STOP.match(clause) or _ENDED_ZH.match(clause):
        return _if_it_is(next((named for named in stopped.groups() if named), ""), project, request)
    if subject := _SUBJECT.match(clause):
        said = clause[subject.end() :]
        sold = bool(project.aims.get(INCOME)) and _SOLD.match(said)
        return _if_it_is(subject["subject"], project, request) if _OFF.match(said) or sold else None
    sold_zh = _SOLD_ZH.match(clause) if project.aims.get(INCOME) else None
    return _if_it_is(sold_zh["what"], project, request) if sold_zh else None


def _if_it_is(named: str, project: OpenProject, request: PlanRequest) -> OpenProject | None:
    """The project, where it is what was named, and not one of its rooms or something else."""
    named = re.sub(r"^(?:the|our|my|this|that|把)\s*", "", named.strip(), flags=re.IGNORECASE)
    if _ALL_OF_IT.match(named):
        # “Everything” is everything; “it” is what was spoken of last.
        return project if len(projects_of(request)) == 1 or not _EVERY.match(named) else None
    # “The play is cancelled”, of what is called Macbeth: what was spoken of last, where it is nothing else.
    occasion = _OCCASION.fullmatch(named) and len(named.split()) == 1
    return project if occasion or _is_the_thing(own_words(named), project) else None


def _is_the_thing(said: set[str], project: OpenProject) -> bool:
    known = words_of(project)
    return bool(said) and (
        said <= known or (len(said & known) > 0 and any("\u4e00" <= word[0] <= "\u9fff" for word in said))
    )


def call_off(wish: str, project: OpenProject, request: PlanRequest, language: Language) -> Plan:
    rooms = rooms_of(project, request)
    names = listed([room.name for room in rooms], language)
    words = (
        f"已关闭：{names}。说过的话还能查到；想恢复，说“重新打开”即可。"
        if language == "zh"
        else f"Closed: {names}. What was said there stays findable; say “reopen it”, and they go on."
    )
    return Plan(
        title=first_sentence(wish),
        summary=wish,
        words=words,
        closing=tuple(room.id for room in rooms),
        project=project.id or None,
    )


def reopened(wish: str, request: PlanRequest, language: Language) -> Plan | None:
    """What was closed last, where the owner wants it back."""
    again = _AGAIN_ZH if language == "zh" else _AGAIN
    if not request.closed or len(wish) > _LONGEST or not again.search(wish):
        return None
    rooms = _wanted_back(wish, request.closed)
    names = listed([room.name for room in rooms], language)
    words = (
        f"重新打开了：{names}。各频道接着做。"
        if language == "zh"
        else f"Open again: {names}. They go on where they stopped."
    )
    return Plan(
        title=first_sentence(wish),
        summary=wish,
        words=words,
        reopening=tuple(room.id for room in rooms),
        telling=tuple(Telling(channel_id=room.id, text=f"{CHANGED[language]}{_GO_ON[language]}") for room in rooms),
        project=next((room.project for room in rooms if room.project), None),
    )


_GO_ON = {"en": "we go on after all.", "zh": "继续进行。"}


def _wanted_back(wish: str, closed: Sequence[OpenChannel]) -> list[OpenChannel]:
    """Those that are named, else all."""
    said = own_words(wish)
    return [room for room in closed if said & set(terms(room.name))] or list(closed)
