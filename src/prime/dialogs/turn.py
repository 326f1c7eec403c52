"""Turns: an agent's way from what was said to what it says, with tools between. The log is their only journal.

Every step is logged before the next begins. Whoever takes a turn, now or after a crash, reads its messages and goes on from
there: a logged reply is not asked for again, a call that may have run is not made again but said to be uncertain.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

from prime.core.clock import Clock
from prime.core.errors import Conflict, PrimeError
from prime.core.ids import new_id
from prime.dialogs.turns.driving import Driving, Kept, Outcome, Speaker, TurnParts
from prime.dialogs.turns.marks import mark
from prime.dialogs.turns.queries import TURNS, TurnRow, read_last_turn, read_questions, read_turn, read_unanswered
from prime.dialogs.turns.record import TurnRecord
from prime.dialogs.turns.state import TurnState
from prime.dialogs.turns.streaming import Listener, Stream, TurnEvent
from prime.dialogs.turns.watch import LEASE_MS, Interrupted, Watch
from prime.mind.protocol import Mind
from prime.rooms.questions import Questions
from prime.rooms.records import OWNER
from prime.rooms.views import View
from prime.store.leases import Lease, StaleLease

log = logging.getLogger(__name__)

_PAGE = 500
_STOP_S = 2.0
_STOPPED = "Stopped by the owner."
_RETRYABLE = frozenset({"failed", "stopped", "limit", "silent"})


class ChannelBusy(Conflict):
    """Another process drives the channel."""

    code = "channel_busy"


class NothingDue(Conflict):
    """What somebody waited for has been said already."""

    code = "nothing_due"


class NothingToRetry(Conflict):
    """The last turn is under way, or came to its end."""

    code = "nothing_to_retry"


def channel_resource(channel_id: str) -> str:
    """The name of the lease under which one process drives a channel."""
    return f"channel/{channel_id}"


@dataclass(frozen=True, slots=True)
class _Held:
    """A channel that this process alone drives."""

    lease: Lease
    ours: bool


class Turns:
    """`parts` are the parts that turns work with; what is written while a turn runs is told to `listen`ers."""

    def __init__(self, parts: TurnParts, questions: Questions, clock: Clock) -> None:
        self._parts = parts
        self._store = parts.store
        self._questions = questions
        self._clock = clock
        self._locks: dict[str, asyncio.Lock] = {}
        self._listeners: list[Listener] = []
        # Arguments with secrets, of turns that are open in this process; the log has them without.
        self._kept: dict[str, Kept] = {}

    def listen(self, listener: Listener) -> None:
        """Be told what turns are doing, as they do it."""
        self._listeners.append(listener)

    async def take(
        self,
        channel_id: str,
        agent_id: str,
        *,
        mind: Mind,
        role: str = "",
        facts: Mapping[str, str] | None = None,
        lease: Lease | None = None,
        if_due: bool = False,
    ) -> Outcome:
        """Let the agent take its turn in the channel: go on with the one that is open, else begin one.

        With `if_due` one is begun only where the owner still waits for a word, and `NothingDue` says that nobody does:
        what was due a moment ago may have been answered meanwhile.

        Comes back when it has ended, or waits for the owner (`waiting`): take it again when they have answered. With
        `lease` the caller has the channel already and keeps it; else it is taken for as long as this lasts, and
        `ChannelBusy` says that another process has it.
        """
        speaker = Speaker(mind=mind, role=role, facts=facts or {})
        async with self._alone(channel_id, lease) as held:
            row = await self._last(channel_id, agent_id)
            if row is None or not row.open:
                if if_due and not await self._is_due(channel_id):
                    raise NothingDue("Nobody waits for a word here.", channelId=channel_id)
                state = await self._begin(channel_id, agent_id, held.lease)
            else:
                state = await self._read(row)
                if state.phase == "waiting" and not await self._answered(state):
                    return Outcome(turn_id=row.id, result="waiting", question_ids=state.question_ids)
            outcome = await self._drive(state, speaker, held, resumed=row is not None and row.open)
            # An answer may have come before it was written down that somebody waits for it.
            while outcome.result == "waiting" and await self._answered(state):
                outcome = await self._drive(state, speaker, held, resumed=True)
            return outcome

    async def stop(self, channel_id: str) -> bool:
        """End what is going on in the channel, wherever it is driven; whether there was anything.

        The wish is logged, and whoever drives the turn sees it there; a turn that nobody drives is ended here.
        """
        row = await self._last(channel_id)
        if row is None or not row.open:
            return False
        await self._store.log.append(mark(row.id, channel_id, OWNER, "stop"))
        with suppress(ChannelBusy):
            # The one who drives it here holds the lock until it has ended.
            async with self._alone(channel_id, None) as held:
                await self._end_open(row, held)
        await self._ended(row.id)
        return True

    async def retry(self, channel_id: str) -> TurnRow:
        """The channel's last turn, which did not come to an end with words and may be taken again; else refused."""
        row = await self._last(channel_id)
        if row is None or row.phase not in _RETRYABLE:
            raise NothingToRetry(
                "There is no turn here that failed.", hint="Say something instead.", channelId=channel_id
            )
        return row

    # --- the channel ---

    @asynccontextmanager
    async def _alone(self, channel_id: str, lease: Lease | None) -> AsyncGenerator[_Held]:
        """The channel for this task alone: in this process by a lock, among processes by a lease."""
        lock = self._locks.setdefault(channel_id, asyncio.Lock())
        try:
            async with lock:
                if lease is not None:
                    yield _Held(lease, ours=False)
                    return
                taken = await self._store.leases.acquire(channel_resource(channel_id), LEASE_MS)
                if taken is None:
                    raise ChannelBusy("Another process drives this channel.", hint="Try again.", channelId=channel_id)
                try:
                    yield _Held(taken, ours=True)
                finally:
                    await asyncio.shield(self._store.leases.release(taken))
        finally:
            if not lock.locked():
                self._locks.pop(channel_id, None)

    async def _begin(self, channel_id: str, agent_id: str, lease: Lease) -> TurnState:
        view = await View.of(self._store, channel_id)
        said = [m for m in await view.messages(limit=50) if m.kind in {"text", "note", "brief"}]
        cause = next((m for m in reversed(said) if m.actor_id != agent_id), None)
        began = mark(
            new_id("turn"),
            channel_id,
            agent_id,
            "began",
            course=view.channel.course,
            causeId=cause.id if cause else "",
            seen=said[-1].seq if said else 0,
        )
        [message] = await self._store.log.append(began, lease=lease)
        return TurnState(message)

    async def _read(self, row: TurnRow) -> TurnState:
        """The turn as its messages tell it."""
        place, state = row.seq - 1, None
        while True:
            page = await self._store.log.page(row.channel_id, after=place, limit=_PAGE)
            state = state or TurnState(page[0])
            state.hear(page)
            if len(page) < _PAGE:
                return state
            place = page[-1].seq

    async def _last(self, channel_id: str, agent_id: str | None = None) -> TurnRow | None:
        return await self._store.projector.read(lambda c: read_last_turn(c, channel_id, agent_id), TURNS)

    async def _is_due(self, channel_id: str) -> bool:
        unanswered = await self._store.projector.read(read_unanswered, TURNS)
        return any(dialog.channel_id == channel_id for dialog in unanswered)

    async def _answered(self, state: TurnState) -> bool:
        """Whether the owner has said anything about what the turn waits for."""
        asked = [await self._questions.get(question) for question in state.question_ids]
        return not asked or any(question.status in {"answered", "expired"} for question in asked)

    # --- driving ---

    async def _drive(self, state: TurnState, speaker: Speaker, held: _Held, *, resumed: bool) -> Outcome:
        record = TurnRecord(self._store, state, held.lease)
        driving = await self._driving(record)
        if state.phase == "stopping":
            return await driving.end("stopped", _STOPPED)
        if resumed:
            await record.write(record.marked("resumed"))
        seconds = self._parts.limits.seconds_left(state, self._clock.now_ms())
        watch = Watch(self._store, self._clock, state.turn.id, held.lease, seconds, held.ours)
        try:
            outcome = await watch.over(driving.go(speaker))
        except Interrupted as interrupted:
            late = f"It has taken {self._parts.limits.seconds:g} seconds, which is the most."
            outcome = await driving.end(*(("stopped", _STOPPED) if interrupted.why == "stop" else ("limit", late)))
        except StaleLease:
            raise
        except PrimeError as error:
            outcome = replace(await driving.end("failed", str(error)), error=error)
        except Exception as error:  # a mind or a tool that breaks must not leave a turn that is taken again for ever
            log.exception("turn %s broke", state.turn.id)
            outcome = await driving.end("failed", f"Something broke inside Prime ({type(error).__name__}).")
        finally:
            driving.let_go()
        if outcome.result != "waiting":
            self._kept.pop(state.turn.id, None)
        return outcome

    async def _driving(self, record: TurnRecord) -> Driving:
        turn = record.state.turn
        view = await View.of(self._store, turn.channel_id)
        session = self._parts.toolbox.session(
            turn.channel_id, turn.agent_id, tier=view.channel.tier, course=turn.course
        )
        kept = self._kept.setdefault(turn.id, {})
        return Driving(self._parts, record, session, Stream(turn, self._tell), kept)

    async def _end_open(self, row: TurnRow, held: _Held) -> None:
        """End a turn that waits, or that nobody has taken up again; what it asked the owner is withdrawn."""
        now = await self._last(row.channel_id, row.agent_id)
        if now is None or now.id != row.id or not now.open:
            return
        driving = await self._driving(TurnRecord(self._store, await self._read(row), held.lease))
        await driving.end("stopped", _STOPPED)
        for question in await self._store.projector.read(lambda c: read_questions(c, row.id), TURNS):
            with suppress(Conflict):  # answered meanwhile
                await self._questions.expire(question)

    async def _ended(self, turn_id: str) -> None:
        """Wait until whoever drives the turn has ended it; not for long, because they may be gone."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_STOP_S):
                while True:
                    head = self._store.heads.head
                    row = await self._store.projector.read(lambda c: read_turn(c, turn_id), TURNS)
                    if row is None or not row.open:
                        return
                    await self._store.heads.wait_beyond(head)

    def _tell(self, event: TurnEvent) -> None:
        for listener in self._listeners:
            listener(event)
