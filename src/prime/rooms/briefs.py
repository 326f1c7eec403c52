"""Briefs: the one way in which text goes down a tier, clamped on the way; what the clamp took out is kept for the owner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import cast

from prime.rooms.clamp import Clamp, Removed
from prime.rooms.records import PRIME
from prime.rooms.tier import Tier
from prime.store.message import Message, NewMessage


def _none() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a channel is told, before the clamp."""

    channel_id: str
    tier: Tier
    text: str
    # Stands before the text and is not clamped: words of the channel itself.
    about: str = ""
    facts: Mapping[str, str] = field(default_factory=_none)
    sources: Sequence[str] = ()
    # The question that it answers, where it does.
    question_id: str | None = None
    # The same key twice is one brief.
    key: str | None = None
    # The channel's, as it is now.
    course: int = 1
    # What was taken out of the text before it came here.
    withheld: Sequence[Removed] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """A brief as it may go down: its messages, and what was held back."""

    messages: tuple[NewMessage, ...]
    text: str
    removed: tuple[Removed, ...]


class Briefs:
    def __init__(self, clamp: Clamp) -> None:
        self.clamp = clamp

    def tell(self, brief: Brief) -> Told:
        """The messages that a brief becomes: itself as far as the tier may see it, and a note to the owner about the rest."""
        clamped = self.clamp.apply(brief.text, brief.tier)
        facts, hidden = self._facts(brief)
        removed = (*brief.withheld, *clamped.removed, *hidden)
        body: dict[str, object] = {"facts": facts} if facts else {}
        if brief.question_id:
            body["answers"] = brief.question_id
        told = NewMessage(
            channel_id=brief.channel_id,
            actor_id=PRIME,
            kind="brief",
            text=f"{brief.about}{clamped.text}",
            body=body,
            sources=tuple(brief.sources),
            idempotency_key=brief.key,
            course=brief.course,
        )
        # A brief of which nothing is left says nothing; one that was only about something says that.
        only_about = brief.about and not brief.text and not brief.withheld
        messages = [told] if clamped.text.strip() or only_about else []
        if removed:
            note = held_back(brief.channel_id, removed, brief.sources, key=brief.key and f"{brief.key}/held")
            messages.append(
                replace(
                    note,
                    course=brief.course,
                    body={**note.body, "answers": brief.question_id} if brief.question_id else note.body,
                )
            )
        return Told(tuple(messages), clamped.text, removed)

    def _facts(self, brief: Brief) -> tuple[dict[str, str], list[Removed]]:
        kept: dict[str, str] = {}
        removed: list[Removed] = []
        for name, value in brief.facts.items():
            # A fact is clamped as the sentence that it stands for.
            found = self.clamp.apply(f"our {name} is {value}", brief.tier).removed
            if found:
                removed.append(Removed(f"{name}: {value}", found[0].category))
            else:
                kept[name] = value
        return kept, removed


def held_back(channel_id: str, removed: Sequence[Removed], sources: Sequence[str], *, key: str | None) -> NewMessage:
    """What the owner is told about sentences that a channel did not get."""
    shown = "\n".join(f"- {each.sentence} ({each.category})" for each in removed)
    return NewMessage(
        channel_id=channel_id,
        actor_id=PRIME,
        kind="system",
        audience="hub",
        text=f"Not told to this channel:\n{shown}",
        body={"op": "held_back", "removed": [{"sentence": r.sentence, "category": r.category} for r in removed]},
        sources=tuple(sources),
        idempotency_key=key,
    )


def facts_of(brief: Message) -> Mapping[str, str]:
    """What a brief tells beside its words."""
    told = brief.body.get("facts")
    if not isinstance(told, dict):
        return {}
    given = cast("dict[str, object]", told)
    return {name: value for name, value in given.items() if isinstance(value, str)}


def role_of(facts: Mapping[str, str], speaker: str) -> str:
    """A participant's part: `role:<name>` where several have one, else `role`."""
    return facts.get(f"role:{speaker}", facts.get("role", ""))


@cache
def built_in_briefs() -> Briefs:
    """Briefs under the built-in clamp alone."""
    return Briefs(Clamp.load())
