"""Results that are pushed to whoever asked for them: from the outbox, signed, at least once, with a delivery id."""

from prime.core.canonical import canonical_json
from prime.core.clock import Clock
from prime.core.errors import Unavailable
from prime.core.http import GuardedClient, Refused
from prime.network import queries
from prime.network.signatures import DELIVERY_HEADER, HEADER, sign
from prime.network.tasks import Task
from prime.network.wire import task_json
from prime.store.database import Database
from prime.store.outbox import Item, Undeliverable

# The receiver says that it will never take it.
_FINAL = frozenset({400, 401, 403, 404, 405, 410, 413, 415, 422})


class Callbacks:
    def __init__(self, database: Database, client: GuardedClient, clock: Clock) -> None:
        self._database = database
        self._client = client
        self._clock = clock

    async def deliver(self, item: Item) -> None:
        """Push one result; raises to be tried again, `Undeliverable` when that cannot help."""
        task_id = str(item.payload["taskId"])
        task = await self._database.read(lambda c: queries.find_task(c, task_id))
        target = await self._database.read(lambda c: queries.callback_of(c, task_id))
        if task is None or target is None:
            raise Undeliverable("The task is gone.")
        await push(self._client, self._clock, task, url=target.url, key=target.key, delivery_id=item.id)


async def push(client: GuardedClient, clock: Clock, task: Task, *, url: str, key: str | None, delivery_id: str) -> None:
    body = canonical_json({"type": "result", **task_json(task)}).encode()
    headers = {"Content-Type": "application/json", DELIVERY_HEADER: delivery_id}
    if key is not None:
        headers[HEADER] = sign(key, body, clock.now_ms())
    try:
        response = await client.request("POST", url, headers=headers, content=body, max_bytes=64 * 1024)
    except Refused as refused:
        if refused.passing:
            raise
        raise Undeliverable("The callback's address may not be reached from here.") from refused
    if response.status in _FINAL:
        raise Undeliverable(f"The receiver answered {response.status}.")
    if not response.ok:
        raise Unavailable(f"The receiver answered {response.status}.")
