"""Changes as people tell them, taken apart into plain sentences: “X is not our CEO any more, it's Y” says two things."""

import re
from collections.abc import Iterator

from prime.mind.offline.facts.change_telling import Plain, Telling
from prime.mind.offline.facts.changes_han import TELLINGS_HAN
from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.words.phrases import alternatives

_NAME = r"[^\s,;:?!][^,;:?!]{0,58}?"
_S = rf"(?P<subject>{_NAME})"
_O = r"(?P<object>[^,;:?!]{1,60}?)"
# A place may have its town behind it.
_WHERE = r"(?P<object>[^,;:?!]{1,60}?(?:, [^,;:?!]{1,40}?){0,2})"
_P = r"(?P<other>[^,;:?!]{1,60}?)"
_MORE = r"\s+(?:any\s?more|any longer)"
_NOT = r"(?:n['’]t|\s+not)"
_THEN = (
    rf"(?:\s*[,;]\s*(?:but\s+|and\s+)?(?:(?:now\s+)?(?:it['’]s|it is|that['’]s)(?:\s+now)?\s+{_P}"
    r"|(?:now\s+)?(?P<next>[^,;:?!]{1,60}?)\s+is(?:\s+now)?))?"
)
_VERB = r"(?P<verb>works? (?:at|for|with)|lives? (?:in|at)|likes?|loves?|prefers?|owns?|has|have|speaks?)"
_WHEN = r"(?P<when>\s+(?:(?:in|on|since|from|as of|during)\s+\S[^,;]{1,28}|last\s+\w+|yesterday))?"

_CLIMBED = "gone|went|risen|rose|fallen|fell|dropped|increased|decreased|climbed|jumped|sank|slipped"

_OF_ARTICLE = re.compile(r"^(?:the|our|my|your|his|her|their|a|an)\s", re.IGNORECASE)
_THIRD = {"work": "works", "live": "lives", "like": "likes", "love": "loves", "prefer": "prefers", "own": "owns",
          "have": "has", "speak": "speaks"}  # fmt: skip
_ITEMS = re.compile(r"\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|&)\s+", re.IGNORECASE)
_LONGEST_ITEM = 4  # words
_IS_NAME = re.compile(r"[A-Z\u00c0-\u00de]")
# Also by its street: “12 Rue de Lyon”.
_IS_PLACE = re.compile(r"(?:\d{1,5}[a-z]?,?\s+)?(?!Q[1-4]\b)[A-Z\u00c0-\u00de]")


def plainly(sentence: str) -> list[Plain]:
    """The plain sentences that a telling of a change amounts to; any other sentence is left as it is."""
    for pattern, taken in _TELLINGS:
        if (match := pattern.match(sentence)) and (made := list(taken(match))):
            return made
    return [Plain(_SINCE_NOW.sub(r"\1", _INSTEAD.sub("", sentence)))]


_INSTEAD = re.compile(r"\s+(?:instead of|rather than)\s+[^,;]{1,60}$", re.IGNORECASE)
_SINCE_NOW = re.compile(r"^(\S.{0,58}?\s(?:is|are))\s+(?:now|currently)(?=\s)", re.IGNORECASE)


def _no_more(match: re.Match[str]) -> Iterator[Plain]:
    """“Tom is no longer our CEO, Nina is.”"""
    subject, role = match["subject"], match["object"]
    be = match["be"]
    yield Plain(f"{subject} {be} {role}", is_over=True)
    if other := match["other"] or match["next"]:
        # “The price is no longer 40 EUR, it's 42 EUR”: a value gives way to a value, not to who holds it.
        yield from [Plain(f"{subject} {be} {other}")] if _is_value(role) else _in_office(other, role)


def _in_office(who: str, role: str) -> Iterator[Plain]:
    """Asked for by either name."""
    yield Plain(f"{who} is {role}")
    yield Plain(f"{role if _OF_ARTICLE.match(role) else f'the {role}'} is {who}")


def _is_value(text: str) -> bool:
    """Whether it is a sum, a date or a number."""
    return bool(amounts(text) or dates(text) or text[:1].isdecimal())


def _does_no_more(match: re.Match[str]) -> Iterator[Plain]:
    first, _, rest = match["verb"].partition(" ")
    verb = f"{_THIRD.get(first.lower(), first)} {rest}".strip()
    yield Plain(f"{match['subject']} {verb} {match['object']}", is_over=True)


def _used_to(match: re.Match[str]) -> Iterator[Plain]:
    subject, verb = match["subject"], match["verb"].lower()
    first, _, rest = verb.partition(" ")
    told = "is" if verb == "be" else f"{_THIRD.get(first, first)} {rest}".strip()
    yield Plain(f"{subject} {told} {match['object']}", is_over=True)
    if now := match["now"]:
        yield Plain(f"{subject} {now}")


def _replaced(match: re.Match[str]) -> Iterator[Plain]:
    yield Plain(f"{match['former']} is {match['object']}", is_over=True)
    yield from _in_office(match["subject"], match["object"])


def _risen(match: re.Match[str]) -> Iterator[Plain]:
    """“The price went from 40 to 48 EUR in May”: since May it is 48 EUR."""
    yield Plain(f"{match['subject']} is {match['object']}{_since(match['when'])}")


def _labelled(match: re.Match[str]) -> Iterator[Plain]:
    """“Price: 44 EUR.” Only of sums, dates and measures: what else stands behind a colon may be anything."""
    label, value = match["subject"], match["object"]
    if _ACKNOWLEDGED.fullmatch(label):
        return
    is_sum = any(found.text.strip() == value.strip() for found in (*amounts(value), *dates(value)))
    if is_sum or (_MEASURE.search(label) and _NUMBER.fullmatch(value)):
        is_han = not label.isascii()
        yield Plain(f"{label}是{value}" if is_han else f"{label} is {value}")


# “Noted: 44 EUR” repeats what somebody said of something.
_ACKNOWLEDGED = re.compile(
    r"(?:noted|agreed|understood|confirmed|done|right|fine|ok(?:ay)?|yes|no|thanks|note|update|reminder)|已?(?:记下|确认|收到|注意)|好的|明白",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    rf"(?:\b(?:{alternatives('changes_measures')})|{alternatives('changes_measures_zh')})$", re.IGNORECASE
)
_NUMBER = re.compile(r"[~≈]?\d[\d.,'’]{0,20}\s?(?:%|[^\W\d_]{1,12}(?:/[^\W\d_]{1,8})?)?")


def _moved(match: re.Match[str]) -> Iterator[Plain]:
    """People live where they moved to, and things are there; what is moved to a date is on that day."""
    subject, where = match["subject"], match["object"]
    if not all(map(_IS_PLACE.match, where.split(", "))) or dates(f"on {where}") or amounts(where):
        return
    told = "is based in" if _OF_ARTICLE.match(subject) else "lives in"
    yield Plain(f"{subject} {told} {where}{_since(match['when'])}")


def _joined(match: re.Match[str]) -> Iterator[Plain]:
    if _IS_NAME.match(match["object"]) and _IS_NAME.match(match["subject"]):
        yield Plain(f"{match['subject']} works at {match['object']}{_since(match['when'])}")


def _left(match: re.Match[str]) -> Iterator[Plain]:
    if not (_IS_NAME.match(match["object"]) and _IS_NAME.match(match["subject"])):
        return
    said = f"{match['subject']} works at {match['object']}"
    when = (match["when"] or "").strip()
    yield Plain(f"{said} until {re.sub(_PREPOSITION, '', when)}") if when else Plain(said, is_over=True)


_PREPOSITION = re.compile(r"^(?:in|on|since|from|as of|during)\s+", re.IGNORECASE)


def _switched(match: re.Match[str]) -> Iterator[Plain]:
    """“We switched from Acme to Borealis as our supplier.” Without an office, the one has taken the other's place."""
    former, now, role = match["former"], match["object"], match["role"]
    if not (_IS_NAME.match(former) and _IS_NAME.match(now)) or dates(f"on {now}") or amounts(now):
        return
    if role:
        yield Plain(f"{former} is {role}", is_over=True)
        yield from _in_office(now, role)
    elif match["ours"]:
        since = _since(match["when"])  # asked for by either name
        yield Plain(f"{former} is replaced by {now}{since}")
        yield Plain(f"{now} replaces {former}{since}")
    else:
        yield Plain(f"{match['subject']} uses {former}", is_over=True)
        yield Plain(f"{match['subject']} uses {now}{_since(match['when'])}")


def _taken_on(match: re.Match[str]) -> Iterator[Plain]:
    """“We added Acme as a supplier”: one more beside those that there are."""
    for who in _named(match["who"]):
        for office in _in_office(who, _SOME.sub("", match["role"])):
            yield Plain(f"{office.text}{_since(match['when'])}", many=True)


def _let_go(match: re.Match[str]) -> Iterator[Plain]:
    """“We dropped Acme as a supplier.”"""
    when = _PREPOSITION.sub("", (match["when"] or "").strip())
    for who in _named(match["who"]):
        for office in _in_office(who, _SOME.sub("", match["role"])):
            yield Plain(f"{office.text} until {when}") if when else Plain(office.text, is_over=True)


_SOME = re.compile(r"^(?:an?|one of (?:our|the))\s+", re.IGNORECASE)


def _named(listed: str) -> list[str]:
    """Those who are named, if all are."""
    names = [name.strip() for name in _ITEMS.split(listed) if name.strip()]
    return names if all(map(_IS_NAME.match, names)) else []


def _paid(match: re.Match[str]) -> Iterator[Plain]:
    """“We pay Acme 400 EUR a month.”"""
    if _IS_NAME.match(match["subject"]):
        yield Plain(f"{match['subject']} charges {match['object']}")


def _since(when: str | None) -> str:
    return f" since {_PREPOSITION.sub('', when.strip())}" if when else ""


def _several(match: re.Match[str]) -> Iterator[Plain]:
    """“We have two suppliers: A and B.”"""
    items = [item.strip() for item in _ITEMS.split(match["items"]) if item.strip()]
    if len(items) > 1 and all(len(item.split()) <= _LONGEST_ITEM for item in items):
        things = match["things"]
        whose = things if _OF_ARTICLE.match(things) else f"{'our' if match['whose'] else 'the'} {things}"
        yield from (Plain(f"{whose} are {item}", many=True) for item in items)


def _english(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"^{pattern}$", re.IGNORECASE)


_WE = r"(?:we|i)(?:['’]ve| have)?\s+(?:just |now )?"
_WAS = r"\s+(?:was|were|is|are|has been|have been)\s+(?:now )?"
_WHO = r"(?P<who>[^\s;:?!][^;:?!]{0,80}?)"
_AS = rf"as\s+(?P<role>{_NAME}){_WHEN}"
_TAKEN_ON, _LET_GO = (f"(?:{alternatives(name)})" for name in ("changes_taken_on", "changes_let_go"))
_PAID = r"(?P<object>(?:about |around )?[$€£¥]?\s?\d[^;:?!]{0,60}?)"

# The first that fits counts.
_TELLINGS: tuple[Telling, ...] = (
    (_english(rf"{_S}\s+(?P<be>is|are)\s+no longer\s+{_O}{_THEN}"), _no_more),
    (_english(rf"{_S}\s+(?P<be>is|are){_NOT}\s+{_O}{_MORE}{_THEN}"), _no_more),
    (_english(rf"{_S}\s+no longer\s+{_VERB}\s+{_O}"), _does_no_more),
    (_english(rf"{_S}\s+(?:does|do){_NOT}\s+{_VERB}\s+{_O}{_MORE}"), _does_no_more),
    (
        _english(
            rf"{_S}\s+used to\s+(?P<verb>be|work (?:at|for|with)|live (?:in|at)|like|love|prefer|own|have|speak)\s+{_O}"
            r"(?:\s*[,;]\s*(?:but\s+|and\s+)?now\s+(?:(?:he|she|it|they)\s+)?(?P<now>\w.{2,60}))?"
        ),
        _used_to,
    ),
    (
        _english(rf"{_S}\s+(?:has |have )?(?:replaced|replaces|succeeded|succeeds)\s+(?P<former>{_NAME})\s+as\s+{_O}"),
        _replaced,
    ),
    (
        _english(rf"{_S}\s+(?:has |have )?(?:moved|relocated)(?:\s+from\s+[^,;]{{1,40}}?)?\s+to\s+{_WHERE}{_WHEN}"),
        _moved,
    ),
    (
        _english(
            rf"(?:(?P<ours>we(?:['’]ve)?)\s+(?:have )?(?:just )?(?:switched|changed)|{_S}\s+(?:has |have )?(?:just )?switched)"
            r"(?: over)?\s+from\s+"
            rf"(?P<former>{_NAME})\s+to\s+{_O}(?:\s+as\s+(?P<role>[^,;:?!]{{1,60}}?))?{_WHEN}"
        ),
        _switched,
    ),
    (
        _english(
            rf"{_S}\s+(?:has |have |was |were |is |are )?(?:been )?(?:{_CLIMBED}|moved|changed|raised|lowered|cut|pushed)"
            rf"(?: up| down| back)?\s+from\s+[^,;]{{1,40}}?\s+to\s+{_O}{_WHEN}"
        ),
        _risen,
    ),
    (
        _english(rf"{_S}\s+(?:has |have |is |are )?(?:{_CLIMBED})(?: up| down)?\s+to\s+{_O}{_WHEN}"),
        _risen,
    ),
    (
        _english(
            rf"(?:we|i)(?:['’]ve| have)?\s+(?:just )?(?:raised|lowered|cut|increased|reduced|moved|changed|pushed|set)\s+"
            rf"(?P<subject>(?:the|our|my)\s+{_NAME})\s+(?:from\s+[^,;]{{1,40}}?\s+)?(?:back\s+)?to\s+{_O}{_WHEN}"
        ),
        _risen,
    ),
    (
        _english(
            r"(?P<subject>(?:the |our |my )?[^\W\d_][^,;:?!.]{1,38}?)\s*[:：]\s*(?P<object>(?:[^,;:?!]|,(?=\d)){1,40}?)"
        ),
        _labelled,
    ),
    (
        _english(
            rf"{_S}\s+(?:is|are){_NOT}\s+{_O}[,;]\s*(?:but\s+)?(?P<other>(?!(?:he|she|it|that|this|there)\b){_NAME})\s+is"
        ),
        lambda match: _in_office(match["other"], match["object"]),
    ),
    (_english(rf"{_S}\s+(?:has |have )?joined\s+{_O}{_WHEN}"), _joined),
    (_english(rf"{_S}\s+(?:has |have )?left\s+{_O}{_WHEN}"), _left),
    (
        _english(
            r"(?:(?P<whose>we|we now) (?:have|use|work with)|there are)\s+(?:\w+\s+)?(?P<things>[a-z][a-z -]{2,40}?)\s*:\s*"
            r"(?P<items>[^;:?!]{3,160})"
        ),
        _several,
    ),
    (
        _english(
            r"(?P<whose>)(?P<things>(?:the|our|my|your|his|her|their)\s+[a-z][a-z -]{1,40}s)\s+are(?: now)?:?\s+"
            r"(?P<items>[^;:?!]{3,160})"
        ),
        _several,
    ),
    (_english(rf"{_WE}{_TAKEN_ON}\s+{_WHO}\s+{_AS}"), _taken_on),
    (_english(rf"{_WHO}{_WAS}{_TAKEN_ON}\s+{_AS}"), _taken_on),
    (_english(rf"{_WE}{_LET_GO}\s+{_WHO}\s+{_AS}"), _let_go),
    (_english(rf"{_WHO}{_WAS}{_LET_GO}\s+{_AS}"), _let_go),
    (_english(rf"(?:we|i)\s+(?:now |currently )?pay\s+{_S}\s+{_PAID}"), _paid),
    (
        _english(rf"(?:we|i)\s+(?:now |currently )?pay\s+{_PAID}\s+for\s+{_S}"),
        lambda match: iter([Plain(f"{match['subject']} costs {match['object']}")]),
    ),
    *TELLINGS_HAN,
)
