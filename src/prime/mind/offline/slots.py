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
_PLACE = re.compile(rf"\b(?:in|at|near|around|to|across)\s+(?:the\s+)?({_NAME}(?:(?:,|\s+and)\s+(?:{_CAP}))?)")
_HOUSE = re.compile(rf"\b(?:our|my|the)\s+({_CAP})\s+(?:office|shop|store|team|branch|site|plant|factory|warehouse)\b")
_HOUSE_ZH = re.compile(r"([\u4e00-\u9fff]{2,3})(?:办公(?!室)|分公司|门店)")
_SENT_TO = re.compile(
    rf"\b(?:deliver(?:ed|y)?|ship(?:ped|ping)?|sent|send|brought|bring|transport(?:ed)?)\s+(?:[a-z]+\s+){{0,2}}to\s+({_NAME})"
)
_SENT_TO_ZH = re.compile(r"(?:送到|运到|寄到|发往|送货到|交货到)([\u4e00-\u9fff]{2,4}?)(?=，|。|,|\s|$|的)")
_ROUTE = re.compile(rf"\bfrom\s+({_NAME})\s+to\s+({_NAME})")
_WITH = re.compile(rf"\b(?:with|ask|contact|from|call|email|talk to|invite|include|via|through|by)\s+({_NAME})")
_IS = re.compile(
    r"\b(?:my|our)\s+(?:supervisor|advisor|adviser|editor|landlord|landlady|lawyer|recruiter|caterer|photographer)\s+is\s+"
    rf"((?:(?:Prof|Dr|Mr|Ms|Mrs)\.\s+)*{_NAME})"
)
_IS_ZH = re.compile(r"(?:导师|编辑|房东|律师|中介)是([\u4e00-\u9fff]{2,4})(?=，|。|,|；|\s|$)")
_ALONG = re.compile(
    r"\bwith\s+((?:an?|my|our|the|some|two|three|four|five|\d+)\s+[^.;!?]{2,60}?)"
    r"(?=\s+(?:in|on|at|by|before|until|from|to)\b|[.;!?\n]|$)",
    re.IGNORECASE,
)
_ALONG_ZH = re.compile(r"(?:有|带着?|带上)([^，。；！？,;]{2,24})")
_COUNT = re.compile(
    rf"\b((?:about|around|some|up to|roughly|circa|ca\.)?\s*(?:{alternatives('slots_numbers')}))"
    rf"\s+((?:[a-z-]+\s+)?(?:{alternatives('slots_counted')}))\b",
    re.IGNORECASE,
)
_COUNT_ZH = re.compile(
    r"(?:大约|约|近|最多)?((?:\d[\d,]*|[一二两三四五六七八九十百]{1,3})\s*(?:多)?)(位|名|人|个人|位客人|件|台|份|套|间|晚|个用户|个客户|个|只(?![猫狗]))"
)
_CONSTRAINT = re.compile(
    rf"(?:^|[,;.]\s*|\s+(?:and|but|with)\s+|\s)((?:{alternatives('slots_constraints')})[^,.;!?]{{0,50}})", re.IGNORECASE
)
_CONSTRAINT_ZH = re.compile(r"((?:必须|不要|不能|不得|只要|只能|至少|最好|要求|不用|需要会)[^，。；！？,;]{1,24})")
_ARTICLE = r"(?:an?|the|some|our)"
_PIECE = r"[a-z][\w -]{2,40}\b"
_DELIVERABLE = re.compile(
    r"\b(?:need|want|deliver|produce|prepare|make|get me|write|including|includes?|with)\s+"
    rf"({_ARTICLE}\s+{_PIECE}(?:,\s*{_ARTICLE}?\s*{_PIECE})*(?:,?\s+and\s+{_ARTICLE}?\s*{_PIECE})?)",
    re.IGNORECASE,
)
_DELIVERABLE_ZH = re.compile(
    r"(?:需要|交付|准备|制作|包括|写)(?:好|出)?((?:一[份个套张段]|[^，。；！？,;]{2,10}、)[^，。；！？,;]{1,24})"
)
# “a lawyer for a rent dispute with”: what it is for is said elsewhere.
_SIDE = re.compile(r"\s+(?:for|with|in|by|to|about|on|at|from|of)\b[^,]*$", re.IGNORECASE)
_EACH = re.compile(
    r"\s*(?:each|apiece|a piece|per (?:piece|unit|item|head|person)|/ ?(?:piece|unit))\b|\s*(?:一[个件只]|/[个件只])"
)
_RECURRING = re.compile(
    r"\s*(?:(?:an?|per|each|every)\s+|/\s?)(?:month|week|year|mo)\b|\s*(?:每|/|一个)(?:月|年)", re.IGNORECASE
)
_PAY = re.compile(r"\b(?:salar|pay|wage|hir|recruit)|薪|工资|招", re.IGNORECASE)
_EACH_ZH = re.compile(r"(?:单价|每[个件只份])[^，。；,;]{0,8}$")
_PIECES = re.compile(r"(?<![\d.,])(\d[\d,]*)\s*(?:[a-z]{3,}|[个件只份套台])", re.IGNORECASE)
_VERB = alternatives("slots_verbs")
_STOP = alternatives("slots_ends")
_OWNED = r"an?|the|our|my|some|us|me|a new|new|his|her|their|two|three|four|five|\d+"
_THING = re.compile(
    rf"\b(?:{_VERB})\s+(?!(?:to|out)\b)((?:(?:{_OWNED})\s+)*[\w’'&/+-]+(?:\s+[\w’'&/+-]+){{0,6}}?)(?={_STOP})",
    re.IGNORECASE,
)
# “Our new oat milk, Hafergold, …”: what it is, and what it is called.
_CALLED = re.compile(rf",\s+(?:called\s+)?[“\"]?({_CAP})[”\"]?(?=[,.;:]|\s+(?:in|on|at|by|with|for)\b|$)")
_MARKED = re.compile(r"\s+with\s+(?:our|my|the|an?|your)\s+(logo|name|label|print|motif)\b", re.IGNORECASE)
_ABOUT = re.compile(
    rf"\s+(?:on|about)\s+((?!(?:the\s+)?\d)[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,4}}?)(?={_STOP})", re.IGNORECASE
)
_TEXTS = re.compile(r"\b(?:thesis|dissertation|paper|essay|article|book|report|talk|lecture|study)$", re.IGNORECASE)
_TEXT_ZH = re.compile(
    r"((?:硕士|博士|本科|毕业|学士)?论文|小说|书稿|白皮书)(?:要写|写|研究|关于|题目是|是关于)(?:的是)?([^，。；！？,;\s]{2,16})"
)
_RELATIVE = re.compile(r"^[a-z]+\s+(?=[A-Z][\w-]*[’']s\s)")
_MOVES = re.compile(r"\bmov(?:e|es|ed|ing)\b", re.IGNORECASE)
_ROUTE_ZH = re.compile(
    r"从([\u4e00-\u9fff]{2,4}?)(?:搬家?|搬迁)(?:到|去|往|至)([\u4e00-\u9fff]{2,4}?)(?=，|。|,|\s|$|的|住|工作)"
)
_MOVE_ZH = re.compile(r"(?:搬家?|搬迁)(?:到|去|往|至)([\u4e00-\u9fff]{2,4}?)(?=，|。|,|\s|$|的|住|工作)")
# “I want to learn to sail”: no thing is named, but something to do is.
_WISHED = re.compile(
    r"\b(?:want|would like|like|plan|hope|decided|going) to ([a-z][\w’' -]{4,60}?)"
    r"(?=\s+(?:this|next|in|by|before)\b|[,.;:!?\n]|$)",
    re.IGNORECASE,
)
_DOING = {"learn": "learning", "lose": "losing", "quit": "quitting", "run": "running"}
_GOAL = re.compile(
    rf"\b(learn|lose|quit|run(?=\s+an?\s+(?:half[ -])?marathon))\s+((?:to\s+)?[\w’'-]+(?:\s+[\w’'-]+){{0,4}}?)(?={_STOP})",
    re.IGNORECASE,
)
_VERB_ZH = alternatives("slots_verbs_zh")
_THING_ZH = re.compile(
    rf"(?:{_VERB_ZH})(?:一下|到|出|好)?(?:一[个款场次套份名位家项台些部本趟]|两[个款场次套份名位家]|几[个款场次套份名位家]|[\d一二三四五六七八九十]+[个款场次套份名位家台件]|个|场)?(?:的)?([^，。；！？,.;!?\s]{{2,16}}?)"
    r"(?=，|。|；|！|？|,|\.|;|!|\?|\s|预算|必须|在(?!线)|到|去|给|$)"
)
# “前端工程师” is a thing; “前三个月” is none.
_NO_HEAD_ZH = re.compile("[前后时之](?!端|台|勤|厨|装|尚)")
_LEAD = re.compile(r"^(?:(?:an?|the|our|my|some|us|me|new|his|her|their|someone|somebody)\s+)+", re.IGNORECASE)
_AT_ZH = re.compile(
    r"(?:在|去|到|前往|位于)([\u4e00-\u9fff]{2,6}?)(?=的|发布|举办|办|开|召开|找|招|工作|出差|旅行|旅游|玩|上线|做|，|。|,|\s|$|附近|和|与)"
)
_AT_LATIN = re.compile(
    r"(?:去|到|在|飞|前往)\s*([A-Z][a-z]{2,}(?: [A-Z][a-z]+)*)"
    r"|([A-Z][a-z]{2,}(?: [A-Z][a-z]+)*)\s*(?:的\s*)?(?:trip|旅行|之旅|行程|出差|旅游)"
)
_NO_PLACE_ZH = re.compile("网|线|家$|内|之|前|后|月|周|年|天|预算|时")
# Words that say how something was put, not what it is.
_MIDDLEMAN = re.compile(
    r"\b(?:suppliers?|manufacturers?|vendors?|factory|producers?|source|users|customers|testers|subscribers|readers"
    r"|lawyer|notary|accountant|plumber|electrician|translator|photographer|caterer|dj|band)$",
    re.IGNORECASE,
)
_MIDDLEMAN_ZH = re.compile(r"^(?:我们的|我的|家)|(?:供应商|厂家|工厂|货源)$")
_FOR_WHAT = re.compile(
    rf"\s+(?:for|of)\s+(?:(?:our|the|my|an?)\s+)?((?:\d[\d,]*\s+)?[a-z][\w’'-]*(?:\s+[a-z][\w’'-]*){{0,3}}?)(?={_STOP})",
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


_PUBLIC = frozenset({"thing", "place", "destination", "along", "date", "count", "deadline"})


def slots_in(text: str, today: str = "") -> dict[str, str]:
    """What was found, by slot; what was not found is missing."""
    language = language_of(text)
    found = {
        "thing": _thing(text, language),
        "place": _place(text, language),
        "destination": _destination(text, language),
        "date": _date(text, today),
        "deadline": _deadline(text, today),
        "budget": _budget(text, language),
        "count": _count(text, language),
        "constraints": listed(_constraints(text, language), language),
        "deliverables": _deliverables(text, language),
        "along": _along(text, language),
        "names": listed(names_in(text), language),
    }
    return {name: value for name, value in found.items() if value}


def without_article(thing: str) -> str:
    return _LEAD.sub("", thing).strip()


def names_in(text: str) -> list[str]:
    """People and companies that the owner names as somebody to deal with."""
    places = set(_places(text))
    found = [m[1].rstrip(".") for pattern in (_IS, _WITH) for m in pattern.finditer(text)]
    found += [m[1] for m in _IS_ZH.finditer(text)]
    return [n for n in dict.fromkeys(found) if n not in places and n.split()[0] not in _NO_PLACE and len(n) > 2]


def public_slots(slots: Mapping[str, str]) -> dict[str, str]:
    """What may be told to anybody outside: never the money, never who else is being talked to."""
    return {name: value for name, value in slots.items() if name in _PUBLIC}


def _thing(text: str, language: Language) -> str:
    if language == "zh":
        if route := _ROUTE_ZH.search(text):
            return f"从{route[1]}到{route[2]}的搬家"
        if move := _MOVE_ZH.search(text):
            return f"到{move[1]}的搬家"
        if about := _TEXT_ZH.search(text):
            return f"关于{about[2]}的{about[1]}"
        found = [_MIDDLEMAN_ZH.sub("", m[1].strip("的了")) for m in _THING_ZH.finditer(text)]
        return next(
            (
                one
                for one in found
                if len(one) >= 2 and not _NO_HEAD_ZH.match(one) and not amounts(one) and not dates(one)
            ),
            "",
        )
    if _MOVES.search(text) and (route := _ROUTE.search(text)):
        return f"move from {route[1]} to {route[2]}"
    for match in _THING.finditer(text):
        bare = _RELATIVE.sub("", without_article(match[1]))
        bare = _described(_behind_middleman(bare, text[match.end() :]), text)
        bare = f"{bare} move" if bare and re.match(r"mov", match[0], re.IGNORECASE) else bare
        if (
            bare
            and bare.casefold() not in _EMPTY_THINGS
            and not amounts(bare)
            and not re.match(r"(?:to|for|that)\b", bare)
        ):
            return bare
    if goal := _GOAL.search(text):
        return f"{_DOING[goal[1].casefold()]} {goal[2].strip()}"
    wished = _WISHED.search(text)
    return f"plan to {wished[1].strip()}" if wished else ""


def _described(bare: str, text: str) -> str:
    """With what was written right behind it and belongs to it: its name, its subject, its mark."""
    _, found, rest = text.partition(bare)
    if not bare or not found:
        return bare
    if called := _CALLED.match(rest):
        name = called[1].rstrip(".")
        return bare if name in _NO_PLACE or dates(name) or name in _places(text) else f"{bare} {name}"
    if _TEXTS.search(bare) and (about := _ABOUT.match(rest)):
        return f"{bare} on {about[1]}"
    return f"{bare} with a {marked[1]}" if (marked := _MARKED.match(rest)) else bare


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
    plain = [m[1].rstrip(".") for m in _PLACE.finditer(_SENT_TO.sub(" ", text))]
    plain = [p.partition(" and ")[0] if p.rpartition(" ")[2] in _NO_PLACE else p for p in plain]
    house = [m[1] for m in _HOUSE.finditer(text)]
    named = dict.fromkeys([*routes, *plain, *house])
    return [p for p in named if p.split()[0].rstrip(",") not in _NO_PLACE and not dates(p)]


def _place(text: str, language: Language) -> str:
    if language == "zh":
        if route := _ROUTE_ZH.search(text):
            return route[2]
        found = [m[1] for pattern in (_AT_ZH, _HOUSE_ZH) for m in pattern.finditer(_SENT_TO_ZH.sub("", text))]
        found += [m[1] or m[2] for m in _AT_LATIN.finditer(text)]
        return next((place for place in found if not _NO_PLACE_ZH.search(place)), "")
    return next(iter(_places(text)), "")


def _along(text: str, language: Language) -> str:
    """What comes along on a move."""
    if language == "zh":
        found = _ALONG_ZH.search(text) if "搬" in text else None
    else:
        found = _ALONG.search(text) if _MOVES.search(text) else None
    return found[1].strip() if found else ""


def _destination(text: str, language: Language) -> str:
    """Where something is to be brought, which is not where it is made."""
    sent = (_SENT_TO_ZH if language == "zh" else _SENT_TO).search(text)
    return sent[1].rstrip(".") if sent else ""


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
    if _RECURRING.match(text[money.end :]) and not _PAY.search(text):
        return ""  # what something costs month by month is no budget for making it
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
    thing = _thing(text, language).partition(" with a ")[0]
    return thing if re.match(r"\d[\d,]*\s+[a-z]", thing) else ""


def _constraints(text: str, language: Language) -> list[str]:
    pattern = _CONSTRAINT_ZH if language == "zh" else _CONSTRAINT
    found = [m[1].strip() for sentence in sentences(text) for m in pattern.finditer(sentence)]
    return [c for c in dict.fromkeys(found) if len(c) > 3 and not amounts(c)][:4]


def _deliverables(text: str, language: Language) -> str:
    match = (_DELIVERABLE_ZH if language == "zh" else _DELIVERABLE).search(text)
    found = _SIDE.sub("", match[1].strip()) if match else ""
    if without_article(found) in _thing(text, language):
        return ""  # it is what the whole is about
    return "" if amounts(found) or _MIDDLEMAN.search(found) or "budget" in found or "预算" in found else found
