"""What must reach the outside is written down first, in the transaction that decided it, and sent from here.

Delivery is at least once: the same id goes with every try, so that the receiver can tell a repetition. A topic that
cannot bear repetition says `repeats=False`; what was in flight when a process died, or failed in a way that does not
tell whether it arrived, is then left as `uncertain`.

What is put into one line (the messages of one conversation) leaves in that order: the next is tried when the one before
it has arrived or was given up.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, select, update

from prime.core.canonical import canonical_json
from prime.core.clock import SKEW_MS, Clock
from prime.core.errors import PrimeError
from prime.core.ids import new_id
from prime.store import tables
from prime.store.database import Database
from prime.store.leases import database_now

log = logging.getLogger(__name__)

# behind: another of its line goes first.
Status = Literal["behind", "waiting", "sending", "done", "failed", "uncertain"]

FIRST_RETRY_MS = 1_000
LONGEST_RETRY_MS = 5 * 60_000
MAX_ATTEMPTS = 12
# A try that has not ended by then belonged to a process that is gone.
SENDING_MS = 60_000
SEND_SECONDS = 45.0
AT_ONCE = 16
IDLE_SECONDS = 1.0
LOOKS = 1_000

_outbox = tables.outbox


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to deliver; `id` stays the same over all tries."""

    id: str
    topic: str
    payload: Mapping[str, object]
    attempts: int
    epoch: int
    line: str | None = None


class Undeliverable(PrimeError):
    """Raised by a deliverer when trying again cannot help."""

    code = "undeliverable"


class NotSent(PrimeError):
    """Raised by a deliverer that knows that nothing went out: the item may be tried again, whatever its topic bears."""

    code = "not_sent"


@dataclass(frozen=True, slots=True)
class Deliverer:
    """How the items of one topic are sent."""

    send: Callable[[Item], Awaitable[None]]
    repeats: bool = True


def enqueue(
    connection: Connection, topic: str, payload: Mapping[str, object], *, delay_ms: int = 0, line: str | None = None
) -> str:
    """Add an item in the caller's transaction, at the end of its line if it has one; its id. `delay_ms` is short: at most
    as long as between two tries."""
    now = database_now(connection)
    item_id = new_id("out")
    is_first = line is None or connection.execute(_FIRST, {"line": line}).first() is None
    values = {
        "id": item_id, "topic": topic, "payload": canonical_json(payload), "status": "waiting" if is_first else "behind",
        "attempts": 0, "due_at": now + delay_ms, "created_at": now, "epoch": 0, "line": line,
        "place": None if line is None else connection.execute(_END, {"line": line}).scalar_one(),
    }  # fmt: skip
    connection.execute(_ADD, values)
    return item_id


_ADD = insert(_outbox)
# What has ended has left its line. Whoever writes this table does so alone, so nobody joins between two looks at it.
_FIRST = (
    select(_outbox.c.id, _outbox.c.status).where(_outbox.c.line == bindparam("line")).order_by(_outbox.c.place).limit(1)
)
_END = select(func.coalesce(func.max(_outbox.c.place), 0) + 1).where(_outbox.c.line == bindparam("line"))


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a try ended, to be written down with the next look at the outbox."""

    item: Item
    status: Status
    error: str | None


class Outbox:
    """Sends what is due. Any number of replicas may run one; an item is claimed by one of them at a time.

    So many are on their way at once that one slow receiver does not hold up the others, and a place that gets free is
    taken by the next at once. Whoever puts something in rings the bell; without it, it is seen within a second.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        deliverers: Mapping[str, Deliverer],
        bell: asyncio.Event | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._deliverers = deliverers
        self._bell = bell or asyncio.Event()
        self._tries: set[asyncio.Task[None]] = set()
        self._ended: list[_Ended] = []
        self._task: asyncio.Task[None] | None = None

    async def enqueue(self, topic: str, payload: Mapping[str, object], *, delay_ms: int = 0) -> str:
        item_id = await self._database.write(lambda c: enqueue(c, topic, payload, delay_ms=delay_ms))
        self._bell.set()
        return item_id

    def start(self) -> None:
        self._task = asyncio.create_task(self._loop(), name="prime-outbox")

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        for task in list(self._tries):
            task.cancel()
        await asyncio.gather(*self._tries, return_exceptions=True)
        await self._work(room=0)

    async def deliver_due(self) -> int:
        """Send what is due now; how many were tried."""
        await self._database.write(self._release_abandoned)
        tries = await self._work(room=AT_ONCE)
        await asyncio.gather(*tries)
        await self._work(room=0)
        return len(tries)

    async def status(self, item_id: str) -> Status | None:
        query = select(_outbox.c.status).where(_outbox.c.id == item_id)
        return cast("Status | None", await self._database.read(lambda c: c.execute(query).scalar_one_or_none()))

    async def _loop(self) -> None:
        # A data folder has one owner: what is being sent by nobody else was being sent by one that is gone.
        released = self._release_all if self._database.engine_name == "sqlite" else self._release_abandoned
        while True:
            self._bell.clear()
            try:
                await self._database.write(released)
                released = self._release_abandoned
                await self._work_until_idle()
            except Exception:  # the database may be away for a moment; what waits is safe in it
                log.exception("the outbox could not be worked; trying again")
                await self._clock.sleep(IDLE_SECONDS)

    async def _work_until_idle(self) -> None:
        """Until a second has passed in which nothing was put in and nothing ended; not for ever, if that never comes."""
        for _ in range(LOOKS):
            await self._work(room=AT_ONCE - len(self._tries))
            rung = asyncio.ensure_future(self._bell.wait())
            idle = asyncio.ensure_future(self._clock.sleep(IDLE_SECONDS))
            try:
                await asyncio.wait({rung, idle}, return_when=asyncio.FIRST_COMPLETED)
                if not rung.done():
                    return
            finally:
                rung.cancel()
                idle.cancel()
            self._bell.clear()

    async def _work(self, *, room: int) -> list["asyncio.Task[None]"]:
        """Write down what ended, and begin as many tries as there is room for."""
        ended, self._ended = self._ended, []
        if not room and not ended:
            return []
        try:
            items = await self._database.write(lambda c: self._exchange(c, ended, room))
        except BaseException:
            self._ended = [*ended, *self._ended]
            raise
        tries = [asyncio.create_task(self._deliver(item)) for item in items]
        for task in tries:
            self._tries.add(task)
            task.add_done_callback(self._tries.discard)
        return tries

    def _exchange(self, connection: Connection, ended: list[_Ended], room: int) -> list[Item]:
        now = database_now(connection)
        if ended:
            connection.execute(_SETTLE, [_settled(one, now) for one in ended])
            _move_up(connection, {one.item.line for one in ended if one.status != "waiting"})
        return self._claim(connection, now, room) if room and self._deliverers else []

    def _claim(self, connection: Connection, now: int, room: int) -> list[Item]:
        rows = connection.execute(_DUE, {"now": now, "topics": list(self._deliverers), "room": room})
        items = [
            Item(id_, topic, json.loads(payload), tries + 1, epoch + 1, line)
            for id_, topic, payload, tries, epoch, line in rows
        ]
        if items:
            connection.execute(_BEGIN, [_begun(item, now) for item in items])
        return items

    def _release_all(self, connection: Connection) -> None:
        self._release(connection, database_now(connection), _outbox.c.status == "sending")

    def _release_abandoned(self, connection: Connection) -> None:
        now = database_now(connection)
        ahead = _outbox.c.due_at > now + LONGEST_RETRY_MS + SKEW_MS  # by a clock that was wrong
        self._release(connection, now, (_outbox.c.status == "sending") & ((_outbox.c.due_at <= now) | ahead))
        connection.execute(update(_outbox).where(_outbox.c.status == "waiting", ahead).values(due_at=now))

    def _release(self, connection: Connection, now: int, lost: ColumnElement[bool]) -> None:
        once = [topic for topic, deliverer in self._deliverers.items() if not deliverer.repeats]
        again = [topic for topic in self._deliverers if topic not in once]
        # Only topics that are known here: of others, nobody can say here whether they bear repetition.
        lines = set(connection.execute(select(_outbox.c.line).where(lost, _outbox.c.topic.in_(once))).scalars())
        connection.execute(update(_outbox).where(lost, _outbox.c.topic.in_(once)).values(status="uncertain", line=None))
        connection.execute(update(_outbox).where(lost, _outbox.c.topic.in_(again)).values(status="waiting", due_at=now))
        _move_up(connection, lines)

    async def _deliver(self, item: Item) -> None:
        deliverer = self._deliverers[item.topic]
        try:
            await asyncio.wait_for(deliverer.send(item), SEND_SECONDS)
        except Exception as error:  # noqa: BLE001  (whatever went wrong outside, it is written down with the item)
            why = f"{type(error).__name__}: {error}"
            self._ended.append(_Ended(item, _after_failure(item, deliverer, error), why))
        else:
            self._ended.append(_Ended(item, "done", None))
        self._bell.set()


def _move_up(connection: Connection, lines: set[str | None]) -> None:
    """The next of these lines may go, where none of them is under way."""
    for line in sorted(line for line in lines if line is not None):
        if (first := connection.execute(_FIRST, {"line": line}).one_or_none()) and first.status == "behind":
            connection.execute(update(_outbox).where(_outbox.c.id == first.id).values(status="waiting"))


# Built once: making a statement costs more than running it.
_DUE = (
    select(_outbox.c.id, _outbox.c.topic, _outbox.c.payload, _outbox.c.attempts, _outbox.c.epoch, _outbox.c.line)
    .where(
        _outbox.c.status == "waiting",
        _outbox.c.due_at <= bindparam("now"),
        _outbox.c.topic.in_(bindparam("topics", expanding=True)),
    )
    .order_by(_outbox.c.due_at, _outbox.c.id)
    .limit(bindparam("room"))
    .with_for_update(skip_locked=True)
)
_BEGIN = (
    update(_outbox)
    .where(_outbox.c.id == bindparam("of"))
    .values(status="sending", attempts=bindparam("tries"), epoch=bindparam("at"), due_at=bindparam("until"))
)
# The epoch: a try that outlived its claim must not overrule the one that followed it.
_SETTLE = (
    update(_outbox)
    .where(_outbox.c.id == bindparam("of"), _outbox.c.epoch == bindparam("at"))
    .values(
        status=bindparam("became"), due_at=bindparam("until"), last_error=bindparam("why"), line=bindparam("stands")
    )
)


def _begun(item: Item, now: int) -> dict[str, object]:
    return {"of": item.id, "at": item.epoch, "tries": item.attempts, "until": now + SENDING_MS}


def _settled(ended: _Ended, now: int) -> dict[str, object]:
    item = ended.item
    back_off = min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (item.attempts - 1))
    return {
        "of": item.id, "at": item.epoch, "became": ended.status, "until": now + back_off, "why": ended.error,
        "stands": item.line if ended.status == "waiting" else None,
    }  # fmt: skip


def _after_failure(item: Item, deliverer: Deliverer, error: Exception) -> Status:
    if isinstance(error, Undeliverable):
        return "failed"
    if not deliverer.repeats and not isinstance(error, NotSent):
        return "uncertain"
    return "waiting" if item.attempts < MAX_ATTEMPTS else "failed"
