"""How the hub answers others: Prime speaks in their channel, and sees what can be seen from there."""

from collections.abc import Awaitable, Callable

from prime.hub.connector import Answer, Context
from prime.hub.speaking import context_of
from prime.network.tasks import Inbound
from prime.rooms.briefs import held_back
from prime.rooms.clamp import Clamp
from prime.rooms.records import PRIME
from prime.rooms.views import View
from prime.store.store import Store

Speak = Callable[[Context], Awaitable[Answer]]


class HubInbound:
    """The `InboundHandler` that `prime.app` plugs into the network."""

    def __init__(self, store: Store, clamp: Clamp, speak: Speak) -> None:
        self._store = store
        self._clamp = clamp
        self._speak = speak

    async def answer(self, inbound: Inbound) -> str:
        view = await View.of(self._store, inbound.channel_id)
        context = await context_of(view, PRIME)
        text = (await self._speak(context)).text
        clamped = self._clamp.apply(text, context.tier)
        if clamped.removed:
            sources = (inbound.said_id,) if inbound.said_id else ()
            await self._store.log.append(held_back(inbound.channel_id, clamped.removed, sources, key=None))
        return clamped.text
