"""The offline engine: deterministic, without network or weights. It works by rules and never pretends to be a model."""

import re
from collections.abc import Sequence

from prime.mind.precedent import precedent
from prime.mind.protocol import (
    DescribeRequest,
    DraftRequest,
    Extraction,
    Judgement,
    Judgements,
    JudgeRequest,
    Line,
    Picture,
    PictureRequest,
    Plan,
    PlannedChannel,
    PlanRequest,
    Reply,
    ReplyRequest,
    RuleRequest,
    Statement,
    Written,
)

_AMOUNT = re.compile(
    r"(?:[$€£¥]\s?\d[\d,.]*\d|\b\d[\d,.]*\s?(?:EUR|USD|CNY|euros?|dollars?|元|万元|万)|[$€£¥]\s?\d)", re.IGNORECASE
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(
    rf"\b(?:\d{{4}}-\d\d-\d\d|(?:{_MONTHS})(?:\s+\d{{1,2}})?(?:,?\s+\d{{4}})?)\b|(?:\d{{1,2}}|[一二三四五六七八九十]{{1,2}})月(?:\d{{1,2}}[日号])?"
)
_BUDGET = re.compile(r"\bbudget\s*(?:is|of|:)?\s*(\d[\d,.]*\d)|预算\s*(?:是|为|：)?\s*(\d[\d,.]*\d)", re.IGNORECASE)
_CJK = re.compile("[\u4e00-\u9fff]")
_IS = re.compile(r"^(?P<subject>[^.,;?!]{2,60}?)\s+(?:is|are)\s+(?P<object>[^.;?!]{1,120})[.!]?$")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s*")

EXCERPT = 80


class OfflineMind:
    """The default mind of a fresh machine."""

    name = "offline"

    async def plan(self, request: PlanRequest) -> Plan:
        """One team channel for the work; archetypes with counterparts are the hub's."""
        wish = request.wish.strip()
        title = _first_sentence(wish)
        channel = PlannedChannel(key="team", name=title, tier="team", participants=(), brief=wish)
        known = {channel.key for channel in request.channels}
        return Plan(title=title, summary=wish, words="", channels=() if "team" in known else (channel,))

    async def reply(self, request: ReplyRequest) -> Reply:
        last = next((line for line in reversed(request.lines) if not line.own), None)
        if last is None:
            return Reply(text="")
        return Reply(text=_chinese_reply(last.text) if _CJK.search(last.text) else _english_reply(last.text))

    async def judge(self, request: JudgeRequest) -> Judgements:
        """A direct question is worth asking about, money is worth showing, the rest is quiet."""
        return Judgements(items=tuple(_judge(line) for line in request.lines if not line.own))

    async def distill_rule(self, request: RuleRequest) -> Written:
        return Written(text=f"{request.question.rstrip('?？ ')}: {request.answer.strip()}")

    async def extract(self, lines: Sequence[Line], *, today: str = "") -> Extraction:
        """Facts from plain statements of the form “X is Y”."""
        found = [
            Statement(subject=m["subject"].strip(), predicate="is", object=m["object"].strip(), source=line.message_id)
            for line in lines
            for sentence in _SENTENCE_END.split(line.text)
            if (m := _IS.match(sentence.strip()))
        ]
        return Extraction(statements=tuple(found))

    async def consolidate(self, lines: Sequence[Line], *, before: str) -> Written:
        """The first sentence of what each said, behind what was there."""
        points = [f"- {line.speaker}: {_first_sentence(line.text)}" for line in lines if line.text.strip()]
        return Written(text="\n".join([*([before] if before else []), *points]))

    async def describe(self, request: DescribeRequest) -> Written:
        mentioned = _mentions(request.text)
        shown = f" It mentions {', '.join(mentioned)}." if mentioned else ""
        begins = f" It begins: {_first_sentence(request.text)}" if request.text.strip() else ""
        facts = "".join(f", {fact}" for fact in request.facts)
        return Written(text=f"{request.name} ({request.mime_type}{facts}).{shown}{begins}")

    async def draft(self, request: DraftRequest) -> Written:
        last = next((line for line in reversed(request.lines) if not line.own), None)
        if last is None:
            return Written(text="")
        before = precedent(request.lines)
        if before:
            return Written(text=before)
        chinese = _CJK.search(last.text)
        return Written(
            text="谢谢，我看过后回复你。" if chinese else "Thank you, I will look at it and come back to you."
        )

    async def picture(self, request: PictureRequest) -> Picture | None:
        return None


def _english_reply(text: str) -> str:
    noted = _mentions(text)
    heard = f"Noted: {', '.join(noted)}." if noted else "Noted."
    return f"{heard} I work by rules here, without a language model: what you write is kept and can be found again."


def _chinese_reply(text: str) -> str:
    noted = _mentions(text)
    heard = f"已记下：{'、'.join(noted)}。" if noted else "已记下。"
    return f"{heard}这里没有连接语言模型，我按规则工作：你写的内容会保存下来，随时可以找回。"


def _mentions(text: str) -> list[str]:
    """Amounts and dates, in the order of their appearance, each once."""
    spans = [(m.start(), m[0].strip()) for pattern in (_AMOUNT, _DATE) for m in pattern.finditer(text)]
    spans += [(m.start(), next(group for group in m.groups() if group)) for m in _BUDGET.finditer(text)]
    found = dict.fromkeys(text for _, text in sorted(spans))
    return [one for one in found if not any(one != other and one in other for other in found)]


def _judge(line: Line) -> Judgement:
    if line.text.rstrip().endswith(("?", "？")):
        return Judgement(
            message_id=line.message_id,
            decision="ask",
            necessity=0.75 if _mentions(line.text) else 0.5,
            reason="a direct question" + (" with an amount or a date" if _mentions(line.text) else ""),
            title=_first_sentence(line.text),
            text=line.text,
        )
    if _mentions(line.text):
        return Judgement(
            message_id=line.message_id,
            decision="surface",
            necessity=0.3,
            reason="names an amount or a date",
            title=_first_sentence(line.text),
            text=line.text,
        )
    return Judgement(message_id=line.message_id, decision="silent", necessity=0.0, reason="nothing to decide")


def _first_sentence(text: str) -> str:
    first = next((s.strip() for s in _SENTENCE_END.split(text.strip()) if s.strip()), "")
    return first if len(first) <= EXCERPT else f"{first[:EXCERPT].rstrip()}…"
