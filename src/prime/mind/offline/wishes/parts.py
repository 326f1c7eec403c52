"""Whether a clause of a later message is about the whole project, or about a part of it or somebody in it.

“The roofer may start on 1 December” and “12 of them are vegan” name a day and a number, and neither is the project's own.
"""

import re

from prime.core.words import terms
from prime.mind.jobs.planning import OpenProject
from prime.mind.offline.slots.slots import slots_in
from prime.mind.offline.wishes.spoken_of import own_words, words_of
from prime.mind.offline.words.language import Language
from prime.mind.offline.words.phrases import alternatives, phrases

_CLAUSES = re.compile(
    r"\s*[;；。，]\s*|\s*,\s+(?:(?:and|but|so|because)\s+)?|\s*[.!]\s+|\s+(?:and|but|because)\s+(?=(?:the|my|our|it|we|i|they|he|she)\b)",
    re.IGNORECASE,
)
_VERB = rf"(?:{alternatives('telling_verbs')}|{alternatives('parts_verbs')})"
# What stands before the verb.
_SUBJECT = re.compile(
    rf"^\W*(?P<subject>(?:[\w&’'/-]+\s+){{1,8}}?)(?:(?:now|also|only|all|both|already|still)\s+)?"
    rf"(?P<verb>{_VERB})(?!\w)",
    re.IGNORECASE,
)
_WE = re.compile(
    r"^\W*(?:(?:please|ok(?:ay)?|no|actually|sorry|so|but|and|then|now|well|let['’]?s)\W+)*"
    r"(?:we|i|it|this|that|everything)\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"^\W*(?:he|she|they|his|her|their|someone|somebody|nobody|everybody|one|some|most|half|all) ", re.IGNORECASE
)
_OF_THE_PAST = re.compile(
    r"^\W*(?:we|i)(?:['’]ve| have| had)?\s+(?:was|were|went|saw|met|been|had|paid|bought|got|lived|worked)\b",
    re.IGNORECASE,
)
_IT_COSTS = re.compile(r"^\W*(?:it|this|that)\s+(?:costs?|is worth|weighs|holds|charges)\b", re.IGNORECASE)
_COUNTED = re.compile(
    rf"^\W*(?:about |around |some |only )?(?:\d[\d,]*|{alternatives('slots_numbers')})\s+(?P<what>\D.*)", re.IGNORECASE
)
_COME = re.compile(
    r"\b(?:come|coming|attend|attending|invited|confirmed|expected|join|joining|in total|altogether|now|instead)\b"
    r"(?!\s+by\b)",
    re.IGNORECASE,
)
# A sentence of some thing or person, whatever its verb is: “The camera tilts by 90 degrees”.
_NOUN_FIRST = re.compile(r"^\W*(?:the|my|our|an?)\s+(?:\S+\s+){2,}", re.IGNORECASE)
_SLOT_FIRST = re.compile(
    r"^\W*(?:the|my|our|an?)\s+(?:\w+\s+){0,2}(?:budget|date|deadline|day|place|venue|location|number|limit|time)\b",
    re.IGNORECASE,
)
_SLOT = phrases("parts_slot")
_OCCASION = phrases("parts_occasion")
_BEHIND = re.compile(r"\s+(?:of|for|at|in|from|with|on)\s+.*$", re.IGNORECASE)
_PLANNED = phrases("parts_planned")

_MARKED_ZH = re.compile(
    r"改|换成|变成|推迟|提前|延[期到至后长]|调整|加到|减到|提高|降到|增加到|剩|定在|定为|现在是|往[前后]"
)
_LEAD_ZH = phrases("parts_lead_zh")
_SLOT_ZH = phrases("parts_slot_zh")
_VALUE_ZH = re.compile(
    r"[上下]?[\d一二两三四五六七八九十百千万]+|[明后今去前]年|下个?(?:周|月)|周[一二三四五六日天末]|[春夏秋冬]天|月底|月初|年底"
)
# Behind a number of people, what is so of them alone.
_OF_SOME_ZH = re.compile(
    r"[\d一二两三四五六七八九十百几]+(?:多)?(?:个|位|名)(?!月|星期|礼拜|小时)[\u4e00-\u9fff]{0,4}?"
    r"(?:是|吃|不|对|要|没|住|坐|过敏|怕|带|会|用|需|得|信|喝|晚|早|迟|先|只)"
)


def clauses_of(text: str) -> list[str]:
    return [clause for each in _CLAUSES.split(text) if (clause := each.strip(" .!?。！？"))]


def is_of_a_part(clause: str, project: OpenProject, language: Language) -> bool:
    """Whether days, sums and numbers in a clause belong to somebody or something in the project."""
    return _is_of_a_part_zh(clause, project) if language == "zh" else _is_of_a_part_en(clause, project)


def _is_of_a_part_en(clause: str, project: OpenProject) -> bool:
    if _OF_THE_PAST.search(clause) or _IT_COSTS.search(clause) or _SOMEBODY.search(clause):
        return True
    if _WE.search(clause):
        return False
    if counted := _COUNTED.search(clause):
        told = re.search(rf"\b{_VERB}(?!\w)", counted["what"], re.IGNORECASE)
        return bool(re.match(r"of\b", counted["what"], re.IGNORECASE) or told) and not _COME.search(clause)
    found = _SUBJECT.match(clause)
    if phrases_of_change(clause):
        return False
    if found is None:
        return bool(_NOUN_FIRST.match(clause)) and not _SLOT_FIRST.match(clause)
    subject = _BEHIND.sub("", found["subject"].strip())
    if _SLOT.search(subject):
        return False
    head = set(terms(subject.split()[-1])) if subject else set[str]()
    whole = bool(head & words_of(project)) or bool(_OCCASION.search(subject))
    return not whole or not _PLANNED.search(clause[found.start("verb") :])


def phrases_of_change(clause: str) -> bool:
    """“Make it …”, “move the party to …”: put as a command, it has no subject."""
    return bool(_CHANGED.search(clause))


_CHANGED = phrases("parts_changed")


def _is_of_a_part_zh(clause: str, project: OpenProject) -> bool:
    marked = _MARKED_ZH.search(clause)
    starts = [match.start() for match in (_VALUE_ZH.search(clause), marked) if match]
    starts += [at for value in slots_in(clause).values() if (at := clause.find(value)) >= 0]
    if not starts:
        return False
    if _OF_SOME_ZH.search(clause) and not marked:
        return True
    lead = clause[: min(starts)].rpartition("的")[2]
    lead = _SLOT_ZH.sub("", _LEAD_ZH.sub("", lead)).strip(" ：:，")
    return bool(lead) and not own_words(lead) & words_of(project)
