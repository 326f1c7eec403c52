"""What the owner wrote, in slots: thing, place, date, budget, count, constraints, deliverables, names. Found by rules."""

import re
from collections.abc import Mapping

from prime.mind.offline.amounts import EACH, amounts, budget_in, limits_in, parsed_number, written
from prime.mind.offline.dates import Day, dates
from prime.mind.offline.language import Language, language_of, listed, sentences
from prime.mind.offline.phrases import alternatives, phrases
from prime.mind.offline.places import NAME, NO_PLACE, destination_in, place_in, places_in
from prime.mind.offline.things import MIDDLEMAN, MOVES, thing_in, with_article, without_article

_WITH = re.compile(rf"\b(?:with|ask|contact|from|call|email|talk to|invite|include|via|through|by)\s+({NAME})")
_IS = re.compile(
    r"\b(?:my|our)\s+(?:supervisor|advisor|adviser|editor|landlord|landlady|lawyer|recruiter|caterer|photographer)\s+is\s+"
    rf"((?:(?:Prof|Dr|Mr|Ms|Mrs)\.\s+)*{NAME})"
)
# “A tour through Germany” names no one to deal with.
_THROUGH = re.compile(rf"\bthrough\s+((?i:{alternatives('places_known')}))\b")
_IS_ZH = re.compile(r"(?:导师|编辑|房东|律师|中介)是([\u4e00-\u9fff]{2,4})(?=，|。|,|；|\s|$)")
_ALONG = re.compile(
    r"\bwith\s+((?:an?|my|our|the|some|two|three|four|five|\d+)\s+[^.;!?]{2,60}?)"
    r"(?=\s+(?:in|on|at|by|before|until|from|to)\b|,\s*(?:and |but |so )?(?:i|we|it|what|how|where|please|budget)\b|[.;!?\n]|$)",
    re.IGNORECASE,
)
_ALONG_ZH = re.compile(r"(?:有|带着?|带上)([^，。；！？,;]{2,24})")
_COUNT = re.compile(
    rf"\b((?:about|around|some|up to|roughly|circa|ca\.)?\s*(?:{alternatives('slots_numbers')}))"
    rf"\s+((?:[a-z-]+\s+)?(?:{alternatives('slots_counted')}))\b",
    re.IGNORECASE,
)
_COUNT_ZH = re.compile(
    r"(?:大约|约|近|最多)?(?<![周期一二两三四五六七八九十百千])((?:\d[\d,]*|[一二两三四五六七八九十百千零]{1,7})\s*(?:多)?)(位|名|人|口人|个人|位客人|件|台|份|套|间|晚|个用户|个客户|个小朋友|个孩子|个同学|个朋友|个(?![月小])|只(?![猫狗]))"
)
_CONSTRAINT = re.compile(
    rf"(?:^|[,;.]\s*|\s+(?:and|but|with)\s+|\s)((?:{alternatives('slots_constraints')})[^,.;!?]{{0,50}})", re.IGNORECASE
)
_CONSTRAINT_ZH = re.compile(
    r"([^，。；！？,;]{1,8}之?前不[^，。；！？,;]{1,12}|(?:必须|不要|不能|不得|只要|只能|至少|最好|要求|不用|不走|不通过|不经过|需要会|要会)[^，。；！？,;]{1,24})"
)
_ARTICLE = r"(?:an?|the|some|our)"
_PIECE = (
    r"[a-z][\w-]*(?:\s+(?!(?:in|on|at|by|for|with|to|from|we|i|you|that|which|and|or|of"
    r"|before|until|till|this|next|is|are|up|used)\b)[\w-]+){0,3}"
)
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
_RECURRING = re.compile(
    r"\s*(?:(?:an?|per|each|every)\s+|/\s?)"
    r"(?:month|week|year|mo|night|hour|hr|h|day|walk|visit|session|lesson|class|trip|time|job)\b|\s*(?:每|/|一个)(?:月|年)",
    re.IGNORECASE,
)
# What an hour costs is no budget even where it is a wage.
_HOURLY = re.compile(r"\s*(?:(?:an?|per|each|every)\s+|/\s?)(?:hour|hr|h)\b", re.IGNORECASE)
_PAY = re.compile(r"\b(?:salar|pay\s*(?:is|of|up to|:)|wage|hir|recruit)|薪|工资|招", re.IGNORECASE)
# What others ask for is no limit of ours.
_THEIRS = re.compile(
    r"\b(?:(?:they|he|she)\s+(?:wants?|asks?(?: for)?|charges?|demands?)|owes?\s+(?:us|me))\s[^,.;]{0,20}$",
    re.IGNORECASE,
)
_RATE_ZH = re.compile(r"(?:每小时|每天|每晚|每节课?|时薪|日薪)[^，。；,;]{0,4}$")
_EACH_ZH = re.compile(r"(?:单价|每[个件只份人位]|人均)[^，。；,;]{0,8}$")
_PIECES_COUNTED = re.compile(r"(\d[\d,]*)")
_PIECES = re.compile(r"(?<![\d.,])(\d[\d,]*)\s*(?:[a-z]{3,}|[个件只份套台])", re.IGNORECASE)

_PUBLIC = frozenset({"thing", "place", "destination", "along", "date", "count", "deadline"})


def slots_in(text: str, today: str = "") -> dict[str, str]:
    """What was found, by slot; what was not found is missing."""
    language = language_of(text)
    found = {
        "thing": thing_in(text, language),
        "place": place_in(text, language),
        "destination": destination_in(text, language),
        "date": _date(text, today),
        "deadline": _deadline(text, today),
        "budget": _budget(text, language),
        "count": _count(text, language),
        "constraints": listed(_constraints(text, language), language),
        "deliverables": _deliverables(text, language),
        "along": _along(text, language),
        "names": listed(names_in(text), language),
    }
    for fixed in _constraints(text, language):
        # “Switching banks without missing a payment”: what is fixed is said once.
        found["thing"] = found["thing"].removesuffix(fixed).rstrip(" ,，")
    return {name: value for name, value in found.items() if value}


def names_in(text: str) -> list[str]:
    """People and companies that the owner names as somebody to deal with."""
    places = {*places_in(text), *(m[1] for m in _THROUGH.finditer(text))}
    found = [m[1].rstrip(".") for pattern in (_IS, _WITH) for m in pattern.finditer(text)]
    found += [m[1] for m in _IS_ZH.finditer(text)]
    return [
        n
        for n in dict.fromkeys(found)
        if n not in places and n.split()[0] not in NO_PLACE and len(n) > 2 and not dates(f"by {n}")
    ]


def public_slots(slots: Mapping[str, str]) -> dict[str, str]:
    """What may be told to anybody outside: never the money, never who else is being talked to."""
    return {name: value for name, value in slots.items() if name in _PUBLIC}


def _along(text: str, language: Language) -> str:
    """What comes along on a move."""
    if language == "zh":
        found = _ALONG_ZH.search(text) if "搬" in text else None
    else:
        found = _ALONG.search(text) if MOVES.search(text) else None
    return found[1].strip() if found else ""


def _date(text: str, today: str) -> str:
    return next((_named_day(d, text) for d in _days_ahead(text, today)), "")


# What began some time ago, and what must not come earlier, is no day to be ready by.
_SINCE = re.compile(
    r"\b(?:since|ever since|not before|no earlier than|not earlier than|not until)\s+(?:the )?$", re.IGNORECASE
)
_SINCE_ZH = re.compile(r"[初底末]?(?:以来|起就|之?前(?:不(?!超过|少于|多于|能晚)|别|不要))")


def _days_ahead(text: str, today: str) -> list[Day]:
    return [
        day
        for day in dates(text, today)
        if not _SINCE.search(text[max(0, day.start - 24) : day.start])
        and not _SINCE_ZH.match(text[day.end : day.end + 8])
    ]


def _named_day(day: Day, text: str) -> str:
    """The day as it was meant: “by the end of March” is not March."""
    behind = text[day.end : day.end + 1]
    if behind and behind in "底初末" and not day.text.endswith(behind):
        return f"{day.text}{behind}"
    if first := re.search(r"(?<!\d)\d{1,2}\s?[-–]\s?$", text[: day.start]):
        return f"{first[0].strip()}{day.text}"  # “14-15 November”
    if last := re.match(r"\s?[-–]\s?\d{1,2}(?![\d.:])", text[day.end :]):
        return f"{day.text}{last[0].strip()}"
    if between := re.search(
        r"\bbetween (?:the )?(\d{1,2})(?:st|nd|rd|th)? and (?:the )?$", text[: day.start], re.IGNORECASE
    ):
        return f"{between[1]}–{day.text}"
    part = re.search(
        r"\b(end|middle|beginning|(?:first|second|third|last) (?:week|weekend|half|days)) of (?:the )?$",
        text[: day.start],
        re.IGNORECASE,
    )
    return f"the {part[1].casefold()} of {day.text}" if part else day.text


def _deadline(text: str, today: str) -> str:
    """The date behind `by`, `before`, `until`…; else the first one."""
    for day in _days_ahead(text, today):
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
    if money is None or _THEIRS.search(text[: money.start]):
        return ""
    if _RECURRING.match(text[money.end :]) and not _PAY.search(text):
        return ""  # what something costs month by month is no budget for making it
    if _HOURLY.match(text[money.end :]) or _RATE_ZH.search(text[: money.start]):
        return ""
    # A price for one is no budget; with the number of pieces it is.
    if EACH.match(text[money.end :]) or _EACH_ZH.search(text[: money.start]):
        pieces = _PIECES_COUNTED.search(_count(text, language)) or _PIECES.search(text.replace(money.text, " "))
        number = parsed_number(pieces[1]) if pieces else None
        return written(money.value * number, money.currency, language) if number else ""
    return written(money.value, money.currency or ("CNY" if language == "zh" else ""), language)


def _count(text: str, language: Language) -> str:
    if language == "zh":
        counted = [match for match in _COUNT_ZH.finditer(text) if match[1].strip() not in {"一", "1"}]
        return f"{counted[0][1].strip()}{counted[0][2]}" if counted else ""
    match = _COUNT.search(text)
    if match:
        return re.sub(r"\s+", " ", f"{match[1].strip()} {_HEADS.sub('people', match[2])}")
    thing = thing_in(text, language).partition(" with a ")[0]
    thing = thing.partition(" and ")[0]
    return thing if re.match(r"\d[\d,]*\s+(?!(?:page|day|week|month|year|hour|night|part)\b)[a-z]", thing) else ""


# As one says it to others.
_HEADS = re.compile(r"^(?:of us|ppl|pax)$", re.IGNORECASE)
_GOODS = re.compile(
    r"\d[\d,]*\s(?:bottles|boxes|copies|chairs|lamps|shirts|parts|tonnes|kilos|units|pieces|pcs)$", re.IGNORECASE
)


def goods_of(slots: Mapping[str, str]) -> str:
    """What is counted, where it is goods and nothing else was named; "" for people."""
    return slots.get("count", "") if _GOODS.match(slots.get("count", "")) else ""


def _constraints(text: str, language: Language) -> list[str]:
    pattern = _CONSTRAINT_ZH if language == "zh" else _CONSTRAINT
    found = [_with_subject(m, sentence) for sentence in sentences(text) for m in pattern.finditer(sentence)]
    fixed = [c for c in dict.fromkeys(found) if len(c) > 3 and not amounts(c) and not limits_in(c)]
    return [*fixed, *_monthly(text, language)][:4]


def _with_subject(found: re.Match[str], sentence: str) -> str:
    """“Stripe integration must work”: what must is a part of it, where it is said in a word or three."""
    said = found[1].strip()
    before = re.split(r"[,;.:!?]|\b(?:and|but|with)\b", sentence[: found.start(1)])[-1].strip()
    if re.search(r"\b(?:i|we)$", before, re.IGNORECASE) and said.casefold().startswith("must"):
        return ""  # “we must replace it” is the wish itself
    subject = re.sub(r"^(?:it|they|that|which|who|everything|all)\b", "", before, flags=re.IGNORECASE).strip()
    short = subject and len(subject.split()) <= 3 and not re.search(r"\b(?:need|want|i|we)\b", subject, re.IGNORECASE)
    return f"{subject} {said}" if said.casefold().startswith("must") and short else said


def _monthly(text: str, language: Language) -> list[str]:
    """What may be paid again and again: no budget, and to be kept to all the same."""
    money = budget_in(text)
    often = _RECURRING.match(text[money.end :]) if money else None
    if (
        money is None
        or often is None
        or (_PAY.search(text) and not _HOURLY.match(text[money.end :]))
        or _THEIRS.search(text[: money.start])
    ):
        return []
    sum_of = written(money.value, money.currency, language)
    if language == "zh":
        return [f"每{'年' if '年' in often[0] else '月'}不超过{sum_of}"]
    span = re.split(r"[\s/]", often[0].strip().casefold())[-1]
    return [f"up to {sum_of} {with_article({'mo': 'month', 'h': 'hour', 'hr': 'hour'}.get(span, span))}"]


# Who comes along is nothing to be delivered.
_COMPANY = re.compile(
    r"(?:[a-z]+ )?(?:kids?|children|boys|girls|friends?|family|wife|husband|partner|parents|team|colleagues?|dogs?|cats?|baby)\b",
    re.IGNORECASE,
)


_NEXT = phrases("intents_imperative")
_NEXT_STEP = re.compile(r"(?:ask|talk|call|check|show|send|tell|give|invite|choose|pick|qualify)\b", re.IGNORECASE)


def _things_of(listed: str) -> str:
    """“the advert, collect candidates, ask each”: what is listed, up to where the next thing to do begins."""
    parts = re.split(r"(,\s*(?:and\s+)?|\s+and\s+)", listed)
    at = next((n for n in range(2, len(parts), 2) if _NEXT.search(parts[n]) or _NEXT_STEP.match(parts[n])), len(parts))
    return "".join(parts[: max(1, at - 1)]) if at < len(parts) else listed


def _deliverables(text: str, language: Language) -> str:
    match = (_DELIVERABLE_ZH if language == "zh" else _DELIVERABLE).search(text)
    found = _SIDE.sub("", _things_of(match[1].strip())) if match else ""
    thing, bare = thing_in(text, language), without_article(found)
    if bare in thing or (thing and bare.startswith(thing)) or _COMPANY.match(bare):
        return ""  # it is what the whole is about
    return "" if amounts(found) or MIDDLEMAN.search(found) or "budget" in found or "预算" in found else found
