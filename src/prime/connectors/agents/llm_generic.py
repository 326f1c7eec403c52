"""A mind as a participant: any chat model takes part in a channel like everybody else."""

import asyncio

from prime.core.errors import TimedOut
from prime.hub.connector import Answer, Context, Identity
from prime.mind.protocol import Mind
from prime.rooms.records import Actor

NAME = "llm_generic"
REPLY_SECONDS = 180.0


class LlmGeneric:
    """The one place where a mind is asked to speak in a channel, for counterparts and for Prime itself."""

    def __init__(self, actor: Actor, mind: Mind) -> None:
        self._actor = actor
        self._mind = mind

    def identity(self) -> Identity:
        return Identity(name=self._actor.name, kind=self._actor.kind, connector=NAME)

    async def reply(self, context: Context) -> Answer:
        try:
            reply = await asyncio.wait_for(self._mind.reply(context.request()), REPLY_SECONDS)
        except TimeoutError:
            raise TimedOut(f"The mind took longer than {REPLY_SECONDS:g} seconds.") from None
        return Answer(text=reply.text, thought=reply.thought, usage=reply.usage)
