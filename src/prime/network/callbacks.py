"""Results that are pushed to whoever asked for them, from the outbox: at least once, over restarts."""

from prime.core.clock import Clock
from prime.core.http import GuardedClient, Refused
from prime.network import queries
from prime.network.pushes import NotTaken, push
from prime.store.database import Database
from prime.store.outbox import Item, Undeliverable


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
        try:
            await push(self._client, self._clock, task, url=target.url, key=target.key, delivery_id=item.id)
        except NotTaken as error:
            raise Undeliverable(str(error)) from error
        except Refused as error:
            if error.passing:
                raise
            raise Undeliverable("The callback's address may not be reached from here.") from error
