"""A counterpart's line as a question for the owner: title, text, context, suggestions, and what Prime would answer itself."""

import re
from dataclasses import dataclass

from prime.mind.jobs.judging import JudgeRequest
from prime.mind.offline.figures.amounts import amounts, budget_of
from prime.mind.offline.figures.income import INCOME, comes_in
from prime.mind.offline.judging.features import INFORMATION, Weighed, percent
from prime.mind.offline.judging.rules import SIGNS
from prime.mind.offline.judging.topics import topics_in
from prime.mind.offline.rooms.names import first_name
from prime.mind.offline.talk.answers import answers_offered
from prime.mind.offline.words.language import Language, capitalised, language_of, sentences, shortened
from prime.mind.offline.words.templates import filled

_CHOICE = re.compile(
    r"\b(?:should|shall|may|do|would) (?:i|we|you)\s+(?:want (?:me|us) to\s+|prefer\s+)?"
    r"(?P<a>[^?]{3,90}?),?\s+or\s+(?P<b>[^?]{3,90})\?",
    re.IGNORECASE,
)
_CHOICE_ZH = re.compile(r"(?:应该|要|是)?(?P<a>[^，。？]{1,30})，?还是(?P<b>[^。？]{1,30})？")
_SHALL = re.compile(r"\b(?:shall|should) (?:i|we)\s+(?P<what>[^?]{2,120})\?", re.IGNORECASE)
_MAY = re.compile(r"\b(?:may|can|could) (?:i|we)\s+(?P<what>[^?]{2,120})\?", re.IGNORECASE)
_YOU = re.compile(
    r"\b(?:do|would|will|can|could) you\s+(?:want to\s+|like to\s+)?"
    r"(?P<what>(?:accept|agree|approve|confirm|sign|commit|take|do|allow)[^?]{0,120})\?",
    re.IGNORECASE,
)
_WANT = re.compile(r"\b(?:do|would) you (?:want|like) (?:me|us) to\s+(?P<what>[^?]{2,120})\?", re.IGNORECASE)
# They want something off, or more than was offered: it is we who would give.
_CONCESSION = re.compile(
    r"\b(?:(?<!the )discounts?|reduc(?:e|tion)|lower (?:your|the) price|"
    r"(?:bit|little|make (?:it|that)|do (?:it|that)) cheaper|better price|rebate|come down|free of charge|percent off|"
    r"(?:a )?raise|more salary|higher salary|salary of)\b"
    r"|折扣|打折|[一二三四五六七八九\d]折|优惠|便宜一?点|降价|让利|返点|加薪|薪水|月薪|年薪",
    re.IGNORECASE,
)
# Of two ways the one that costs no date, no money and nothing that cannot be had back.
_PRUDENT = re.compile(
    r"keep the (?:date|day)|\bfree\b|use what|take what we|make do|as it is|the calls|a file|\bfriends\b|ourselves|used one"
    r"|\b(\w+) by \1\b|\bwait\b|\bkeep it\b|\btwo (?:nights|steps|parts|weekends)\b|step by step|\bside by side\b|friendly"
    r"|等|分[两几批步]|保留|客气|试点|并行|保住日期|免费|现有|原样|不改|自己|发文件|打电话|找朋友|二手",
    re.IGNORECASE,
)
# What they say about themselves and us, as one tells it to the owner.
_PRONOUNS = {"your": "our", "you": "us", "mine": "theirs", "my": "their"}
# “What you publish” is what we publish.
_YOU_DO = re.compile(r"(?<=\bwhat )you\b|(?<=\bwhen )you\b|(?<=\bonce )you\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:your|you|mine|my)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OwnerQuestion:
    title: str
    text: str
    context: str
    suggestions: tuple[str, ...]
    self_answer: str


def owner_question(weighed: Weighed, request: JudgeRequest) -> OwnerQuestion:
    language = language_of(weighed.line.text)
    choice = (_CHOICE_ZH if language == "zh" else _CHOICE).search(weighed.line.text)
    options = _options(choice, language) if choice else ()
    return OwnerQuestion(
        title=_title(weighed, request, language),
        text=_text(weighed, options, language),
        context=_context(weighed, request, language),
        suggestions=options or _suggestions(weighed, language),
        self_answer=_self_answer(weighed, options, language),
    )


def speaker_of(weighed: Weighed) -> str:
    return re.sub(r"\s*\(.*\)$", "", weighed.line.speaker)


def _title(weighed: Weighed, request: JudgeRequest, language: Language) -> str:
    # A word behind what is asked may be of anything: a short way that is “free” on Monday is no free trial.
    topics = [topic for topic in topics_in(_what_is_asked(weighed.gist)) if topic.key not in _OFTEN_OTHERWISE]
    about = capitalised(topics[0].named(language)) if topics else request.channel_name
    money = f" · {weighed.money[0].text}" if weighed.money else ""
    return shortened(f"{about}{money}", 60)


# Topics whose words are said of other things as often.
_OFTEN_OTHERWISE = frozenset({"trial", "trademark", "consulting", "scope", "data", "schedule", "notice"})


def _what_is_asked(gist: str) -> str:
    """What is said of money, and the sentence that asks."""
    said = sentences(gist)
    return " ".join(s for s in said if INFORMATION.search(s) or _TELLS_A_SUM.search(s)) or gist


_TELLS_A_SUM = re.compile(r"\d")


def _options(choice: re.Match[str], language: Language) -> tuple[str, ...]:
    found = [capitalised(_about_them(part.strip(" ,.，"))) for part in (choice["a"], choice["b"])]
    later = "先等等" if language == "zh" else "Wait, I want to think about it"
    return (*found, later)


def _text(weighed: Weighed, options: tuple[str, ...], language: Language) -> str:
    who = speaker_of(weighed)
    amount = weighed.money[0].text if weighed.money else ""
    if language == "zh":
        return _chinese(weighed, who, amount, options)
    if options:
        return f"{who} needs a choice: {_lower(options[0])}, or {_lower(options[1])}?"
    topics = {topic.key for topic in topics_in(weighed.gist)}
    if "deposit" in topics and amount and not SIGNS.search(weighed.gist):
        lost = ", not refundable," if re.search(r"refund", weighed.gist, re.IGNORECASE) else ""
        return f"Should we pay {who} a deposit of {amount}{lost}{_until(weighed)} to keep it reserved?"
    if "exclusivity" in topics:
        return f"{who} wants exclusivity in a signed agreement{_until(weighed)}. Do we agree?"
    for pattern, form in (
        (_WANT, "Should {who} {what}?"),
        (_SHALL, "Should {who} {what}?"),
        (_MAY, "May {who} {what}?"),
        (_YOU, "Do we {what}?"),
    ):
        found = pattern.search(weighed.crux)
        if found:
            said = form.format(who=who, what=_about_them(found["what"].strip()))
            return said if _says_enough(found["what"], topics) and amount in said else _quoting(who, weighed, said)
    return _asking(who, weighed)


def _says_enough(what: str, topics: set[str]) -> bool:
    """“Shall I go ahead?” needs the sentence before it, and so does what leaves out the very thing that is decided."""
    named = {topic.key for topic in topics_in(what)}
    clear = len(what.split()) > 3 and not re.search(r"\b(?:it|that|this|them)\b", what, re.IGNORECASE)
    return clear and (not topics or bool(named & topics))


def _quoting(who: str, weighed: Weighed, asked: str) -> str:
    before = _before(weighed)
    if not before:
        return asked
    # Who was named a moment ago is called by the first name.
    named = asked.replace(f" {who} ", f" {first_name(who, 'en')} ", 1)
    return f"{who}: “{before}” {named}"


def _before(weighed: Weighed) -> str:
    return shortened(" ".join(s for s in sentences(weighed.crux) if not INFORMATION.search(s)), 220)


def _asking(who: str, weighed: Weighed) -> str:
    return f"{who} asks: “{shortened(weighed.crux, 220)}” What should I answer?"


def _chinese(weighed: Weighed, who: str, amount: str, options: tuple[str, ...]) -> str:
    topics = {topic.key for topic in topics_in(weighed.gist)}
    until = f"{weighed.days[0].text}前" if weighed.days else ""
    if options:
        return f"{who}需要你选：{options[0]}，还是{options[1]}？"
    if "deposit" in topics and amount and not SIGNS.search(weighed.gist):
        return f"要不要{until}付给{who}{amount}定金来锁定？"
    if "exclusivity" in topics:
        return f"{who}要求{until}签独家协议，同意吗？"
    before = _before(weighed)
    if before and weighed.decides:
        asked = weighed.crux.removeprefix(before).strip().replace("您", "我们")
        asked = re.sub(r"(?<=要不要)我(?!们)", who, asked)
        return f"{who}：“{before}”{asked}"
    return f"{who}问：“{shortened(weighed.crux, 120)}”怎么答复？"


def _context(weighed: Weighed, request: JudgeRequest, language: Language) -> str:
    before = _before(weighed)
    parts = [before] if before else []
    if not weighed.money and (named := _named_before(weighed, request)):
        parts.append(f"之前的报价：{named}。" if language == "zh" else f"Named before: {named}.")
    budget = budget_of(request.aims)
    if comes_in(weighed.gist):
        end = "。" if language == "zh" else "."
        parts += [f"{capitalised(f.because)}{end}" for f in weighed.features if f.name == "money"]
    spent = weighed.money and not comes_in(weighed.gist)
    if spent and budget and budget.value and weighed.money[0].fits(budget):
        share = percent(max(m.value for m in weighed.money) / budget.value)
        form = "{}占预算{}的{}。" if language == "zh" else "{} of the budget of {} would go there: {}."
        if request.aims.get(INCOME):
            form = "{}占期望金额{}的{}。" if language == "zh" else "{} of the {} that you hope for would go there: {}."
        values = (
            (weighed.money[0].text, request.aims["budget"], share)
            if language == "zh"
            else (share, request.aims["budget"], weighed.money[0].text)
        )
        parts.append(form.format(*values))
    if request.aims.get("deadline") and any(f.name in {"against the date", "deadline"} for f in weighed.features):
        parts.append(
            f"原定{request.aims['deadline']}。" if language == "zh" else f"The date is {request.aims['deadline']}."
        )
    parts += [f.because for f in weighed.features if f.name in {"conflict", "against your wish"}]
    return " ".join(parts)


def _named_before(weighed: Weighed, request: JudgeRequest) -> str:
    """The sums that whoever asks has named so far: a question about an order says for how much it is."""
    theirs = (line for line in request.before if line.speaker == weighed.line.speaker)
    sums = dict.fromkeys(money.text for line in theirs for money in amounts(line.text))
    return ", ".join(list(sums)[-2:])


def _suggestions(weighed: Weighed, language: Language) -> tuple[str, ...]:
    """Two ways to decide and a third between them, in the words of what was asked."""
    signed = bool(SIGNS.search(weighed.gist))
    # Who is to sign something binds themselves to more than the deposit that is named in it.
    topics = [topic.key for topic in topics_in(weighed.gist) if topic.key != "deposit" or not signed]
    kind = (
        "concession"
        if _CONCESSION.search(weighed.gist)
        else "income"
        if weighed.money and comes_in(weighed.gist) and "exclusivity" not in topics
        else next((key for key in topics if _is_offered(key, weighed)), "")
        or (
            "money"
            if weighed.money
            else "final"
            if any(f.name == "irreversible" for f in weighed.features)
            else "plain"
        )
    )
    amount = weighed.money[0].text if weighed.money else ""
    filled_in = (filled(each, {"heard": amount}) for each in answers_offered()[kind].of(language))
    return tuple(each for each in filled_in if each)


def _is_offered(key: str, weighed: Weighed) -> bool:
    """Whether there are answers for the topic; a contract is one only where something is to be signed."""
    return key in answers_offered() and (key != "contract" or bool(SIGNS.search(weighed.gist)))


def _self_answer(weighed: Weighed, options: tuple[str, ...], language: Language) -> str:
    """Careful: small and reversible is a yes, keeping the date beats finishing everything, what binds is a no."""
    chinese = language == "zh"
    names = {feature.name: feature for feature in weighed.features}
    if options:
        return next((option for option in options[:2] if _PRUDENT.search(option)), options[0])
    if not weighed.decides:
        return ""  # what is asked for information is answered where it was asked
    if "irreversible" in names or "legal or public" in names or names.get("money", _NONE).weight >= 0.2:
        return "先不承诺，等有把握再说。" if chinese else "Not yet: we do not bind ourselves to this for now."
    if weighed.money and comes_in(weighed.gist):
        return "先不定，我再看看。" if chinese else "Not yet: I want to compare first."
    if weighed.money:
        # Why is for the owner alone: it would tell the others how far we can go.
        return "可以，请照此进行。" if chinese else "Yes, please go ahead."
    return "可以，请便。" if chinese else "Yes, please do."


@dataclass(frozen=True, slots=True)
class _Nothing:
    weight: float = 0.0
    because: str = ""


_NONE = _Nothing()


def _until(weighed: Weighed) -> str:
    return f" by {weighed.days[0].text}" if weighed.days else ""


def _about_them(text: str) -> str:
    text = _YOU_DO.sub("we", text)
    return _PRONOUN.sub(lambda word: _PRONOUNS[word[0].casefold()], text)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
