"""Prime's answers to the owner's words in the hub's room: one process at a time gives them, in the order of the words.

What a mind says is logged like everything else; the request that led to it is not repeated after a crash, because the
answer's idempotency key names the message that it answers. Where there are several processes, what one left undone is
done by another as soon as its lease has run out, and the first cannot act late.
"""

import asyncio
import logging
from dataclasses import dataclass, replace

from prime.core.clock import Clock
from prime.core.errors import PrimeError
from prime.core.tasks import end
from prime.dialogs.turns.streaming import Listener
from prime.hub.commands import unknown_command
from prime.hub.connector import Connectors, Context
from prime.hub.remembering import remembered
from prime.hub.sign import thinking_in
from prime.hub.speaking import context_of, line_of
from prime.hub.swarm.swarm import Swarm
from prime.hub.told import quoted_in, told_elsewhere
from prime.hub.warroom import WarRoom
from prime.mind.jobs.planning import Plan
from prime.rooms.records import HUB, OWNER, PRIME, Actor
from prime.rooms.views import View
from prime.store.leases import Lease, StaleLease
from prime.store.message import Message, NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

RESOURCE = "answers"
LEASE_MS = 30_000
# How soon to try again while another process answers, and how often to look for what one left behind.
AGAIN_SECONDS = 1.0
LOOK_SECONDS = 5.0
# How long a stop waits for a mind that is at it.
STOP_SECONDS = 3.0
# How far back to look for what was left undone.
LEFT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerers:
    """Who has a part in an answer."""

    connectors: Connectors
    warroom: WarRoom
    swarm: Swarm
    # Hears that Prime is thinking about the owner's words, and that it no longer is.
    tell: Listener


class Answers:
    def __init__(self, store: Store, clock: Clock, parts: Answerers) -> None:
        self._store = store
        self._clock = clock
        self._parts = parts
        self._one_at_a_time = asyncio.Lock()
        self._carried_out: set[str] = set()
        self._running: set[asyncio.Task[None]] = set()
        self._watching: asyncio.Task[None] | None = None
        self._stopping = False

    def begin(self) -> None:
        """Answer what waits for an answer, beside everything else."""
        task = asyncio.create_task(self._until_done(), name="prime-answer")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def settle(self) -> None:
        """Wait until the owner's words so far are answered."""
        while self._running:
            await asyncio.gather(*self._running, return_exceptions=True)

    def start(self) -> None:
        if self._store.database.engine_name != "sqlite":  # there is no other process on that one
            self._watching = asyncio.create_task(self._watch(), name="prime-answers-watch")

    async def stop(self) -> None:
        """What is being answered may end in a moment; else it is left to whoever comes next."""
        self._stopping = True
        if self._running:
            await asyncio.wait(self._running, timeout=STOP_SECONDS)  # real time: the process has so much
        await end(self._watching, *self._running)

    async def look(self) -> bool:
        """Do what was left undone, unless another process is at it; whether nothing is left."""
        async with self._one_at_a_time:
            if not await self._undone():
                return True
            async with self._store.leases.held(RESOURCE, LEASE_MS, self._clock) as lease:
                if lease is None:
                    return False
                try:
                    while undone := await self._undone():
                        await self._take_up(undone[0], lease)
                except StaleLease:
                    log.info("the owner is answered by another process now")
                    return False
                return True

    async def _until_done(self) -> None:
        """Look once in any case: what was heard before a stop is answered before it, if a mind is quick."""
        while True:
            try:
                if await self.look():
                    return
            except Exception:  # the database may be away for a moment
                log.exception("the owner could not be answered; trying again")
            if self._stopping:
                return  # whoever comes next takes it up
            await self._clock.sleep(AGAIN_SECONDS)

    async def _watch(self) -> None:
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except Exception:  # the database may be away for a moment
                log.exception("the owner's words could not be looked at; trying again")

    async def _undone(self) -> list[Message]:
        """Words without an answer, and plans that this process has not seen carried out; oldest first."""
        recent = await self._store.log.page(HUB, limit=LEFT)
        answered = {source for message in recent if message.actor_id == PRIME for source in message.sources}
        return [each for each in recent if self._is_plan(each) or (_is_wish(each) and each.id not in answered)]

    def _is_plan(self, message: Message) -> bool:
        return message.kind == "plan" and bool(message.body) and message.id not in self._carried_out

    async def _take_up(self, message: Message, lease: Lease) -> None:
        plan = message if message.kind == "plan" else await self._answer(message, lease)
        if plan.kind == "plan":
            await self._parts.warroom.carry_out(plan, lease)
            self._carried_out.add(plan.id)
            self._parts.swarm.wake()

    async def _answer(self, said: Message, lease: Lease) -> Message:
        try:
            with thinking_in(HUB, said.course, self._parts.tell):
                message = await self._prepared(said)
        except PrimeError as error:
            message = _answer_message(said, "system", str(error))
        except Exception:  # a mind's mistake must not leave the owner without a word
            log.exception("the owner could not be answered")
            message = _answer_message(said, "system", "Something went wrong here; your message is kept.")
        [logged] = await self._store.log.append(message, lease=lease)
        return logged

    async def _prepared(self, said: Message) -> NewMessage:
        if why := unknown_command(said.text):
            return _answer_message(said, "system", why)
        if told := await told_elsewhere(self._store, said):
            return replace(_answer_message(said, "text", told.text), sources=(said.id, *told.sources))
        context = await self._context(said)
        plan = await self._parts.warroom.plan(said, context.lines)
        words = plan.words.strip() or await self._words(context, plan)
        if plan.channels or plan.closing or plan.reopening or plan.telling:
            return self._parts.warroom.message(said, plan, words)
        answer = _answer_message(said, "text", words or "I have nothing to add.")
        answer = replace(
            answer, sources=tuple(dict.fromkeys((said.id, *plan.quoted, *quoted_in(words, context.lines))))
        )
        # What is wanted may change by a word that opens and closes nothing: “the budget is 30k now”.
        about = {"project": plan.project} if plan.project else {}
        return replace(answer, body={"aims": dict(plan.aims), **about}) if plan.aims or about else answer

    async def _words(self, context: Context, plan: Plan) -> str:
        """What Prime says where its plan has no words."""
        prime = Actor(id=PRIME, name="Prime", kind="agent", connector="llm_generic")
        reply = await self._parts.connectors.of(prime).reply(context)
        return reply.text.strip() or plan.summary

    async def _context(self, said: Message) -> Context:
        view = await View.of(self._store, HUB)
        context = await context_of(view, PRIME)
        places = {m.id: m.seq for m in await view.messages(limit=LEFT)}
        lines = [line for line in context.lines if places.get(line.message_id, 0) <= said.seq]
        shown = {line.message_id for line in lines}
        older = [m for m in await remembered(self._store, said) if m.id not in shown]
        return Context(
            channel_id=HUB,
            channel_name=context.channel_name,
            tier=context.tier,
            speaker="Prime",
            role="prime",
            brief="",
            lines=[*(line_of(message, {}, PRIME) for message in older), *lines],
            last=said,
            seed=context.seed,
        )


def _is_wish(message: Message) -> bool:
    return message.kind == "text" and message.actor_id == OWNER and bool(message.text)


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
