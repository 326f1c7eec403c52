"""What each connector is given to work with, put together from the parts of the house."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from prime.connectors import queries
from prime.connectors.contract import Desk, Status
from prime.connectors.rest import Rest
from prime.core.clock import Clock
from prime.hub.gate.gate import Gate
from prime.store.secrets import Secrets
from prime.store.store import Store


def secret_name(name: str, setting: str) -> str:
    """Where a connector's secret lies in the box."""
    return f"connector:{name}:{setting}"


@dataclass(frozen=True, slots=True)
class Giving:
    """Makes desks."""

    store: Store
    secrets: Secrets
    clock: Clock
    gate: Gate
    base_url: str
    rest: Callable[[str], Rest]

    def desk(self, name: str, values: Mapping[str, str], report: Callable[[Status], None]) -> Desk:
        store, gate = self.store, self.gate

        async def keep(key: str, value: str) -> None:
            await self.secrets.put(secret_name(name, key), value)

        async def remember(key: str, value: str) -> None:
            await store.database.write(lambda c: queries.put_memory(c, name, key, value))

        async def recall(key: str) -> str | None:
            return await store.database.read(lambda c: queries.read_memory(c, name, key))

        async def content(attachment_id: str) -> bytes:
            return await store.attachments.content(await store.attachments.get(attachment_id))

        async def read_up_to(channel_id: str, external_id: str) -> None:
            await gate.replies.read_up_to(channel_id, external_id)

        return Desk(
            clock=self.clock,
            rest=self.rest,
            values=values,
            secret=lambda key: self.secrets.find(secret_name(name, key)),
            keep=keep,
            remember=remember,
            recall=recall,
            receive=gate.replies.receive,
            read_up_to=read_up_to,
            learn_style=lambda texts: gate.style.learn(name, texts),
            report=report,
            base_url=self.base_url,
            folder=store.folder.path / "published",
            content=content,
        )
