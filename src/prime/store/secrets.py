"""Secrets at rest: written, used, forgotten, and never read back by anyone outside this process.

The API says only that a secret is set, since when, and when it was last used.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqlalchemy import delete, select, update

from prime.core.clock import Clock
from prime.core.errors import InvalidInput, NotFound
from prime.core.secret_box import SealBroken, SecretBox
from prime.store import tables
from prime.store.database import Database
from prime.store.upsert import add_row, put_row

MAX_NAME = 120
MAX_VALUE = 64 * 1024

_secret = tables.secret


@dataclass(frozen=True, slots=True)
class SecretFacts:
    """What may be said about a secret."""

    name: str
    since: int
    last_used: int | None


class Secrets:
    """`given` are values that Prime was started with: not kept here, but not to be shown either."""

    def __init__(self, database: Database, box: SecretBox, clock: Clock, *, given: Iterable[str] = ()) -> None:
        self._database = database
        self._given = tuple(given)
        self._box = box
        self._clock = clock
        # Where one process owns the file, nobody else changes it; replicas share theirs and look each time.
        self._keeps = database.engine_name == "sqlite"
        self._kept: tuple[str, ...] | None = None
        self._changes = 0
        self._listeners: list[Callable[[str], None]] = []

    def listen(self, heard: Callable[[str], None]) -> None:
        """Be told the name of every secret that is set or forgotten in this process."""
        self._listeners.append(heard)

    async def put(self, name: str, value: str) -> SecretFacts:
        """Keep a value under a name; what was there is gone."""
        since = self._clock.now_ms()
        row = self._row(name, value, since)
        await self._database.write(lambda c: put_row(c, _secret, row))
        self._changed(name)
        return SecretFacts(name, since, None)

    async def put_new(self, name: str, value: str) -> bool:
        """Keep a value unless there is one; of two replicas that do it at once, one keeps its own."""
        row = self._row(name, value, self._clock.now_ms())
        added = await self._database.write(lambda c: add_row(c, _secret, row))
        self._changed(name)
        return added

    def _changed(self, name: str) -> None:
        self._kept = None
        self._changes += 1
        for heard in self._listeners:
            heard(name)

    def _row(self, name: str, value: str, since: int) -> dict[str, object]:
        if not name or len(name) > MAX_NAME or not name.isprintable():
            raise InvalidInput(f"A secret's name has 1 to {MAX_NAME} printable characters.", field="name")
        if not value or len(value) > MAX_VALUE:
            raise InvalidInput(f"A secret has 1 to {MAX_VALUE} characters.", field="value")
        sealed = self._box.seal(name, value.encode())
        return {"name": name, "sealed": sealed, "since": since, "last_used": None}

    async def use(self, name: str) -> str:
        """The value, for the one place that needs it; the use is noted."""
        query = select(_secret.c.sealed).where(_secret.c.name == name)
        sealed = await self._database.glance(lambda c: c.execute(query).scalar_one_or_none())
        if sealed is None:
            raise NotFound(f"The secret {name} is not set.", hint="Set it in the settings.", name=name)
        now = self._clock.now_ms()
        await self._database.write(
            lambda c: c.execute(update(_secret).where(_secret.c.name == name).values(last_used=now))
        )
        return self._box.open(name, sealed).decode()

    async def find(self, name: str) -> str | None:
        """The value if there is one; the use is noted."""
        return await self.use(name) if await self.facts(name) else None

    async def facts(self, name: str) -> SecretFacts | None:
        return next((f for f in await self.list() if f.name == name), None)

    async def list(self) -> list[SecretFacts]:
        query = select(_secret.c.name, _secret.c.since, _secret.c.last_used).order_by(_secret.c.name)
        rows = await self._database.glance(lambda c: c.execute(query).all())
        return [SecretFacts(name, since, last_used) for name, since, last_used in rows]

    async def forget(self, name: str) -> bool:
        """Whether there was one."""
        gone = await self._database.write(lambda c: c.execute(delete(_secret).where(_secret.c.name == name)))
        self._changed(name)
        return gone.rowcount == 1

    def _opened(self, name: str, sealed: bytes) -> str | None:
        """None for what was sealed with a key that is gone: nobody here can give it away."""
        try:
            return self._box.open(name, sealed).decode()
        except SealBroken:
            return None

    async def values(self) -> Iterable[str]:
        """Every value, for redaction alone: whatever Prime holds must not leave in a result or a log."""
        if self._kept is not None:
            return self._kept
        query, seen = select(_secret.c.name, _secret.c.sealed), self._changes
        rows = await self._database.glance(lambda c: c.execute(query).all())
        opened = (self._opened(name, sealed) for name, sealed in rows)
        found = (*self._given, *(value for value in opened if value is not None))
        if self._keeps and seen == self._changes:
            self._kept = found
        return found
