"""What makes a question necessary, feature by feature, each with a weight and the reason for it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prime.core.words import terms
from prime.mind.jobs.judging import Feature, JudgeRequest, KnownQuestion
from prime.mind.jobs.lines import Line
from prime.mind.offline.figures.amounts import Money, amounts, budget_of
from prime.mind.offline.figures.dates import Day, dates
from prime.mind.offline.figures.income import INCOME, comes_in
from prime.mind.offline.judging.topics import alike, topics_in
from prime.mind.offline.things.things import without_article
from prime.mind.offline.words.language import language_of, sentences, shortened
from prime.mind.offline.words.phrases import phrases

DECISION = phrases("features_decision")
_FINAL = phrases("features_final")
_LEGAL = phrases("features_legal")
_SOON = phrases("features_soon")
_LATER = phrases("features_later")
_OPEN = re.compile(
    r"\W*(?:(?:and|but|so|then)\s+)?"
    r"(?:(?:why|what|where|who|whom|whose|how|when)\b|(?:from|since|until|in|at|for|to|by|on|with)\s+(?:what|which|whom|when)\b)",
    re.IGNORECASE,
)
_OF_WHAT = re.compile(
    r"\W*(?:(?:and|but|so)\s+)?(?:how (?:many|much|long|old|often|big)|who|which|what (?:size|day|kind|sort))\b"
    r"|[^，。；]{0,4}(?:几[个间层楼天点]|多少|哪[里天个些]|什么时候|谁|怎么)",
    re.IGNORECASE,
)
# 呢 asks at the end of a sentence only: 我呢，不太同意 asks nothing.
INFORMATION = re.compile(r"[?？]|吗(?!\w)|呢(?=\W*$|[。！!\n])")
# What a share of the budget weighs, from the least share on.
_BY_SHARE = ((0.4, 0.3), (0.08, 0.2), (0.03, 0.1), (0.01, 0.02))
_BEYOND_BUDGET, _NEXT_TO_NOTHING = 0.45, -0.2


@dataclass(frozen=True, slots=True)
class Weighed:
    """A line with all that was found in it."""

    line: Line
    # The sentence that asks and the one before it; what else was said in the message is beside the point.
    crux: str
    # The same without the name of what the project is about: a lawyer whom one looks for makes nothing a legal matter.
    gist: str
    money: tuple[Money, ...]
    days: tuple[Day, ...]
    features: tuple[Feature, ...]
    decides: bool
    asks: bool

    @property
    def necessity(self) -> float:
        return round(min(max(sum(feature.weight for feature in self.features), 0.0), 1.0), 2)


def weigh(line: Line, request: JudgeRequest, settled: KnownQuestion | None) -> Weighed:
    text, crux = line.text, _crux(line.text)
    whole = len(crux) == len(text)
    gist, bare = (without_thing(each, request.aims) for each in (crux, text))
    money = tuple(amounts(crux) or ([] if whole else amounts(text)))
    asks = bool(INFORMATION.search(text))
    # Days are compared with what others said; what asks for nothing is compared with nothing.
    days = tuple(dates(crux) or ([] if whole else dates(text))) if asks else ()
    decides = asks and any(_decides(sentence) for sentence in sentences(text))
    chinese = language_of(text) == "zh"
    worth = _income(money, request, chinese=chinese) if comes_in(gist) else _money(money, request, chinese=chinese)
    found = [_asked(decides=decides, asks=asks, chinese=chinese), worth]
    if asks:
        found += [
            _word(_FINAL, bare, "irreversible", 0.22),
            _word(_LEGAL, bare, "legal or public", 0.22),
            _word(_SOON, bare, "deadline", 0.1),
            _word(_LATER, bare, "against the date", 0.15 if request.aims.get("deadline") else 0.08),
            _constraint(text, request.aims.get("constraints", ""), chinese=chinese),
            _conflict(line, money, days, request.elsewhere, chinese=chinese),
            _novelty(settled, request, chinese=chinese),
        ]
    return Weighed(line, crux, gist, money, days, tuple(feature for feature in found if feature), decides, asks)


def without_thing(text: str, aims: Mapping[str, str]) -> str:
    """What is said, without the name of the project's own thing."""
    thing = without_article(aims.get("thing", ""))
    return re.sub(re.escape(thing), " ", text, flags=re.IGNORECASE) if len(thing) > 1 else text


def _decides(sentence: str) -> bool:
    """“Why should I read it?” and “where may I begin?” want an answer, not a decision."""
    if not INFORMATION.search(sentence):
        return False
    for found in DECISION.finditer(sentence):
        *before, begun = re.split(r"[;:,，；：、]", sentence[: found.start()])
        # “How many copies, and could it be a few more?” is one question, and an open one.
        if not _OPEN.match(begun + found[0]) and not any(_OF_WHAT.match(clause) for clause in before):
            return True
    return False


def _crux(text: str) -> str:
    said = sentences(text)
    asking = [n for n, sentence in enumerate(said) if INFORMATION.search(sentence)]
    return text if not asking else " ".join(said[max(0, asking[-1] - 1) : asking[-1] + 1])


def _asked(*, decides: bool, asks: bool, chinese: bool) -> Feature | None:
    if decides:
        return Feature(name="direct question", weight=0.3, because="要你决定" if chinese else "it asks for a decision")
    because = "要了解情况" if chinese else "it asks for information"
    return Feature(name="question", weight=0.12, because=because) if asks else None


def _money(money: Sequence[Money], request: JudgeRequest, *, chinese: bool) -> Feature | None:
    if not money:
        return None
    most = max(money, key=lambda each: each.value)
    budget = budget_of(request.aims)
    if budget is None or not budget.value or not most.fits(budget):
        because = f"{most.text}，没有预算可比" if chinese else f"{most.text}, with no budget to compare"
        return Feature(name="money", weight=0.15, because=because)
    share = most.value / budget.value
    within = next((weight for least, weight in _BY_SHARE if share >= least), _NEXT_TO_NOTHING)
    weight = _BEYOND_BUDGET if share > 1 else within
    part = percent(share, chinese=chinese)
    whole = "what you hope for" if request.aims.get(INCOME) else "the budget"
    whole_zh = "期望金额" if request.aims.get(INCOME) else "预算"
    because = f"{most.text}，占{whole_zh}的{part}" if chinese else f"{most.text} is {part} of {whole}"
    return Feature(name="money", weight=weight, because=because)


def _income(money: Sequence[Money], request: JudgeRequest, *, chinese: bool) -> Feature | None:
    if not money:
        return None
    most = max(money, key=lambda each: each.value)
    because = f"{most.text}，会收进来" if chinese else f"{most.text} would come in"
    hoped = budget_of(request.aims)
    if hoped and hoped.value and most.fits(hoped):
        part = percent(most.value / hoped.value, chinese=chinese)
        because += (
            f"，是你说的{request.aims['budget']}的{part}"
            if chinese
            else f", {part} of the {request.aims['budget']} you named"
        )
    return Feature(name="money", weight=0.25, because=because)


def percent(share: float, *, chinese: bool = False) -> str:
    small = "不到 1%" if chinese else "under 1%"
    return f"{share * 100:.0f}%" if share >= 0.01 else small


def _word(pattern: re.Pattern[str], text: str, name: str, weight: float) -> Feature | None:
    found = pattern.search(text)
    return Feature(name=name, weight=weight, because=f"“{shortened(found[0].strip(), 40)}”") if found else None


def _constraint(text: str, constraints: str, *, chinese: bool) -> Feature | None:
    """Something that the owner ruled out is mentioned."""
    said = set(terms(text))
    for one in re.split(r",| and |、", constraints):
        forbidden = re.search(
            r"\b(?:no|without|not|must not)\s+(.+)|(?:不要|不能|不得)(.+)", one.strip(), re.IGNORECASE
        )
        wanted = set(terms(forbidden[1] or forbidden[2])) if forbidden else set[str]()
        if wanted and wanted <= said:
            because = f"你要求“{one.strip()}”" if chinese else f"you asked for “{one.strip()}”"
            return Feature(name="against your wish", weight=0.3, because=because)
    return None


def _conflict(
    line: Line, money: Sequence[Money], days: Sequence[Day], elsewhere: Sequence[Line], *, chinese: bool
) -> Feature | None:
    """Another channel said something else about the same: another day or sum with the same words around it."""
    if not (days or money) or not topics_in(line.text):
        return None
    topics = {topic.key for topic in topics_in(line.text)}
    ours = _claims(line.text)
    for other in elsewhere[-40:]:
        if not topics & {topic.key for topic in topics_in(other.text)} or alike(line.text, other.text) < 0.4:
            continue
        against = next((theirs for theirs in _claims(other.text) if any(theirs.denies(one) for one in ours)), None)
        if against:
            said = f"“{shortened(against.sentence, 60)}”"
            because = f"{other.speaker}说{said}" if chinese else f"{other.speaker} said {said}"
            return Feature(name="conflict", weight=0.15, because=because)
    return None


@dataclass(frozen=True, slots=True)
class _Claim:
    """A sentence that names days or sums, and what it says them of."""

    sentence: str
    values: frozenset[str]
    subject: frozenset[str]

    def denies(self, other: "_Claim") -> bool:
        """Whether it says something else of the same. Where each has words of its own, two things are spoken of: the deposit for
        the factory and the one for the photographer do not contradict each other."""
        same = self.subject <= other.subject or other.subject <= self.subject
        return same and bool(self.subject & other.subject) and not self.values & other.values


def _claims(text: str) -> list[_Claim]:
    found: list[_Claim] = []
    for sentence in sentences(text):
        values = {day.text.casefold() for day in dates(sentence)} | {each.text.casefold() for each in amounts(sentence)}
        if values:
            rest = sentence.casefold()
            for value in values:
                rest = rest.replace(value, " ")
            found.append(_Claim(sentence, frozenset(values), frozenset(terms(rest))))
    return found


def _novelty(settled: KnownQuestion | None, request: JudgeRequest, *, chinese: bool) -> Feature:
    if settled:
        answer = f"“{shortened(settled.answer or '', 60)}”"
        because = f"你对类似的事答过{answer}" if chinese else f"you answered {answer} to the like"
        return Feature(name="settled before", weight=-0.5, because=because)
    if request.rules or request.settled:
        because = "没有规则或回答涉及它" if chinese else "no rule or answer covers it"
    else:
        because = "还没有决定过什么" if chinese else "nothing was decided yet"
    return Feature(name="new", weight=0.08, because=because)
