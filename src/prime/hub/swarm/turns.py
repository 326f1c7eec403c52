"""One turn of one channel: somebody is asked to speak, and what comes of it is logged, whatever it is."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from prime.core.clock import Clock, is_due
from prime.core.errors import PrimeError, TimedOut
from prime.core.visible import is_blank
from prime.hub.connector import Absent, Answer, Connectors, Context
from prime.hub.feed import card_message
from prime.hub.speaking import context_of
from prime.hub.swarm.pictures import PICTURED, Pictures, delivers
from prime.hub.swarm.queries import SWARM, read_swarm_channel
from prime.hub.swarm.state import STANDS_BACK, ChannelState, MemberState
from prime.mind.jobs.lines import Usage
from prime.mind.spend import SpendStopped
from prime.rooms.briefs import held_back
from prime.rooms.records import PRIME, Actor
from prime.rooms.rooms import Rooms
from prime.rooms.views import View, observed_by
from prime.store.leases import Lease
from prime.store.message import NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

TURN_SECONDS = 30 * 60.0
# An answer that is under way for longer counts as failed; after the first of these the owner is told that there is none yet.
SLOW_MS = 60_000
ASKED_MS = 5 * 60_000
FIRST_BACK_OFF_MS = 15_000
LONGEST_BACK_OFF_MS = 60 * 60_000


@dataclass(frozen=True, slots=True)
class Words:
    """Words as they come, before they are logged."""

    channel_id: str
    actor_id: str
    text: str


class Turns:
    def __init__(
        self,
        store: Store,
        rooms: Rooms,
        connectors: Connectors,
        clock: Clock,
        on_words: Callable[[Words], None],
        pictures: Pictures,
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._connectors = connectors
        self._clock = clock
        self._on_words = on_words
        self._pictures = pictures
        self._told_slow: set[tuple[str, str]] = set()

    async def take(self, channel_id: str, lease: Lease) -> bool:
        """Let whoever is next speak; whether anything was logged. The spend guard's refusal passes through."""
        state = await self._store.projector.read(lambda c: read_swarm_channel(c, channel_id), SWARM)
        if state is None or state.stands:
            return False
        if why := state.tired():
            await self._append(state, _rested(channel_id, why, state.last_seq), lease)
            return True
        if late := self._asked_for(state, ASKED_MS):
            return await self._fail(state, late, TimedOut("No answer came in five minutes."), lease)
        if (slow := self._asked_for(state, SLOW_MS)) and (channel_id, slow.actor_id) not in self._told_slow:
            return await self._tell_slow(state, slow, lease)
        now = self._clock.now_ms()
        awake = (m for m in state.ready() if m.until < STANDS_BACK and is_due(m.until, now, LONGEST_BACK_OFF_MS))
        member = next(awake, None)
        return member is not None and await self._speak(state, member, lease)

    async def fail(self, channel_id: str, actor_id: str, error: PrimeError) -> None:
        """Somebody whose answer was to come by itself cannot be asked for it: told at once, and not when its time runs out."""
        state = await self._store.projector.read(lambda c: read_swarm_channel(c, channel_id), SWARM)
        member = state.members.get(actor_id) if state else None
        if state and member and member.asked_at is not None:
            await self._fail(state, member, error, None)

    def _asked_for(self, state: ChannelState, ms: int) -> MemberState | None:
        """Who has been asked for so long and has said nothing."""
        now = self._clock.now_ms()
        return next((m for m in state.members.values() if m.asked_at and is_due(m.asked_at + ms, now, ms)), None)

    async def _tell_slow(self, state: ChannelState, member: MemberState, lease: Lease) -> bool:
        """Once for each in a room: who always takes its time is known by then. Whether anything was logged."""
        key = f"slow/{member.actor_id}"
        actor = await self._named(member.actor_id)
        noticed = replace(_about(state, member, "slow", ()), idempotency_key=key)
        title, text = f"{actor.name} has not answered yet", "It was asked a minute ago and is still waited for."
        card = card_message(state.channel_id, title, text, (noticed.id,), key=f"card/{key}")
        await self._append(state, (noticed, card), lease)
        self._told_slow.add((state.channel_id, member.actor_id))
        return True

    async def _speak(self, state: ChannelState, member: MemberState, lease: Lease) -> bool:
        try:
            view = await View.of(self._store, state.channel_id)

            def progress(text: str) -> None:
                self._on_words(Words(state.channel_id, member.actor_id, text))

            context = replace(
                await context_of(view, member.actor_id), progress=progress, actor_id=member.actor_id, lease=lease
            )
            actor = await self._rooms.actor(member.actor_id)
            # In a task of its own: a connector that cancels the task it runs in must not seem to be a pause.
            answer = await _heard(asyncio.create_task(_asked(self._connectors, actor, context)))
        except asyncio.CancelledError:
            if _is_called_off():
                raise
            given_up = PrimeError("Its connector gave up in the middle.", code="connector_failed")
            return await self._fail(state, member, given_up, lease)
        except SpendStopped:
            raise
        except TimeoutError:
            return await self._fail(state, member, TimedOut("It took longer than half an hour."), lease)
        except PrimeError as error:
            return await self._fail(state, member, error, lease)
        except Exception as error:  # a connector's mistake must not take the swarm down; the owner is told of it
            log.exception("%s failed in %s", member.actor_id, state.channel_id)
            unexpected = PrimeError(f"{type(error).__name__}: {error}", code="connector_failed")
            return await self._fail(state, member, unexpected, lease)
        answer = await self._pictured(view, member, context, answer)
        messages = [] if answer.logged else await self._messages(state, member, context, answer)
        if messages:
            await self._append(state, messages, lease)
        return True

    @observed_by("prime.hub.speaking.everyones_context")
    async def _pictured(self, view: View, member: MemberState, context: Context, answer: Answer) -> Answer:
        """The answer with a picture of what it hands over; one for each who speaks in a channel."""
        if answer.logged or answer.later or answer.deliverables or not delivers(answer.text):
            return answer
        mine = [m for m in await view.messages() if m.actor_id == member.actor_id]
        if any(PICTURED in m.body for m in mine):
            return answer
        picture = await self._pictures.of(context, member.actor_id, answer.text)
        return replace(answer, deliverables=(picture,), pictured=True) if picture else answer

    async def _messages(
        self, state: ChannelState, member: MemberState, context: Context, answer: Answer
    ) -> list[NewMessage]:
        sources = (context.last.id,) if context.last else ()
        text, removed = "" if is_blank(answer.text) else answer.text.strip(), ()
        if member.actor_id == PRIME and text:
            clamped = self._rooms.briefs.clamp.apply(text, context.tier)
            text, removed = clamped.text, clamped.removed
        notes = _aside(state, member, answer)
        if removed:
            notes.append(held_back(state.channel_id, removed, sources, key=None))
        if answer.later:
            # Its answer may stand in the log already.
            return [*notes, _about(state, member, "asked", sources, after=state.last_seq)]
        if answer.waits_for:
            return [*notes, _about(state, member, "waits", sources, questionIds=list(answer.waits_for))]
        attachments = [
            (await self._store.attachments.put(each.name, each.mime_type, each.content)).id
            for each in answer.deliverables
        ]
        if not text and not attachments:
            return [*notes, _about(state, member, "passed", sources, after=state.last_seq)]
        said = NewMessage(
            channel_id=state.channel_id,
            actor_id=member.actor_id,
            kind="text",
            text=text or ", ".join(each.name for each in answer.deliverables),
            body=({"attachmentIds": attachments} if attachments else {})
            | ({PICTURED: True} if answer.pictured else {}),
            sources=sources,
            # One turn for one state of the channel, whoever tries.
            idempotency_key=f"turn/{state.last_seq}",
        )
        if answer.stands_back:
            notes.append(_about(state, member, "stood back", sources))
        return [said, *notes]

    async def _fail(self, state: ChannelState, member: MemberState, error: PrimeError, lease: Lease | None) -> bool:
        """Back off, longer every time, and tell the owner at the first of a row."""
        wait = min(FIRST_BACK_OFF_MS * 2 ** min(member.failures, 20), LONGEST_BACK_OFF_MS)
        actor = await self._named(member.actor_id)
        failed = _about(
            state, member, "failed", (), until=self._clock.now_ms() + wait, code=error.error_code, error=str(error)
        )
        messages: list[NewMessage] = [replace(failed, text=f"{actor.name} failed: {error}")]
        if member.failures == 0:
            title = f"{actor.name} is not set up" if isinstance(error, Absent) else f"{actor.name} could not answer"
            messages.append(card_message(state.channel_id, title, str(error), (messages[0].id,)))
        await self._append(state, messages, lease)
        return True

    async def _append(self, state: ChannelState, messages: Sequence[NewMessage], lease: Lease | None) -> None:
        """What came of the turn, in the course that the channel is in."""
        await self._store.log.append(*(replace(each, course=state.course) for each in messages), lease=lease)

    async def _named(self, actor_id: str) -> Actor:
        known = {actor.id: actor for actor in await self._rooms.actors()}
        return known.get(actor_id) or Actor(id=actor_id, name=actor_id, kind="agent", connector="")


def _is_called_off() -> bool:
    """Whether this turn was cancelled from outside, by a pause or the end of the process."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def _heard(asked: asyncio.Task[Answer]) -> Answer:
    """The answer, unless the turn was called off meanwhile: who does not let themselves be stopped is not heard any more."""
    try:
        return await asyncio.wait_for(asked, TURN_SECONDS)
    finally:
        if _is_called_off():
            raise asyncio.CancelledError


async def _asked(connectors: Connectors, actor: Actor, context: Context) -> Answer:
    """What a connector answers. Whatever else it does is a failure of its own: one that ends its process, or whose library
    panics, must not end ours."""
    try:
        answer = cast("object", await connectors.of(actor).reply(context))  # somebody else wrote it
    except (Exception, asyncio.CancelledError, GeneratorExit):
        raise
    except BaseException as error:
        raise PrimeError(f"{type(error).__name__}: {error}", code="connector_failed") from error
    if not isinstance(answer, Answer) or not isinstance(cast("object", answer.text), str):
        raise PrimeError(f"Its connector returned no answer but {type(answer).__name__}.", code="connector_failed")
    return answer


def _about(state: ChannelState, member: MemberState, op: str, sources: Sequence[str], **more: object) -> NewMessage:
    """What became of somebody's turn, for the hub alone."""
    return NewMessage(
        channel_id=state.channel_id,
        actor_id=PRIME,
        kind="system",
        audience="hub",
        body={"op": op, "actorId": member.actor_id, **more},
        sources=tuple(sources),
    )


def _aside(state: ChannelState, member: MemberState, answer: Answer) -> list[NewMessage]:
    """What was thought and what it cost."""
    usage = usage_of(answer.usage)
    if not answer.thought and not usage:
        return []
    thought = NewMessage(
        channel_id=state.channel_id,
        actor_id=member.actor_id,
        kind="thought",
        audience="hub",
        text=answer.thought,
        body={"usage": usage} if usage else {},
    )
    return [thought]


def usage_of(usage: Usage) -> dict[str, int]:
    """A request's cost as messages carry it; nothing for the offline engine."""
    named = {
        "calls": usage.requests,
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
        "microDollars": usage.micro_dollars,
    }
    return {name: value for name, value in named.items() if value}


def _rested(channel_id: str, why: str, at: int) -> list[NewMessage]:
    resting = NewMessage(
        channel_id=channel_id,
        actor_id=PRIME,
        kind="system",
        audience="hub",
        text=why,
        body={"op": "rested", "because": why},
        idempotency_key=f"rested/{at}",
    )
    return [resting, card_message(channel_id, "A conversation was stopped", why, (resting.id,), key=f"stopped/{at}")]
