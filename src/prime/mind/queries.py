"""Reads and writes of the spend counters."""

from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from prime.mind.tables import spend
from prime.store.upsert import add_row

ALL = "all"


@dataclass(frozen=True, slots=True)
class Spent:
    calls: int = 0
    images: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    micro_dollars: int = 0


_ZERO = dict.fromkeys(Spent.__slots__, 0)


def read_spent(connection: Connection, scope: str = ALL) -> Spent:
    row = connection.execute(select(spend).where(spend.c.scope == scope)).one_or_none()
    return Spent(*row[1:]) if row else Spent()


def add_spent(connection: Connection, more: Spent, scope: str = ALL) -> Spent:
    """Count what was spent; the new totals. The row is locked until the transaction ends."""
    add_row(connection, spend, {"scope": scope, **_ZERO})
    before = Spent(*connection.execute(select(spend).where(spend.c.scope == scope).with_for_update()).one()[1:])
    after = Spent(
        calls=before.calls + more.calls,
        images=before.images + more.images,
        input_tokens=before.input_tokens + more.input_tokens,
        output_tokens=before.output_tokens + more.output_tokens,
        micro_dollars=before.micro_dollars + more.micro_dollars,
    )
    values = {field: getattr(after, field) for field in Spent.__slots__}
    connection.execute(update(spend).where(spend.c.scope == scope).values(values))
    return after


def reset_spent(connection: Connection, scope: str = ALL) -> None:
    connection.execute(update(spend).where(spend.c.scope == scope).values(_ZERO))
