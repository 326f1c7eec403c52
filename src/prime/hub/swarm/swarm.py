"""The swarm: on every tick, channels where somebody is to speak advance by one turn, several at once, each held by a lease."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from prime.core.clock import Clock, is_due
from prime.core.errors import Conflict, PrimeError
from prime.hub.pace import PaceSource
from prime.hub.spending import Spending
from prime.hub.swarm.queries import SWARM, RunState, Standing, read_active, read_paused, read_run
from prime.hub.swarm.turns import Turns
from prime.mind.offline.heard.intents import says_go_on
from prime.mind.spend import SpendStopped
from prime.rooms.records import HUB, OWNER, PRIME
from prime.store.leases import StaleLease
from prime.store.message import Kind, NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

LEASE_MS = 60_000
QUIET_MS = 60_000
# Channels that advance at the same time.
AT_ONCE = 8

# What stops the swarm or one of its channels, and lets it go on.
_OF_PAUSES: frozenset[Kind] = frozenset({"system", "channel"})

Hook = Callable[[], Awaitable[object]]


class Swarm:
    def __init__(self, store: Store, turns: Turns, spending: Spending, clock: Clock, pace: PaceSource) -> None:
        self._store = store
        self._turns = turns
        self._spending = spending
        self._clock = clock
        self._pace = pace
        self._room = asyncio.Semaphore(AT_ONCE)
        self._flying: dict[str, asyncio.Task[None]] = {}
        self._loops: list[asyncio.Task[None]] = []
        self._woken = asyncio.Event()
        self._quiet_since: int | None = None
        self._settled = False
        # Called when the swarm has stopped by itself, or nothing has happened for a minute.
        self.on_quiet: list[Hook] = []

    # --- running and pausing ---

    async def state(self) -> RunState:
        return await self._store.projector.read(read_run, SWARM)

    async def pause(self, code: str, because: str, *, by: str = OWNER, key: str | None = None) -> None:
        """Stop at once: what is being said is not said."""
        if (await self.state()).running:
            await self._store.log.append(_switched("paused", code, because, by, key))
        self._drop_turns()

    async def resume(self, *, new_count: bool = False) -> None:
        """Go on; refused while there is nothing left to spend, unless the owner begins a new count."""
        if new_count:
            await self._spending.begin_anew()
        state = await self.state()
        if state.code == "spend" and (why := await self._spending.stop_reason()):
            raise Conflict("The swarm cannot go on: nothing is left to spend.", hint=why, code="spend_stopped")
        if not state.running:
            await self._store.log.append(_switched("resumed", None, "The swarm goes on.", OWNER, None))
        self.wake()

    async def hear_owner(self, text: str = "") -> None:
        """The owner's word ends a pause that the swarm made itself, once there is something left to spend; one of the owner's own
        only where it says so.

        By the words themselves, not by a mind: what somebody else wrote must not end it.
        """
        # A pause and its end are such messages; the word itself need not have been folded.
        state = await self._store.projector.read_kept("run", read_run, SWARM, kinds=_OF_PAUSES)
        left_again = state.code == "spend" and await self._spending.stop_reason() is None
        if left_again or state.code == "autostop" or (state.code == "owner" and says_go_on(text)):
            await self.resume()
        self.wake()

    def drop(self, *channel_ids: str) -> None:
        """What is being said in these channels is not said."""
        for channel_id in channel_ids:
            if task := self._flying.get(channel_id):
                task.cancel()

    async def fail(self, channel_id: str, actor_id: str, error: PrimeError) -> None:
        """The answer that is awaited from somebody elsewhere cannot come for now."""
        if asking := self._flying.get(channel_id):
            await asyncio.wait({asking})  # what is being asked is not awaited yet
        await self._turns.fail(channel_id, actor_id, error)

    def wake(self) -> None:
        """Tick now instead of in a while."""
        self._woken.set()

    # --- ticking ---

    def start(self) -> None:
        self._loops = [asyncio.create_task(self._loop(), name="prime-swarm")]
        if self._store.database.engine_name != "sqlite":  # there is no other process on that one
            self._loops.append(asyncio.create_task(self._watch(), name="prime-swarm-watch"))

    async def stop(self) -> None:
        self._drop_turns()
        for task in self._loops:
            task.cancel()
        await asyncio.gather(*self._loops, *self._flying.values(), return_exceptions=True)

    async def tick(self) -> int:
        """Advance every channel that is due, and wait until nobody speaks any more; how many there were."""
        await self.begin_tick()
        # The loop's own tick may have begun some of them a moment before.
        speaking = [*self._flying.values()]
        await asyncio.gather(*speaking, return_exceptions=True)
        return len(speaking)

    async def begin_tick(self) -> list["asyncio.Task[None]"]:
        """Begin a turn in every channel that is due and is not being advanced already."""
        standing = await self._store.projector.read(read_active, SWARM)
        if not standing.run.running or await self._must_stop(standing):
            return []
        await self._notice_quiet(standing)
        due = [state.channel_id for state in standing.active if state.channel_id not in self._flying]
        return [self._begin(channel_id) for channel_id in due]

    def _begin(self, channel_id: str) -> "asyncio.Task[None]":
        task = asyncio.create_task(self._advance(channel_id), name=f"prime-turn-{channel_id}")
        self._flying[channel_id] = task
        task.add_done_callback(lambda _: self._flying.pop(channel_id, None))
        return task

    async def _advance(self, channel_id: str) -> None:
        async with self._room, self._store.leases.held(f"channel/{channel_id}", LEASE_MS, self._clock) as lease:
            if lease is None:
                return  # another process drives it
            try:
                # Asked again: a pause may have come while the tick looked around, when there was no turn to stop yet.
                if (await self.state()).running:
                    await self._turns.take(channel_id, lease)
            except SpendStopped as error:
                await self.pause("spend", str(error), by=PRIME)
            except StaleLease:
                log.info("%s is driven by another process now", channel_id)
            except Exception:  # the database may be away for a moment; the next tick tries again
                log.exception("a turn in %s could not be taken", channel_id)

    async def _must_stop(self, standing: Standing) -> bool:
        """Whether the run has lasted long enough, or there is nothing left to spend; then it is paused."""
        since = standing.run.run_since
        limit = (await self._pace()).autostop_ms
        if limit and standing.rooms and since is not None and is_due(since + limit, self._clock.now_ms(), limit):
            seconds = limit / 1000
            because = f"Paused by itself after {seconds:g} seconds of run. Say something, or press resume."
            await self.pause("autostop", because, by=PRIME, key=f"autostop/{since}")
            await self._tell_quiet()
            return True
        if standing.active and (why := await self._spending.stop_reason()):
            await self.pause("spend", why, by=PRIME)
            return True
        return False

    async def _notice_quiet(self, standing: Standing) -> None:
        now = self._clock.now_ms()
        if standing.active or self._flying:
            self._quiet_since, self._settled = None, False
        elif self._quiet_since is None:
            self._quiet_since = now
        elif now - self._quiet_since >= QUIET_MS and not self._settled:
            self._settled = True
            await self._tell_quiet()

    async def _tell_quiet(self) -> None:
        for hook in self.on_quiet:
            await hook()

    def _drop_turns(self) -> None:
        current = asyncio.current_task()
        for task in self._flying.values():
            if task is not current:
                task.cancel()

    async def _loop(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self.begin_tick()
            except Exception:  # the database may be away for a moment
                log.exception("the swarm could not tick; trying again")
            await self._sleep()

    async def _sleep(self) -> None:
        seconds = (await self._pace()).tick_ms / 1000
        waits = {
            asyncio.ensure_future(self._woken.wait()),
            asyncio.ensure_future(self._clock.sleep(seconds)),
        }
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()

    async def _watch(self) -> None:
        """A pause that another process logged stops turns here, too."""
        seen = self._store.heads.head
        while True:
            seen = await self._store.heads.past_burst(seen)
            try:
                if self._flying:
                    await self._heed_pauses()
            except Exception:  # the database may be away for a moment; the next message is looked at again
                log.exception("the swarm's state could not be read")

    async def _heed_pauses(self) -> None:
        run, paused = await self._store.projector.read_kept(
            "pauses", lambda c: (read_run(c), read_paused(c)), SWARM, kinds=_OF_PAUSES
        )
        if run.running:
            self.drop(*paused)
        else:
            self._drop_turns()


def _switched(op: str, code: str | None, because: str, by: str, key: str | None) -> NewMessage:
    return NewMessage(
        channel_id=HUB,
        actor_id=by,
        kind="system",
        text=because,
        body={"op": op, "because": code} if code else {"op": op},
        idempotency_key=key,
    )
