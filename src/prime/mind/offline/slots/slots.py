"""What the owner wrote, in slots: thing, place, date, budget, count, constraints, deliverables, names. Found by rules."""

import re
from collections.abc import Mapping

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.days import date_in, deadline_in
from prime.mind.offline.figures.places import NAME, NO_PLACE, destination_in, known_places, place_in, places_in
from prime.mind.offline.slots.budgets import budget_slot
from prime.mind.offline.slots.constraints import constraints_in
from prime.mind.offline.slots.counts import count_in
from prime.mind.offline.things.things import MIDDLEMAN, MOVES, thing_in, without_article
from prime.mind.offline.words.language import Language, language_of, listed
from prime.mind.offline.words.phrases import alternatives, phrases

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
_PUBLIC = frozenset({"thing", "place", "destination", "along", "date", "count", "deadline"})


def slots_in(text: str, today: str = "") -> dict[str, str]:
    """What was found, by slot; what was not found is missing."""
    language = language_of(text)
    count = count_in(text, language)
    found = {
        "thing": thing_in(text, language),
        "place": place_in(text, language),
        "destination": destination_in(text, language),
        "date": date_in(text, today),
        "deadline": deadline_in(text, today),
        "budget": budget_slot(text, language, count),
        "count": count,
        "constraints": listed(constraints_in(text, language), language),
        "deliverables": _deliverables(text, language),
        "along": _along(text, language),
        "names": listed(names_in(text), language),
    }
    if found["place"] and language == "en":
        # “Cheap flight + hotel Lisbon”, but “the move to Lyon”.
        found["thing"] = re.sub(
            rf"(?<!\bto)(?<!\bfrom)(?<!\bin)(?<!\bof)(?<!\bthrough)(?<!\bacross)(?<!\baround)(?<!\bnear)(?<!\bat)(?<!\bon)(?<!\band)\s+{re.escape(found['place'])}$",
            "",
            found["thing"],
        )
    for fixed in constraints_in(text, language):
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
    known = known_places(text)
    found = [m[1].rstrip(".") for pattern in (_IS, _APPOSED, _WITH) for m in pattern.finditer(_CLAIMED.sub(" ", text))]
    found += [m[1] for pattern in (_IS_ZH, _WITH_ZH) for m in pattern.finditer(text)]
    return [
        n
        for n in dict.fromkeys(found)
        if n not in places
        and n not in known
        and n not in _NOBODY
        and n.split()[0] not in NO_PLACE
        and len(n) > 2
        and not dates(f"by {n}")
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


# Who comes along is nothing to be delivered.
_COMPANY = re.compile(
    r"(?:[a-z]+ )?(?:kids?|children|boys|girls|friends?|family|wife|husband|partner|parents|team|colleagues?|dogs?|cats?|baby)\b",
    re.IGNORECASE,
)


# Only what is listed behind these is to be delivered; one alone may be anything that goes with it.
_ONLY_BESIDE = re.compile(r"(?:with|want)\b", re.IGNORECASE)
_ONE_OF_US = re.compile(r"(?:,|\band)\s+(?:one|two|three|some|all|most|none|both|it|this)$|\bones?$", re.IGNORECASE)
_SEVERAL = re.compile(r",|\band\b")
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
    if _ONE_OF_US.search(found):
        return ""  # “with a garden, one of us is home”
    if match and language == "en" and _ONLY_BESIDE.match(match[0]) and not _SEVERAL.search(found):
        return ""  # “with the youth fire brigade”, “I want the builder to come back”: nobody delivers them
    thing, bare = thing_in(text, language), without_article(found)
    if bare in thing or (thing and bare.startswith(thing)) or _COMPANY.match(bare):
        return ""  # it is what the whole is about
    return "" if amounts(found) or MIDDLEMAN.search(found) or "budget" in found or "预算" in found else found
