"""Dialogs answer by themselves: what the owner says in one is taken up, also when the process that heard it is gone."""

import asyncio
import logging
from collections.abc import Callable

from prime.core.clock import Clock
from prime.core.errors import PrimeError
from prime.dialogs.turn import NothingDue, Turns
from prime.dialogs.turns.queries import TURNS, read_open_turns, read_unanswered
from prime.mind.protocol import Mind
from prime.store.store import Store

log = logging.getLogger(__name__)

# How often it looks for what another process left behind, when the log stands still.
LOOK_S = 5.0


class Answering:
    """Follows the log and takes turns, one at a time in each dialog. `mind` is asked anew for each."""

    def __init__(self, store: Store, turns: Turns, clock: Clock, mind: Callable[[], Mind]) -> None:
        self._store = store
        self._turns = turns
        self._clock = clock
        self._mind = mind
        self._following: asyncio.Task[None] | None = None
        self._taking: dict[str, asyncio.Task[None]] = {}
        self._ended = asyncio.Event()

    def start(self) -> None:
        self._following = asyncio.create_task(self._follow(), name="prime-answering")

    async def stop(self) -> None:
        """Leave everything as the log has it; the next start goes on from there."""
        tasks = [*self._taking.values(), *([self._following] if self._following else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def retry(self, channel_id: str) -> None:
        """Let the agent of the last turn, which failed or was stopped, try once more."""
        row = await self._turns.retry(channel_id)
        while ending := self._taking.get(channel_id):  # its last word is logged, and it has not let go yet
            await asyncio.wait({ending})
            row = await self._turns.retry(channel_id)
        self._take(channel_id, row.agent_id, if_due=False)

    async def _follow(self) -> None:
        late = True  # what waited when the last process ended may have been answered while nobody was there
        while True:
            head = self._store.heads.head
            try:
                await self._take_due(late=late)
            except Exception:  # the database may be away for a moment; what waits is safe in it
                log.exception("dialogs could not be looked at; trying again")
            late = await self._quiet(head)

    async def _take_due(self, *, late: bool) -> None:
        due_now = await self._store.projector.read(
            lambda c: (*read_unanswered(c), *read_open_turns(c, waiting=late)), TURNS
        )
        for due in due_now:
            self._take(due.channel_id, due.agent_id, if_due=True)

    async def _quiet(self, head: int) -> bool:
        """Wait until the log moves or a turn ends; True when neither happened for a while."""
        moved = asyncio.ensure_future(self._store.heads.past_burst(head))
        ended = asyncio.ensure_future(self._ended.wait())
        late = asyncio.ensure_future(self._clock.sleep(LOOK_S))
        try:
            await asyncio.wait({moved, ended, late}, return_when=asyncio.FIRST_COMPLETED)
            return late.done()
        finally:
            self._ended.clear()
            for task in (moved, ended, late):
                task.cancel()

    def _take(self, channel_id: str, agent_id: str, *, if_due: bool) -> None:
        if channel_id not in self._taking:
            taken = self._taken(channel_id, agent_id, if_due=if_due)
            task = asyncio.create_task(taken, name=f"prime-turn-{channel_id}")
            self._taking[channel_id] = task

    async def _taken(self, channel_id: str, agent_id: str, *, if_due: bool) -> None:
        try:
            await self._turns.take(channel_id, agent_id, mind=self._mind(), if_due=if_due)
            self._ended.set()  # something may have been said while it was at its last words
        except NothingDue:
            pass
        except PrimeError as error:
            log.warning(
                "a turn in %s was left: %s", channel_id, error
            )  # another process has it, or the database is away
        except Exception:
            log.exception("a turn in %s was left", channel_id)
        finally:
            self._taking.pop(channel_id, None)
