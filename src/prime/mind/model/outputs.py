"""Forms that a model fills, and what becomes of them."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from prime.mind.jobs.judging import Feature, Judgement, JudgeRequest
from prime.mind.jobs.keeping import Statement
from prime.mind.jobs.lines import Line, Usage
from prime.mind.jobs.planning import Plan, PlannedChannel, PlannedParticipant, PlanRequest, Telling
from prime.mind.model.sense import speaks_of
from prime.rooms.tier import Tier

Short = Annotated[str, StringConstraints(strip_whitespace=True, max_length=400)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
LongText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=8_000)]


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Fact(_Form):
    name: Name
    value: Short


class ParticipantForm(_Form):
    name: Name
    role: Short
    connector: Literal["llm_generic", "prime_message"] = "llm_generic"
    agent_id: str | None = None


class ChannelForm(_Form):
    key: Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[a-z0-9][a-z0-9_-]{0,59}$")]
    name: Name
    tier: Tier
    participants: Annotated[list[ParticipantForm], Field(min_length=1, max_length=6)]
    brief: Annotated[LongText, StringConstraints(min_length=1)]
    facts: list[Fact] = []


class TellingForm(_Form):
    channel_id: str
    text: Annotated[LongText, StringConstraints(min_length=1)]


class PlanForm(_Form):
    """The plan for what the owner wrote."""

    title: Short
    summary: LongText
    words: LongText
    channels: Annotated[list[ChannelForm], Field(max_length=8)] = []
    closing: list[str] = []
    telling: Annotated[list[TellingForm], Field(max_length=20)] = []
    aims: list[Fact] = []
    # The id of the project that it is about, or “new”.
    project: Short = ""

    def plan(self, request: PlanRequest, usage: Usage) -> Plan:
        there = {channel.key for channel in request.channels}
        agents = {agent.id for agent in request.agents}
        ids = {channel.id for channel in request.channels}
        return Plan(
            title=self.title,
            summary=self.summary,
            words=self.words,
            channels=tuple(_channel(each, agents) for each in self.channels if each.key not in there),
            closing=tuple(each for each in self.closing if each in ids),
            telling=tuple(
                Telling(channel_id=each.channel_id, text=each.text) for each in self.telling if each.channel_id in ids
            ),
            aims={each.name: each.value for each in self.aims},
            project="" if self.project == "new" and self.channels else self._known_project(request),
            usage=usage,
        )

    def _known_project(self, request: PlanRequest) -> str | None:
        return self.project if self.project in {each.id for each in request.projects} else None


class FeatureForm(_Form):
    name: Name
    weight: Annotated[float, Field(ge=-1, le=1)]
    because: Short = ""


class JudgementForm(_Form):
    line_id: str
    decision: Literal["surface", "ask", "silent"]
    necessity: Annotated[float, Field(ge=0, le=1)]
    reason: Short
    features: Annotated[list[FeatureForm], Field(max_length=12)] = []
    title: Short = ""
    text: LongText = ""
    context: LongText = ""
    suggestions: Annotated[list[Short], Field(max_length=4)] = []
    commits: bool = False
    self_answer: LongText | None = None
    rule_id: str | None = None
    same_as: str | None = None


class JudgementsForm(_Form):
    """One item for every new line."""

    items: list[JudgementForm]

    def judgements(self, request: JudgeRequest) -> tuple[Judgement, ...]:
        """In the order of the lines. A line that the model left out is silent; an id that it made up is dropped."""
        given = {item.line_id: item for item in self.items}
        return tuple(_judgement(line, given.get(line.message_id), request) for line in request.lines if not line.own)


class StatementForm(_Form):
    subject: Name
    predicate: Name
    object: Short
    source: str
    valid_from: str | None = None
    valid_to: str | None = None
    many: bool = False


class ExtractionForm(_Form):
    """Facts that were stated."""

    statements: list[StatementForm]

    def found(self, lines: Sequence[Line]) -> tuple[Statement, ...]:
        known = {line.message_id for line in lines}
        return tuple(Statement(**each.model_dump()) for each in self.statements if each.source in known and each.object)


def _channel(form: ChannelForm, agents: set[str]) -> PlannedChannel:
    return PlannedChannel(
        key=form.key,
        name=form.name,
        tier=form.tier,
        participants=tuple(_participant(each, agents) for each in form.participants),
        brief=form.brief,
        facts={fact.name: fact.value for fact in form.facts},
    )


def _participant(form: ParticipantForm, agents: set[str]) -> PlannedParticipant:
    known = form.agent_id if form.agent_id in agents else None
    connector = "prime_message" if known else "llm_generic"
    return PlannedParticipant(name=form.name, role=form.role, connector=connector, agent_id=known)


def _judgement(line: Line, form: JudgementForm | None, request: JudgeRequest) -> Judgement:
    if form is None:
        return Judgement(
            message_id=line.message_id, decision="silent", necessity=0.0, reason="the model said nothing about it"
        )
    rules, pending = {rule.id for rule in request.rules}, {question.id for question in request.pending}
    asks = form.decision == "ask"
    # A question that speaks of nothing in the line would lead the owner astray; then they read the line itself.
    text = form.text if speaks_of(form.text, line.text) else ""
    return Judgement(
        message_id=line.message_id,
        decision=form.decision,
        necessity=form.necessity if form.decision != "silent" else 0.0,
        reason=form.reason,
        features=tuple(Feature(name=f.name, weight=f.weight, because=f.because) for f in form.features),
        title=form.title or text[:80],
        text=text or line.text[:400],
        context=form.context,
        suggestions=tuple(each for each in form.suggestions if each),
        commits=form.commits,
        self_answer=form.self_answer or ("I look into it and come back." if asks else None),
        rule_id=form.rule_id if form.rule_id in rules else None,
        same_as=form.same_as if form.same_as in pending else None,
    )
