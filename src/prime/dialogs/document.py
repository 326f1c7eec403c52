"""The compiled context document: who the agent is, what the channel is for, what it may see and use there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from prime.dialogs.members import agent_of
from prime.dialogs.template import Part, load_template, render
from prime.rooms.records import OWNER
from prime.rooms.views import Card, View, observed_by, observer


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
        values = {**filled, **await channel_values(view)}
        if agent_id is not None:
            values["name"] = _name(await view.cards(), agent_id)
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


def _name(cards: Sequence[Card], agent_id: str) -> str:
    return next((card.name for card in cards if card.id == agent_id), agent_id)


def _shown(card: Card) -> str:
    if card.id == OWNER:
        return "the owner (person)"  # whose name is "You" in the page, and nobody's here
    return f"{card.name} ({'person' if card.kind == 'human' else 'agent'})"
