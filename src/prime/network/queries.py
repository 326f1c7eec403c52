"""Reads and writes over the network's own tables, conversations and tasks."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from prime.core.errors import Conflict
from prime.network.tables import network_task, network_thread, network_turn
from prime.network.tasks import TERMINAL, Inbound, Incoming, Opened, Reference, State, Task, TaskFilter, Turn
from prime.store.leases import database_now
from prime.store.outbox import enqueue
from prime.store.tables import message

MAX_TURNS = 200
CALLBACK_TOPIC = "network.callback"
_UNSETTLED = ("queued", "working")
_ENDED = sorted(TERMINAL)

# --- conversations ---


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation with somebody outside, and the channel it is."""

    scope: str
    thread_id: str
    channel_id: str
    actor_id: str
    agent_id: str | None


def find_thread(connection: Connection, scope: str, thread_id: str) -> Thread | None:
    c = network_thread.c
    row = connection.execute(select(network_thread).where(c.scope == scope, c.thread_id == thread_id)).one_or_none()
    return _thread(row) if row else None


def find_thread_of_channel(connection: Connection, channel_id: str) -> Thread | None:
    row = connection.execute(select(network_thread).where(network_thread.c.channel_id == channel_id)).one_or_none()
    return _thread(row) if row else None


def keep_thread(connection: Connection, thread: Thread) -> Thread:
    """The conversation of that scope and id: this one, unless somebody was quicker."""
    there = find_thread(connection, thread.scope, thread.thread_id)
    if there is not None:
        return there
    values = {
        "scope": thread.scope,
        "thread_id": thread.thread_id,
        "channel_id": thread.channel_id,
        "actor_id": thread.actor_id,
        "agent_id": thread.agent_id,
        "created_at": database_now(connection),
    }
    connection.execute(insert(network_thread).values(values))
    return thread


def _thread(row: Row[tuple[object, ...]]) -> Thread:
    return Thread(row.scope, row.thread_id, row.channel_id, row.actor_id, row.agent_id)


# --- tasks ---


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTurn:
    """One message to be put into a task, which is made if it is new."""

    task: Task
    channel_id: str
    incoming: Incoming
    said_id: str
    sender_name: str
    callback_key: str | None


class AlreadyThere(Conflict):
    """The message came in before, or its task has ended meanwhile: nothing of it is written."""


def add_turn(connection: Connection, new: NewTurn) -> None:
    if task_of_same(connection, new.task.scope, new.incoming):
        raise AlreadyThere("This message has come in already.")
    task, now = new.task, database_now(connection)
    if new.incoming.task_id is None:
        place = 0
        _insert_task(connection, new, now)
    else:
        place = _continue_task(connection, new, now)
    turn = {
        "scope": task.scope, "message_id": new.incoming.message_id, "task_id": task.id, "place": place,
        "said_id": new.said_id, "sender_name": new.sender_name,
    }  # fmt: skip
    connection.execute(_ADD_TURN, turn)


def _continue_task(connection: Connection, new: NewTurn, now: int) -> int:
    """Have a task go on with a message; the message's place in it."""
    task = new.task
    changed = connection.execute(
        update(network_task)
        .where(network_task.c.id == task.id, network_task.c.state.not_in(_ENDED))
        .values(state="queued", updated_at=now, callback_url=new.incoming.callback_url, callback_key=new.callback_key)
    )
    if not changed.rowcount:
        raise AlreadyThere("This task has ended.")
    query = select(func.coalesce(func.max(network_turn.c.place), 0) + 1).where(network_turn.c.task_id == task.id)
    return connection.execute(query).scalar_one()


def _insert_task(connection: Connection, new: NewTurn, now: int) -> None:
    task = new.task
    values = {
        "id": task.id, "scope": task.scope, "context_id": task.context_id, "channel_id": new.channel_id,
        "protocol": task.protocol, "state": "queued", "callback_url": new.incoming.callback_url,
        "callback_key": new.callback_key, "created_at": now, "updated_at": now,
    }  # fmt: skip
    connection.execute(_ADD_TASK, values)


# Built once: making a statement costs more than running it.
_ADD_TASK = insert(network_task)
_ADD_TURN = insert(network_turn)


def task_of_same(connection: Connection, scope: str, incoming: Incoming) -> str | None:
    """The task of a message that came in before: the same id, said to the same task or in the same conversation.

    What began a task that was called off may be said again.
    """
    given = {"message": incoming.message_id, "scope": scope}
    if incoming.task_id is not None:
        return connection.execute(_SAME_IN_TASK, given | {"task": incoming.task_id}).scalars().first()
    if incoming.thread_id is not None:
        return connection.execute(_SAME_IN_THREAD, given | {"thread": incoming.thread_id}).scalars().first()
    return connection.execute(_SAME_IN_CHANNEL, given).scalars().first()


def _same_message() -> tuple[Select[str], Select[str], Select[str]]:
    """The same message within a task, within a thread that was named, and within a channel that Prime named itself."""
    turn, task = network_turn.c, network_task.c
    said = select(turn.task_id).where(turn.message_id == bindparam("message"))
    began = said.join(network_task, task.id == turn.task_id).where(
        turn.scope == bindparam("scope"), turn.place == 0, task.state != "canceled"
    )
    return (
        said.where(turn.task_id == bindparam("task")),
        began.where(task.context_id == bindparam("thread")),
        began.where(task.context_id == task.channel_id),
    )


_SAME_IN_TASK, _SAME_IN_THREAD, _SAME_IN_CHANNEL = _same_message()


def defer_task(connection: Connection, task_id: str) -> None:
    c = network_task.c
    connection.execute(update(network_task).where(c.id == task_id, c.state == "queued").values(state="working"))


@dataclass(frozen=True, slots=True)
class Callback:
    url: str
    key: str | None


def settle_task(connection: Connection, opened: Opened, state: State, error: str | None, answer_id: str | None) -> bool:
    """Record an answer, and put its push into the outbox when its caller was told to wait for that.

    False when the task had ended before.
    """
    task_id = opened.task.id
    before = connection.execute(_BEFORE, {"of": task_id}).one()
    if before.state in TERMINAL:
        return False
    now = database_now(connection)
    connection.execute(_SETTLE_TASK, {"of": task_id, "became": state, "why": error, "now": now})
    turn = {"of": task_id, "message": opened.inbound.message_id, "answer": answer_id or ""}
    connection.execute(_SETTLE_TURN, turn)
    if before.state == "working" and before.callback_url is not None:
        enqueue(connection, CALLBACK_TOPIC, {"taskId": task_id})
    return True


_BEFORE = (
    select(network_task.c.state, network_task.c.callback_url)
    .where(network_task.c.id == bindparam("of"))
    .with_for_update()
)
_SETTLE_TASK = (
    update(network_task)
    .where(network_task.c.id == bindparam("of"))
    .values(state=bindparam("became"), error=bindparam("why"), updated_at=bindparam("now"))
)
_SETTLE_TURN = (
    update(network_turn)
    .where(network_turn.c.task_id == bindparam("of"), network_turn.c.message_id == bindparam("message"))
    .values(answer_id=bindparam("answer"))
)


def channel_of_task(connection: Connection, task_id: str) -> str:
    query = select(network_task.c.channel_id).where(network_task.c.id == task_id)
    return connection.execute(query).scalar_one()


def callback_of(connection: Connection, task_id: str) -> Callback | None:
    c = network_task.c
    row = connection.execute(select(c.callback_url, c.callback_key).where(c.id == task_id)).one_or_none()
    return Callback(row.callback_url, row.callback_key) if row and row.callback_url else None


def cancel_task(connection: Connection, task_id: str) -> None:
    c = network_task.c
    connection.execute(
        update(network_task)
        .where(c.id == task_id, c.state.not_in(_ENDED))
        .values(state="canceled", updated_at=database_now(connection))
    )


def expire_tasks(connection: Connection, life_ms: int, kept_ms: int) -> None:
    """End what nobody finished, and forget what ended long ago; the conversation itself is in the log."""
    c, now = network_task.c, database_now(connection)
    connection.execute(
        update(network_task)
        .where(c.state.not_in(_ENDED), c.updated_at < now - life_ms)
        .values(state="expired", updated_at=now)
    )
    old = select(c.id).where(c.state.in_(_ENDED), c.updated_at < now - kept_ms)
    connection.execute(delete(network_turn).where(network_turn.c.task_id.in_(old)))
    connection.execute(delete(network_task).where(c.state.in_(_ENDED), c.updated_at < now - kept_ms))


def find_task(connection: Connection, task_id: str) -> Task | None:
    row = connection.execute(select(network_task).where(network_task.c.id == task_id)).one_or_none()
    return _task(row, _turns(connection, task_id)) if row else None


def find_opened(connection: Connection, task_id: str, message_id: str) -> Opened | None:
    """A message that came in before, with its task and its answer as they are now."""
    c = network_turn.c
    row = connection.execute(select(network_turn).where(c.task_id == task_id, c.message_id == message_id)).one_or_none()
    if row is None:
        return None
    found = connection.execute(select(network_task).where(network_task.c.id == row.task_id)).one()
    task = _task(found, _turns(connection, row.task_id))
    answer = next((t for t in task.turns if t.role == "agent" and t.message_id == row.answer_id), None)
    return Opened(
        task=task,
        inbound=_inbound(connection, row, task, found.channel_id),
        answered=row.answer_id is not None or task.state in TERMINAL,
        answer=answer,
    )


def find_same(connection: Connection, scope: str, incoming: Incoming) -> Opened | None:
    """This very message, if it came in before."""
    task_id = task_of_same(connection, scope, incoming)
    return find_opened(connection, task_id, incoming.message_id) if task_id else None


def unfinished(connection: Connection) -> list[Opened]:
    c = network_turn.c
    rows = connection.execute(
        select(c.task_id, c.message_id)
        .join(network_task, network_task.c.id == c.task_id)
        .where(network_task.c.state.in_(_UNSETTLED), c.answer_id.is_(None))
        .order_by(network_task.c.created_at, c.place)
    )
    found = [find_opened(connection, task_id, message_id) for task_id, message_id in rows.all()]
    return [opened for opened in found if opened is not None]


def page_tasks(connection: Connection, scope: str | None, wanted: TaskFilter) -> tuple[list[Task], int]:
    """One more than asked for, newest first, and how many there are in all."""
    c = network_task.c
    conditions: list[ColumnElement[bool]] = [c.protocol == "a2a"]
    if scope is not None:
        conditions.append(c.scope == scope)
    if wanted.context_id is not None:
        conditions.append(c.context_id == wanted.context_id)
    if wanted.state is not None:
        conditions.append(c.state == wanted.state)
    if wanted.since_ms is not None:
        conditions.append(c.updated_at >= wanted.since_ms)
    total = connection.execute(select(func.count()).select_from(network_task).where(and_(*conditions))).scalar_one()
    if wanted.after is not None:
        time, task_id = wanted.after
        conditions.append(or_(c.updated_at < time, and_(c.updated_at == time, c.id < task_id)))
    rows = connection.execute(
        select(network_task).where(and_(*conditions)).order_by(c.updated_at.desc(), c.id.desc()).limit(wanted.limit + 1)
    ).all()
    return [_task(row, _turns(connection, row.id)) for row in rows], total


def _task(row: Row[tuple[object, ...]], turns: tuple[Turn, ...]) -> Task:
    return Task(
        id=row.id,
        context_id=row.context_id,
        scope=row.scope,
        protocol=row.protocol,
        state=row.state,
        created_at=row.created_at,
        updated_at=row.updated_at,
        turns=turns,
        error=row.error,
    )


def _turns(connection: Connection, task_id: str) -> tuple[Turn, ...]:
    """What was said in a task, in order; the words are the log's."""
    c = network_turn.c
    rows = connection.execute(
        select(c.message_id, c.said_id, c.answer_id)
        .where(c.task_id == task_id)
        .order_by(c.place.desc())
        .limit(MAX_TURNS)
    ).all()
    ids = [i for row in rows for i in (row.said_id, row.answer_id) if i]
    words = {
        row.id: (row.text, row.body)
        for row in connection.execute(select(message.c.id, message.c.text, message.c.body).where(message.c.id.in_(ids)))
    }
    turns: list[Turn] = []
    for row in reversed(rows):
        text, body = words.get(row.said_id, ("", "{}"))
        turns.append(Turn(role="user", message_id=row.message_id, text=text, attachments=_references(body)))
        if row.answer_id:
            turns.append(Turn(role="agent", message_id=row.answer_id, text=words.get(row.answer_id, ("", ""))[0]))
    return tuple(turns)


def _references(body: str) -> tuple[Reference, ...]:
    listed = cast("Sequence[Mapping[str, str]]", json.loads(body).get("references", ()))
    return tuple(Reference(url=r["url"], name=r["name"], media_type=r["mediaType"]) for r in listed)


def _inbound(connection: Connection, row: Row[tuple[object, ...]], task: Task, channel_id: str) -> Inbound:
    said = connection.execute(select(message.c.text, message.c.body).where(message.c.id == row.said_id)).one_or_none()
    return Inbound(
        task_id=task.id,
        thread_id=task.context_id,
        message_id=row.message_id,
        text=said.text if said else "",
        sender_name=row.sender_name,
        channel_id=channel_id,
        said_id=row.said_id,
        attachments=_references(said.body) if said else (),
    )
