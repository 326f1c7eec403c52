"""Databases from before a change of the network's tables."""

from collections.abc import Awaitable, Callable

from sqlalchemy import Connection, insert, select, text

from prime.network.directory import queries
from prime.network.tables import NETWORK_MIGRATIONS, network_turn
from prime.store.migrations import Migration
from prime.store.store import Store

OpenStore = Callable[..., Awaitable[Store]]

_AS_AT_FIRST = """CREATE TABLE network_turn (scope VARCHAR NOT NULL, message_id VARCHAR NOT NULL, task_id VARCHAR NOT NULL,
    place INTEGER NOT NULL, said_id VARCHAR NOT NULL, sender_name VARCHAR NOT NULL, answer_id VARCHAR,
    PRIMARY KEY (scope, message_id))"""
_AGENTS_AT_FIRST = """CREATE TABLE directory_agent (id VARCHAR NOT NULL PRIMARY KEY, number BIGINT NOT NULL,
    name VARCHAR NOT NULL, kind VARCHAR NOT NULL, capabilities VARCHAR NOT NULL, endpoint VARCHAR NOT NULL,
    owner VARCHAR NOT NULL, token_hash VARCHAR NOT NULL, tier VARCHAR NOT NULL, registered_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL, removed_at BIGINT, seen_at BIGINT, answered_at BIGINT)"""
_AGENT = {"id": "agent_a", "number": 1, "name": "Ada", "kind": "custom", "capabilities": "[]", "owner": "", "tier": "team",
          "endpoint": "https://a.example", "token_hash": "h", "registered_at": 1, "changed_at": 1}  # fmt: skip
_TURN = {"scope": "s", "message_id": "m", "task_id": "t1", "place": 0, "said_id": "msg_1", "sender_name": "Ada"}


def _at_first(connection: Connection) -> None:
    connection.execute(text(_AS_AT_FIRST))
    connection.execute(text("CREATE INDEX network_turn_by_task ON network_turn (task_id, place)"))
    connection.execute(insert(network_turn).values(_TURN))
    connection.execute(text(_AGENTS_AT_FIRST))
    names = ", ".join(_AGENT)
    connection.execute(text(f"INSERT INTO directory_agent ({names}) VALUES (:{names.replace(', ', ', :')})"), _AGENT)


async def test_turns_of_an_older_database_are_kept_and_an_id_may_come_in_another_task(open_store: OpenStore) -> None:
    before = await open_store(migrations=[Migration("network/1", _at_first)])
    await before.close()
    store = await open_store(migrations=NETWORK_MIGRATIONS)
    await store.database.write(lambda c: c.execute(insert(network_turn).values({**_TURN, "task_id": "t2"})))
    query = select(network_turn).order_by(network_turn.c.task_id)
    rows = await store.database.read(lambda c: [dict(row) for row in c.execute(query).mappings()])
    assert rows == [{**_TURN, "answer_id": None}, {**_TURN, "answer_id": None, "task_id": "t2"}]
    agent = await store.database.read(lambda c: queries.find(c, "agent_a"))
    assert agent is not None
    assert (agent.tier, agent.vouched) == ("team", False)
