"""A message that changes what was wanted: another budget, another day, so many days later. Nothing is opened or closed for it;
the rooms that it concerns are told."""

import re
from collections.abc import Mapping

from prime.mind.offline.figures.amounts import budget_of, written
from prime.mind.offline.figures.shifting import moved, shift_in
from prime.mind.offline.heard.transcript import CHANGED
from prime.mind.offline.rooms.rooms_words import named_aims
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.words.language import Language, first_sentence, listed
from prime.mind.offline.words.phrases import phrases
from prime.mind.offline.words.telling import only_tells
from prime.mind.protocol import OpenChannel, Plan, PlanRequest, Telling

_ALTERED = ("budget", "date", "deadline", "place", "count")
_TOLD: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "budget": "the budget is now {}",
        "date": "the date is now {}",
        "place": "the place is now {}",
        "count": "it is now for {}",
    },
    "zh": {"budget": "预算现在是{}", "date": "时间改为{}", "place": "地点改为{}", "count": "数量改为{}"},
}


def change_of(wish: str, request: PlanRequest, language: Language) -> Plan | None:
    """What the message changes of what was wanted; None where it changes nothing. What the project is about stays."""
    by = shift_in(wish)
    if by is None:
        found = slots_in(wish, request.today)
        aims = {name: found[name] for name in _ALTERED if name in found}
        if "budget" in aims:
            aims["budget"] = _in_the_same_money(aims["budget"], request.aims.get("budget", ""), language)
        return _plan(wish, request, aims, language) if aims else None
    before = request.aims.get("deadline") or request.aims.get("date", "")
    day = moved(before, by, request.today, language)
    if not day:
        return Plan(title=first_sentence(wish), summary=wish, words=_which_day(before, language))
    return _plan(wish, request, {"date": day, "deadline": day}, language)


def _in_the_same_money(budget: str, before: str, language: Language) -> str:
    """A new sum without a currency is in the currency of the one it stands for."""
    now, known = budget_of({"budget": budget}), budget_of({"budget": before})
    if now is None or known is None or now.currency or not known.currency:
        return budget
    return written(now.value, known.currency, language)


def _is_meant(wish: str) -> bool:
    """Whether the rooms are to hear of it: “I was in Paris on 3 May” moves nothing."""
    return bool(_CHANGE.search(wish) or _OTHERWISE.search(wish)) or not only_tells(wish)


_CHANGE = phrases("intents_change")
_OTHERWISE = re.compile(
    r"\b(?:now|instead|will be|changed?|moved|postponed|rather|actually|new (?:date|day|place|budget|number)|later|earlier)\b"
    r"|改|换成|变成|现在|推迟|提前|延|调整",
    re.IGNORECASE,
)


def _which_day(before: str, language: Language) -> str:
    if language == "zh":
        return f"现在记的时间是“{before}”，请告诉我具体哪一天。" if before else "还没有日期，请告诉我哪一天。"
    kept = f"So far I keep to {before}" if before else "There is no date yet"
    return f"{kept}; which day is it to be?"


def _plan(wish: str, request: PlanRequest, aims: Mapping[str, str], language: Language) -> Plan:
    told = named_aims(aims, language)
    telling = tuple(t for c in request.channels if (t := _telling(c, aims, language))) if _is_meant(wish) else ()
    tail = (
        "相关频道已经告知，以后按这个判断。"
        if language == "zh"
        else "The rooms that it concerns are told, and I judge by it."
    )
    if not telling:
        tail = "以后按这个判断。" if language == "zh" else "I judge what comes in by it from now on."
    words = f"已记下：{told}。{tail}" if language == "zh" else f"Noted: {told}. {tail}"
    return Plan(title=first_sentence(wish), summary=wish, words=words, aims=aims, telling=telling)


def _telling(channel: OpenChannel, aims: Mapping[str, str], language: Language) -> Telling | None:
    """What may be spent is the team's alone to know."""
    known = {name: value for name, value in aims.items() if channel.tier == "team" or name != "budget"}
    said = [form.format(known[name]) for name, form in _TOLD[language].items() if name in known]
    if not said:
        return None
    end = "。" if language == "zh" else "."
    return Telling(channel_id=channel.id, text=f"{CHANGED[language]}{listed(said, language)}{end}", facts=known)
