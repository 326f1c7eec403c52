"""The hub: the owner speaks here, a war room comes of it, and what needs the owner comes back.

What a mind says is logged like everything else; the request that led to it is not repeated after a crash, because the
answer's idempotency key names the message that it answers.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prime.core.errors import PrimeError
from prime.hub import queries
from prime.hub.connector import Connectors, Context
from prime.hub.directive.engine import DirectiveEngine
from prime.hub.feed import FeedItem
from prime.hub.learning import Learning, OwnersAnswer
from prime.hub.metrics.metrics import Metrics
from prime.hub.queries import FEED
from prime.hub.rules import Rule
from prime.hub.speaking import context_of
from prime.hub.swarm.swarm import Swarm
from prime.hub.swarm.turns import Words
from prime.hub.warroom import WarRoom
from prime.mind.protocol import Mind, Plan
from prime.rooms.records import HUB, OWNER, PRIME, Actor, Question
from prime.rooms.rooms import Rooms
from prime.rooms.views import View
from prime.store.message import Message, NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

# How far back a start looks for what was left undone.
LEFT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class HubParts:
    """What the hub is made of."""

    mind: Mind
    connectors: Connectors
    warroom: WarRoom
    swarm: Swarm
    engine: DirectiveEngine
    learning: Learning
    metrics: Metrics
    # Called with words as they are being written, before they are logged.
    listeners: list[Callable[[Words], None]]


class Hub:
    def __init__(self, store: Store, rooms: Rooms, parts: HubParts) -> None:
        self._store = store
        self._rooms = rooms
        self.mind = parts.mind
        self.connectors = parts.connectors
        self.swarm = parts.swarm
        self.engine = parts.engine
        self.learning = parts.learning
        self.metrics = parts.metrics
        self.listeners = parts.listeners
        self._warroom = parts.warroom
        self._planning = asyncio.Lock()
        self._answering: set[asyncio.Task[None]] = set()

    async def say(
        self, text: str, *, idempotency_key: str | None = None, attachment_ids: Sequence[str] = ()
    ) -> Message:
        """The owner's words in the hub's room; Prime's answer and what it plans follow by themselves."""
        said = await self._rooms.say(HUB, OWNER, text, idempotency_key=idempotency_key, attachment_ids=attachment_ids)
        await self.swarm.hear_owner()
        task = asyncio.create_task(self._answer(said), name="prime-answer")
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)
        return said

    async def answer(self, question_id: str, given: OwnersAnswer) -> tuple[Question, Rule | None]:
        """The owner's answer to a question; the swarm goes on where it was asked."""
        answered = await self.learning.answer(question_id, given)
        await self.swarm.hear_owner()
        return answered

    async def feed(self, *, before: int | None = None, limit: int = 50) -> list[tuple[int, FeedItem]]:
        """Cards, newest first, each with its place for the next page."""
        return await self._store.projector.read(lambda c: queries.read_feed(c, before=before, limit=limit), FEED)

    async def counters(self) -> tuple[int, int]:
        """How much was settled without the owner, and how many rules stand."""
        resolved = await self._store.projector.read(queries.count_auto_resolved, FEED)
        return resolved, sum(rule.active for rule in await self.learning.rules())

    # --- its life ---

    async def resume(self) -> None:
        """Take up what a process that ended left undone: words without an answer, plans that were not carried out."""
        recent = await self._store.log.page(HUB, limit=LEFT)
        answered = {source for message in recent if message.actor_id == PRIME for source in message.sources}
        for message in recent:
            if message.kind == "plan" and message.body:
                await self._warroom.carry_out(message)
            elif message.kind == "text" and message.actor_id == OWNER and message.text and message.id not in answered:
                await self._answer(message)

    def start(self) -> None:
        self.swarm.on_quiet.insert(0, self._last_look)
        self.swarm.start()
        self.engine.start()

    async def stop(self) -> None:
        await asyncio.gather(*self._answering, return_exceptions=True)
        await self.engine.stop()
        await self.swarm.stop()

    async def settle(self) -> None:
        """Wait until the owner's words so far are answered."""
        while self._answering:
            await asyncio.gather(*self._answering, return_exceptions=True)

    async def _last_look(self) -> None:
        """What was said right before a pause is judged, too."""
        await self.engine.run(also_paused=True)

    # --- answering the owner ---

    async def _answer(self, said: Message) -> None:
        async with self._planning:
            try:
                message = await self._prepared(said)
            except PrimeError as error:
                message = _answer_message(said, "system", str(error))
            except Exception:  # a mind's mistake must not leave the owner without a word
                log.exception("the owner could not be answered")
                message = _answer_message(said, "system", "Something went wrong here; your message is kept.")
            [logged] = await self._store.log.append(message)
            if logged.kind == "plan":
                await self._warroom.carry_out(logged)
                self.swarm.wake()

    async def _prepared(self, said: Message) -> NewMessage:
        context = await self._context(said)
        plan = await self._warroom.plan(said, context.lines)
        words = plan.words.strip() or await self._words(context, plan)
        if plan.channels or plan.closing:
            return self._warroom.message(said, plan, words)
        return _answer_message(said, "text", words or "I have nothing to add.")

    async def _words(self, context: Context, plan: Plan) -> str:
        """What Prime says where its plan has no words."""
        prime = Actor(id=PRIME, name="Prime", kind="agent", connector="llm_generic")
        reply = await self.connectors.of(prime).reply(context)
        return reply.text.strip() or plan.summary

    async def _context(self, said: Message) -> Context:
        view = await View.of(self._store, HUB)
        context = await context_of(view, PRIME)
        places = {m.id: m.seq for m in await view.messages(limit=LEFT)}
        lines = [line for line in context.lines if places.get(line.message_id, 0) <= said.seq]
        return Context(
            channel_id=HUB,
            channel_name=context.channel_name,
            tier=context.tier,
            speaker="Prime",
            role="prime",
            brief="",
            lines=lines,
            last=said,
            seed=context.seed,
        )


def _answer_message(said: Message, kind: str, text: str) -> NewMessage:
    return NewMessage(
        channel_id=HUB,
        actor_id=PRIME,
        kind="text" if kind == "text" else "system",
        text=text,
        sources=(said.id,),
        source_tag="answer",
        idempotency_key=f"answer/{said.id}",
    )
