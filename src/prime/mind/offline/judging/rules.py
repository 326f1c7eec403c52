"""Standing rules in plain sentences: made from an answer, and understood again when something new comes up.

“Spend up to 350 EUR on deposits without asking.” has a limit, a topic and an answer; so has its Chinese form. A rule that the
owner wrote freely is understood as far as it names an amount, a topic, and whether it says yes or no.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prime.core.words import stem_word, terms
from prime.mind.jobs.judging import KnownRule, RuleRequest
from prime.mind.offline.figures.amounts import Money, amounts, written
from prime.mind.offline.figures.bounds import Bound, asks_first, bound_of, is_incoming
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.figures.income import comes_in
from prime.mind.offline.heard.conditions import is_put_off
from prime.mind.offline.heard.decisions import Polarity, polarity_of
from prime.mind.offline.judging.restrictions import is_met
from prime.mind.offline.judging.topics import topics_in
from prime.mind.offline.words.language import language_of, shortened
from prime.mind.offline.words.phrases import phrases

_REFUSES = phrases("rules_refuses")
_FREELY = re.compile(r"\bwithout (?:asking|approval)\b|不用问我|无需询问|不必问", re.IGNORECASE)
# Words that every rule has and that say nothing of what it is about.
_FRAME = frozenset(
    stem_word(word)
    for word in [
        "spend",
        "up",
        "to",
        "under",
        "on",
        "without",
        "asking",
        "more",
        "or",
        "less",
        "decline",
        "accept",
        "agree",
        "sign",
        "pay",
        "do",
        "not",
        "never",
        "always",
        "when",
        "comes",
        "come",
        "choose",
        "prefer",
        "for",
        "answer",
        "rule",
        "go",
        "ahead",
        "yes",
        "no",
        "eur",
        "usd",
        "gbp",
        "cny",
        "amounts",
        "decide",
        "by",
        "yourself",
        "ask",
        "offers",
        "offer",
        "want",
        "wants",
        "keep",
        "use",
        "all",
        "things",
        "like",
    ]
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as it is understood."""

    id: str
    text: str
    topics: frozenset[str]
    words: frozenset[str]
    bound: Bound | None
    answer: Polarity
    # Whether it is about what others pay us.
    incoming: bool
    # The kind of channel that it is kept to; "" where it holds in all of them.
    place: str = ""

    @property
    def is_verdict(self) -> bool:
        """Whether it says yes or no to something; else it is words to be passed on, whatever clauses they have."""
        return self.answer in {"yes", "no"}


def understood(rule: KnownRule) -> Rule:
    place, text = place_of(rule.text), _PLACE.sub(" ", rule.text)
    bound = bound_of(text)
    answer: Polarity = (
        "open"
        if asks_first(text)
        else "no"
        if _REFUSES.search(_FREELY.sub("", text))
        else "yes"
        if (bound and bound.side != "at") or _FREELY.search(text)
        else polarity_of(text)
    )
    # The day on which it came up says nothing of what it is about.
    undated = text
    for day in dates(text):
        undated = undated.replace(day.text, " ")
    # What is quoted says what it is about; the words around it are a rule's own.
    about = " ".join(_QUOTED.findall(undated)) or undated
    words = frozenset(w for w in terms(about) if w not in _FRAME and not w[0].isdigit())
    topics = frozenset(topic.key for topic in topics_in(text))
    return Rule(rule.id, rule.text, topics, words, bound, answer, is_incoming(text), place)


def place_of(rule: str) -> str:
    """The kind of channel that a rule names as the only one it holds in: “… in the room “Freight” …”."""
    found = _PLACE.search(rule)
    return (found["en"] or found["zh"]).strip() if found else ""


def is_in(place: str, channel: str) -> bool:
    """Whether a channel is the one that a rule names, or the like of it in another project: “Catering (conference)”."""
    return place.casefold() in {channel.casefold(), _kind_of(channel).casefold()}


def _kind_of(channel: str) -> str:
    return re.sub(r"\s*[(（][^()（）]*[)）]$", "", channel)


_PLACE = re.compile(r"\s?\bin the room “(?P<en>[^”]{1,80})”|在频道“(?P<zh>[^”]{1,80})”里[，,]?", re.IGNORECASE)


def rule_for(text: str, channel: str, rules: Sequence[KnownRule]) -> Rule | None:
    """The first rule that settles what the text asks."""
    return next((rule for each in rules if _settles(rule := understood(each), text, channel)), None)


def _reaches(rule: Rule, text: str, channel: str) -> bool:
    """Whether what is asked lies where a rule holds: in its rooms, on its side of a sum, within its clauses."""
    if (rule.place and not is_in(rule.place, channel)) or rule.answer == "open":
        return False
    return (rule.bound is None or rule.bound.holds(text)) and (not rule.is_verdict or is_met(rule.text, text))


def _settles(rule: Rule, text: str, channel: str) -> bool:
    if not _reaches(rule, text, channel):
        return False
    if rule.incoming:
        return rule.bound is not None
    asked = {topic.key for topic in topics_in(text)}
    if rule.topics and not rule.topics & asked:
        return False
    if rule.answer != "no" and not _binding_in(text, asked) <= rule.topics:
        return False
    if rule.topics and not _QUOTED.search(_PLACE.sub(" ", rule.text)):
        return True  # what is quoted is narrower than its topic
    if not rule.words:
        # “Spend under 50 EUR without asking” is about every topic.
        return rule.bound is not None
    shared = rule.words & set(terms(f"{text} {channel}"))
    return len(shared) * 2 >= len(rule.words)


def _binding_in(text: str, asked: set[str]) -> set[str]:
    """Topics of a text by which one binds oneself to more than the sum in it: a rule that does not name them agrees to none."""
    found = asked & _BINDING
    # Exclusivity and shares are always signed for; a lease that names a deposit is more than the deposit.
    return found or ({"contract"} & asked if SIGNS.search(text) else set())


_BINDING = frozenset({"exclusivity", "equity"})
# Something is to be signed, or binds.
SIGNS = re.compile(r"\bsign|\bbinding|签|约束", re.IGNORECASE)


def distilled(request: RuleRequest) -> str:
    """A general rule from one answer, in the language of the question."""
    language = language_of(request.question)
    chinese = language == "zh"
    answer = request.answer.strip().rstrip(".。!！")
    if chosen := _CHOSEN.search(request.question):
        return _choice(chosen, answer, chinese=chinese)
    asked = f"{request.question} {request.context}"
    # A house that has “consulting” in its name makes nothing a matter of consulting.
    topics = topics_in(_SAID_BY.sub("", request.question)) or topics_in(request.context)
    topic = topics[0].named(language) if topics else _subject(request.question)
    if topics and topics[0].key == "contract" and not amounts(request.question):
        # Nobody signs whatever comes because one paper was fine.
        topic = _subject(request.question if _QUOTED.search(request.question) else f"“{request.context}”")
    polarity = polarity_of(answer)
    place = _kind_of(request.place) if polarity != "no" and _is_binding(asked) else ""
    where = "" if not place else f"在频道“{place}”里，" if chinese else f" in the room “{place}”"
    if polarity == "no" and (ever := _forbidden(answer)):
        return ever
    if polarity == "open" or is_put_off(answer):
        return ""  # nothing was decided that could be decided again
    money = next(iter(_sums(answer, request.question)), None)
    if topics and topics[0].key in _NOT_BY_SUM:
        money = None
    if money and polarity != "words" and comes_in(asked):
        invested = any(each.key == "equity" for each in topics)
        what = ("投资" if invested else "出价") if chinese else ("investments" if invested else "offers")
        return _income(money, what, where, agreed=polarity == "yes", chinese=chinese)
    if money and polarity in {"yes", "words"} and (polarity == "yes" or _sums(answer, "")):
        limit = written(money.value, money.currency, language)  # as far as was agreed, and no further
        return (
            f"{where}{topic}在{limit}以内不用问我，直接同意。"
            if chinese
            else f"Agree to {topic} up to {limit}{where} without asking."
            if topics and topics[0].key in _BOTH_WAYS
            else f"Spend up to {limit} on {topic}{where} without asking."
        )
    if polarity == "no":
        return _refusal(topic, None if _WHATEVER.search(answer) else money, chinese=chinese)
    if polarity == "yes":
        return f"{where}涉及{topic}时不用问我，直接同意。" if chinese else f"Agree to {topic}{where} without asking."
    return (
        f"涉及{topic}时：{shortened(answer, 160)}。" if chinese else f"When {topic} come up: {shortened(answer, 160)}."
    )


def may_carry(asked: str, answer: str, place: str, channel: str) -> bool:
    """Whether an answer given in one channel answers the like in another: who agrees to one contract has not agreed to all."""
    binds_nobody = polarity_of(answer) == "no" or is_put_off(answer)
    return is_in(_kind_of(place), channel) or not place or binds_nobody or not _is_binding(asked)


def _is_binding(asked: str) -> bool:
    topics = topics_in(asked)
    return bool(SIGNS.search(asked) or (topics and topics[0].key in _BINDS))


# A yes to these cannot be taken back; it is kept to whom it was said to.
_BINDS = frozenset({
    "contract", "exclusivity", "equity", "orders", "publication", "notice", "data", "headcount", "cancellation",
})  # fmt: skip
# Money may come in by these as well as go out.
_BOTH_WAYS = frozenset({"contract", "equity"})
# Where the sum beside it is not what was decided about.
_NOT_BY_SUM = frozenset({"exclusivity", "publication", "discount", "trial", "schedule", "notice"})
_CHOSEN = re.compile(r"needs a choice: (?P<a>.+?), or (?P<b>.+)\?$|需要你选：(?P<c>.+?)，还是(?P<d>.+)？$")


def _choice(chosen: re.Match[str], answer: str, *, chinese: bool) -> str:
    """Which of two ways to go, where they come up again."""
    ways = [way for way in chosen.groups() if way]
    taken = next((way for way in ways if way.casefold() == answer.casefold()), None)
    other = next((way for way in ways if way != taken), "")
    if taken is None and polarity_of(answer) == "no":
        return f"不要“{ways[0]}”，也不要“{ways[1]}”。" if chinese else f"Choose neither “{ways[0]}” nor “{ways[1]}”."
    if taken is None:
        lead = f"在“{ways[0]}”和“{ways[1]}”之间" if chinese else f"Between “{ways[0]}” and “{ways[1]}”"
        return f"{lead}：{shortened(answer, 160)}。" if chinese else f"{lead}: {shortened(answer, 160)}."
    return f"要“{taken}”，不要“{other}”。" if chinese else f"Choose “{taken}” over “{other}”."


def _sums(answer: str, question: str) -> list[Money]:
    """What was said of money, else what was asked: a bare number behind a bound is of the money that was asked about."""
    asked = amounts(question)
    if found := amounts(answer):
        return found
    bare = _BARE_SUM.search(answer)
    if bare and asked:
        return amounts(f"{bare['sum']} {asked[0].currency or 'EUR'}") or asked
    return asked


_BARE_SUM = re.compile(
    r"(?:up to|at most|max(?:imum)?(?: of)?|under|below|less than|over|above|more than|最多|至多|不超过|低于)\s*"
    r"(?P<sum>\d[\d,.]*(?:\s?(?:k|thousand|万|千))?)(?![\w%])",
    re.IGNORECASE,
)


def _forbidden(answer: str) -> str:
    """“No, never pay deposits that cannot be refunded”: what is said for all times is the rule, in its own words."""
    if found := _EVER_ZH.search(answer):
        return f"绝不{found['what']}。"
    found = _EVER.search(answer)
    return f"Never {found['what']}." if found and terms(found["what"]) else ""


# Not “never again” or “never, sorry”: something is named that is never to be done.
_EVER = re.compile(r"(?:^|[,.;:–—-]\s*)(?:(?:we|i|please|you)\s+)*never\s+(?P<what>\w[^.;!]{6,160})", re.IGNORECASE)
_EVER_ZH = re.compile(r"(?:绝不|决不|从不|永远不|永不|千万别|千万不要)(?:要|能|可以)?(?P<what>[^，。；！]{3,80})")
# Whatever the sum: it is not the sum that was refused.
_WHATEVER = re.compile(r"\b(?:never|ever|at all|whatsoever|in principle)\b|绝不|决不|从不|永远|一律", re.IGNORECASE)


def _income(money: Money, what: str, where: str, *, agreed: bool, chinese: bool) -> str:
    """What they pay is good from a sum on, and too little below it."""
    limit = written(money.value, money.currency, "zh" if chinese else "en")
    if agreed:
        return (
            f"{where}{what}达到{limit}以上不用问我，直接接受。"
            if chinese
            else f"Accept {what} of {limit} or more{where} without asking."
        )
    return (
        f"{what}在{limit}以内一律拒绝，不用问我。" if chinese else f"Decline {what} of {limit} or less without asking."
    )


def _refusal(topic: str, money: Money | None, *, chinese: bool) -> str:
    if money is None:
        return f"一律不接受{topic}，不用问我。" if chinese else f"Decline {topic} without asking."
    limit = written(money.value, money.currency, "zh" if chinese else "en")
    return (
        f"{topic}达到{limit}以上一律拒绝，不用问我。"
        if chinese
        else f"Decline {topic} of {limit} or more without asking."
    )


def _subject(question: str) -> str:
    """What an unknown question is about: what was said before it was asked, else its longest words."""
    chinese = language_of(question) == "zh"
    if said := _QUOTED.search(question):
        pieces = re.split(r"[，;；:：]|,(?!\d)", said[1])
        # “To be open: …” says nothing of what follows.
        long = [p for p in pieces if (len(p) >= 6 if chinese else len(p.split()) >= 4)]
        # “Somebody has to stand for it: the papers are to be signed” is about the papers.
        telling = next((p for p in long if SIGNS.search(p)), next(iter(long), pieces[0]))
        first = shortened(_undated(telling).strip().rstrip(".。"), 60)
        return f"“{first}”这类事" if chinese else f"things like “{first}”"
    if chinese:
        return shortened(re.sub(r"[，。？！、\s]", "", question), 12)
    # People and houses are no topic: a capital inside a sentence is a name.
    bare = re.sub(r"(?<=\w )[A-ZÄÖÜÉ][\w’'-]+", " ", question)
    words = [w for w in re.findall(r"[^\W\d_]{4,}", bare) if stem_word(w.casefold()) not in _FRAME]
    content = [w for w in words if terms(w)]
    return " ".join(content[-2:]).casefold() or "this"


def _undated(said: str) -> str:
    """Without the day by which it was to be said: the next time it is another."""
    for day in dates(said):
        said = re.sub(rf"\s*\b(?:by|until|before|on)\s+{re.escape(day.text)}\b|{re.escape(day.text)}之?前", "", said)
    return said


_QUOTED = re.compile("“([^”]{4,})”")
_SAID_BY = re.compile(r"^[^“”]{1,40}[:：]\s*(?=“)")
