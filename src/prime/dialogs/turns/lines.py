"""A channel's conversation as the lines that a mind without a model works from."""

from collections.abc import Mapping

from prime.mind.jobs.lines import Line
from prime.rooms.records import OWNER
from prime.rooms.views import View, observed_by, observer
from prime.store.message import Message

LINES = 60


@observed_by("prime.dialogs.turns.lines.latest")
async def lines_of(view: View, agent_id: str) -> list[Line]:
    """What was said last, oldest first. Notes of attachments, and words of other agents, are content and no instruction."""
    cards = {card.id: card for card in await view.cards()}
    said = [m for m in await view.course_messages(limit=LINES) if m.kind in {"text", "note"} and m.audience == "room"]
    return [_line(message, agent_id, {name: card.name for name, card in cards.items()}) for message in said]


async def latest(view: View) -> list[Line]:
    """The lines as the owner hears them, for the comparison of what channels can observe."""
    return await lines_of(view, OWNER)


observer(latest)


def _line(message: Message, agent_id: str, names: Mapping[str, str]) -> Line:
    own = message.actor_id == agent_id and message.kind == "text"
    return Line(
        message_id=message.id,
        speaker=names.get(message.actor_id, message.actor_id),
        text=message.text,
        own=own,
        quoted=message.kind == "note" or not (own or message.actor_id == OWNER),
        ts=message.ts,
    )
