"""What the owner wrote, in slots: thing, place, date, budget, count, constraints, deliverables, names. Found by rules."""

import re
from collections.abc import Mapping

from prime.mind.offline.amounts import amounts, budget_in, parsed_number, written
from prime.mind.offline.dates import Day, dates
from prime.mind.offline.language import Language, language_of, listed, sentences
from prime.mind.offline.phrases import alternatives

_CAP = r"[A-ZÄÖÜÉÅØ][\w’'&.-]*[\w]|[A-ZÄÖÜÉÅØ]"
_NAME = rf"(?:{_CAP})(?:\s+(?:{_CAP})){{0,3}}"
_NO_PLACE = {
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "English", "German", "French", "Chinese",
    "Spanish", "Python", "Rust", "Java", "Go", "TypeScript", "JavaScript", "React", "EUR", "USD", "GBP", "CHF", "CNY", "I",
    "Q1", "Q2", "Q3", "Q4", "Please", "We", "The", "Series", "Prime",
}  # fmt: skip
_PLACE = re.compile(rf"\b(?:in|at|near|around|to|across)\s+(?:the\s+)?({_NAME}(?:,\s+(?:{_CAP}))?)")
_ROUTE = re.compile(rf"\bfrom\s+({_NAME})\s+to\s+({_NAME})")
_WITH = re.compile(rf"\b(?:with|ask|contact|from|call|email|talk to|invite|include|via|through|by)\s+({_NAME})")
_FOR = re.compile(rf"\b(?:for)\s+({_NAME})")
_COUNT = re.compile(
    rf"\b((?:about|around|some|up to|roughly|circa|ca\.)?\s*(?:{alternatives('slots_numbers')}))"
    rf"\s+((?:[a-z-]+\s+)?(?:{alternatives('slots_counted')}))\b",
    re.IGNORECASE,
)
_COUNT_ZH = re.compile(
    r"(?:大约|约|近|最多)?((?:\d[\d,]*|[一二两三四五六七八九十百]{1,3})\s*(?:多)?)(位|名|人|个人|位客人|件|台|份|套|间|晚|家|个用户|个客户|个|只)"
)
_CONSTRAINT = re.compile(
    rf"(?:^|[,;.]\s*|\s+(?:and|but|with)\s+|\s)((?:{alternatives('slots_constraints')})[^,.;!?]{{0,50}})", re.IGNORECASE
)
_CONSTRAINT_ZH = re.compile(r"((?:必须|不要|不能|不得|只要|只能|至少|最好|要求|不用|需要会)[^，。；！？,;]{1,24})")
_ARTICLE = r"(?:an?|the|some|our)"
_PIECE = r"[a-z][\w -]{2,30}"
_DELIVERABLE = re.compile(
    r"\b(?:need|want|deliver|produce|prepare|make|get me|write|including|includes?|with)\s+"
    rf"({_ARTICLE}\s+{_PIECE}(?:,\s*{_ARTICLE}?\s*{_PIECE})*(?:,?\s+and\s+{_ARTICLE}?\s*{_PIECE})?)",
    re.IGNORECASE,
)
_DELIVERABLE_ZH = re.compile(
    r"(?:需要|交付|准备|制作|包括|写)(?:好|出)?((?:一[份个套张段]|[^，。；！？,;]{2,10}、)[^，。；！？,;]{1,24})"
)
_EACH = re.compile(
    r"\s*(?:each|apiece|a piece|per (?:piece|unit|item|head|person)|/ ?(?:piece|unit))\b|\s*(?:一[个件只]|/[个件只])"
)
_EACH_ZH = re.compile(r"(?:单价|每[个件只份])[^，。；,;]{0,8}$")
_PIECES = re.compile(r"(?<![\d.,])(\d[\d,]*)\s*(?:[a-z]{3,}|[个件只份套台])", re.IGNORECASE)
_VERB = alternatives("slots_verbs")
_STOP = alternatives("slots_ends")
_OWNED = r"an?|the|our|my|some|us|me|a new|new|his|her|their|two|three|four|five|\d+"
_THING = re.compile(
    rf"\b(?:{_VERB})\s+(?!to\b)((?:(?:{_OWNED})\s+)*[\w’'&/+-]+(?:\s+[\w’'&/+-]+){{0,6}}?)(?={_STOP})", re.IGNORECASE
)
# “I want to learn to sail”: no thing is named, but something to do is.
_WISHED = re.compile(
    r"\b(?:want|would like|like|plan|hope|decided|going) to ([a-z][\w’' -]{4,60}?)"
    r"(?=\s+(?:this|next|in|by|before)\b|[,.;:!?\n]|$)",
    re.IGNORECASE,
)
_VERB_ZH = alternatives("slots_verbs_zh")
_THING_ZH = re.compile(
    rf"(?:{_VERB_ZH})(?:一下|到|出|好)?(?:一[个款场次套份名位家项台些部本趟]|两[个款场次套份名位家]|几[个款场次套份名位家]|[\d一二三四五六七八九十]+[个款场次套份名位家台件]|个|场)?(?:的)?([^，。；！？,.;!?\s]{{2,16}}?)"
    r"(?=，|。|；|！|？|,|\.|;|!|\?|\s|预算|必须|在(?!线)|到|去|给|$)"
)
_LEAD = re.compile(r"^(?:(?:an?|the|our|my|some|us|me|new|his|her|their|someone|somebody)\s+)+", re.IGNORECASE)
_AT_ZH = re.compile(
    r"(?:在|去|到|前往|位于)([\u4e00-\u9fff]{2,6}?)(?=的|发布|举办|办|开|召开|找|招|工作|出差|旅行|旅游|玩|上线|做|，|。|,|\s|$|附近|和|与)"
)
_NO_PLACE_ZH = re.compile("网|线|家$|内|之|前|后|月|周|年|天|预算|时")
# Words that say how something was put, not what it is.
_MIDDLEMAN = re.compile(r"\b(?:suppliers?|manufacturers?|vendors?|factory|producers?|source)$", re.IGNORECASE)
_MIDDLEMAN_ZH = re.compile(r"^(?:我们的|我的|家)|(?:供应商|厂家|工厂|货源)$")
_FOR_WHAT = re.compile(
    rf"\s+(?:for|of)\s+(?:our\s+|the\s+)?((?:\d[\d,]*\s+)?[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,3}}?)(?={_STOP})",
    re.IGNORECASE,
)
_EMPTY_THINGS = {
    "help",
    "something",
    "it",
    "this",
    "that",
    "them",
    "anything",
    "everything",
    "you",
    "one",
    "time",
    "way",
}


def slots_in(text: str, today: str = "") -> dict[str, str]:
    """What was found, by slot; what was not found is missing."""
    language = language_of(text)
    found = {
        "thing": _thing(text, language),
        "place": _place(text, language),
        "date": _date(text, today),
        "deadline": _deadline(text, today),
        "budget": _budget(text, language),
        "count": _count(text, language),
        "constraints": listed(_constraints(text, language), language),
        "deliverables": _deliverables(text, language),
        "names": listed(names_in(text), language),
    }
    return {name: value for name, value in found.items() if value}


def without_article(thing: str) -> str:
    return _LEAD.sub("", thing).strip()


def names_in(text: str) -> list[str]:
    """People and companies that the owner names as somebody to deal with."""
    places = set(_places(text))
    found = [m[1].rstrip(".") for m in _WITH.finditer(text)]
    return [n for n in dict.fromkeys(found) if n not in places and n.split()[0] not in _NO_PLACE and len(n) > 2]


def public_slots(slots: Mapping[str, str]) -> dict[str, str]:
    """What may be told to anybody outside: never the money, never who else is being talked to."""
    return {name: value for name, value in slots.items() if name in {"thing", "place", "date", "count", "deadline"}}


def _thing(text: str, language: Language) -> str:
    if language == "zh":
        found = [_MIDDLEMAN_ZH.sub("", m[1].strip("的了")) for m in _THING_ZH.finditer(text)]
        return next((one for one in found if len(one) >= 2 and not amounts(one) and not dates(one)), "")
    for match in _THING.finditer(text):
        bare = _behind_middleman(without_article(match[1]), text[match.end() :])
        bare = f"{bare} move" if bare and re.match(r"mov", match[0], re.IGNORECASE) else bare
        if (
            bare
            and bare.casefold() not in _EMPTY_THINGS
            and not amounts(bare)
            and not re.match(r"(?:to|for|that)\b", bare)
        ):
            return bare
    wished = _WISHED.search(text)
    return f"plan to {wished[1].strip()}" if wished else ""


def _behind_middleman(bare: str, rest: str) -> str:
    """“A supplier for glass bottles” is about glass bottles; “the market for e-bikes” stays a market."""
    behind = _FOR_WHAT.match(rest)
    if not behind:
        return bare
    if _MIDDLEMAN.search(bare):
        return behind[1]
    return f"{bare} for {behind[1]}" if bare.casefold().endswith(("market", "demand")) else bare


def _places(text: str) -> list[str]:
    routes = [name for m in _ROUTE.finditer(text) for name in (m[2], m[1])]
    plain = [m[1].rstrip(".") for m in _PLACE.finditer(text)]
    return [p for p in dict.fromkeys([*routes, *plain]) if p.split()[0].rstrip(",") not in _NO_PLACE and not dates(p)]


def _place(text: str, language: Language) -> str:
    if language == "zh":
        found = [m[1] for m in _AT_ZH.finditer(text)]
        return next((place for place in found if not _NO_PLACE_ZH.search(place)), "")
    return next(iter(_places(text)), "")


def _date(text: str, today: str) -> str:
    return next((_named_day(d, text) for d in dates(text, today)), "")


def _named_day(day: Day, text: str) -> str:
    """The day as it was meant: “by the end of March” is not March."""
    behind = text[day.end : day.end + 1]
    if behind and behind in "底初末" and not day.text.endswith(behind):
        return f"{day.text}{behind}"
    part = re.search(r"\b(end|middle|beginning) of (?:the )?$", text[: day.start], re.IGNORECASE)
    return f"the {part[1].casefold()} of {day.text}" if part else day.text


def _deadline(text: str, today: str) -> str:
    """The date behind `by`, `before`, `until`…; else the first one."""
    for day in dates(text, today):
        before, behind = text[max(0, day.start - 14) : day.start], text[day.end : day.end + 3]
        if re.search(
            r"\b(?:by|before|until|till|deadline|due|no later than)\W*(?:the )?(?:end of )?$", before, re.IGNORECASE
        ):
            return _named_day(day, text)
        if re.match(r"[底初末]?(?:之?前|以前|截止)", behind):
            return _named_day(day, text)
    return _date(text, today)


def _budget(text: str, language: Language) -> str:
    money = budget_in(text)
    if money is None:
        return ""
    # A price for one is no budget; with the number of pieces it is.
    if _EACH.match(text[money.end :]) or _EACH_ZH.search(text[: money.start]):
        pieces = _PIECES.search(text.replace(money.text, " "))
        number = parsed_number(pieces[1]) if pieces else None
        return written(money.value * number, money.currency, language) if number else ""
    return written(money.value, money.currency, language)


def _count(text: str, language: Language) -> str:
    if language == "zh":
        counted = [match for match in _COUNT_ZH.finditer(text) if match[1].strip() not in {"一", "1"}]
        return f"{counted[0][1].strip()}{counted[0][2]}" if counted else ""
    match = _COUNT.search(text)
    if match:
        return re.sub(r"\s+", " ", f"{match[1].strip()} {match[2]}")
    thing = _thing(text, language)
    return thing if re.match(r"\d[\d,]*\s+[a-z]", thing) else ""


def _constraints(text: str, language: Language) -> list[str]:
    pattern = _CONSTRAINT_ZH if language == "zh" else _CONSTRAINT
    found = [m[1].strip() for sentence in sentences(text) for m in pattern.finditer(sentence)]
    return [c for c in dict.fromkeys(found) if len(c) > 3 and not amounts(c)][:4]


def _deliverables(text: str, language: Language) -> str:
    match = (_DELIVERABLE_ZH if language == "zh" else _DELIVERABLE).search(text)
    found = match[1].strip() if match else ""
    return "" if amounts(found) or "budget" in found or "预算" in found else found
