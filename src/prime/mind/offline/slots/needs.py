"""What a wish lists as needed: “trade fair: we need a stand, a printer and a caterer” is about the fair, and needs three."""

import re
from dataclasses import dataclass

from prime.mind.offline.figures.amounts import amounts
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.sums import limits_in
from prime.mind.offline.things.things import first_words, is_name, thing_in, without_article
from prime.mind.offline.words.language import Language, language_of
from prime.mind.offline.words.phrases import alternatives, phrases
from prime.mind.offline.words.telling import only_tells

_STOP = alternatives("needs_stops")
_WORD = rf"(?!(?:{_STOP}|my|our|his|her|their|your)\b)[a-z][\w’'-]*"
_ARTICLED = rf"(?:an?|some|the|one|two|three|four|five|six|\d{{1,4}})\s+{_WORD}(?:\s+{_WORD}){{0,2}}"
_MEMBER = rf"(?:{_ARTICLED}|{_WORD}(?:\s+{_WORD}){{0,2}})"
# Behind the last of them stands no verb of its own: “a stairlift, the stairs have a bend”.
_END = rf"(?!\s+(?:is|are|was|were|has|have|had|can|must|should|will)\b)(?=\s*(?:$|[,.;:!?()\n])|\s+(?:{_STOP})\b)"
_LISTED = re.compile(
    r"(?P<need>(?:\b(?:i|we|you|that|which|and|it|they)\s+)?(?:will |[’']ll |also |still |would )*"
    r"\b(?:needs?|requires?|needed|looking for|look for)\s*:?)\s+(?:to (?:find|hire|book|get|organi[sz]e)\s+)?"
    rf"(?P<list>{_MEMBER}(?:,\s*{_MEMBER})*,?\s+(?:and|plus|&)\s+(?:also\s+)?{_MEMBER}|{_ARTICLED}(?:,\s*{_ARTICLED})+){_END}",
    re.IGNORECASE,
)
_LISTED_ZH = re.compile(
    r"(?P<need>(?:我们?|还|也|另外|都|现在)*(?<![不别无])(?:需要|还?缺|要找|想找|得找|还差|找))(?:一下)?"
    r"(?P<list>[\u4e00-\u9fff]{2,10}(?:(?:、|和|与|及|以及|跟|还有)[\u4e00-\u9fff]{2,8}?)+)(?=[，。；！？,;!?\s]|$)"
)
_PIECES = re.compile(r",\s*(?:(?:and|plus)\s+)?(?:also\s+)?|\s+(?:and|plus|&)\s+(?:also\s+)?", re.IGNORECASE)
_PIECES_ZH = re.compile("以及|还有|[、和与及跟]")
_NUMBERED_ZH = re.compile(r"^(?:[一两二三四五六七八九十几\d]*[家位个名些套台批])?(?:(?:靠谱|好|便宜|专业|合适)的)?")
_NUMBERED = re.compile(r"^(?:an?|some|the|one|two|three|four|five|six|\d{1,4})\s+", re.IGNORECASE)
# What nobody provides.
_OF_ONES_OWN = phrases("needs_of_ones_own")
# What is to be done, or asked for from others, is a step and nobody that has a room: “and get three quotes”.
_STEP = phrases("needs_steps")
# “… for our wedding”, behind the list.
_FOR = re.compile(
    r"\s+(?:for|at)\s+(?P<what>(?:our|my|the|an?|his|her|their)\s+(?![^,.;!?]*\b(?:months?|weeks?|days?)\b)[a-z][\w’' -]{2,40}?)"
    rf"(?=\s*(?:$|[,.;!?\n])|\s+(?:{_STOP})\b)",
    re.IGNORECASE,
)
# “We exhibit at the craft fair in Milan”, “我们要参加广交会”: it is told, and is what the rest is needed for.
_TAKES_PART = re.compile(
    r"\b(?:exhibit(?:ing|s)?(?: at)?|attend(?:ing|s)?|tak(?:e|es|ing) part in"
    r"|participat(?:e|es|ing) in|go(?:ing)? to|show(?:ing)? at|be at)"
    rf"\s+(?:an?|the|our)\s+(?P<what>{_WORD}(?:\s+{_WORD}){{0,3}}?)(?=\s*(?:$|[,.;:!?\n])|\s+(?:{_STOP})\b)",
    re.IGNORECASE,
)
_TAKES_PART_ZH = re.compile(
    r"(?:参加|出席|去(?![^，。；！？,;]*(?:参加|参展|出展|出席)))(?!过|了)(?P<what>[^，。；！？,;\s]{2,12}?)(?=[，。；！？,;\s]|$)"
)
_PART_FROM_IT = re.compile(r"[\s,.;:!?–—，。；：！？-]+$")
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class Needs:
    """What is needed, as it was written; for what, where that was said apart from it; and the wish without the list."""

    members: tuple[str, ...]
    matter: str
    rest: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(_NUMBERED.sub("", member) for member in self.members)


def needs_in(wish: str) -> Needs | None:
    """None where fewer than two things or people are listed as needed."""
    language = language_of(wish)
    found = (_LISTED_ZH if language == "zh" else _LISTED).search(wish)
    if not found:
        return None
    pieces = (_PIECES_ZH if language == "zh" else _PIECES).split(found["list"])
    members = [_NUMBERED_ZH.sub("", p.strip()) if language == "zh" else p.strip() for p in pieces if p.strip()]
    members = [each for each in dict.fromkeys(members) if _is_provided(each)]
    if len(members) < _FEWEST:
        return None
    before, behind = wish[: found.start()], wish[found.end() :]
    return Needs(tuple(members), _matter(before, behind, language), f"{before} {behind}".strip())


def is_step(thing: str) -> bool:
    """Whether it is only asked for on the way: “three quotes”, “a second opinion”."""
    return bool(_STEP.search(thing))


def _is_provided(member: str) -> bool:
    return len(member) > 1 and not (
        _OF_ONES_OWN.search(member) or is_step(member) or amounts(member) or limits_in(member) or dates(member)
    )


def _matter(before: str, behind: str, language: Language) -> str:
    """What the list is for: named in a clause of its own before it, or straight behind it."""
    if language == "en" and (purpose := _FOR.match(behind)):
        return without_article(purpose["what"])
    if not _PART_FROM_IT.search(before):
        return ""
    if part := (_TAKES_PART_ZH if language == "zh" else _TAKES_PART).search(before):
        return part["what"]
    clause = _PART_FROM_IT.sub("", before)
    if only_tells(clause):
        return ""
    # A heading first: “Trade fair in Milan” trades nothing.
    named = first_words(clause, language) or thing_in(clause, language)
    return named if named and (language == "zh" or is_name(named)) else ""
