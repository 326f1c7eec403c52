"""What a decision is, and how it is written down: with score, reason, rule and sources, so that the rest can be derived."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from prime.core.excerpts import beginning
from prime.hub.swarm.turns import usage_of
from prime.mind.jobs.judging import Decision, Judgement
from prime.mind.jobs.lines import Line, Usage
from prime.rooms.questions import Asking
from prime.rooms.records import PRIME
from prime.store.message import NewMessage

# surfaced, auto_resolved: a card. asked: a question. joined: a pending question has one more source. held: a question that
# waits for the least time between two. silent: nothing.
Outcome = Literal["surfaced", "auto_resolved", "asked", "joined", "held", "silent"]

EXCERPT = 140
# In the body of a question whose yes would bind us.
COMMITS = "commits"
# In the body of a question: what Prime would answer, should the owner leave it to Prime.
OWN_ANSWER = "ownAnswer"


@dataclass(frozen=True, slots=True)
class Judged:
    """One line and what a mind thinks of it, after what makes no sense was taken out."""

    line: Line
    judgement: Judgement

    @property
    def question(self) -> str:
        return self.judgement.text.strip() or self.line.text

    @property
    def title(self) -> str:
        return self.judgement.title.strip() or excerpt(self.question)


def made_sense_of(lines: Sequence[Line], judgements: Sequence[Judgement]) -> list[Judged]:
    """One judgement per line, in order. What a mind says twice, or about nothing that was shown, does not count."""
    known = {line.message_id: line for line in lines if not line.own}
    first: dict[str, Judgement] = {}
    for judgement in judgements:
        if judgement.message_id in known and judgement.message_id not in first:
            first[judgement.message_id] = judgement
    return [Judged(line, _plain(first.get(message_id) or _unsaid(line))) for message_id, line in known.items()]


def _plain(judgement: Judgement) -> Judgement:
    necessity = judgement.necessity
    score = min(max(necessity, 0.0), 1.0) if math.isfinite(necessity) else 1.0
    known = judgement.decision if judgement.decision in get_args(Decision) else "silent"
    return Judgement(
        message_id=judgement.message_id,
        decision=known,
        necessity=score,
        reason=judgement.reason[:2_000],
        features=judgement.features[:30],
        title=judgement.title[:300],
        text=judgement.text[:8_000],
        context=judgement.context[:8_000],
        suggestions=tuple(each[:300] for each in judgement.suggestions[:8] if each.strip()),
        commits=judgement.commits,
        self_answer=(judgement.self_answer or "").strip()[:8_000] or None,
        rule_id=judgement.rule_id,
        same_as=judgement.same_as,
    )


def _unsaid(line: Line) -> Judgement:
    return Judgement(
        message_id=line.message_id, decision="silent", necessity=0.0, reason="The mind said nothing about it."
    )


def decision_message(
    channel_id: str, judged: Judged, outcome: Outcome, *, text: str = "", more: Mapping[str, object] | None = None
) -> NewMessage:
    """The decision about one line."""
    judgement = judged.judgement
    body: dict[str, object] = {
        "decision": judgement.decision,
        "outcome": outcome,
        "necessity": judgement.necessity,
        "reason": judgement.reason,
        "title": judged.title,
        **(more or {}),
    }
    if judgement.decision == "ask":
        body["question"] = judged.question
    if judgement.features:
        body["features"] = [{"name": f.name, "weight": f.weight, "because": f.because} for f in judgement.features]
    return NewMessage(
        channel_id=channel_id,
        actor_id=PRIME,
        kind="decision",
        audience="hub",
        text=text,
        body=body,
        sources=(judged.line.message_id,),
    )


def silent_message(channel_id: str, silent: Sequence[Judged], up_to: int, usage: Usage) -> NewMessage:
    """One decision for everything of a batch that stays silent, each with its score and reason; it ends the batch."""
    spent = usage_of(usage)
    body: dict[str, object] = {
        "decision": "silent",
        "outcome": "silent",
        "upTo": up_to,
        "items": [[each.line.message_id, each.judgement.necessity, each.judgement.reason] for each in silent],
    }
    if spent:
        body["usage"] = spent
    return NewMessage(
        channel_id=channel_id,
        actor_id=PRIME,
        kind="decision",
        audience="hub",
        body=body,
        sources=tuple(each.line.message_id for each in silent),
    )


def asking_of(channel_id: str, judged: Judged, own_answer: str = "") -> Asking:
    judgement = judged.judgement
    more: dict[str, object] = {COMMITS: True} if judgement.commits else {}
    if own_answer:
        more[OWN_ANSWER] = own_answer
    return Asking(
        text=judged.question,
        channel_id=channel_id,
        context=judgement.context or excerpt(judged.line.text, 600),
        necessity=judgement.necessity,
        reason=judgement.reason,
        suggestions=judgement.suggestions,
        sources=(judged.line.message_id,),
        more=more,
    )


def excerpt(text: str, most: int = EXCERPT) -> str:
    return beginning(" ".join(text.split()), most)
