"""Rules as they go over the wire."""

from typing import Annotated

from pydantic import Field

from prime.core.clock import iso
from prime.hub.directive.queries import Candidate
from prime.hub.learning import Preview
from prime.hub.rules import Rule
from prime.web.models import Given, QuestionShown, Shown

RuleText = Annotated[str, Field(min_length=1, max_length=2_000)]


class RuleShown(Shown):
    id: str
    text: str
    from_question_id: str
    # The question that it was learned from.
    question: str
    channel_id: str
    hits: int
    last_hit_at: str | None
    active: bool
    created_at: str
    sources: list[str]

    @classmethod
    def of(cls, rule: Rule) -> "RuleShown":
        return cls(
            id=rule.id,
            text=rule.text,
            from_question_id=rule.question_id,
            question=rule.question,
            channel_id=rule.channel_id,
            hits=rule.hits,
            last_hit_at=iso(rule.last_hit_at) if rule.last_hit_at is not None else None,
            active=rule.active,
            created_at=iso(rule.created_at),
            sources=list(rule.sources),
        )


class RuleChange(Given):
    """What may be changed of a rule; what is left out stays."""

    text: RuleText | None = None
    active: bool | None = None


class Answered(Shown):
    question: QuestionShown
    rule: RuleShown | None = None


class RulePreviewGiven(Given):
    text: RuleText | None = None
    answer: Annotated[str, Field(max_length=20_000)] | None = None


class CandidateShown(Shown):
    """Something that was worth asking, and what became of it."""

    message_id: str
    channel_id: str
    text: str
    outcome: str
    ts: str

    @classmethod
    def of(cls, candidate: Candidate) -> "CandidateShown":
        return cls(
            message_id=candidate.message_id,
            channel_id=candidate.channel_id,
            text=candidate.text,
            outcome=candidate.outcome,
            ts=iso(candidate.ts),
        )


class RulePreviewShown(Shown):
    text: str
    resolves: list[CandidateShown]

    @classmethod
    def of(cls, preview: Preview) -> "RulePreviewShown":
        return cls(text=preview.text, resolves=[CandidateShown.of(each) for each in preview.resolves])
