"""What of a channel's new lines reaches the owner: a question, a piece of news, or nothing."""

import re
from dataclasses import replace

from prime.mind.jobs.judging import Judgement, JudgeRequest, KnownQuestion
from prime.mind.jobs.lines import Line
from prime.mind.offline.figures.amounts import Money, amounts, budget_of
from prime.mind.offline.figures.dates import dates
from prime.mind.offline.heard.conditions import condition_in
from prime.mind.offline.heard.decisions import polarity_of
from prime.mind.offline.heard.transcript import is_brief
from prime.mind.offline.judging.features import INFORMATION, Weighed, weigh
from prime.mind.offline.judging.owner_questions import owner_question, speaker_of
from prime.mind.offline.judging.rules import Rule, may_carry, rule_for
from prime.mind.offline.judging.topics import alike, topics_in
from prime.mind.offline.words.language import MOST, capitalised, first_sentence, language_of, sentences, shortened
from prime.mind.offline.words.phrases import phrases

_GOOD_NEWS = phrases("judging_good_news")
_OFFER = phrases("judging_offer")
_BAD_NEWS = phrases("judging_bad_news")
SAME = 0.6
# What weighed, in the words of a project in Chinese.
_IN_CHINESE = {
    "direct question": "直接提问",
    "question": "提问",
    "money": "金额",
    "irreversible": "不可逆",
    "legal or public": "法律或公众",
    "deadline": "期限",
    "against the date": "与日期冲突",
    "against your wish": "违背你的要求",
    "conflict": "冲突",
    "settled before": "已有先例",
    "new": "新情况",
    "good news": "好消息",
    "bad news": "坏消息",
    "an offer with figures": "有数字的报价",
}
# A question for information is Prime's to answer, unless much hangs on it.
_CANDIDATE = 0.7


def judged(request: JudgeRequest) -> tuple[Judgement, ...]:
    """One judgement per line of somebody else's; Prime's own lines and briefs are not judged."""
    lines = [line for line in request.lines if not line.own and not is_brief(line)]
    # A message of a megabyte is judged by its beginning.
    return tuple(
        _judge(line if len(line.text) <= MOST else replace(line, text=line.text[:MOST]), request) for line in lines
    )


def _judge(line: Line, request: JudgeRequest) -> Judgement:
    # Most lines say nothing that could need the owner: they cost one look.
    settled = _like(line.text, request) if INFORMATION.search(line.text) else None
    weighed = weigh(line, request, settled)
    if weighed.asks and (weighed.decides or weighed.necessity >= _CANDIDATE):
        return _ask(weighed, request, settled)
    news = _news(weighed, budget_of(request.aims))
    if news:
        return _surface(weighed, news)
    return Judgement(
        message_id=line.message_id, decision="silent", necessity=0.0, reason="nothing to decide, nothing new"
    )


def _ask(weighed: Weighed, request: JudgeRequest, settled: KnownQuestion | None) -> Judgement:
    line = weighed.line
    question = owner_question(weighed, request)
    rule = rule_for(weighed.crux, request.channel_name, request.rules)
    same = next((q for q in request.pending if _is_same(line.text, question.text, q)), None)
    return Judgement(
        message_id=line.message_id,
        decision="ask",
        necessity=min(weighed.necessity, 0.1) if rule else weighed.necessity,
        reason=_reason(weighed, rule),
        features=weighed.features,
        title=question.title,
        text=question.text,
        context=question.context,
        suggestions=question.suggestions,
        commits=weighed.decides and _commits(weighed),
        self_answer=_by_rule(rule, line) if rule else settled.answer if settled else question.self_answer,
        rule_id=rule.id if rule else None,
        same_as=same.id if same else None,
    )


def _commits(weighed: Weighed) -> bool:
    return any(feature.name in {"irreversible", "legal or public"} for feature in weighed.features)


def _by_rule(rule: Rule, line: Line) -> str:
    chinese = language_of(line.text) == "zh"
    # How far the owner would go is nothing to be told to who asks.
    if rule.answer == "no":
        return "不，这次不行。" if chinese else "No, not this time."
    if rule.answer == "yes":
        return "可以，请照此进行。" if chinese else "Yes, please go ahead."
    return _WHEN_IT_COMES_UP.sub("", rule.text)


# What comes behind it is for those who ask; what it is about, they know.
_WHEN_IT_COMES_UP = re.compile(r"^When [^:]{1,160} come up: (?=\S)|^涉及[^：]{1,80}时：(?=\S)")


def _reason(weighed: Weighed, rule: Rule | None) -> str:
    chinese = language_of(weighed.line.text) == "zh"
    if rule:
        return f"按既定规则：{rule.text}" if chinese else f"a standing rule settles it: {rule.text}"
    told = [f for f in sorted(weighed.features, key=lambda f: -abs(f.weight)) if abs(f.weight) >= 0.05]
    if chinese:
        return "；".join(f"{_IN_CHINESE.get(f.name, f.name)} {f.weight:+.2f}（{f.because}）" for f in told)
    return "; ".join(f"{f.name} {f.weight:+.2f} ({f.because})" for f in told)


def _like(text: str, request: JudgeRequest) -> KnownQuestion | None:
    """A question that was about the same topic and the same thing; where it binds, of the same channel or one like it."""
    return next(
        (
            q
            for q in reversed(request.settled)
            if q.answer
            and polarity_of(q.answer) != "open"
            and condition_in(q.answer) not in {"less", "more"}  # who asks anew has moved
            and _is_same(text, "", q)
            and may_carry(text, q.answer, q.place, request.channel_name)
        ),
        None,
    )


def _is_same(line: str, phrased: str, question: KnownQuestion) -> bool:
    if phrased and (phrased == question.text or alike(phrased, question.text) >= 0.8):
        return True
    topics = {topic.key for topic in topics_in(line)}
    theirs = {topic.key for topic in topics_in(question.text)}
    if topics and theirs:
        return bool(topics & theirs) and alike(line, question.text) >= SAME
    return alike(line, question.text) >= SAME


def is_good_news(text: str) -> bool:
    return bool(_GOOD_NEWS.search(text))


def _news(weighed: Weighed, budget: Money | None) -> str:
    text = weighed.line.text
    if _GOOD_NEWS.search(text):
        return "good news"
    if _BAD_NEWS.search(text):
        return "bad news"
    if not weighed.asks and any(_OFFER.search(each) and _has_figures(each, budget) for each in sentences(text)):
        return "an offer with figures"
    return ""


def _has_figures(sentence: str, budget: Money | None) -> bool:
    """Our own budget, said back to us, is no figure of theirs."""
    sums = [money for money in amounts(sentence) if budget is None or money.value != budget.value]
    return bool(sums or (dates(sentence) and not amounts(sentence)))


# “It is all ready here.” says nothing alone; what stands before it does.
_POINTS_BACK = re.compile(
    r"(?:and |but |so )?(?:it|this|that|they|these|those|all of it|both)\b|[这那它]|都", re.IGNORECASE
)


def with_what_it_means(sentence: str, text: str) -> str:
    """A sentence that only points back, with the one that says to what."""
    said = sentences(text)
    at = next((n for n, each in enumerate(said) if each == sentence), 0)
    if not at or not _POINTS_BACK.match(sentence):
        return sentence
    return ("" if language_of(sentence) == "zh" else " ").join(said[at - 1 : at + 1])


def _surface(weighed: Weighed, news: str) -> Judgement:
    telling = [
        s for s in sentences(weighed.line.text) if _GOOD_NEWS.search(s) or _BAD_NEWS.search(s) or _OFFER.search(s)
    ]
    told = shortened(
        with_what_it_means(telling[0], weighed.line.text) if telling else first_sentence(weighed.line.text), 200
    )
    who = speaker_of(weighed)
    return Judgement(
        message_id=weighed.line.message_id,
        decision="surface",
        necessity=0.3 if news != "bad news" else 0.45,
        reason=_IN_CHINESE[news] if language_of(told) == "zh" else news,
        features=weighed.features,
        title=capitalised(shortened(told, 90)),
        text=f"{who}：{told}" if language_of(told) == "zh" else f"{who}: {told}",
    )
