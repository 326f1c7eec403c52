"""Databases from before a change of the network's tables."""

from collections.abc import Awaitable, Callable

from sqlalchemy import Connection, insert, select, text

from prime.network.tables import NETWORK_MIGRATIONS, network_turn
from prime.store.migrations import Migration
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]

_AS_AT_FIRST = """CREATE TABLE network_turn (scope VARCHAR NOT NULL, message_id VARCHAR NOT NULL, task_id VARCHAR NOT NULL,
    place INTEGER NOT NULL, said_id VARCHAR NOT NULL, sender_name VARCHAR NOT NULL, answer_id VARCHAR,
    PRIMARY KEY (scope, message_id))"""
_TURN = {"scope": "s", "message_id": "m", "task_id": "t1", "place": 0, "said_id": "msg_1", "sender_name": "Ada"}


def _at_first(connection: Connection) -> None:
    connection.execute(text(_AS_AT_FIRST))
    connection.execute(text("CREATE INDEX network_turn_by_task ON network_turn (task_id, place)"))
    connection.execute(insert(network_turn).values(_TURN))


async def test_turns_of_an_older_database_are_kept_and_an_id_may_come_in_another_task(open_store: OpenStore) -> None:
    before = await open_store(migrations=[Migration("network/1", _at_first)])
    await before.close()
    store = await open_store(migrations=NETWORK_MIGRATIONS)
    await store.database.write(lambda c: c.execute(insert(network_turn).values({**_TURN, "task_id": "t2"})))
    query = select(network_turn).order_by(network_turn.c.task_id)
    rows = await store.database.read(lambda c: [dict(row) for row in c.execute(query).mappings()])
    assert rows == [{**_TURN, "answer_id": None}, {**_TURN, "answer_id": None, "task_id": "t2"}]
