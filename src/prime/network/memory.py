"""Tasks in memory, for an agent without a database: bounded, oldest first out."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

from prime.core.clock import Clock
from prime.core.errors import RateLimited
from prime.core.ids import new_id
from prime.network.tasks import (
    SETTLED,
    TASK_LIFE_MS,
    TERMINAL,
    Caller,
    Inbound,
    Incoming,
    Opened,
    Settlement,
    Task,
    TaskFilter,
    TaskMissing,
    TaskPage,
    Turn,
    check_continuable,
    is_in_thread,
    may_see,
)

MAX_TASKS = 10_000
MAX_TURNS = 200


# Told of a task that has settled after its caller was sent away: the task, where to push it, and the signing key.
Push = Callable[[Task, str, str | None], None]


class MemoryTasks:
    """A `TaskStore`."""

    def __init__(self, clock: Clock, *, max_tasks: int = MAX_TASKS, push: Push | None = None) -> None:
        self._clock = clock
        self._max_tasks = max_tasks
        self._push = push
        self._callbacks: dict[str, tuple[str, str | None]] = {}
        self._tasks: OrderedDict[str, Task] = OrderedDict()
        # What was said in each task, by message id; and which task a message began: (whose, where, message id).
        self._seen: dict[str, dict[str, Opened]] = {}
        self._began: dict[tuple[str, str, str], str] = {}

    async def open(self, incoming: Incoming, caller: Caller) -> Opened:
        earlier = self._same(incoming, caller)
        if earlier is not None:
            return self._now(earlier)
        said = Turn(role="user", message_id=incoming.message_id, text=incoming.text, attachments=incoming.attachments)
        if incoming.task_id is not None:
            task = check_continuable(await self.get(incoming.task_id), incoming, caller)
            turns = (*task.turns, said)[-MAX_TURNS:]
            task = self._put(replace(task, state="queued", turns=turns, updated_at=self._clock.now_ms()))
        else:
            task = self._put(self._new_task(incoming, caller.scope, said))
            self._began[_beginning(task.scope, incoming)] = task.id
        opened = Opened(task=task, inbound=_inbound(task, incoming), answered=False)
        if incoming.callback_url:
            self._callbacks[task.id] = (incoming.callback_url, caller.signing_key)
        self._seen.setdefault(task.id, {})[incoming.message_id] = opened
        return opened

    def _same(self, incoming: Incoming, caller: Caller) -> Opened | None:
        """This message, if it came in before: the same id, said to the same task or in the same conversation."""
        task_id = incoming.task_id or self._began.get(_beginning(caller.scope, incoming))
        task = self._tasks.get(task_id or "")
        if task is None or not (may_see(task, caller) and (incoming.task_id is None or is_in_thread(task, incoming))):
            return None
        # What began a task that was called off may be said again.
        again = incoming.task_id is None and task.state == "canceled"
        return None if again else self._seen[task.id].get(incoming.message_id)

    async def settle(self, opened: Opened, settlement: Settlement) -> Opened:
        task = self._tasks.get(opened.task.id)
        if task is None or task.state in TERMINAL:
            return self._now(opened)
        told_to_wait = task.state == "working"
        turns, answer = task.turns, None
        if settlement.text is not None:
            answer = Turn(role="agent", message_id=f"msg_{task.id[5:]}_{len(turns)}", text=settlement.text)
            turns = (*turns, answer)[-MAX_TURNS:]
        task = self._put(
            replace(task, state=settlement.state, turns=turns, error=settlement.error, updated_at=self._clock.now_ms())
        )
        settled = Opened(task=task, inbound=opened.inbound, answered=True, answer=answer)
        self._seen[task.id][opened.inbound.message_id] = settled
        callback = self._callbacks.pop(task.id, None)
        if callback and self._push and told_to_wait:
            self._push(task, *callback)
        return settled

    async def defer(self, opened: Opened) -> Opened:
        task = self._tasks.get(opened.task.id)
        if task is not None and task.state == "queued":
            self._put(replace(task, state="working"))
        return self._now(opened)

    def _now(self, opened: Opened) -> Opened:
        kept = self._seen.get(opened.task.id, {}).get(opened.inbound.message_id, opened)
        task = self._tasks.get(opened.task.id, kept.task)
        return replace(kept, task=task, answered=kept.answered or task.state in TERMINAL)

    async def get(self, task_id: str) -> Task | None:
        task = self._tasks.get(task_id)
        if task and task.state not in TERMINAL and task.updated_at + TASK_LIFE_MS < self._clock.now_ms():
            return self._put(replace(task, state="expired", updated_at=self._clock.now_ms()))
        return task

    async def page(self, caller: Caller, wanted: TaskFilter) -> TaskPage:
        mine = [
            task
            for task in self._tasks.values()
            if task.scope == caller.scope
            and (caller.agent_id is not None or wanted.context_id is not None)
            and wanted.context_id in (None, task.context_id)
            and wanted.state in (None, task.state)
            and (wanted.since_ms is None or task.updated_at >= wanted.since_ms)
        ]
        mine.sort(key=lambda task: (task.updated_at, task.id), reverse=True)
        rest = [task for task in mine if wanted.after is None or (task.updated_at, task.id) < wanted.after]
        return TaskPage(tasks=rest[: wanted.limit], total=len(mine), more=len(rest) > wanted.limit)

    async def cancel(self, task_id: str) -> Task:
        task = self._tasks.get(task_id)
        if task is None:
            raise TaskMissing(task_id)
        if task.state in TERMINAL:
            return task
        return self._put(replace(task, state="canceled", updated_at=self._clock.now_ms()))

    async def unfinished(self) -> Sequence[Opened]:
        return ()

    def _new_task(self, incoming: Incoming, scope: str, said: Turn) -> Task:
        while len(self._tasks) >= self._max_tasks:
            self._forget_one()
        now = self._clock.now_ms()
        task_id = new_id("task")
        return Task(
            id=task_id,
            context_id=incoming.thread_id or f"ctx_{task_id[5:]}",
            scope=scope,
            protocol=incoming.protocol,
            state="queued",
            created_at=now,
            updated_at=now,
            turns=(said,),
        )

    def _forget_one(self) -> None:
        oldest, task = next(iter(self._tasks.items()))
        if task.state not in SETTLED:
            # What is being worked on is not dropped for a newcomer.
            self._tasks.move_to_end(oldest)
            if all(t.state not in SETTLED for t in list(self._tasks.values())[:100]):
                raise RateLimited("This agent has too much to do.", hint="Try again later.", retryAfter=10)
            return
        del self._tasks[oldest]
        self._callbacks.pop(oldest, None)
        for opened in self._seen.pop(oldest).values():
            inbound = opened.inbound
            for where in ("", task.context_id):
                key = (task.scope, where, inbound.message_id)
                if self._began.get(key) == oldest:
                    del self._began[key]

    def _put(self, task: Task) -> Task:
        self._tasks[task.id] = task
        return task


def _beginning(scope: str, incoming: Incoming) -> tuple[str, str, str]:
    return scope, incoming.thread_id or "", incoming.message_id


def _inbound(task: Task, incoming: Incoming) -> Inbound:
    return Inbound(
        task_id=task.id,
        thread_id=task.context_id,
        message_id=incoming.message_id,
        text=incoming.text,
        sender_name=incoming.sender_name,
        attachments=incoming.attachments,
    )
