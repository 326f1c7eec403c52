"""The desk: takes messages of either protocol, has them answered, and turns a long answer into a task."""

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from typing import cast

from prime.core.errors import PrimeError
from prime.network.tasks import (
    SETTLED,
    Caller,
    Inbound,
    InboundHandler,
    Incoming,
    Later,
    NeedsInput,
    Opened,
    Settlement,
    State,
    Task,
    TaskFilter,
    TaskMissing,
    TaskNotCancelable,
    TaskPage,
    TaskStore,
    Turn,
    may_see,
)

log = logging.getLogger(__name__)

# How long a caller is kept waiting for an answer before it is given a task instead.
PATIENCE_SECONDS = 10.0
# A blocking A2A call waits for the task to settle, within reason.
BLOCKING_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Received:
    """What to tell the caller: the answer to its message, or the task that will bring it."""

    task: Task
    answer: Turn | None


@dataclass(slots=True)
class _Work:
    # Done when there is an answer, or when it is known that there will be none for a while.
    told: "asyncio.Future[Opened | None]"
    settled: "asyncio.Future[Opened | None]"
    running: "asyncio.Task[None] | None" = None


class Desk:
    """One per agent or hub."""

    def __init__(self, store: TaskStore, handler: InboundHandler, *, patience: float = PATIENCE_SECONDS) -> None:
        self._store = store
        self._handler = handler
        self._patience = patience
        self._works: dict[tuple[str, str], _Work] = {}

    async def receive(self, incoming: Incoming, caller: Caller) -> Received:
        """Answer a message of the Prime protocol: the reply, or the task when it takes longer."""
        opened = await self._store.open(incoming, caller)
        if not opened.answered:
            opened = await self._wait(opened, self._start(opened).told, self._patience)
        return Received(opened.task, opened.answer)

    async def converse(self, incoming: Incoming, caller: Caller, *, blocking: bool) -> Task:
        """Take a message of an A2A task; the task as it is when it has settled, or at once."""
        opened = await self._store.open(incoming, caller)
        if not opened.answered:
            work = self._start(opened)
            opened = await self._wait(opened, work.settled, BLOCKING_SECONDS if blocking else 0)
        return opened.task

    async def get(self, task_id: str, caller: Caller) -> Task:
        task = await self._store.get(task_id)
        if task is None or not may_see(task, caller):
            raise TaskMissing(task_id)
        return task

    async def page(self, caller: Caller, wanted: TaskFilter) -> TaskPage:
        return await self._store.page(caller, wanted)

    async def cancel(self, task_id: str, caller: Caller) -> Task:
        before = await self.get(task_id, caller)
        if before.state in SETTLED and before.state != "input-required":
            raise TaskNotCancelable(f"This task is {before.state} already.")
        task = await self._store.cancel(task_id)
        if task.state != "canceled":
            raise TaskNotCancelable(f"This task is {task.state} already.")
        for (working_on, _), work in list(self._works.items()):
            if working_on == task_id and work.running:
                work.running.cancel()
        return task

    async def resume(self) -> int:
        """Take up what a process that died left unanswered; how many."""
        left = await self._store.unfinished()
        for opened in left:
            self._start(await self._store.defer(opened))
        return len(left)

    async def stop(self) -> None:
        """Let go of what is being worked on; a store that lasts hands it to the next process."""
        running = [work.running for work in self._works.values() if work.running]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def quiet(self) -> None:
        """Wait until nothing is being worked on."""
        while self._works:
            await asyncio.wait({work.settled for work in self._works.values()})
            await asyncio.sleep(0)

    # --- work ---

    def _start(self, opened: Opened) -> _Work:
        key = (opened.task.id, opened.inbound.message_id)
        work = self._works.get(key)
        if work is None:
            loop = asyncio.get_running_loop()
            work = self._works[key] = _Work(loop.create_future(), loop.create_future())
            work.running = loop.create_task(self._answer(opened, work))
        return work

    async def _wait(self, opened: Opened, future: "asyncio.Future[Opened | None]", seconds: float) -> Opened:
        await asyncio.wait({future}, timeout=seconds)
        return (future.result() if future.done() else None) or await self._store.defer(opened)

    async def _answer(self, opened: Opened, work: _Work) -> None:
        now: Opened | None = None
        try:
            settlement = await self._settlement(opened.inbound, opened.task, work)
            now = await self._store.settle(opened, settlement)
        except Exception:  # the store failed; whoever polls sees a task at work, and a restart takes it up
            log.exception("an answer could not be recorded")
        finally:
            del self._works[(opened.task.id, opened.inbound.message_id)]
            for future in (work.told, work.settled):
                if not future.done():
                    future.set_result(now)

    async def _settlement(self, inbound: Inbound, task: Task, work: _Work) -> Settlement:
        answered: State = "input-required" if task.protocol == "a2a" else "done"
        try:
            answer = await self._handler.answer(inbound)
            if isinstance(answer, Later):
                with contextlib.suppress(asyncio.InvalidStateError):
                    work.told.set_result(None)
                # Something that took its time has a result, and is over with it.
                answered, answer = "done", await answer.work
        except PrimeError as error:
            return Settlement(state="failed", error=error.message)
        except Exception:  # an agent's author's mistake must not take the desk down; the caller is told it failed
            log.exception("answering failed")
            return Settlement(state="failed", error="The agent failed to answer.")
        if isinstance(answer, NeedsInput):
            return Settlement(state="input-required", text=answer.text)
        if not isinstance(cast("object", answer), str | None):  # whoever wrote the agent may not have checked it
            log.error("an answer is text, and the agent's function returned %s", type(answer).__name__)
            return Settlement(state="failed", error="The agent failed to answer.")
        return Settlement(state=answered, text=answer)
