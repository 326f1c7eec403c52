"""Reads and writes of push devices, and of the place up to which the log was looked at."""

from dataclasses import dataclass, field

from sqlalchemy import Connection, delete, insert, select, update

from prime.accounts.push.said import Language
from prime.accounts.tables import push_device, push_place
from prime.store.upsert import put_row

PLACE = "push"


@dataclass(frozen=True, slots=True)
class Device:
    """A browser that wants to be told."""

    id: str
    endpoint: str = field(repr=False)
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)
    session_id: str | None
    device: str
    created_at: int
    sent_at: int | None
    failures: int
    language: Language = "en"


def put_device(connection: Connection, device: Device, most: int) -> Device:
    """Keep it; the same endpoint again is the same device. Beyond the number the oldest go."""
    values = {name: getattr(device, name) for name in Device.__slots__}
    known = connection.execute(
        select(push_device.c.id).where(push_device.c.endpoint == device.endpoint)
    ).scalar_one_or_none()
    if known is None:
        connection.execute(insert(push_device).values(values))
        newest = select(push_device.c.id).order_by(push_device.c.created_at.desc(), push_device.c.id).limit(most)
        kept = list(connection.execute(newest).scalars())
        connection.execute(delete(push_device).where(push_device.c.id.not_in(kept)))
    else:
        stays = {"id", "created_at", "sent_at"}
        changed = {name: value for name, value in values.items() if name not in stays}
        connection.execute(update(push_device).where(push_device.c.id == known).values(changed))
    row = connection.execute(select(push_device).where(push_device.c.endpoint == device.endpoint)).one()
    return Device(*row)


def read_devices(connection: Connection) -> list[Device]:
    rows = connection.execute(select(push_device).order_by(push_device.c.created_at, push_device.c.id))
    return [Device(*row) for row in rows]


def remove_endpoint(connection: Connection, endpoint: str) -> bool:
    return connection.execute(delete(push_device).where(push_device.c.endpoint == endpoint)).rowcount == 1


def remove_device(connection: Connection, device_id: str) -> bool:
    return connection.execute(delete(push_device).where(push_device.c.id == device_id)).rowcount == 1


def note_sent(connection: Connection, device_id: str, now: int) -> None:
    connection.execute(update(push_device).where(push_device.c.id == device_id).values(sent_at=now, failures=0))


def note_failure(connection: Connection, device_id: str) -> None:
    failed = {"failures": push_device.c.failures + 1}
    connection.execute(update(push_device).where(push_device.c.id == device_id).values(failed))


def read_place(connection: Connection) -> int | None:
    return connection.execute(select(push_place.c.seq).where(push_place.c.name == PLACE)).scalar_one_or_none()


def put_place(connection: Connection, seq: int) -> None:
    put_row(connection, push_place, {"name": PLACE, "seq": seq})
