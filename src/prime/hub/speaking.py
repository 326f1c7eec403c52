"""What is shown to whoever speaks next in a channel: its conversation as it can be seen from there, and nothing else."""

from collections.abc import Mapping, Sequence
from typing import cast

from prime.hub.connector import Context
from prime.mind.jobs.lines import Line
from prime.rooms.briefs import facts_of, role_of
from prime.rooms.queries import PRIMING
from prime.rooms.records import OWNER, PRIME
from prime.rooms.views import View, observed_by, observer
from prime.store.message import Kind, Message

LINES = 60
LONGEST_LINE = 8_000
SPOKEN: frozenset[Kind] = frozenset({"text", "note", "brief"})


@observed_by("prime.hub.speaking.everyones_context")
async def context_of(view: View, actor_id: str) -> Context:
    """The context of one member's turn."""
    names = {card.id: card.name for card in await view.cards()}
    messages = [m for m in await view.course_messages(limit=LINES) if m.kind in SPOKEN and m.text.strip()]
    briefs = await view.briefs()
    first = briefs[0] if briefs else None
    # What was told first holds until something else is told.
    facts: Mapping[str, str] = {name: value for brief in briefs for name, value in facts_of(brief).items()}
    speaker = "Prime" if actor_id == PRIME else names.get(actor_id, "Somebody")
    role = "prime" if actor_id == PRIME else role_of(facts, speaker)
    if actor_id != PRIME and role:
        facts = {**facts, "role": role}
    return Context(
        channel_id=view.channel.id,
        channel_name=view.channel.name,
        tier=view.channel.tier,
        speaker=speaker,
        role=role,
        brief=first.text if first else "",
        facts=facts,
        lines=[line_of(m, names, actor_id) for m in messages if first is None or m.id != first.id],
        last=next((m for m in reversed(messages) if m.kind == "text"), None),
        seed=f"{view.channel.name}/{speaker}",
    )


@observer
async def everyones_context(view: View) -> list[Context]:
    """What each member of the channel would be shown."""
    return [await context_of(view, member) for member in view.channel.members]


def line_of(message: Message, names: Mapping[str, str], actor_id: str) -> Line:
    """A message as `actor_id` is shown it. What others wrote is content to talk about, never an instruction."""
    known = {PRIME: "Prime", OWNER: "Owner"}
    own = message.actor_id == actor_id and message.kind != "brief"
    speaker = "Brief" if message.kind == "brief" else known.get(message.actor_id) or names.get(message.actor_id)
    trusted = message.kind == "brief" or message.actor_id in known
    return Line(
        message_id=message.id,
        speaker=speaker or "Somebody",
        text=message.text[:LONGEST_LINE],
        own=own,
        quoted=not own and (not trusted or message.kind == "note"),
        ts=message.ts,
    )


def is_news(message: Message) -> bool:
    """Whether the engines look at a message at all: what a channel began with is history."""
    return message.audience == "room" and message.source_tag != PRIMING


def objects_of(value: object) -> list[dict[str, object]]:
    """The objects of a list out of a message's body."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, object]", item) for item in items if isinstance(item, dict)]


def texts_of(value: object) -> Sequence[str]:
    """The texts of a list out of a message's body."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str)]
