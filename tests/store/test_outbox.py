import asyncio
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import Connection, func, select, text, update

from prime.core.clock import FakeClock
from prime.store import tables
from prime.store.leases import database_now
from prime.store.outbox import (
    AT_ONCE,
    FIRST_RETRY_MS,
    LONGEST_RETRY_MS,
    MAX_ATTEMPTS,
    Deliverer,
    Item,
    NotSent,
    Outbox,
    Undeliverable,
    enqueue,
)
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]

row = tables.outbox


class Receiver:
    """The outside: notes what arrives, and fails as it is told."""

    def __init__(self, *failures: Exception) -> None:
        self.items: list[Item] = []
        self._failures = list(failures)

    async def send(self, item: Item) -> None:
        self.items.append(item)
        if self._failures:
            raise self._failures.pop(0)

    @property
    def ids(self) -> list[str]:
        return [item.id for item in self.items]


def outbox_of(store: Store, receiver: Receiver, *, repeats: bool = True) -> Outbox:
    return Outbox(store.database, FakeClock(), {"mail": Deliverer(receiver.send, repeats)})


async def make_due(store: Store) -> None:
    """Time passes, by the database's clock, which a test cannot turn on PostgreSQL."""
    await store.database.write(lambda c: c.execute(update(row).values(due_at=0)))


async def wait_of(store: Store) -> int:
    return await store.database.read(lambda c: c.execute(select(row.c.due_at)).scalar_one() - database_now(c))


async def test_what_is_due_is_sent_once_with_its_payload(store: Store) -> None:
    receiver = Receiver()
    outbox = outbox_of(store, receiver)
    now = await outbox.enqueue("mail", {"to": "x", "text": "你好"})
    later = await outbox.enqueue("mail", {}, delay_ms=60_000)
    other = await outbox.enqueue("unknown topic", {})
    assert await outbox.deliver_due() == 1
    assert await outbox.deliver_due() == 0
    assert [(i.id, i.payload, i.attempts) for i in receiver.items] == [(now, {"to": "x", "text": "你好"}, 1)]
    assert [await outbox.status(i) for i in (now, later, other)] == ["done", "waiting", "waiting"]
    assert await outbox.status("out_nobody") is None


async def test_an_item_is_written_with_what_decided_it_or_not_at_all(store: Store) -> None:
    def fails(connection: object) -> None:
        enqueue(connection, "mail", {})  # pyright: ignore[reportArgumentType]
        raise RuntimeError("changed my mind")

    with pytest.raises(RuntimeError):
        await store.database.write(fails)
    assert await store.database.read(lambda c: c.execute(select(func.count()).select_from(row)).scalar_one()) == 0


async def test_failures_are_tried_again_with_the_same_id_and_growing_pauses(store: Store) -> None:
    receiver = Receiver(OSError("down"), OSError("down"))
    outbox = outbox_of(store, receiver)
    item = await outbox.enqueue("mail", {})
    pauses: list[int] = []
    for _ in range(2):
        await outbox.deliver_due()
        pauses.append(await wait_of(store))
        assert await outbox.deliver_due() == 0  # not before its time
        await make_due(store)
    await outbox.deliver_due()
    assert receiver.ids == [item] * 3
    assert await outbox.status(item) == "done"
    for number, pause in enumerate(pauses):
        assert 0 < pause <= FIRST_RETRY_MS * 2**number
        assert pause > FIRST_RETRY_MS * 2**number - 900  # what the statements themselves took on a busy machine


@pytest.mark.parametrize("status", ["waiting", "sending"])
async def test_what_a_wrong_clock_put_off_for_years_is_sent_now(store: Store, status: str) -> None:
    receiver = Receiver()
    outbox = outbox_of(store, receiver)
    item = await outbox.enqueue("mail", {})
    years = 3 * 365 * 86_400_000
    await store.database.write(lambda c: c.execute(update(row).values(due_at=database_now(c) + years, status=status)))
    assert await outbox.deliver_due() == 1
    assert await outbox.status(item) == "done"


async def test_it_gives_up_in_the_end_and_says_why(store: Store) -> None:
    receiver = Receiver(*(OSError("no route") for _ in range(MAX_ATTEMPTS + 5)))
    outbox = outbox_of(store, receiver)
    item = await outbox.enqueue("mail", {})
    for _ in range(MAX_ATTEMPTS + 2):
        await outbox.deliver_due()
        assert await wait_of(store) <= LONGEST_RETRY_MS
        await make_due(store)
    assert len(receiver.items) == MAX_ATTEMPTS
    assert await outbox.status(item) == "failed"
    assert "no route" in await store.database.read(lambda c: c.execute(select(row.c.last_error)).scalar_one())


async def test_what_cannot_be_delivered_is_not_tried_again(store: Store) -> None:
    receiver = Receiver(Undeliverable("no such address"))
    outbox = outbox_of(store, receiver)
    item = await outbox.enqueue("mail", {})
    await outbox.deliver_due()
    await make_due(store)
    assert await outbox.deliver_due() == 0
    assert await outbox.status(item) == "failed"


@pytest.mark.parametrize(
    ("failure", "status", "tries"),
    [(TimeoutError(), "uncertain", 1), (NotSent("refused"), "done", 2), (Undeliverable("gone"), "failed", 1)],
)
async def test_what_must_not_be_repeated_is_left_uncertain(
    store: Store, failure: Exception, status: str, tries: int
) -> None:
    """A failure that does not tell whether it arrived is not tried again; one that says that nothing went out is."""
    receiver = Receiver(failure)
    outbox = outbox_of(store, receiver, repeats=False)
    item = await outbox.enqueue("mail", {})
    for _ in range(3):
        await outbox.deliver_due()
        await make_due(store)
    assert await outbox.status(item) == status
    assert len(receiver.items) == tries


class Stuck(Receiver):
    """Takes an item and never comes back: the process is killed in the middle of sending."""

    def __init__(self) -> None:
        super().__init__()
        self.began = asyncio.Event()
        self.goes_on = asyncio.Event()

    async def send(self, item: Item) -> None:
        await super().send(item)
        self.began.set()
        await self.goes_on.wait()


@pytest.mark.parametrize(("repeats", "status", "tries"), [(True, "done", 1), (False, "uncertain", 0)])
async def test_what_was_in_flight_when_a_process_died(store: Store, repeats: bool, status: str, tries: int) -> None:
    stuck, receiver = Stuck(), Receiver()
    dying = outbox_of(store, stuck, repeats=repeats)
    item = await dying.enqueue("mail", {})
    dying.start()
    await stuck.began.wait()
    await dying.stop()
    successor = outbox_of(store, receiver, repeats=repeats)
    assert await successor.deliver_due() == 0  # it may still be on its way
    await make_due(store)
    await successor.deliver_due()
    assert receiver.ids == [item] * tries
    assert await successor.status(item) == status


async def test_an_outbox_leaves_topics_alone_that_it_does_not_know(store: Store) -> None:
    stuck = Stuck()
    dying = outbox_of(store, stuck, repeats=False)
    item = await dying.enqueue("mail", {})
    dying.start()
    await stuck.began.wait()
    await dying.stop()
    await make_due(store)
    stranger = Outbox(store.database, FakeClock(), {"push": Deliverer(Receiver().send)})
    await stranger.deliver_due()
    assert await stranger.status(item) == "sending"


async def test_a_try_that_outlived_its_claim_does_not_overrule_the_next(store: Store) -> None:
    stuck, receiver = Stuck(), Receiver(OSError("later"))
    slow, quick = outbox_of(store, stuck), outbox_of(store, receiver)
    item = await slow.enqueue("mail", {})
    late = asyncio.create_task(slow.deliver_due())
    await stuck.began.wait()
    await make_due(store)
    await quick.deliver_due()  # claims it with a higher epoch, and fails: it waits for its next try
    stuck.goes_on.set()
    await late
    assert await quick.status(item) == "waiting"
    assert [i.epoch for i in (*stuck.items, *receiver.items)] == [1, 2]


async def test_two_outboxes_never_claim_the_same_item(
    open_store: Callable[..., Awaitable[Store]], store: Store
) -> None:
    second = store if store.database.engine_name == "sqlite" else await open_store()
    left, right = Receiver(), Receiver()
    outboxes = [outbox_of(store, left), outbox_of(second, right)]
    items = [await outboxes[0].enqueue("mail", {"n": n}) for n in range(60)]
    for _ in range(5):
        await asyncio.gather(*(outbox.deliver_due() for outbox in outboxes))
    assert sorted(left.ids + right.ids) == sorted(items)


async def test_the_loop_sends_what_comes_and_survives_a_database_that_is_away(store: Store) -> None:
    clock, receiver = FakeClock(), Stuck()
    receiver.goes_on.set()
    outbox = Outbox(store.database, clock, {"mail": Deliverer(receiver.send)})
    item = await outbox.enqueue("mail", {})
    outbox.start()
    await asyncio.wait_for(receiver.began.wait(), 10)
    await outbox.stop()
    assert receiver.ids == [item]


class FirstHeldUp(Receiver):
    """A receiver whose first item hangs; the others arrive."""

    def __init__(self, others: int) -> None:
        super().__init__()
        self._others = others
        self.all_others = asyncio.Event()

    async def send(self, item: Item) -> None:
        if not item.payload["n"]:
            await asyncio.Event().wait()
        await super().send(item)
        if len(self.items) == self._others:
            self.all_others.set()


async def test_what_is_put_in_goes_at_once_and_does_not_wait_for_one_that_hangs(store: Store) -> None:
    receiver = FirstHeldUp(3 * AT_ONCE)
    outbox = outbox_of(store, receiver)  # its clock stands still: nothing is found by looking again later
    outbox.start()
    items = [await outbox.enqueue("mail", {"n": n}) for n in range(3 * AT_ONCE + 1)]
    await asyncio.wait_for(receiver.all_others.wait(), 20)
    await outbox.stop()
    assert sorted(receiver.ids) == sorted(items[1:])
    assert [await outbox.status(i) for i in items] == ["sending"] + ["done"] * (3 * AT_ONCE)


async def test_the_next_owner_of_a_data_folder_takes_up_at_once_what_was_in_flight(store: Store) -> None:
    stuck, receiver = Stuck(), Stuck()
    receiver.goes_on.set()
    dying = outbox_of(store, stuck)
    item = await dying.enqueue("mail", {})
    dying.start()
    await stuck.began.wait()
    await dying.stop()
    if store.database.engine_name != "sqlite":
        await make_due(store)  # another replica may be sending it: its time must run out first
    successor = outbox_of(store, receiver)
    successor.start()
    await asyncio.wait_for(receiver.began.wait(), 20)
    await successor.stop()
    assert receiver.ids == [item]


async def test_what_stands_in_one_line_leaves_in_its_order_and_holds_no_other_up(store: Store) -> None:
    sent: list[object] = []

    async def send(item: Item) -> None:
        sent.append(item.payload["n"])
        if item.payload["n"] == 0 and item.attempts == 1:
            raise OSError("away")

    outbox = Outbox(store.database, FakeClock(), {"mail": Deliverer(send)})
    for number in range(4):
        await store.database.write(lambda c, n=number: enqueue(c, "mail", {"n": n}, line="one"))
    await store.database.write(lambda c: enqueue(c, "mail", {"n": "other"}, line="two"))
    await store.database.write(lambda c: enqueue(c, "mail", {"n": "alone"}))
    assert await outbox.deliver_due() == 3  # the first of each line, and what stands in none
    assert await outbox.deliver_due() == 0  # the others wait until the first has arrived
    while len(sent) < 7:
        await make_due(store)
        await outbox.deliver_due()
    assert [n for n in sent if isinstance(n, int)] == [0, 0, 1, 2, 3]
    assert {"other", "alone"} <= set(sent)


async def test_a_line_goes_on_behind_what_was_given_up(store: Store) -> None:
    receiver = Receiver(Undeliverable("no such address"))
    outbox = outbox_of(store, receiver)
    items = [
        await store.database.write(lambda c, n=number: enqueue(c, "mail", {"n": n}, line="one")) for number in range(2)
    ]
    while await outbox.deliver_due():
        pass
    assert [await outbox.status(item) for item in items] == ["failed", "done"]


async def test_a_line_goes_on_behind_what_nobody_knows_of(store: Store) -> None:
    receiver = Receiver()
    outbox = outbox_of(store, receiver, repeats=False)
    items = [
        await store.database.write(lambda c, n=number: enqueue(c, "mail", {"n": n}, line="one")) for number in range(2)
    ]
    died = update(row).where(row.c.id == items[0]).values(status="sending", due_at=0)
    await store.database.write(lambda c: c.execute(died))
    assert await outbox.deliver_due() == 1
    assert [await outbox.status(item) for item in items] == ["uncertain", "done"]


def _without_lines(connection: Connection) -> None:
    connection.execute(text("DROP INDEX outbox_line"))
    connection.execute(text("ALTER TABLE outbox DROP COLUMN line"))
    connection.execute(text("ALTER TABLE outbox DROP COLUMN place"))
    connection.execute(text("DELETE FROM migration WHERE id = 'store/2'"))
    connection.execute(text("INSERT INTO outbox VALUES ('out_old', 'mail', '{}', 'waiting', 0, 0, 0, 0, NULL)"))


async def test_an_outbox_of_before_lines_is_taken_along(open_store: OpenStore) -> None:
    before = await open_store()
    await before.database.write(_without_lines)
    await before.close()
    store = await open_store()
    receiver = Receiver()
    outbox = outbox_of(store, receiver)
    await store.database.write(lambda c: enqueue(c, "mail", {"n": 1}, line="one"))
    assert await outbox.deliver_due() == 2
