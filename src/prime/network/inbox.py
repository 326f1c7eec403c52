"""The hub's task store: what others say is logged in its channel, and their tasks outlive the process."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from prime.core.clock import Clock
from prime.core.ids import new_id
from prime.network import queries
from prime.network.calls.queries import forget_calls
from prime.network.limits import Limits
from prime.network.queries import NewTurn, Thread
from prime.network.tasks import (
    TASK_KEPT_MS,
    TASK_LIFE_MS,
    Caller,
    Inbound,
    Incoming,
    Opened,
    Settlement,
    Task,
    TaskEnded,
    TaskFilter,
    TaskMissing,
    TaskPage,
    Turn,
    check_continuable,
    is_in_thread,
    may_see,
)
from prime.network.threads import Threads
from prime.rooms.records import PRIME
from prime.store.message import Message, NewMessage
from prime.store.store import Store

SOURCE_TAG = "network"


@dataclass(frozen=True, slots=True)
class Arrived:
    """A message with who sent it, the name that they go by here, and the course that it belongs to."""

    incoming: Incoming
    caller: Caller
    name: str
    course: int


class Inbox:
    """A `TaskStore` over the log."""

    def __init__(
        self, store: Store, threads: Threads, limits: Limits, clock: Clock, bell: asyncio.Event | None = None
    ) -> None:
        self._bell = bell or asyncio.Event()  # the outbox's
        self._store = store
        self._threads = threads
        self._limits = limits
        self._clock = clock

    async def open(self, incoming: Incoming, caller: Caller) -> Opened:
        earlier = await self._same(incoming, caller.scope)
        if earlier is not None and may_see(earlier.task, caller) and is_in_thread(earlier.task, incoming):
            return earlier
        task, thread = await self._place(incoming, caller)
        name, tier = await self._threads.counterpart(incoming, caller)
        thread, course = await self._threads.ensure(thread, name, tier)
        return await self._add(Arrived(incoming, caller, name, course), task, thread)

    async def _place(self, incoming: Incoming, caller: Caller) -> tuple[Task, Thread]:
        if incoming.task_id is not None:
            task = check_continuable(await self.get(incoming.task_id), incoming, caller)
            return task, await self._thread_of(task)
        thread, is_new = await self._threads.of_message(incoming, caller)
        if is_new:
            self._limits.check("channel", caller)
        now = self._clock.now_ms()
        task = Task(
            id=new_id("task"),
            context_id=thread.channel_id if incoming.thread_id is None else incoming.thread_id,
            scope=caller.scope,
            protocol=incoming.protocol,
            state="queued",
            created_at=now,
            updated_at=now,
        )
        if incoming.thread_id is None and is_new and incoming.protocol == "a2a":
            thread = Thread(thread.scope, thread.channel_id, thread.channel_id, thread.actor_id, thread.agent_id)
        return task, thread

    async def _thread_of(self, task: Task) -> Thread:
        channel_id = await self._store.database.read(lambda c: queries.channel_of_task(c, task.id))
        return await self._threads.by_channel(channel_id)

    async def _kept(self, incoming: Incoming) -> dict[str, object]:
        """What a message carries: addresses, which are fetched by who may, and files, which are kept as they came."""
        body: dict[str, object] = {}
        if incoming.attachments:
            body["references"] = [r.as_json() for r in incoming.attachments]
        if incoming.files:
            kept = [await self._store.attachments.put(f.name, f.media_type, f.content) for f in incoming.files]
            body["attachmentIds"] = [attachment.id for attachment in kept]
        return body

    async def _add(self, arrived: "Arrived", task: Task, thread: Thread) -> Opened:
        incoming, caller = arrived.incoming, arrived.caller
        said = NewMessage(
            channel_id=thread.channel_id,
            actor_id=thread.actor_id,
            kind="text",
            text=incoming.text,
            body=await self._kept(incoming),
            course=arrived.course,
            source_tag=SOURCE_TAG,
        )
        turn = NewTurn(
            task=task,
            channel_id=thread.channel_id,
            incoming=incoming,
            said_id=said.id,
            sender_name=arrived.name,
            callback_key=caller.signing_key,
        )
        with contextlib.suppress(queries.AlreadyThere):
            [logged] = await self._store.log.append(said, also=lambda connection: queries.add_turn(connection, turn))
            if incoming.task_id is None:
                return _begun(turn, logged)
        opened = await self._same(incoming, caller.scope)
        if opened is None:
            raise TaskEnded("This task has just ended.", hint="Send a message without its id to begin a new one.")
        return opened

    async def settle(self, opened: Opened, settlement: Settlement) -> Opened:
        inbound = opened.inbound
        words = replace(_words(inbound, settlement), course=await self._threads.course(inbound.channel_id))
        answer_id = words.id if settlement.text is not None else None
        settled: list[bool] = []  # a list, for a job may be run a second time
        [logged] = await self._store.log.append(
            words,
            also=lambda c: settled.append(
                queries.settle_task(c, opened, settlement.state, settlement.error, answer_id)
            ),
        )
        self._bell.set()
        if opened.task.protocol == "prime" and settled[-1]:
            return _answered(opened, settlement, logged, self._clock.now_ms())
        return await self._now(opened)

    async def defer(self, opened: Opened) -> Opened:
        await self._store.database.write(lambda c: queries.defer_task(c, opened.task.id))
        return await self._now(opened)

    async def get(self, task_id: str) -> Task | None:
        return await self._store.database.read(lambda c: queries.find_task(c, task_id))

    async def page(self, caller: Caller, wanted: TaskFilter) -> TaskPage:
        if caller.agent_id is None and not caller.is_owner and wanted.context_id is None:
            # Strangers are told apart by address only, and others may share it: they must name the conversation.
            return TaskPage(tasks=(), total=0, more=False)
        scope = None if caller.is_owner else caller.scope
        tasks, total = await self._store.database.read(lambda c: queries.page_tasks(c, scope, wanted))
        return TaskPage(tasks=tasks[: wanted.limit], total=total, more=len(tasks) > wanted.limit)

    async def cancel(self, task_id: str) -> Task:
        await self._store.database.write(lambda c: queries.cancel_task(c, task_id))
        task = await self.get(task_id)
        if task is None:
            raise TaskMissing(task_id)
        return task

    async def unfinished(self) -> Sequence[Opened]:
        await self.tidy()
        return await self._store.database.read(queries.unfinished)

    async def tidy(self) -> None:
        """End and forget what is too old."""
        await self._store.database.write(lambda c: queries.expire_tasks(c, TASK_LIFE_MS, TASK_KEPT_MS))
        await self._store.database.write(lambda c: forget_calls(c, TASK_KEPT_MS))

    async def _same(self, incoming: Incoming, scope: str) -> Opened | None:
        return await self._store.database.read(lambda c: queries.find_same(c, scope, incoming))

    async def _now(self, opened: Opened) -> Opened:
        ids = (opened.task.id, opened.inbound.message_id)
        return await self._store.database.read(lambda c: queries.find_opened(c, *ids)) or opened


def _begun(turn: NewTurn, logged: Message) -> Opened:
    """A task that has just begun, as it was written."""
    incoming = turn.incoming
    said = Turn(role="user", message_id=incoming.message_id, text=logged.text, attachments=incoming.attachments)
    inbound = Inbound(
        task_id=turn.task.id,
        thread_id=turn.task.context_id,
        message_id=incoming.message_id,
        text=logged.text,
        sender_name=turn.sender_name,
        channel_id=turn.channel_id,
        said_id=logged.id,
        attachments=incoming.attachments,
    )
    return Opened(task=replace(turn.task, turns=(said,)), inbound=inbound, answered=False, answer=None)


def _answered(opened: Opened, settlement: Settlement, logged: Message, now_ms: int) -> Opened:
    """The message with the answer that was just written."""
    answer = Turn(role="agent", message_id=logged.id, text=logged.text) if settlement.text is not None else None
    turns = (*opened.task.turns, answer) if answer else opened.task.turns
    task = replace(opened.task, state=settlement.state, error=settlement.error, turns=turns, updated_at=now_ms)
    return replace(opened, task=task, answered=True, answer=answer)


def _words(inbound: Inbound, settlement: Settlement) -> NewMessage:
    """The answer as it is logged; a failure is a notice for the owner, which the other side gets as a state."""
    failed = settlement.text is None
    return NewMessage(
        channel_id=inbound.channel_id,
        actor_id=PRIME,
        kind="system" if failed else "text",
        audience="hub" if failed else "room",
        text=(settlement.error or "") if failed else settlement.text or "",
        sources=(inbound.said_id,),
        idempotency_key=f"answer/{inbound.said_id}",
    )
