"""What append jobs of one transaction share, so that many of them cost little more than one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from sqlalchemy import Connection

from prime.store.message import Message, NewMessage

# Where a transaction's `Pending` stands in `connection.info`.
_PENDING = "prime_pending"

Key = tuple[str, str, str]  # channel, actor, idempotency key


def key_of(message: NewMessage) -> Key | None:
    """By what a message is known as a repetition."""
    return (message.channel_id, message.actor_id, message.idempotency_key) if message.idempotency_key else None


@dataclass(slots=True)
class Pending:
    """The head they know, the keys that were looked up, and rows that go to the log together.

    One statement for all rows of a batch costs a fraction of one statement each, and so does one look for all keys.
    Whatever else reads or writes the log in the same transaction flushes first.
    """

    # What the jobs of the transaction are going to append, as far as that is known.
    coming: Sequence[NewMessage] = ()
    flush: Callable[[Connection, list[tuple[object, ...]]], None] | None = None
    head: int | None = None
    rows: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])
    # None: there is no message with this key.
    known: dict[Key, Message | None] = field(default_factory=dict[Key, Message | None])

    def flushed(self, connection: Connection) -> None:
        if self.rows and self.flush:
            rows, self.rows = self.rows, []
            self.flush(connection, rows)


def begin_pending(connection: Connection, coming: Sequence[NewMessage] = ()) -> None:
    """Nothing is known and nothing waits: at the beginning of a transaction, and after a part of it was undone."""
    connection.info[_PENDING] = Pending(coming)


def pending(connection: Connection) -> Pending:
    return cast("Pending", connection.info[_PENDING])
