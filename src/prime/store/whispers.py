"""Small passing words from one replica to the others: never kept, never waited for, bounded in size and number.

What must not be lost goes through the log. Of what comes faster than it is passed on, the latest counts.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from typing import cast

from sqlalchemy import Connection, text

from prime.core.ids import new_id
from prime.core.tasks import end
from prime.store.database import WHISPER_CHANNEL, Database

log = logging.getLogger(__name__)

Whisper = Mapping[str, object]

# Between two about the same thing; and how much one may say (PostgreSQL takes 8,000 bytes).
PAUSE_S = 0.25
MOST_BYTES = 6_000
# Things that may wait at once; more are dropped.
MOST_WAITING = 200

_NOTIFY = text("SELECT pg_notify(:channel, :payload)")


class Whispers:
    """On SQLite, where there is nobody else, nothing is told."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._origin = new_id("rep")
        self._waiting: dict[str, Whisper] = {}
        self._telling: set[asyncio.Task[None]] = set()
        self._listeners: dict[str, list[Callable[[Whisper], None]]] = {}

    def listen(self, topic: str, listener: Callable[[Whisper], None]) -> None:
        """Hear what other replicas say on a topic."""
        self._listeners.setdefault(topic, []).append(listener)

    def tell(self, about: str, value: Whisper) -> None:
        """Pass this on soon, instead of what was to be passed on about the same before. `about` begins with its topic and
        a slash."""
        if self._database.engine_name == "sqlite":
            return
        if about not in self._waiting and len(self._waiting) < MOST_WAITING:
            task = asyncio.create_task(self._soon(about), name="prime-whisper")
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)
            self._waiting[about] = value
        elif about in self._waiting:
            self._waiting[about] = value

    def hear(self, payload: str) -> None:
        """What the database passed on; what is not ours to understand is passed over."""
        try:
            heard: object = json.loads(payload)
        except ValueError:
            return
        told = cast("dict[str, object]", heard) if isinstance(heard, dict) else {}
        value = told.get("value")
        if told.get("from") in (None, self._origin) or not isinstance(value, dict):
            return
        for listener in self._listeners.get(str(told.get("topic")), ()):
            listener(cast("Whisper", value))

    async def stop(self) -> None:
        await end(*self._telling)

    async def _soon(self, about: str) -> None:
        await asyncio.sleep(PAUSE_S)
        value = self._waiting.pop(about, None)
        payload = written(self._origin, about.partition("/")[0], value) if value else None
        if payload is None:
            return
        try:
            await self._database.derive(lambda connection: _notify(connection, payload))
        except Exception as error:  # noqa: BLE001  (nobody misses a passing word; the log has what was said)
            log.debug("a passing word was not passed on: %s", error)


def written(origin: str, topic: str, value: Whisper) -> str | None:
    """As it is sent. Of words that are too long the end is kept, which is what is being written; None when that is no help."""
    head = {"from": origin, "topic": topic}
    payload = json.dumps({**head, "value": dict(value)}, ensure_ascii=False)
    over = len(payload.encode()) - MOST_BYTES
    if over <= 0:
        return payload
    said = value.get("text")
    if not isinstance(said, str) or over >= len(said.encode()):
        return None
    kept = said.encode()[over + 16 :].decode(errors="ignore")
    shorter = json.dumps({**head, "value": {**value, "text": f"…{kept}"}}, ensure_ascii=False)
    return shorter if len(shorter.encode()) <= MOST_BYTES else None


def _notify(connection: Connection, payload: str) -> None:
    connection.execute(_NOTIFY, {"channel": WHISPER_CHANNEL, "payload": payload})
