"""From judgements to decisions: rules first, then what is asked already, then necessity, then the time between two."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple, cast

from prime.core.classes import match_profiles, profile
from prime.core.clock import is_due
from prime.core.ids import new_id
from prime.hub.commitments import Commitments, is_chinese, is_yes
from prime.hub.directive.decisions import COMMITS, OWN_ANSWER, Judged, asking_of, decision_message, excerpt
from prime.hub.directive.discretion import Discretion
from prime.hub.directive.queries import Held
from prime.hub.pace import Pace
from prime.hub.rules import Rule, RuleBook, told_of
from prime.hub.swarm.state import MANAGED
from prime.mind.jobs.judging import Judgement
from prime.mind.jobs.lines import Line
from prime.rooms.briefs import Brief, Briefs
from prime.rooms.questions import question_message
from prime.rooms.records import PRIME, Question
from prime.rooms.tier import Tier, is_below
from prime.store.message import NewMessage


@dataclass(frozen=True, slots=True)
class Place:
    """The channel that is being judged."""

    id: str
    name: str
    tier: Tier
    course: int = 1
    # What others said last there; an answer to anything before it says what it is about.
    last_id: str = ""
    # What Prime may say there by itself, of all that it knows.
    discretion: Discretion = field(default_factory=Discretion)


@dataclass(frozen=True, slots=True)
class Resolved:
    """How something was settled without the owner."""

    answer: str
    reason: str
    sources: Sequence[str] = ()
    rule: Rule | None = None
    # What the channel is told, where that is less than the whole answer.
    told: str = ""


class Asked(NamedTuple):
    """A question of this round."""

    id: str
    text: str
    tier: Tier


@dataclass(slots=True)
class Sorter:
    """Decides over the candidates of one batch. `asked_at` moves on when it asks. `pending` has what was put off, too: who asks
    the same joins it and does not bring it back early. `tiers` are those of the channels that asked: the owner's words for one go
    no further down by themselves.

    What it makes needs no keys: it is appended under the engine's lease, with how far the engine has come, or not at all.
    """

    book: RuleBook
    pending: list[Question]
    settled: Sequence[Question]
    asked_at: int
    now: int
    pace: Pace
    briefs: Briefs
    commitments: Commitments
    tiers: Mapping[str, Tier] = field(default_factory=dict[str, Tier])
    asked: list[Asked] = field(default_factory=list[Asked])

    def decide(self, place: Place, judged: Judged) -> list[NewMessage]:
        """The messages that the decision about one line becomes; nothing for a silent one."""
        if judged.judgement.decision == "silent":
            return []
        if judged.judgement.decision == "surface":
            return [decision_message(place.id, judged, "surfaced", text=judged.question)]
        if resolved := self._resolved(place, judged):
            return self._resolve(place, judged, resolved)
        if same := self._same(place, judged):
            return self._join(place, judged, same)
        if place.id.startswith(MANAGED):
            # Nothing is said there but through the drafts gate, which asks by itself.
            return [decision_message(place.id, judged, "surfaced", text=judged.question)]
        if self.pace.ask_necessity_min and judged.judgement.necessity < self.pace.ask_necessity_min:
            return self._decide_alone(place, judged)
        return self._ask(place, judged)

    def release(self, place: Place, held: Held) -> list[NewMessage]:
        """What becomes of a question that was held back: a rule or a pending question has it by now, or it is asked."""
        judged = _again(held)
        if resolved := self._resolved(place, judged):
            messages = self._resolve(place, judged, resolved, held_id=held.id)
            # Who held back while somebody else was promised it has been told so already.
            return messages[:1] if self.commitments.elsewhere(place.id) else messages
        if same := self._same(place, judged):
            return self._join(place, judged, same, held_id=held.id)
        if not self._may_ask() or self._waits_for_a_like_one(judged):
            return []
        asking = asking_of(place.id, judged, _own_answer(place, judged))
        asking = replace(asking, more={**asking.more, "heldId": held.id})
        question_id = new_id("q")
        self.asked_at = self.now
        self.asked.append(Asked(question_id, judged.question, place.tier))
        return [question_message(asking, question_id)]

    def let_go(self, place: Place, held: Held) -> NewMessage:
        """A question that was held back, and whose channel is closed by now, is not asked any more."""
        why = "这个频道已关闭。" if is_chinese(held.text) else "Its channel is closed."
        return decision_message(place.id, _again(held), "silent", more={"reason": why, "heldId": held.id})

    # --- inside ---

    def _resolved(self, place: Place, judged: Judged) -> Resolved | None:
        if taken := self.commitments.elsewhere(place.id):
            return Resolved(taken.hold(), taken.because(), (taken.message_id,))
        rule = self.book.named(judged.judgement.rule_id, judged.question) or self.book.covers(
            judged.question, place.name
        )
        if rule:
            # A mind that applies a rule says what follows from it; the rule itself may say how far the owner would go.
            applied = judged.judgement.self_answer if rule.id == judged.judgement.rule_id else None
            by = "按你的规则：" if is_chinese(rule.text) else "By your rule: "
            return Resolved(rule.text, f"{by}{rule.text}", rule.sources, rule, applied or told_of(rule))
        for question in self.settled:
            if _plain(question.text) == _plain(judged.question) and self._is_told(place, question):
                answer = question.answer.get("text") or question.answer.get("choice")
                if isinstance(answer, str):
                    before = "你以前答复过。" if is_chinese(question.text) else "You have answered this before."
                    return Resolved(answer, before, question.sources)
        return None

    def _resolve(
        self, place: Place, judged: Judged, resolved: Resolved, *, held_id: str | None = None
    ) -> list[NewMessage]:
        line = judged.line
        sources = (line.message_id, *(s for s in resolved.sources if s != line.message_id))
        discreet = place.discretion.apply(resolved.told or resolved.answer)
        told = self.briefs.tell(
            Brief(
                channel_id=place.id,
                tier=place.tier,
                text=discreet.text,
                withheld=discreet.removed,
                about=about(line.text) if place.last_id not in {"", line.message_id} else "",
                sources=sources,
                course=place.course,
            )
        )
        more: dict[str, object] = {"reason": resolved.reason}
        if resolved.rule:
            more["ruleId"] = resolved.rule.id
        if judged.judgement.self_answer:
            more["selfAnswer"] = judged.judgement.self_answer
        if told.removed:
            more["removed"] = [each.sentence for each in told.removed]
        if held_id:
            more["heldId"] = held_id
        decided = decision_message(place.id, judged, "auto_resolved", text=resolved.answer, more=more)
        if place.id.startswith(MANAGED):
            return [decided]
        return [decided, *told.messages, *self._committed(place, judged, resolved.told or resolved.answer)]

    def _committed(self, place: Place, judged: Judged, told: str) -> list[NewMessage]:
        """What a yes that binds means for whoever else wants the same."""
        if not judged.judgement.commits or not is_yes(told):
            return []
        messages = self.commitments.commit(place.id, (judged.line.message_id,), self.pending)
        settled = {message.body.get("questionId") for message in messages if message.kind == "answer"}
        self.pending = [question for question in self.pending if question.id not in settled]
        return messages

    def _decide_alone(self, place: Place, judged: Judged) -> list[NewMessage]:
        judgement = judged.judgement
        least = self.pace.ask_necessity_min
        why = _below(judgement.reason, judgement.necessity, least)
        if judgement.self_answer:
            return self._resolve(place, judged, Resolved(judgement.self_answer, why))
        return [decision_message(place.id, judged, "surfaced", text=judged.question, more={"reason": why})]

    def _same(self, place: Place, judged: Judged) -> str | None:
        """The pending question that asks the same, and whose answer may be told here."""
        pending = {question.id: question.text for question in self.pending if self._is_told(place, question)}
        pending |= {each.id: each.text for each in self.asked if not is_below(place.tier, each.tier)}
        if judged.judgement.same_as in pending:
            return judged.judgement.same_as
        wanted = _plain(judged.question)
        for question_id, text in pending.items():
            if _plain(text) == wanted or _means_the_same(judged.question, text):
                return question_id
        return None

    def _is_told(self, place: Place, question: Question) -> bool:
        """Whether the owner's answer to a question is for this channel, too."""
        return not is_below(place.tier, self.tiers.get(question.channel_id, "team"))

    def _waits_for_a_like_one(self, judged: Judged) -> bool:
        """Whether the owner is being asked something of the kind: the answer, or a rule made of it, may settle this one, too."""
        now = (question.text for question in self.pending if question.status == "pending")
        waiting = [*now, *(each.text for each in self.asked)]
        return any(match_profiles(_profile(judged.question), _profile(text)) for text in waiting)

    def _join(self, place: Place, judged: Judged, question_id: str, *, held_id: str | None = None) -> list[NewMessage]:
        more: dict[str, object] = {"questionId": question_id}
        if held_id:
            more["heldId"] = held_id
        decided = decision_message(place.id, judged, "joined", more=more)
        joined = NewMessage(
            channel_id=place.id,
            actor_id=PRIME,
            kind="question",
            audience="hub",
            body={"questionId": question_id, "op": "joined"},
            sources=(judged.line.message_id,),
        )
        return [decided, joined]

    def _ask(self, place: Place, judged: Judged) -> list[NewMessage]:
        asking = asking_of(place.id, judged, _own_answer(place, judged))
        if not self._may_ask() or self._waits_for_a_like_one(judged):
            kept = {
                "context": asking.context,
                "necessity": asking.necessity,
                "reason": asking.reason,
                "suggestions": list(asking.suggestions),
                "title": judged.judgement.title,
                "line": judged.line.text,
                COMMITS: judged.judgement.commits,
                OWN_ANSWER: judged.judgement.self_answer,
            }
            return [decision_message(place.id, judged, "held", more={"asking": kept})]
        question_id = new_id("q")
        self.asked_at = self.now
        self.asked.append(Asked(question_id, judged.question, place.tier))
        return [
            decision_message(place.id, judged, "asked", more={"questionId": question_id}),
            question_message(asking, question_id),
        ]

    def _may_ask(self) -> bool:
        gap = self.pace.ask_min_gap_ms
        return not self.asked_at or is_due(self.asked_at + gap, self.now, gap)


def _own_answer(place: Place, judged: Judged) -> str:
    """What Prime would answer by itself, if all of it may be told there."""
    discreet = place.discretion.apply(judged.judgement.self_answer or "")
    return "" if discreet.removed else discreet.text


def about(line: str) -> str:
    """Says which of a channel's own words something is about."""
    said = excerpt(line)
    return f"关于“{said}”：" if is_chinese(said) else f"About “{said}”: "


def _below(reason: str, necessity: float, least: float) -> str:
    if is_chinese(reason):
        return f"{reason}（必要性 {necessity:.2f}，低于 {least:.2f}）"
    return f"{reason} (necessity {necessity:.2f}, below {least:.2f})".strip()


def _again(held: Held) -> Judged:
    asking = held.asking
    necessity, suggestions = asking.get("necessity"), asking.get("suggestions")
    return Judged(
        Line(message_id=held.message_id, speaker="", text=str(asking.get("line", ""))),
        Judgement(
            message_id=held.message_id,
            decision="ask",
            necessity=float(necessity) if isinstance(necessity, int | float) else 1.0,
            reason=str(asking.get("reason", "")),
            title=str(asking.get("title", "")),
            text=held.text,
            context=str(asking.get("context", "")),
            commits=asking.get(COMMITS) is True,
            self_answer=str(asking.get(OWN_ANSWER) or "") or None,
            suggestions=tuple(str(each) for each in cast("list[object]", suggestions))
            if isinstance(suggestions, list)
            else (),
        ),
    )


def _means_the_same(question: str, pending: str) -> bool:
    """Nearly the same words, and the same numbers."""
    found = match_profiles(_profile(question), _profile(pending))
    return found is not None and found.cover >= 0.9 and _digits(question) == _digits(pending)


# The same few pending questions are compared with every candidate of a batch.
_profile = lru_cache(maxsize=256)(profile)


def _digits(text: str) -> list[str]:
    return sorted(re.findall(r"\d+", text))


@lru_cache(maxsize=256)
def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("?？.。! ")
