"""What the owner wrote, in slots: thing, place, date, budget, count, constraints, deliverables, names. Found by rules."""

import re
from collections.abc import Mapping

from prime.mind.offline.amounts import amounts
from prime.mind.offline.budgets import budget_slot, parts_limits
from prime.mind.offline.dates import dates
from prime.mind.offline.days import date_in, deadline_in
from prime.mind.offline.language import Language, language_of, listed, sentences
from prime.mind.offline.phrases import alternatives, phrases
from prime.mind.offline.places import NAME, NO_PLACE, destination_in, place_in, places_in
from prime.mind.offline.sums import limits_in
from prime.mind.offline.things import MIDDLEMAN, MOVES, thing_in, without_article

_WITH = re.compile(rf"\b(?:with|ask|contact|from|call|email|talk to|invite|include|via|through|by)\s+({NAME})")
_IS = re.compile(
    r"\b(?:my|our)\s+(?:supervisor|advisor|adviser|editor|landlord|landlady|lawyer|recruiter|caterer|photographer)\s+is\s+"
    rf"((?:(?:Prof|Dr|Mr|Ms|Mrs)\.\s+)*{NAME})"
)
# “A tour through Germany” names no one to deal with.
_THROUGH = re.compile(rf"\bthrough\s+((?i:{alternatives('places_known')}))\b")
# “Our landlord, Hartmann Immobilien”.
_APPOSED = re.compile(
    rf"\b(?:my|our)\s+(?:current\s+)?(?:landlord|landlady|supplier|bank|insurer|insurance|lawyer|caterer|agency|provider|partner|boss|client|customer"
    rf"|supervisor|publisher|employer),\s+({NAME})"
)
# Who owes us something is no adviser of ours.
_CLAIMED = re.compile(
    rf"\b(?:refund|money(?: back)?|compensation|deposit|damages|payment|apology)\s+(?:[a-z]+\s+)?from\s+{NAME}"
    rf"|\b(?:poems?|novels?|books?|stor(?:y|ies)|plays?|essays?|works?|songs?|music|films?|paintings?|pieces?|opera|letters?|texts?)\s+by\s+{NAME}"
    rf"|\bfrom\s+{NAME}(?=\s+(?:to|into|onto|back)\b)|\bfrom\s+(?i:{alternatives('places_known')})\b"
)
_WITH_ZH = re.compile(
    r"(?:跟|和|与)(?:供应商|厂家|房东|物业|客户|甲方|合作方)([\u4e00-\u9fff]{2,8}?)(?=谈|协商|商量|沟通|砍价|签|续约|合作)"
)
_IS_ZH = re.compile(r"(?:导师|编辑|房东|律师|中介)是([\u4e00-\u9fff]{2,4})(?=，|。|,|；|\s|$)")
_ALONG = re.compile(
    r"\bwith\s+((?:an?|my|our|the|some|two|three|four|five|\d+)\s+[^.;!?]{2,60}?)"
    r"(?=\s+(?:in|on|at|by|before|until|from|to)\b|,\s*(?:and |but |so )?(?:i|we|it|what|how|where|please|budget)\b|[.;!?\n]|$)",
    re.IGNORECASE,
)
_ALONG_ZH = re.compile(
    r"(?:(?<!没)有|带着?|带上)(?:[一二两三四五六七八九十\d]+(?:个人|口人|人)(?:和|、|，)?)?([^，。；！？,;]{2,24})"
)
_COUNT = re.compile(
    rf"(?<![\d.,])\b((?:about|around|some|up to|roughly|circa|ca\.)?\s*(?:{alternatives('slots_numbers')}))"
    rf"\s+((?:[a-z-]+\s+)?(?:{alternatives('slots_counted')}))\b",
    re.IGNORECASE,
)
# “A dinner for 8”.
_TABLE = re.compile(
    r"\b(?:dinner|lunch|brunch|breakfast|party|table|meal|bbq|barbecue|picnic|buffet|wedding|reception|funeral|celebration"
    r"|reunion|retreat|workshop|gala|feast|banquet|birthday|event|holiday|trip|room|venue)\s+for\s+(\d{1,4})\b"
    r"(?!\s*(?:days?|nights?|weeks?|hours?|EUR|USD|GBP|euros?|dollars?|k|each|people|guests|[a-z]+s)\b|[\d.,/:])",
    re.IGNORECASE,
)
_COUNT_ZH = re.compile(
    r"(?:大约|约|近|最多)?(?<![周期一二两三四五六七八九十百千])((?:\d[\d,]*|[一二两三四五六七八九十百千零]{1,7})\s*(?:多)?)(位|名|人|口人|个人|位客人|件|台|桌|份|套|间|晚|个用户|个客户|个工位|个[\u4e00-\u9fff]{2,4}(?=[，。；、,;\d\s]|$)|个(?:小朋友|孩子|老人|学生|志愿者|员工|客人|居民|队员|病人)|个同学|个朋友|个(?![月小])|只(?![猫狗]))"
)
_CONSTRAINT = re.compile(
    rf"(?:^|[,;.]\s*|\s+(?:and|but|with)\s+|\s)((?:{alternatives('slots_constraints')})[^,.;!?]{{0,50}})", re.IGNORECASE
)
_CONSTRAINT_ZH = re.compile(
    r"([^，。；！？,;]{1,8}之?前不[^，。；！？,;]{1,12}|(?:(?:^|(?<=[，。；、,;]))(?:会(?=[说讲开做用写唱画弹])|不?住家|全职|兼职|没有?(?:钱|预算|资金)|零预算|不(?=加盟|买|坐|住|吃|喝|抽|贷款|借|打广告|上门|拍|卖|收|接受|含|带|办|请|搞))[^，。；！？,;]{0,16})"
    r"|(?:^|(?<=[，。；、,;]))[^，。；！？,;]{1,4}(?:不能|不得|不可以)[^，。；！？,;]{1,24}"
    r"|(?:必须|(?<!要)不要|不能|不得|只要|(?<!现在)(?<!目前)只能|至少|最好|要求|不用|不走|不通过|不经过|需要会|要会|账期|别用|不想要)[^，。；！？,;]{1,24}"
    r"|(?:老人|老人家|孩子|父母|爸妈|妈妈|爸爸|奶奶|爷爷|外婆|外公|有[一两三几]?[个位]?[人客同]?[人事]?)[^，。；！？,;]{0,6}(?:不好|不便|过敏|晕车|怀孕|吃素|轮椅|糖尿病))"
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
_PEOPLE_ZH = re.compile(r"(?:位|名|人|客|学生|同学|朋友|同事|员工|志愿者)$")
_GROUPS_ZH = re.compile(r"个(?:部门|家庭|小组|团队|班级?|公司|单位|学校|门店|年级)")
_PUBLIC = frozenset({"thing", "place", "destination", "along", "date", "count", "deadline"})


def slots_in(text: str, today: str = "") -> dict[str, str]:
    """What was found, by slot; what was not found is missing."""
    language = language_of(text)
    count = _count(text, language)
    found = {
        "thing": thing_in(text, language),
        "place": place_in(text, language),
        "destination": destination_in(text, language),
        "date": date_in(text, today),
        "deadline": deadline_in(text, today),
        "budget": budget_slot(text, language, count),
        "count": count,
        "constraints": listed(_constraints(text, language), language),
        "deliverables": _deliverables(text, language),
        "along": _along(text, language),
        "names": listed(names_in(text), language),
    }
    if found["place"] and language == "en":
        # “Cheap flight + hotel Lisbon”, but “the move to Lyon”.
        found["thing"] = re.sub(
            rf"(?<!\bto)(?<!\bfrom)(?<!\bin)(?<!\bof)(?<!\bthrough)(?<!\band)\s+{re.escape(found['place'])}$",
            "",
            found["thing"],
        )
    for fixed in _constraints(text, language):
        # “Switching banks without missing a payment”: what is fixed is said once.
        found["thing"] = found["thing"].removesuffix(fixed).rstrip(" ,，")
    return {name: value for name, value in found.items() if value}


# What is made with it, and nobody’s name.
_NOBODY = frozenset(
    {
        "LED",
        "LEDs",
        "GPS",
        "USB",
        "PDF",
        "CSV",
        "API",
        "CRM",
        "ERP",
        "SMS",
        "NFC",
        "DIY",
        "HDMI",
        "SQL",
        "CSS",
        "HTML",
        "VAT",
        "ADHD",
    }
)


def names_in(text: str) -> list[str]:
    """People and companies that the owner names as somebody to deal with."""
    places = {*places_in(text), *(m[1] for m in _THROUGH.finditer(text))}
    found = [m[1].rstrip(".") for pattern in (_IS, _APPOSED, _WITH) for m in pattern.finditer(_CLAIMED.sub(" ", text))]
    found += [m[1] for pattern in (_IS_ZH, _WITH_ZH) for m in pattern.finditer(text)]
    return [
        n
        for n in dict.fromkeys(found)
        if n not in places and n not in _NOBODY and n.split()[0] not in NO_PLACE and len(n) > 2 and not dates(f"by {n}")
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


def _count(text: str, language: Language) -> str:
    if language == "zh":
        counted = [match for match in _COUNT_ZH.finditer(text) if match[1].strip() not in {"一", "1"}]
        # “三个部门80人”: heads say more than what they belong to.
        heads = [match for match in counted if _PEOPLE_ZH.search(match[2])]
        match = next(iter(heads if counted and _GROUPS_ZH.search(counted[0][2]) and heads else counted), None)
        return f"{match[1].strip()}{match[2]}" if match else ""
    if table := _TABLE.search(text):
        return f"{table[1]} people"
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
    least = 2 if language == "zh" else 4
    fixed = [c for c in dict.fromkeys(found) if len(c) >= least and not amounts(c) and not limits_in(c)]
    return [*fixed, *parts_limits(text, language, _count(text, language))][:4]


_PLEASE = re.compile(r"[\s,]+(?:please|pls|thanks|thx|ok)\W*$", re.IGNORECASE)


def _with_subject(found: re.Match[str], sentence: str) -> str:
    """“Stripe integration must work”: what must is a part of it, where it is said in a word or three."""
    said = _PLEASE.sub("", found[1].strip())
    before = re.split(r"[,;.:!?](?!\d)|\b(?:and|but|with)\b", sentence[: found.start(1)])[-1].strip()
    if re.search(r"\b(?:i|we)$", before, re.IGNORECASE) and said.casefold().startswith("must"):
        return ""  # “we must replace it” is the wish itself
    subject = re.sub(r"^(?:it|they|that|which|who|everything|all)\b", "", before, flags=re.IGNORECASE).strip()
    short = subject and len(subject.split()) <= 3 and not re.search(r"\b(?:need|want|i|we)\b", subject, re.IGNORECASE)
    return f"{subject} {said}" if said.casefold().startswith("must") and short else said


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
