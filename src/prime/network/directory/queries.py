"""Reads and writes over the directory's table."""

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from prime.core.canonical import canonical_json
from prime.core.errors import Conflict
from prime.core.ids import new_id
from prime.network.directory.entry import Entry, Registration
from prime.network.tables import directory_agent
from prime.rooms.tier import Tier
from prime.store.leases import database_now

_c = directory_agent.c


def read_changes(connection: Connection, since: int) -> list[Entry]:
    """Everything that changed from that moment on, removed ones too."""
    return [_entry(row) for row in connection.execute(select(directory_agent).where(_c.changed_at >= since))]


def find_at(connection: Connection, endpoint: str) -> Entry | None:
    row = connection.execute(select(directory_agent).where(_c.endpoint == endpoint)).one_or_none()
    return _entry(row) if row else None


def find(connection: Connection, agent_id: str) -> Entry | None:
    row = connection.execute(select(directory_agent).where(_c.id == agent_id)).one_or_none()
    return _entry(row) if row else None


def put(
    connection: Connection,
    agent_id: str,
    given: Registration,
    token_hash: str,
    tier: Tier | None,
    *,
    vouched: bool,
) -> Entry:
    """Add a card, or replace what it said; a tier that was given stays unless a new one is."""
    now = database_now(connection)
    values: dict[str, object] = {
        "name": given.name,
        "kind": given.kind,
        "capabilities": canonical_json(list(given.capabilities)),
        "endpoint": given.endpoint,
        "owner": given.owner,
        "token_hash": token_hash,
        "changed_at": now,
        "removed_at": None,
        "vouched_at": now if vouched else None,
    }
    there = find(connection, agent_id)
    if there is None:
        number = connection.execute(select(func.coalesce(func.max(_c.number), 0) + 1)).scalar_one()
        new: dict[str, object] = {"id": agent_id, "number": number, "tier": tier or "external", "registered_at": now}
        connection.execute(insert(directory_agent).values(values | new))
    else:
        kept: dict[str, object] = {} if tier is None else {"tier": tier}
        connection.execute(update(directory_agent).where(_c.id == agent_id).values(values | kept))
    found = find(connection, agent_id)
    assert found is not None
    return found


def put_over(
    connection: Connection,
    given: Registration,
    seen: Entry | None,
    token_hash: str,
    tier: Tier | None,
    *,
    vouched: bool,
) -> Entry:
    """As `put`, unless the endpoint has changed hands since it was looked at."""
    there = find_at(connection, given.endpoint)
    if (there.token_hash if there else None) != (seen.token_hash if seen else None):
        raise Conflict("Somebody else has just registered this endpoint.", hint="Try again.", code="endpoint_taken")
    return put(connection, there.id if there else new_id("agent"), given, token_hash, tier, vouched=vouched)


def set_tier(connection: Connection, agent_id: str, tier: Tier, *, vouched: bool) -> None:
    now = database_now(connection)
    values = {"tier": tier, "changed_at": now, "vouched_at": now if vouched else None}
    connection.execute(update(directory_agent).where(_c.id == agent_id).values(values))


def remove(connection: Connection, agent_id: str) -> None:
    """The row stays as a sign to other replicas; its endpoint is free for whoever registers it next."""
    now = database_now(connection)
    connection.execute(
        update(directory_agent)
        .where(_c.id == agent_id)
        .values(removed_at=now, changed_at=now, endpoint=f"removed:{agent_id}", token_hash="")
    )


def write_signs(connection: Connection, seen: Mapping[str, int], answered: Mapping[str, int]) -> None:
    """Signs of life of many agents in one go."""
    now = database_now(connection)
    for column, signs in ((_c.seen_at, seen), (_c.answered_at, answered)):
        if signs:
            rows: Sequence[dict[str, object]] = [{"agent": agent_id, "at": at} for agent_id, at in signs.items()]
            statement = (
                update(directory_agent)
                .where(_c.id == bindparam("agent"), func.coalesce(column, 0) < bindparam("at"))
                .values({column.name: bindparam("at"), "changed_at": now})
            )
            connection.execute(statement, rows)


def _entry(row: Row[tuple[object, ...]]) -> Entry:
    return Entry(
        id=row.id,
        number=row.number,
        name=row.name,
        kind=row.kind,
        capabilities=tuple(json.loads(row.capabilities)),
        endpoint=row.endpoint,
        owner=row.owner,
        token_hash=row.token_hash,
        tier=row.tier,
        registered_at=row.registered_at,
        changed_at=row.changed_at,
        removed_at=row.removed_at,
        seen_at=row.seen_at,
        answered_at=row.answered_at,
        vouched=row.vouched_at is not None,
    )
