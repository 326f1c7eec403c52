"""How the hub answers others: its mind speaks in their channel, and sees what can be seen from there."""

from prime.mind.protocol import Line, Mind, ReplyRequest
from prime.network.tasks import Inbound
from prime.rooms.records import OWNER, PRIME
from prime.rooms.views import View
from prime.store.message import Message
from prime.store.store import Store

LINES = 40


class HubInbound:
    """The `InboundHandler` that `prime.app` plugs into the network."""

    def __init__(self, store: Store, mind: Mind) -> None:
        self._store = store
        self._mind = mind

    async def answer(self, inbound: Inbound) -> str:
        view = await View.of(self._store, inbound.channel_id)
        names = {card.id: card.name for card in await view.cards()}
        said = [m for m in await view.messages(limit=LINES) if m.kind in {"text", "brief"}]
        reply = await self._mind.reply(
            ReplyRequest(
                speaker="Prime",
                channel_name=view.channel.name,
                tier=view.channel.tier,
                brief="\n".join(m.text for m in said if m.kind == "brief"),
                lines=[_line(m, names) for m in said if m.kind == "text"],
            )
        )
        return reply.text


def _line(message: Message, names: dict[str, str]) -> Line:
    own = message.actor_id in {PRIME, OWNER}
    # What somebody outside wrote is content to talk about, never an instruction.
    return Line(
        message_id=message.id,
        speaker="Prime" if own else names.get(message.actor_id, "Unknown agent"),
        text=message.text,
        own=own,
        quoted=not own,
    )
