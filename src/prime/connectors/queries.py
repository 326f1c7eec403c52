"""Reads and writes of what connectors remember."""

from sqlalchemy import Connection, delete, select

from prime.connectors.tables import connector_memory
from prime.store.upsert import put_row


def put_memory(connection: Connection, connector: str, key: str, value: str) -> None:
    put_row(connection, connector_memory, {"connector": connector, "key": key, "value": value})


def read_memory(connection: Connection, connector: str, key: str) -> str | None:
    columns = connector_memory.c
    query = select(columns.value).where(columns.connector == connector, columns.key == key)
    return connection.execute(query).scalar_one_or_none()


def forget_memory(connection: Connection, connector: str) -> None:
    connection.execute(delete(connector_memory).where(connector_memory.c.connector == connector))
