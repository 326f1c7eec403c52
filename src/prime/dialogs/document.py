"""The compiled context document: who the agent is, what the channel is for, what it may see and use there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from prime.dialogs.members import agent_of
from prime.dialogs.template import Part, load_template, render
from prime.rooms.briefs import facts_of, role_of
from prime.rooms.records import OWNER
from prime.rooms.views import Card, View, observed_by, observer

# How somebody speaks in a conversation that the hub has begun, and that goes on without the owner.
MANNER = (
    "Say the next thing as a person would in a chat: one to four sentences, concrete, in the language that is spoken here. "
    "Move the matter on: ask for what is missing, offer, name figures and dates, commit, deliver. Do not repeat what was said, "
    "do not thank for thanks. A decision that is not yours to take (money, signatures, publicity) you answer later. When "
    "everything is said, answer with nothing at all."
)
# Facts that are for the offline engine.
_ASIDE = frozenset({"archetype", "language"})


class ContextSource(Protocol):
    """Fills one value of the document. It reads through the view alone, and is registered as an observer."""

    @property
    def fills(self) -> str:
        """`rules`, `facts`, `resources`, `tools` or `safety`."""
        ...

    @observed_by("prime.dialogs.context.shown")
    async def text(self, view: View) -> str: ...


@dataclass(frozen=True, slots=True)
class Document:
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "\n\n".join(part.text for part in self.parts)


class DocumentBuilder:
    """Compiles documents from the template as it is now and from what the house plugs in."""

    def __init__(self, prompts: Path | None = None, sources: Sequence[ContextSource] = ()) -> None:
        self._prompts = prompts
        self._sources = tuple(sources)

    @observed_by("prime.dialogs.context.shown")
    async def build(self, view: View, agent_id: str | None = None) -> Document:
        """The document for an agent of the channel, its own one when none is named."""
        filled = {source.fills: await source.text(view) for source in self._sources}
        cards = await view.cards()
        agent = agent_id or agent_of(view.channel.members, cards)
        values = {**filled, **await channel_values(view), "name": _name(cards, agent)}
        told = await told_facts(view)
        if told:
            values["manner"] = MANNER
            values["facts"] = "\n".join(text for text in (_listed(told, values["name"]), filled.get("facts")) if text)
        return Document(render(load_template(self._prompts), values))


async def channel_values(view: View) -> Mapping[str, str]:
    """What the document says about the channel itself."""
    cards = await view.cards()
    briefs = [await view.full_text(brief) for brief in await view.briefs()]
    return {
        "name": _name(cards, agent_of(view.channel.members, cards)),
        "channel": view.channel.name,
        "tier": view.channel.tier,
        "members": ", ".join(_shown(card) for card in cards),
        "brief": "\n\n".join(briefs),
    }


observer(channel_values)


async def told_facts(view: View) -> Mapping[str, str]:
    """What the channel's first brief tells beside its words; nothing in a talk that the hub did not begin."""
    briefs = await view.briefs()
    return facts_of(briefs[0]) if briefs else {}


observer(told_facts)


def _listed(told: Mapping[str, str], name: str) -> str:
    role = role_of(told, name)
    kept = {fact: value for fact, value in told.items() if fact not in _ASIDE and not fact.startswith("role")}
    return "\n".join([*([f"- your part here: {role}"] if role else []), *(f"- {f}: {v}" for f, v in kept.items())])


def _name(cards: Sequence[Card], agent_id: str) -> str:
    return next((card.name for card in cards if card.id == agent_id), agent_id)


def _shown(card: Card) -> str:
    if card.id == OWNER:
        return "the owner (person)"  # whose name is "You" in the page, and nobody's here
    return f"{card.name} ({'person' if card.kind == 'human' else 'agent'})"
