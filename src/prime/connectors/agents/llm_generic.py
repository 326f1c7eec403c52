"""A mind as a participant: any chat model takes part in a channel like everybody else, with the tools it may use there."""

import asyncio

from prime.core.errors import PrimeError, TimedOut
from prime.dialogs.turn import Turns
from prime.dialogs.turns.driving import Outcome
from prime.hub.connector import Answer, Context, Identity
from prime.mind.protocol import Mind
from prime.rooms.records import OWNER, Actor
from prime.store.leases import Lease

NAME = "llm_generic"
REPLY_SECONDS = 180.0


class LlmGeneric:
    """The one place where a mind is asked to speak in a channel, for counterparts and for Prime itself.

    A model takes a whole turn, with tools, under the lease of whoever drives the channel. Without one, and for the offline
    engine, which calls no tools, it is one reply.
    """

    def __init__(self, actor: Actor, mind: Mind, turns: Turns | None = None) -> None:
        self._actor = actor
        self._mind = mind
        self._turns = turns

    def identity(self) -> Identity:
        return Identity(name=self._actor.name, kind=self._actor.kind, connector=NAME)

    async def reply(self, context: Context) -> Answer:
        if self._turns and context.lease and self._mind.name != "offline":
            return await self._turn(self._turns, context, context.lease)
        try:
            reply = await asyncio.wait_for(self._mind.reply(context.request()), REPLY_SECONDS)
        except TimeoutError:
            raise TimedOut(f"The mind took longer than {REPLY_SECONDS:g} seconds.") from None
        if self._mind.name == "offline" and _is_said(reply.text, context):
            return Answer()
        return Answer(text=reply.text, thought=reply.thought, usage=reply.usage)

    async def _turn(self, turns: Turns, context: Context, lease: Lease) -> Answer:
        outcome = await turns.take(
            context.channel_id,
            context.actor_id,
            mind=self._mind,
            role=context.role,
            facts=context.facts,
            lease=lease,
        )
        if outcome.result in ("failed", "limit"):
            raise _failure(outcome)
        # Nothing to say is a pass, which is the swarm's to write down; all else stands in the log.
        return Answer(logged=outcome.result in ("said", "waiting"))


def _is_said(text: str, context: Context) -> bool:
    """Whether the rules have nothing to say here but what they said before: then others may go on. Who asks anew, the owner or
    somebody outside who waits for an answer, gets one."""
    driven = context.lease is not None and (context.last is None or context.last.actor_id != OWNER)
    return driven and any(line.own and line.text == text for line in context.lines)


def _failure(outcome: Outcome) -> PrimeError:
    return outcome.error or PrimeError(outcome.text, code=f"turn_{outcome.result}")
