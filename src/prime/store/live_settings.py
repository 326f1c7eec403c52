"""Settings that the owner changes while Prime runs; they win over the environment, which wins over the defaults."""

import json
from collections.abc import Callable, Mapping
from typing import cast

from sqlalchemy import Connection, delete, select

from prime.core.canonical import canonical_json
from prime.core.clock import Clock
from prime.store import tables
from prime.store.database import Database, Job
from prime.store.upsert import put_row

_setting = tables.live_setting


class LiveSettings:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, key: str) -> object | None:
        query = select(_setting.c.value).where(_setting.c.key == key)
        value = await self._database.glance(lambda c: c.execute(query).scalar_one_or_none())
        return None if value is None else json.loads(value)

    async def all(self) -> dict[str, object]:
        rows = await self._database.glance(lambda c: c.execute(select(_setting.c.key, _setting.c.value)).all())
        return {key: cast("object", json.loads(value)) for key, value in rows}

    async def put(self, key: str, value: object | None) -> None:
        """Set it, or with None go back to what the environment says."""
        job = self.setting({key: value})
        await self._database.write(job)

    def setting(self, values: Mapping[str, object | None]) -> Job[None]:
        """The job that sets all of these, for a transaction of the caller's."""
        encoded = {key: None if value is None else canonical_json(value) for key, value in values.items()}
        now = self._clock.now_ms()

        def job(connection: Connection) -> None:
            for key, value in encoded.items():
                _write(connection, key, value, now)

        return job

    async def change(self, key: str, change: Callable[[object | None], object | None]) -> None:
        """Put what `change` makes of the present value, with nobody in between; None goes back to the environment."""

        def job(connection: Connection) -> None:
            query = select(_setting.c.value).where(_setting.c.key == key).with_for_update()
            found = connection.execute(query).scalar_one_or_none()
            value = change(None if found is None else json.loads(found))
            _write(connection, key, None if value is None else canonical_json(value), self._clock.now_ms())

        await self._database.write(job)


def _write(connection: Connection, key: str, value: str | None, now_ms: int) -> None:
    if value is None:
        connection.execute(delete(_setting).where(_setting.c.key == key))
    else:
        put_row(connection, _setting, {"key": key, "value": value, "updated_at": now_ms})
