"""Calls: messages that were sent out, each with a token that opens the way back once."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from prime.core.errors import Conflict
from prime.network.tables import network_call
from prime.store.leases import database_now
from prime.store.outbox import enqueue

MESSAGE_TOPIC = "network.message"
POLL_TOPIC = "network.poll"
FIRST_POLL_MS = 2_000

_c = network_call.c


class AlreadyAnswered(Conflict):
    """The answer is there; this one is not written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    token_hash: str
    message_id: str
    channel_id: str
    actor_id: str
    agent_id: str | None
    task_id: str | None = None
    signing_key: str | None = None
    delivery_id: str | None = None
    used_at: int | None = None


def send_call(connection: Connection, call: Call) -> None:
    """Remember the call and put its message into the outbox, once."""
    if connection.execute(_FIND, {"token": call.token_hash}).one_or_none():
        return
    values = {
        "token_hash": call.token_hash, "message_id": call.message_id, "channel_id": call.channel_id,
        "actor_id": call.actor_id, "agent_id": call.agent_id, "created_at": database_now(connection),
    }  # fmt: skip
    connection.execute(_ADD, values)
    enqueue(connection, MESSAGE_TOPIC, {"messageId": call.message_id}, line=call.channel_id)


# Built once: making a statement costs more than running it.
_FIND = select(network_call).where(_c.token_hash == bindparam("token"))
_ADD = insert(network_call)
_SPEND = (
    update(network_call)
    .where(_c.token_hash == bindparam("token"), _c.used_at.is_(None))
    .values(used_at=bindparam("now"), delivery_id=bindparam("delivery"))
)


def find_call(connection: Connection, token_hash: str) -> Call | None:
    row = connection.execute(_FIND, {"token": token_hash}).one_or_none()
    if row is None:
        return None
    return Call(
        token_hash=row.token_hash,
        message_id=row.message_id,
        channel_id=row.channel_id,
        actor_id=row.actor_id,
        agent_id=row.agent_id,
        task_id=row.task_id,
        signing_key=row.signing_key,
        delivery_id=row.delivery_id,
        used_at=row.used_at,
    )


def set_signing_key(connection: Connection, token_hash: str, key: str | None) -> None:
    connection.execute(update(network_call).where(_c.token_hash == token_hash).values(signing_key=key))


def await_task(connection: Connection, call: Call, task_id: str, secret: str | None) -> None:
    """The call has become this task: a callback for another is refused, and it is asked for should none come."""
    connection.execute(
        update(network_call).where(_c.token_hash == call.token_hash, _c.task_id.is_(None)).values(task_id=task_id)
    )
    payload = {
        "channelId": call.channel_id,
        "messageId": call.message_id,
        "taskId": task_id,
        "taskSecret": secret,
    }
    enqueue(connection, POLL_TOPIC, payload, delay_ms=FIRST_POLL_MS)


def spend_call(connection: Connection, token_hash: str, delivery_id: str) -> None:
    """Use the token up; raises when it was used before, and with it goes what else the transaction wrote."""
    given = {"token": token_hash, "now": database_now(connection), "delivery": delivery_id}
    changed = connection.execute(_SPEND, given)
    if changed.rowcount != 1:
        raise AlreadyAnswered("This message has been answered.")


def forget_calls(connection: Connection, kept_ms: int) -> None:
    connection.execute(delete(network_call).where(_c.created_at < database_now(connection) - kept_ms))
