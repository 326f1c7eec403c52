"""A message that changes what was wanted: another budget, another day, so many days later. Nothing is opened or closed for it;
the rooms that it concerns are told."""

import re
from collections.abc import Mapping

from prime.mind.jobs.planning import OpenChannel, OpenProject, Plan, PlanRequest, Telling
from prime.mind.offline.figures.amounts import budget_of, written
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.shifting import moved, shift_in
from prime.mind.offline.heard.transcript import CHANGED
from prime.mind.offline.rooms.rooms_words import named_aims
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.wishes.parts import clauses_of, is_of_a_part
from prime.mind.offline.wishes.passing import told_to_rooms, untold, with_words_passed_on
from prime.mind.offline.wishes.spoken_of import rooms_of
from prime.mind.offline.words.language import Language, first_sentence, listed
from prime.mind.offline.words.phrases import phrases
from prime.mind.offline.words.telling import only_tells

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


def change_of(wish: str, project: OpenProject, request: PlanRequest, language: Language) -> Plan | None:
    """What the message changes of what was wanted of a project; None where it changes nothing. What it is about stays."""
    by = shift_in(wish)
    if by is None:
        whole = [clause for clause in clauses_of(wish) if not is_of_a_part(clause, project, language)]
        # Where all of it is the project's own, it is read in one piece.
        said = wish if len(whole) == len(clauses_of(wish)) else ("，" if language == "zh" else ", ").join(whole)
        found = _found_in(said, request.today)
        aims = {name: found[name] for name in _ALTERED if name in found}
        if "budget" in aims:
            aims["budget"] = _in_the_same_money(aims["budget"], request.aims.get("budget", ""), language)
        if not aims:
            return None
        plan = _plan(wish, project, request, aims, language)
        more = plan.telling and (len(said) < len(wish) or untold(wish, {name: found[name] for name in aims}))
        return with_words_passed_on(plan, wish, project, request, language) if more else plan
    before = request.aims.get("deadline") or request.aims.get("date", "")
    day = moved(before, by, request.today, language)
    if not day:
        return Plan(title=first_sentence(wish), summary=wish, words=_which_day(before, language))
    return _plan(wish, project, request, {"date": day, "deadline": day}, language)


def _found_in(said: str, today: str) -> dict[str, str]:
    """The slots of what changes: “postponed to next May” names a day, though it tells what has happened."""
    found = slots_in(_BESIDE.sub("", said), today)
    if _NO_PLACE.fullmatch(found.get("place", "")):
        del found["place"]  # 预算加到三十五万
    put_off = _PUT_OFF.search(said)
    if put_off and "date" not in found and (days := dates(put_off["when"], today)):
        day = f"{put_off['next'] or ''}{days[0].text}"
        found |= {"date": day, "deadline": day}
    return found


# “In autumn instead”: what stands behind a day or a sum and changes nothing of it.
_BESIDE = re.compile(r"\s+(?:instead|now|then|rather|please|actually)(?=\s*(?:[,.;!]|$))", re.IGNORECASE)
_NO_PLACE = re.compile(r"[\d一二三四五六七八九十百千万亿两,.元块]+")
_PUT_OFF = re.compile(
    r"\b(?:postponed?|moved?|shift(?:ed)?|delayed|put off|pushed|brought forward|rescheduled)\s+"
    r"(?:\w+\s+){0,3}?(?:to|until|till|for)\s+"
    r"(?P<when>(?P<next>next )?.+)$",
    re.IGNORECASE,
)


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


def _plan(wish: str, project: OpenProject, request: PlanRequest, aims: Mapping[str, str], language: Language) -> Plan:
    told = named_aims(aims, language)
    telling = (
        tuple(t for c in rooms_of(project, request) if (t := _telling(c, aims, language))) if _is_meant(wish) else ()
    )
    told_to = told_to_rooms([c for c in request.channels if c.id in {each.channel_id for each in telling}], language)
    tail = "以后按这个判断。" if language == "zh" else "I judge what comes in by it from now on."
    words = f"已记下：{told}。{told_to}{tail}" if language == "zh" else f"Noted: {told}. {told_to} {tail}"
    words = words.replace("  ", " ")
    return Plan(
        title=first_sentence(wish),
        summary=wish,
        words=words,
        aims=aims,
        telling=telling,
        project=project.id or None,
    )


def _telling(channel: OpenChannel, aims: Mapping[str, str], language: Language) -> Telling | None:
    """What may be spent is the team's alone to know."""
    known = {name: value for name, value in aims.items() if channel.tier == "team" or name != "budget"}
    said = [form.format(known[name]) for name, form in _TOLD[language].items() if name in known]
    if not said:
        return None
    end = "。" if language == "zh" else "."
    return Telling(channel_id=channel.id, text=f"{CHANGED[language]}{listed(said, language)}{end}", facts=known)
